# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Platform: what a design is built on."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .design import NAME_PATTERN, Table

Positive = Annotated[float, Field(gt=0)]


class MemoryEnergy(Table):
    """What a memory of 32-bit words takes. A model, not a measurement."""

    bytes: Annotated[int, Field(gt=0)]
    """Its size: what leaks."""
    read_pj: Positive
    """Energy of reading a word, in picojoules."""
    write_pj: Positive
    """Energy of writing one."""
    leakage_nw_per_bit: Annotated[float, Field(ge=0)]
    source: str
    """Where the figures are from."""


class Platform(Table):
    """What a design is built on: clocks, the bus, and the technology.

    A field that is not known is left out; it is never zero.
    """

    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    description: str = ""
    clock_mhz: Positive | None = None
    """Clock of the design in MHz."""
    bus_bits: Annotated[int, Field(gt=0)] | None = None
    """Width of the bus between host and device in bits."""
    bus_clock_mhz: Positive | None = None
    """Clock of that bus in MHz."""
    storage_mb_s: Positive | None = None
    """What the storage delivers, in MB (1,000,000 bytes) a second."""
    memory_read_clocks: Annotated[int, Field(ge=1, le=256)] | None = None
    """Clocks of a soft core's read of memory; 1 is no wait."""
    memory_write_clocks: Annotated[int, Field(ge=1, le=256)] | None = None
    """The same of a write."""
    memory_energy: MemoryEnergy | None = None
    fpga_family: str | None = None
    """FPGA family, as yosys names it: ``xc7``, ``ecp5``."""
    cell_library: str | None = None
    """Standard-cell library."""
