# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The device with the highest measured throughput for the size at hand: ``--device auto``.

Devices that compute for real are measured: the processor and graphics processors. Simulated
devices are left out, since their time is not this machine's. A message that is longer than a chunk
is measured as several chunks in flight together, as files and streams are processed: a graphics
processor then copies one while it works on another.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from ciphermill._engine import DEFAULT_CHUNK_BYTES, Device, Error, graphics_processors

AUTO = "auto"
"""The device's name that asks for a choice."""
LONGEST_BYTES = 8 << 20
"""Of all measured chunks together: more of them take longer, at much the same throughput."""
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
    """Of the measured message, or of each of its chunks."""
    chunks: int = 1
    """Chunks in flight together."""

    @property
    def reason(self) -> str:
        """One line that says why.

        >>> Choice(Device("cpu"), {"cpu": 4321.0, "opencl:0": 600.0}, 65536).reason
        'cpu is the fastest for 65,536 bytes: 4,321 MB/s; opencl:0 600 MB/s'
        >>> Choice(Device("cpu"), {"cpu": 4321.0}, 1 << 20, chunks=8).reason
        'cpu is the fastest for 8 chunks of 1,048,576 bytes at once: 4,321 MB/s'
        """
        [(name, rate), *others] = self.throughput_mb_s.items()
        what = f"{self.bytes:,} bytes"
        if self.chunks > 1:
            what = f"{self.chunks} chunks of {what} at once"
        said = [f"{name} is the fastest for {what}: {rate:,.0f} MB/s"]
        said += [f"{other} {slower:,.0f} MB/s" for other, slower in others]
        return "; ".join(said)


def choose_device(
    message_bytes: int,
    *,
    mode: str = "gcm",
    operation: str = "encrypt",
    key_bits: int = 256,
    chunk_bytes: int = DEFAULT_CHUNK_BYTES,
    names: Iterable[str] | None = None,
) -> Choice:
    """Measure the devices that have a mode of AES with messages of a length; choose the fastest.

    Args:
        message_bytes: Length of the message at hand.
        mode: Mode of AES.
        operation: ``encrypt`` or ``decrypt``. GCM is measured in encryption, which takes as long.
        key_bits: Bits of the key; XTS has two of them.
        chunk_bytes: Length of the chunks into which a longer message is cut.
        names: The candidates; by default all that compute for real.

    >>> chosen = choose_device(65536, mode="ctr")
    >>> chosen.device.name in chosen.throughput_mb_s
    True

    Raises:
        ciphermill.Error: no candidate has the mode.
    """
    longest = min(message_bytes, LONGEST_BYTES)
    measured_bytes = max(16, min(longest, chunk_bytes) // 16 * 16)
    chunks = max(1, longest // measured_bytes)
    rates: list[tuple[float, Device]] = []
    failure: Error | None = None
    for name in names or (*PROCESSOR, *graphics_processors()):
        try:
            device = Device(name)
            call = _call(device, measured_bytes, chunks, mode, operation, key_bits)
            rates.append((chunks * measured_bytes / 1e6 / _median_s(call), device))
        except Error as error:
            # Absent here, or without the mode: not a candidate.
            failure = error
    if not rates:
        raise failure or ValueError("no candidate")
    rates.sort(key=lambda rate: rate[0], reverse=True)
    throughput_mb_s = {device.name: rate for rate, device in rates}
    return Choice(rates[0][1], throughput_mb_s, measured_bytes, chunks)


def _call(
    device: Device, length: int, chunks: int, mode: str, operation: str, key_bits: int
) -> Callable[[], float]:
    """What is repeated; it returns seconds."""
    key = bytes(range(key_bits // 8 * (2 if mode == "xts" else 1)))
    iv = None if mode == "ecb" else bytes(12 if mode == "gcm" else 16)
    verb, data = "encrypt" if mode == "gcm" else operation, bytes(length)

    def one() -> float:
        return device.run(verb, data, algorithm="aes", mode=mode, key=key, iv=iv)[1].total_s

    def several() -> float:
        began = perf_counter()
        outputs = device.run_batch([message] * chunks)
        total_s = perf_counter() - began
        for output in outputs:
            if isinstance(output, Error):
                raise output
        return total_s

    message: tuple[Any, ...] = (verb, data, "aes", mode, key, iv, None, None, None, None)
    return one if chunks == 1 else several


def _median_s(call: Callable[[], float]) -> float:
    # The first call starts threads and compiles kernels.
    return max(statistics.median([call() for _ in range(1 + REPETITIONS)][1:]), 1e-9)
