# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A module of LiteX around a design with registers behind AXI4-Lite.

It is text: nothing of LiteX is needed to write it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ciphermill.design import Core

from . import templates
from .verilog2005 import Port

LITEX = "2024.12"
"""The version that exports are tested with (requirements.in)."""
_PULSES = ("card",)
"""Modules whose interrupts are high for one cycle."""


def has_litex(ports: Collection[str]) -> bool:
    """Whether a module has what the wrapper connects: AXI4-Lite registers and an interrupt."""
    return set(ports) >= {"clk_i", "rst_ni", "s_axil_awaddr_i", "interrupt_o"}


def litex_file(module: Core, ports: Sequence[Port], clocks: Sequence[str]) -> tuple[str, str]:
    """Return the path and the text of the module of LiteX.

    Args:
        module: The design.
        ports: Its ports, of which it ``has_litex``.
        clocks: Its clocks, input ports.
    """
    by_name = {port.name: port for port in ports}
    file = templates.identifier(module.name)
    streams = 0
    stream_bits = 0
    if "s_axis_tvalid_i" in by_name:
        streams = by_name["s_axis_tvalid_i"].bits
        stream_bits = by_name["s_axis_tdata_i"].bits // streams
    memory = None
    if "m_axi_araddr_o" in by_name:
        memory = {
            "data_bits": by_name["m_axi_rdata_i"].bits,
            "address_bits": by_name["m_axi_araddr_o"].bits,
        }
    two_clocks = len(clocks) > 1
    address_bits = by_name["s_axil_awaddr_i"].bits
    text = templates.render(
        "litex.py.j2",
        top=module.top,
        name=module.name,
        litex=LITEX,
        class_name="".join(word.capitalize() for word in file.split("_")),
        instance=module.top,
        event="EventSourcePulse" if module.top in _PULSES else "EventSourceLevel",
        interrupts=by_name["interrupt_o"].bits,
        size=1 << address_bits,
        address_bits=address_bits,
        memory=memory,
        streams=streams,
        stream_bits=stream_bits,
        two_clocks=two_clocks,
        connections=_connections(by_name, two_clocks=two_clocks),
    )
    return f"litex/{file}.py", text


def _connections(by_name: Mapping[str, Port], *, two_clocks: bool) -> list[tuple[str, str]]:
    """Return the argument of LiteX's ``Instance`` for each port, and its value."""
    core = "core_domain" if two_clocks else '"sys"'
    signals = {
        "clk_i": 'ClockSignal("sys")',
        "rst_ni": '~ResetSignal("sys")',
        "core_clk_i": f"ClockSignal({core})",
        "core_rst_ni": f"~ResetSignal({core})",
        "interrupt_o": "self.interrupt",
    }
    found = []
    for name, port in by_name.items():
        side = "i" if port.direction == "input" else "o"
        value = signals.get(name) or _signal(name)
        # What LiteX has no signal for is open.
        found.append((f"{side}_{name}", value or f"Signal({port.bits})"))
    return found


def _signal(name: str) -> str | None:
    """Return the signal of an interface that a port is connected to."""
    plain = name.rpartition("_")[0]
    bus, _, signal = plain.rpartition("_")
    if bus in ("s_axis", "m_axis"):
        place = ("tdata", "tkeep", "tlast", "tvalid", "tready").index(signal)
        return f"{'into' if bus == 's_axis' else 'out'}[{place}]"
    if bus not in ("s_axil", "m_axi"):
        return None
    interface = "bus" if bus == "s_axil" else "memory"
    channel = next(one for one in ("aw", "ar", "w", "b", "r") if signal.startswith(one))
    return f"self.{interface}.{channel}.{signal.removeprefix(channel)}"
