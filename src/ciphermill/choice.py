# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The device with the highest measured throughput for the size at hand: ``--device auto``.

Devices that compute for real are measured: the processor and graphics processors. Simulated
devices are left out, since their time is not this machine's.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from ciphermill._engine import Device, Error, graphics_processors

AUTO = "auto"
"""The device's name that asks for a choice."""
LONGEST_BYTES = 8 << 20
"""Of a measured message. A longer one would not be faster."""
REPETITIONS = 3
"""Measured calls of each device, after one that is not."""
PROCESSOR = ("cpu", "software+")
"""Devices on the processor that are candidates; ``software`` is for comparison alone."""


@dataclass(frozen=True)
class Choice:
    """The fastest device, and the reason."""

    device: Device
    throughput_mb_s: dict[str, float]
    """Of each device that was measured, the fastest first."""
    bytes: int
    """Of the measured message."""

    @property
    def reason(self) -> str:
        """One line that says why.

        >>> Choice(Device("cpu"), {"cpu": 4321.0, "opencl:0": 600.0}, 65536).reason
        'cpu is the fastest for 65,536 bytes: 4,321 MB/s; opencl:0 600 MB/s'
        """
        [(name, rate), *others] = self.throughput_mb_s.items()
        said = [f"{name} is the fastest for {self.bytes:,} bytes: {rate:,.0f} MB/s"]
        said += [f"{other} {slower:,.0f} MB/s" for other, slower in others]
        return "; ".join(said)


def choose_device(
    message_bytes: int,
    *,
    mode: str = "gcm",
    operation: str = "encrypt",
    names: Iterable[str] | None = None,
) -> Choice:
    """Measure the devices that have a mode of AES with messages of a length; choose the fastest.

    Args:
        message_bytes: Length of the message at hand.
        mode: Mode of AES-256.
        operation: ``encrypt`` or ``decrypt``. GCM is measured in encryption, which takes as long.
        names: The candidates; by default all that compute for real.

    >>> chosen = choose_device(65536, mode="ctr")
    >>> chosen.device.name in chosen.throughput_mb_s
    True

    Raises:
        ciphermill.Error: no candidate has the mode.
    """
    measured_bytes = max(16, min(message_bytes, LONGEST_BYTES) // 16 * 16)
    rates: list[tuple[float, Device]] = []
    failure: Error | None = None
    for name in names or (*PROCESSOR, *graphics_processors()):
        try:
            device = Device(name)
            rates.append((_throughput_mb_s(device, measured_bytes, mode, operation), device))
        except Error as error:
            # Absent here, or without the mode: not a candidate.
            failure = error
    if not rates:
        raise failure or ValueError("no candidate")
    rates.sort(key=lambda rate: rate[0], reverse=True)
    throughput_mb_s = {device.name: rate for rate, device in rates}
    return Choice(rates[0][1], throughput_mb_s, measured_bytes)


def _throughput_mb_s(device: Device, message_bytes: int, mode: str, operation: str) -> float:
    key = bytes(range(32))
    iv = None if mode == "ecb" else bytes(12 if mode == "gcm" else 16)
    verb = "encrypt" if mode == "gcm" else operation
    data = bytes(message_bytes)
    # The first call starts threads and compiles kernels.
    calls = [
        device.run(verb, data, algorithm="aes", mode=mode, key=key, iv=iv)[1].total_s
        for _ in range(1 + REPETITIONS)
    ]
    return message_bytes / 1e6 / max(statistics.median(calls[1:]), 1e-9)
