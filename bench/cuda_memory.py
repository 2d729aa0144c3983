# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Memory of the first CUDA device, by the driver alone."""

from __future__ import annotations

import ctypes


class Memory:
    """So many bytes, as an array of CUDA (``__cuda_array_interface__``)."""

    def __init__(self, count: int) -> None:
        """Allocate them.

        Raises:
            OSError: there is no CUDA driver, no device, or no memory left.
        """
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._bytes = count
        self._context, self._address = ctypes.c_void_p(), ctypes.c_uint64()
        self._do("cuInit", 0)
        self._do("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), 0)
        self._do("cuCtxSetCurrent", self._context)
        self._do("cuMemAlloc_v2", ctypes.byref(self._address), ctypes.c_size_t(count))
        self.__cuda_array_interface__ = {
            "data": (self._address.value, False),
            "shape": (count,),
            "typestr": "|u1",
            "version": 3,
        }

    def __del__(self) -> None:
        """Release them."""
        if self._address.value:
            self._driver.cuMemFree_v2(self._address)

    def put(self, data: bytes) -> None:
        """Copy these bytes to the device."""
        self._do("cuMemcpyHtoD_v2", self._address, data, ctypes.c_size_t(self._bytes))

    def get(self) -> bytes:
        """Copy the bytes from the device."""
        data = ctypes.create_string_buffer(self._bytes)
        self._do("cuMemcpyDtoH_v2", data, self._address, ctypes.c_size_t(self._bytes))
        return data.raw

    def _do(self, name: str, *arguments: object) -> None:
        status = self._driver[name](*arguments)
        if status != 0:
            raise OSError(f"{name} of CUDA's driver fails with status {status}")
