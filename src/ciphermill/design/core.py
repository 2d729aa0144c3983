# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Core: a module of RTL by itself, such as a cipher core without its accelerator."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from .table import NAME_PATTERN, Direction, Table

IDENTIFIER = r"^[A-Za-z_][A-Za-z0-9_]*$"
"""A simple identifier of SystemVerilog (IEEE 1800-2017, section 5.6)."""

Identifier = Annotated[str, Field(pattern=IDENTIFIER)]


class OnBoard(Table):
    """Clocks and link of a board's FPGA as a device, where the device's name sets none."""

    clock_mhz: Annotated[float, Field(gt=0)]
    """Clock of the cores in MHz."""
    memory_clock_mhz: Annotated[float, Field(gt=0)]
    """Clock of the memory banks in MHz."""
    link_mbit_s: Annotated[float, Field(gt=0)]
    """Rate of the link to the host in Mbit/s, in each direction."""


class Core(Table):
    """A top module, its sources and its parameters: what area, timing and energy are of.

    This class does not depend on the known algorithms: a new core needs a file in
    ``designs/cores/`` and, for energy, a driver of its ``protocol``.
    """

    kind: Literal["core"] = "core"
    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    description: str = ""
    algorithm: Annotated[str, Field(pattern=NAME_PATTERN)] | None = None
    """Absent for what is no cipher, such as a FIFO."""
    architecture: Annotated[str, Field(pattern=NAME_PATTERN)] | None = None
    key_sizes: tuple[Annotated[int, Field(ge=1)], ...] = ()
    """Key sizes in bits that the parameters leave in."""
    directions: tuple[Direction, ...] = ()
    """Directions that the parameters leave in."""
    block_bits: Annotated[int, Field(ge=1)] | None = None
    """Bits of data that one operation takes."""
    cycles_per_block: Annotated[float, Field(gt=0)] | None = None
    """Cycles from block to block, at the largest key size and in the slower direction, as
    the core's README has them. Absent where a host decides, and where it is no cipher."""
    top: Identifier
    """The SystemVerilog module."""
    folders: Annotated[tuple[str, ...], Field(min_length=1)]
    """Where its sources are: ``aes`` is ``hw/aes/rtl``; one with a ``/`` is a path from
    the root of the source tree, or from anywhere if it begins with one."""
    parameters: dict[Identifier, int] = Field(default_factory=dict)
    """Parameters of the top module."""
    clock: Identifier = "clk_i"
    """Its clock input."""
    reset: Identifier | None = "rst_ni"
    """Its reset input, active low; null if it has none."""
    protocol: Annotated[str, Field(pattern=NAME_PATTERN)] | None = None
    """Kind of its ports, which selects the driver of workloads, such as ``block-core``."""
    block_ram: bool = False
    """Memories may go to block RAM on an FPGA."""
    board: OnBoard | None = None
    """Of the FPGA of a board (``board_ctr``) alone; without it the FPGA is no device."""

    @model_validator(mode="before")
    @classmethod
    def _no_reset(cls, values: object) -> object:
        # TOML has no null: an empty name means no reset.
        if isinstance(values, dict) and values.get("reset") == "":
            return {**values, "reset": None}
        return values

    @model_validator(mode="after")
    def _agree(self) -> Self:
        problems = []
        for name, listed in (("key_sizes", self.key_sizes), ("directions", self.directions)):
            if len(set(listed)) != len(listed):
                problems.append(f"{name} has a value twice")
        for folder in self.folders:
            if re.search(r"[\s;\"'$`]", folder) or not folder:
                problems.append(f"folders: {folder!r} is no folder's name")
        if self.clock == self.reset:
            problems.append("clock and reset are the same port")
        if problems:
            raise ValueError("; ".join(problems))
        return self
