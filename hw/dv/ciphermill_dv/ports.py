# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""cocotbext-axi buses whose signals end in _i and _o."""

from __future__ import annotations

from typing import Any

from cocotbext.axi import (
    AxiBus,
    AxiLiteBus,
    AxiLiteReadBus,
    AxiLiteWriteBus,
    AxiReadBus,
    AxiStreamBus,
    AxiWriteBus,
)
from cocotbext.axi.axi_channels import AxiARBus, AxiAWBus, AxiBBus, AxiRBus, AxiWBus
from cocotbext.axi.axil_channels import (
    AxiLiteARBus,
    AxiLiteAWBus,
    AxiLiteBBus,
    AxiLiteRBus,
    AxiLiteWBus,
)


def _with_directions(base: type, inputs: list[str], outputs: list[str]) -> type:
    """Return a bus class that finds its signals under names with a direction."""
    names = {name: f"{name}_i" for name in inputs} | {name: f"{name}_o" for name in outputs}
    members = {
        part: {name: names[name] for name in getattr(base, part) if name in names}
        for part in ("_signals", "_optional_signals")
    }
    return type(f"Suffixed{base.__name__}", (base,), members)


def axi_lite(dut: Any, prefix: str) -> AxiLiteBus:
    """Return the bus of an AXI4-Lite subordinate."""
    aw = _with_directions(AxiLiteAWBus, ["awaddr", "awprot", "awvalid"], ["awready"])
    w = _with_directions(AxiLiteWBus, ["wdata", "wstrb", "wvalid"], ["wready"])
    b = _with_directions(AxiLiteBBus, ["bready"], ["bresp", "bvalid"])
    ar = _with_directions(AxiLiteARBus, ["araddr", "arprot", "arvalid"], ["arready"])
    r = _with_directions(AxiLiteRBus, ["rready"], ["rdata", "rresp", "rvalid"])
    return AxiLiteBus(
        AxiLiteWriteBus(aw(dut, prefix), w(dut, prefix), b(dut, prefix)),
        AxiLiteReadBus(ar(dut, prefix), r(dut, prefix)),
    )


def axi_manager(dut: Any, prefix: str) -> AxiBus:
    """Return the bus of an AXI4 manager: the design asks, the bench is the memory."""
    burst = ["id", "addr", "len", "size", "burst", "cache", "prot", "valid"]
    aw = _with_directions(AxiAWBus, ["awready"], [f"aw{name}" for name in burst])
    w = _with_directions(AxiWBus, ["wready"], ["wdata", "wstrb", "wlast", "wvalid"])
    b = _with_directions(AxiBBus, ["bid", "bresp", "bvalid"], ["bready"])
    ar = _with_directions(AxiARBus, ["arready"], [f"ar{name}" for name in burst])
    r = _with_directions(AxiRBus, ["rid", "rdata", "rresp", "rlast", "rvalid"], ["rready"])
    return AxiBus(
        AxiWriteBus(aw(dut, prefix), w(dut, prefix), b(dut, prefix)),
        AxiReadBus(ar(dut, prefix), r(dut, prefix)),
    )


def stream_input(dut: Any, prefix: str) -> AxiStreamBus:
    """Return the bus of a stream that the design receives."""
    bus = _with_directions(AxiStreamBus, ["tdata", "tkeep", "tlast", "tvalid"], ["tready"])
    return bus(dut, prefix)


def stream_output(dut: Any, prefix: str) -> AxiStreamBus:
    """Return the bus of a stream that the design sends."""
    bus = _with_directions(AxiStreamBus, ["tready"], ["tdata", "tkeep", "tlast", "tvalid"])
    return bus(dut, prefix)
