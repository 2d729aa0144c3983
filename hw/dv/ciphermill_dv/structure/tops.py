# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The top modules whose structure is checked, and the tables of what is allowed in them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ciphermill_dv.simulate import COPROCESSOR, REPOSITORY, rtl_sources

from .crossings import StableWord
from .paths import AllowedPath

ALLOWED = Path(__file__).with_name("allowed.toml")
"""Words that cross without a synchroniser and combinational paths, each with its reason."""


@dataclass(frozen=True)
class Top:
    """A module with some parameters.

    Attributes:
        name: The module.
        folders: The folders of ``hw`` that its sources are in.
        parameters: Its parameters.
        clocks: For patterns of port names, the clock port that the signals belong to.
    """

    name: str
    folders: tuple[str, ...]
    parameters: Mapping[str, int] = field(default_factory=dict)
    clocks: Mapping[str, str] = field(default_factory=dict)

    def sources(self) -> list[Path]:
        """Return its files, packages first."""
        files = rtl_sources(*self.folders)
        if self.name not in {path.stem for path in files}:
            files += sorted((REPOSITORY / "hw").glob(f"*/dv/{self.name}.sv"))
        return files

    @property
    def label(self) -> str:
        """The name and the parameters, for people."""
        values = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.name} ({values})" if values else self.name


_ACCEL = ("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel")
_DMA = ("prim", "dma")
_CARD = (*_ACCEL, "dma", "card")
_BOARD = ("prim", "aes", "board")
_ACCEL_CLOCKS = {"core_*": "core_clk_i", "*": "clk_i"}
_ASCON = {"ChannelCores": 1}
_SHA2 = {"ChannelCores": 2, "Sha2WordSizes": 3}
_ECC = {"ChannelCores": 3, "Curves": 1}
_SLOTS = {**_ECC, "Sha2WordSizes": 1, "KeySlots": 1}
_SUITE = {
    "ChannelCores": 0x203140,
    "Channels": 6,
    "Curves": 1,
    "Sha2WordSizes": 3,
    "Sha2Channels": 1,
}  # AES with SHA-2, PRESENT, Ascon, ECC, AES on the first one's core, SHA-2
_ALL = {"Gcm": 1, "GhashDigit": 16, "Xts": 1}

TWO_CLOCKS = (
    Top("prim_pulse_crossing", ("prim",), {}, {"src_*": "src_clk_i", "dst_*": "dst_clk_i"}),
    Top("prim_handshake_crossing", ("prim",), {}, {"src_*": "src_clk_i", "dst_*": "dst_clk_i"}),
    Top(
        "prim_fifo_async",
        ("prim",),
        {},
        {"write_*": "write_clk_i", "read_*": "read_clk_i"},
    ),
    Top(
        "prim_fifo_async",
        ("prim",),
        {"SyncStages": 3, "BlockRam": 1},
        {"write_*": "write_clk_i", "read_*": "read_clk_i"},
    ),
    Top("prim_axi_lite_crossing", ("prim",), {}, {"s_*": "s_clk_i", "m_*": "m_clk_i"}),
    *(
        Top("accel", _ACCEL, {"Asynchronous": 1, **parameters}, _ACCEL_CLOCKS)
        for parameters in (
            {"Architecture": 0},
            {"Architecture": 2, "StreamWidth": 32, **_ALL},
            {"Architecture": 0, "Channels": 3, "Cores": 2, "StreamWidth": 64},
            {"Architecture": 0, "Channels": 2, **_ALL},
            {"Architecture": 0, "SyncStages": 4, "BlockRamFifos": 1},
            {"Architecture": 1, "KeySizes": 1, "Directions": 1, "Gcm": 1, "GhashDigit": 128},
            _ASCON,
            _SHA2,
            _ECC,
            _SLOTS,
            _SUITE,
        )
    ),
    # The serial line has no clock: any other than the bus's stands for that.
    Top(
        "uart_accel",
        (*_ACCEL, "boards"),
        {"Architecture": 0},
        {"rx_i": "core_clk_i", **_ACCEL_CLOCKS},
    ),
    *(
        Top("board_ctr", _BOARD, parameters, {"*": "memory_clk_i"})
        for parameters in (
            {"Cores": 1, "Banks": 1, "Stepped": 1},
            {"Cores": 3, "Banks": 2},
        )
    ),
)
"""Modules with two clocks, at the corners of their parameters that change the crossings."""

BUSES = (
    Top("prim_axi_lite_crossing", ("prim",)),
    Top("prim_axi_lite_split", ("prim",)),
    Top("prim_stream_to_blocks", ("prim",), {"StreamWidth": 32}),
    Top("prim_stream_to_blocks", ("prim",), {"StreamWidth": 128}),
    Top("prim_blocks_to_stream", ("prim",), {"StreamWidth": 32}),
    Top("prim_blocks_to_stream", ("prim",), {"StreamWidth": 128}),
    *(
        Top("accel", _ACCEL, parameters)
        for parameters in (
            {"Architecture": 0},
            {"Architecture": 2, "StreamWidth": 32, **_ALL},
            {"Architecture": 0, "Channels": 3, "Cores": 2, "StreamWidth": 64},
            {"Architecture": 0, "Asynchronous": 1},
            {"Architecture": 0, "Channels": 2, "Asynchronous": 1, **_ALL},
            _ASCON,
            _SHA2,
            _ECC,
            _SLOTS,
            _SUITE,
        )
    ),
    Top("uart_bridge", ("prim", "boards")),
    Top("dma", _DMA, {"DataWidth": 32, "StreamWidth": 128}),
    Top("dma", _DMA, {"DataWidth": 64, "StreamWidth": 64}),
    Top("dma", _DMA, {"DataWidth": 256, "StreamWidth": 32}),
    Top("dma", _DMA, {"DataWidth": 64, "StreamWidth": 64, "Streams": 3}),
    Top("card", _CARD, {"Rings": 2, "KeySizes": 1, "KeySlots": 2}),
    *(
        Top(name, ("prim", "soc"))
        for name in ("soc_axi_lite_bridge", "soc_axi4_bridge", "soc_memory_axi4")
    ),
    # A coprocessor behind each front: it may register what a front alone passes through.
    Top("front_harness", COPROCESSOR, {"Front": 1}),
    *(
        Top("front_harness", COPROCESSOR, {"Front": 2, "DataWidth": width})
        for width in (32, 128, 256)
    ),
)
"""Modules with AXI ports, at the corners of their parameters that change the ports."""


def stable_words(path: Path = ALLOWED) -> list[StableWord]:
    """Return the registers that another clock may read directly, from the table."""
    return [StableWord(**row) for row in tomllib.loads(path.read_text())["stable_word"]]


def allowed_paths(path: Path = ALLOWED) -> list[AllowedPath]:
    """Return the combinational paths that may stay, from the table."""
    return [AllowedPath(**row) for row in tomllib.loads(path.read_text()).get("path", [])]
