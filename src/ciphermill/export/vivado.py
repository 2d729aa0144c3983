# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files with which Vivado takes an accelerator: a wrapper, an IP, a block design, a device tree."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ciphermill.design import Core

from . import templates
from .constraints import XDC
from .verilog2005 import Port

_SIGNALS = (
    *("awaddr", "awprot", "awvalid", "awready", "wdata", "wstrb", "wvalid", "wready"),
    *("bresp", "bvalid", "bready", "araddr", "arprot", "arvalid", "arready"),
    *("rdata", "rresp", "rvalid", "rready"),
)
_AXI = {f"s_axil_{name}": f"S_AXI {name.upper()}" for name in _SIGNALS}
_STREAM = ("tdata", "tkeep", "tlast", "tvalid", "tready")
_INTERRUPTS, _MOST_DMAS = 16, 5
"""Interrupts from the logic to the processor, of which a channel with a DMA takes three."""
_REGISTERS, _DMAS = 0x43C0_0000, 0x4040_0000
"""Addresses of the accelerator and of the first DMA, as the processor sees them."""
_FIRST_INTERRUPTS = (29, 52)
"""Numbers in the device tree of the first and the ninth of these interrupts (UG585, table 7-4:
61 to 68 and 84 to 91, less 32)."""


@dataclass(frozen=True)
class WrapperPort:
    """A port of the wrapper."""

    name: str
    direction: str
    """``input`` or ``output``."""
    bits: int
    info: str
    """The attribute X_INTERFACE_INFO."""
    parameter: str = ""
    """The attribute X_INTERFACE_PARAMETER, at one port of each interface."""


def has_wrapper(module: Core, ports: Collection[str]) -> bool:
    """Whether a module is an accelerator with the ports that the wrapper connects."""
    needed = {"clk_i", "rst_ni", "core_clk_i", "core_rst_ni", "interrupt_o", "s_axil_awaddr_i"}
    streams = {f"{side}_axis_tdata_{way}" for side, way in (("s", "i"), ("m", "o"))}
    return module.protocol == "accelerator" and set(ports) >= needed | streams


def vivado_files(
    module: Core, ports: Sequence[Port], rtl: Sequence[str], clocks: Sequence[str]
) -> dict[str, str]:
    """Return the files for Vivado and Linux by path.

    Args:
        module: One that ``has_wrapper``.
        ports: Its ports.
        rtl: Paths of its SystemVerilog in the export, in order.
        clocks: Its clocks, input ports.
    """
    by_name = {port.name: port for port in ports}
    channels = by_name["interrupt_o"].bits
    two_clocks = len(clocks) > 1
    made = list(_ports(by_name, channels, two_clocks=two_clocks))
    width = by_name["s_axis_tdata_i"].bits // channels
    dmas = min(channels, _MOST_DMAS)
    told = min(channels, _INTERRUPTS - 2 * dmas)
    values = {
        "top": module.top,
        "name": module.name,
        "ip": templates.identifier(module.name),
        "library": templates.identifier(module.algorithm or "ip"),
        "description": module.description or module.name,
        "parameters": module.parameters,
        "wrapper_ports": made,
        "connections": _connections(by_name, channels, two_clocks=two_clocks),
        "channels": channels,
        "suffixes": [_suffix(n, channels) for n in range(channels)],
        "dmas": dmas,
        "two_clocks": two_clocks,
        "stream_bits": width,
        "memory_bits": max(64, width),
        "rtl": rtl,
        "crossings": XDC if two_clocks else None,
        "interrupts": [_interrupt(n) for n in range(told + 2 * dmas)],
        "told": told,
        "address": _REGISTERS,
        "dma_addresses": [_DMAS + 0x10000 * n for n in range(dmas)],
    }
    return {
        f"vivado/{module.top}_vivado.v": templates.render("vivado_wrapper.v.j2", **values),
        "vivado/package_ip.tcl": templates.render("package_ip.tcl.j2", **values),
        "vivado/block_design.tcl": templates.render("block_design.tcl.j2", **values),
        "linux/accelerator.dtsi": templates.render("accelerator.dtsi.j2", **values),
    }


def _suffix(channel: int, channels: int) -> str:
    return f"_{channel}" if channels > 1 else ""


def _interrupt(line: int) -> int:
    """Return the device tree's number of an interrupt from the logic."""
    low, high = _FIRST_INTERRUPTS
    return low + line if line < 8 else high + line - 8


def _plain(name: str) -> str:
    """Return the name of an AXI signal without the direction at its end."""
    return name.removesuffix("_i").removesuffix("_o")


def _ports(
    by_name: Mapping[str, Port], channels: int, *, two_clocks: bool
) -> Iterator[WrapperPort]:
    streams = [f"{side}_AXIS{_suffix(n, channels)}" for n in range(channels) for side in "SM"]
    yield from _clock("aclk", "aresetn", ["S_AXI", *streams])
    if two_clocks:
        yield from _clock("core_aclk", "core_aresetn", [])
    address = by_name["s_axil_awaddr_i"].bits
    for name, port in by_name.items():
        if _plain(name) in _AXI:
            info = f"xilinx.com:interface:aximm:1.0 {_AXI[_plain(name)]}"
            first = _plain(name) == "s_axil_awaddr"
            about = (
                f"XIL_INTERFACENAME S_AXI, PROTOCOL AXI4LITE, DATA_WIDTH 32, ADDR_WIDTH {address}, "
                "HAS_BURST 0, HAS_LOCK 0, HAS_CACHE 0, HAS_QOS 0, HAS_REGION 0, HAS_PROT 1, "
                "HAS_WSTRB 1, HAS_BRESP 1, HAS_RRESP 1, READ_WRITE_MODE READ_WRITE"
            )
            wrapped = _plain(name).replace("s_axil", "s_axi")
            yield WrapperPort(wrapped, port.direction, port.bits, info, about if first else "")
    for n in range(channels):
        for side in "sm":
            yield from _stream(by_name, side, n, channels)
    for n in range(channels):
        suffix = _suffix(n, channels)
        info = f"xilinx.com:signal:interrupt:1.0 INTERRUPT{suffix} INTERRUPT"
        about = f"XIL_INTERFACENAME INTERRUPT{suffix}, SENSITIVITY LEVEL_HIGH"
        yield WrapperPort(f"irq{suffix}", "output", 1, info, about)


def _clock(clock: str, reset: str, buses: Sequence[str]) -> Iterator[WrapperPort]:
    about = f"XIL_INTERFACENAME {clock.upper()}, "
    about += f"ASSOCIATED_BUSIF {':'.join(buses)}, " if buses else ""
    info = f"xilinx.com:signal:clock:1.0 {clock.upper()} CLK"
    yield WrapperPort(clock, "input", 1, info, f"{about}ASSOCIATED_RESET {reset}")
    info = f"xilinx.com:signal:reset:1.0 {reset.upper()} RST"
    about = f"XIL_INTERFACENAME {reset.upper()}, POLARITY ACTIVE_LOW"
    yield WrapperPort(reset, "input", 1, info, about)


def _stream(
    by_name: Mapping[str, Port], side: str, channel: int, channels: int
) -> Iterator[WrapperPort]:
    suffix = _suffix(channel, channels)
    interface = f"{side.upper()}_AXIS{suffix}"
    for signal in _STREAM:
        port = _stream_port(by_name, side, signal)
        bits = port.bits // channels
        info = f"xilinx.com:interface:axis:1.0 {interface} {signal.upper()}"
        about = (
            f"XIL_INTERFACENAME {interface}, TDATA_NUM_BYTES {bits // 8}, TDEST_WIDTH 0, "
            "TID_WIDTH 0, TUSER_WIDTH 0, HAS_TREADY 1, HAS_TSTRB 0, HAS_TKEEP 1, HAS_TLAST 1"
        )
        name = f"{side}_axis{suffix}_{signal}"
        about = about if signal == "tdata" else ""
        yield WrapperPort(name, port.direction, bits, info, about)


def _stream_port(by_name: Mapping[str, Port], side: str, signal: str) -> Port:
    name = f"{side}_axis_{signal}"
    return by_name.get(f"{name}_i") or by_name[f"{name}_o"]


def _connections(
    by_name: Mapping[str, Port], channels: int, *, two_clocks: bool
) -> list[tuple[str, str]]:
    """Return what each port of the accelerator is connected to."""
    clocks = {
        "clk_i": "aclk",
        "rst_ni": "aresetn",
        "core_clk_i": "core_aclk" if two_clocks else "1'b0",
        "core_rst_ni": "core_aresetn" if two_clocks else "1'b0",
    }
    found = []
    for name in by_name:
        plain = _plain(name)
        if name in clocks:
            wire = clocks[name]
        elif plain in _AXI:
            wire = plain.replace("s_axil", "s_axi")
        elif plain == "interrupt":
            wire = _joined([f"irq{_suffix(n, channels)}" for n in range(channels)])
        else:
            side, _, signal = plain.partition("_axis_")
            wire = _joined([f"{side}_axis{_suffix(n, channels)}_{signal}" for n in range(channels)])
        found.append((name, wire))
    return found


def _joined(wires: Sequence[str]) -> str:
    return wires[0] if len(wires) == 1 else "{" + ", ".join(reversed(wires)) + "}"
