# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Finds the measured region and the memory accesses in the recording of a processor."""

from __future__ import annotations

from dataclasses import dataclass

from ciphermill.registers import soc, soc_system
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.soc_recording import Recording

_MEASURE = soc.SYSTEM + soc_system.MEASURE
"""The register that begins and ends the measured region."""


@dataclass(frozen=True)
class Accesses:
    """Memory accesses in the measured region, in words of 32 bits."""

    fetches: int
    reads: int
    writes: int


@dataclass(frozen=True)
class _Request:
    """A request of the local bus (``soc_pkg::request_t``)."""

    valid: bool
    write: bool
    address: int
    wdata: int

    @classmethod
    def of(cls, value: int) -> _Request:
        return cls(
            bool(value >> 70 & 1),
            bool(value >> 69 & 1),
            value >> 36 & 0xFFFF_FFFF,
            value >> 4 & 0xFFFF_FFFF,
        )


def _ready(value: int) -> bool:
    """Whether a response (``soc_pkg::response_t``) is ready."""
    return bool(value >> 32 & 1)


def measured_region(processor: Recording) -> tuple[int, int]:
    """Return the first cycle of the measured region and its number of cycles.

    Args:
        processor: The recording of the processor.

    Raises:
        ToolError: The firmware measured no region.
    """
    begin = end = None
    for clock, (request, response) in enumerate(
        zip(processor.ports["data_o"], processor.ports["data_i"], strict=True)
    ):
        seen = _Request.of(request)
        if seen.valid and seen.write and seen.address == _MEASURE and _ready(response):
            if seen.wdata & 1:
                begin, end = clock + 1, None
            elif begin is not None and end is None:
                end = clock + 1
    if begin is None or end is None:
        raise ToolError("the firmware began or ended no measured region")
    return begin, end - begin


def count_accesses(processor: Recording, first: int, cycles: int, *, memory_bytes: int) -> Accesses:
    """Count a processor's accesses of memory in a window."""
    fetches = reads = writes = 0
    for clock in range(first, first + cycles):
        ports = {name: values[clock] for name, values in processor.ports.items()}
        fetch, data = _Request.of(ports["fetch_o"]), _Request.of(ports["data_o"])
        fetches += fetch.valid and _ready(ports["fetch_i"])
        if data.valid and _ready(ports["data_i"]) and data.address < memory_bytes:
            writes += data.write
            reads += not data.write
    return Accesses(fetches, reads, writes)
