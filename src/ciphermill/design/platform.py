# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Platforms, on which designs are built; the field ``kind`` of a file names its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from .streaming_platform import Input, Sourced, StreamingPlatform
from .table import NAME_PATTERN, Table

Positive = Annotated[float, Field(gt=0)]


class Place(Table):
    """Fields that simple platforms share. A value that is not known is absent, never zero."""

    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    description: str = ""
    clock_mhz: Positive | None = None
    """Clock of the design in MHz."""


class MemoryEnergy(Table):
    """Energy of a memory of 32-bit words. A model, not a measurement."""

    bytes: Annotated[int, Field(gt=0)]
    """Its size in bits, for leakage."""
    read_pj: Positive
    """Energy of reading a word, in picojoules."""
    write_pj: Positive
    """Energy of writing one."""
    leakage_nw_per_bit: Annotated[float, Field(ge=0)]
    source: str
    """The origin of the figures."""


class Memory(Place):
    """The memory of an embedded system."""

    kind: Literal["memory"] = "memory"
    memory_read_cycles: Annotated[int, Field(ge=1, le=256)]
    """Cycles of a soft core's read; 1 means no wait cycle."""
    memory_write_cycles: Annotated[int, Field(ge=1, le=256)]
    """The same of a write."""
    memory_energy: MemoryEnergy | None = None


class Rtl(Place):
    """No technology: the RTL itself, whose toggles are counted."""

    kind: Literal["rtl"] = "rtl"


class Fpga(Place):
    """An FPGA."""

    kind: Literal["fpga"] = "fpga"
    family: str
    """FPGA family, as yosys names it: ``xc7``, ``ecp5``."""


class CellLibrary(Place):
    """A library of standard cells; ``clock_mhz`` is the clock for which cells are sized."""

    kind: Literal["cells"] = "cells"
    library: str
    """``nangate45``, ``sky130``, ``osu018``."""
    memory: str | None = None
    """The platform whose memory is of the same process."""


class Processor(Place):
    """A processor that runs software."""

    kind: Literal["host"] = "host"
    processor: str
    """A processor whose cycles are estimated: ``picorv32``, ``vexriscv``, ``ibex``, ``sa1110``."""


class Link(Sourced):
    """The link between a host and the memory of a board."""

    mbit_s: Positive
    """Its rate in one direction; it carries one direction at a time."""


class Board(Place):
    """A board with an FPGA, memory banks beside it, and a link to the host."""

    kind: Literal["board"] = "board"
    clock_mhz: Positive
    """Clock of the cores in MHz."""
    memory_clock_mhz: Positive
    """Clock of the memory banks in MHz; it is independent of the cores'."""
    memory_bytes: Annotated[int, Field(gt=0)]
    """Size of all banks together: the most that a message can have."""
    link: Link

    @property
    def link_input(self) -> Input:
        """The rate of the link, as the provenance of a figure names it."""
        return Input(self.name, "link.mbit_s", *self.link.provenance_of("mbit_s"))


Platform = StreamingPlatform | Memory | Rtl | Fpga | CellLibrary | Processor | Board
"""A platform of any kind."""

PLATFORMS: Mapping[str, type[Platform]] = {
    "streaming": StreamingPlatform,
    "memory": Memory,
    "rtl": Rtl,
    "fpga": Fpga,
    "cells": CellLibrary,
    "host": Processor,
    "board": Board,
}
"""Kinds of platforms."""
