# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The energy counter of an NVIDIA graphics processor: NVML, a library of NVIDIA's driver.

See the NVML API Reference Guide and the CUDA Driver API. CUDA and NVML number devices in different
orders, so CUDA gives the device's address on the PCI bus, by which NVML finds it.
"""

from __future__ import annotations

import ctypes

CUDA, NVML = "libcuda.so.1", "libnvidia-ml.so.1"
_BUS_ID_BYTES = 32


class Card:
    """The energy counter of a graphics processor with its memory and its board."""

    def __init__(self, number: int) -> None:
        """Find the counter of the device ``cuda:<number>``, and begin to count.

        Raises:
            OSError: A library is missing, or the device has no counter, as before Volta.
        """
        cuda, self._nvml = ctypes.CDLL(CUDA), ctypes.CDLL(NVML)
        device, bus_id = ctypes.c_int(), ctypes.create_string_buffer(_BUS_ID_BYTES)
        _do(cuda, "cuInit", 0)
        _do(cuda, "cuDeviceGet", ctypes.byref(device), number)
        _do(cuda, "cuDeviceGetPCIBusId", bus_id, _BUS_ID_BYTES, device)
        self._handle = ctypes.c_void_p()
        _do(self._nvml, "nvmlInit_v2")
        _do(self._nvml, "nvmlDeviceGetHandleByPciBusId_v2", bus_id, ctypes.byref(self._handle))
        self._begun_mj = self._read_mj()

    def joules(self) -> float:
        """Return the energy since the counter was found.

        Raises:
            OSError: The driver fails.
        """
        return (self._read_mj() - self._begun_mj) / 1e3

    def _read_mj(self) -> int:
        """Millijoules since the driver was loaded."""
        total = ctypes.c_ulonglong()
        name = "nvmlDeviceGetTotalEnergyConsumption"
        _do(self._nvml, name, self._handle, ctypes.byref(total))
        return total.value


def _do(library: ctypes.CDLL, name: str, *arguments: object) -> None:
    try:
        status = library[name](*arguments)
    except AttributeError as error:
        raise OSError(f"{name} is missing in NVIDIA's driver") from error
    if status != 0:
        raise OSError(f"{name} of NVIDIA's driver fails with status {status}")
