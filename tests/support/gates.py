# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""For tests: cells of every kind, their delays, random netlists and models in Verilog."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from ciphermill.evaluate.chip.cells.clock_network import ClockNetwork
from ciphermill.evaluate.chip.cells.netlist import CONST0, CONST1, Instance, Netlist
from ciphermill.evaluate.chip.cells.timing import Timing
from ciphermill.toolchain.liberty import parse_library
from ciphermill.toolchain.liberty_expression import Expression
from ciphermill.toolchain.liberty_model import Cell, ClockGate, Library, Storage

_COMBINATIONAL = {
    "INV": {"Y": "!A"},
    "BUF": {"Y": "A"},
    "NAND": {"Y": "!(A & B)"},
    "NOR": {"Y": "!(A | B)"},
    "AND": {"Y": "A & B"},
    "XOR": {"Y": "A ^ B"},
    "MUX": {"Y": "(S & B) | (!S & A)"},
    "AOI": {"Y": "!((A & B) | C)"},
    "FULL": {"S": "A ^ B ^ C", "CO": "(A & B) | (C & (A | B))"},
    "WIDE": {"Y": "!((A & B) | (C & D) | (E & F))"},
    "TIE": {"Y": "1"},
}
_FLIP_FLOPS = {
    "DFF": 'next_state : "D"; clocked_on : "CK";',
    "DFFN": 'next_state : "D"; clocked_on : "!CK";',
    "DFFE": 'next_state : "(D & EN) | (IQ & !EN)"; clocked_on : "CK";',
    "DFFR": 'next_state : "D"; clocked_on : "CK"; clear : "!RN";',
    "DFFS": 'next_state : "D"; clocked_on : "CK"; preset : "!RN";',
    "DFFRS": 'next_state : "D"; clocked_on : "CK"; clear : "!RN"; preset : "!SN"; '
    "clear_preset_var1 : H;",
}
_FLIP_FLOP_PINS = {"DFFE": "EN", "DFFR": "RN", "DFFS": "RN", "DFFRS": "RN SN"}
_GATES = {"ICG": "latch_posedge", "ICGT": "latch_posedge_precontrol", "ICGN": "latch_negedge"}


def _input(name: str, more: str = "") -> str:
    return f"pin ({name}) {{ direction : input; capacitance : 1; {more} }}"


def _output(name: str, function: str) -> str:
    return f'pin ({name}) {{ direction : output; function : "{function}"; }}'


def gate_library() -> Library:
    """Return a library with functions only."""
    cells = []
    for name, outputs in _COMBINATIONAL.items():
        used = sorted({c for text in outputs.values() for c in text if c.isalpha()})
        pins = [_input(pin) for pin in used]
        pins += [_output(output, function) for output, function in outputs.items()]
        cells.append(f"cell ({name}) {{ area : 1; {' '.join(pins)} }}")
    for name, text in _FLIP_FLOPS.items():
        used = ["CK", "D", *_FLIP_FLOP_PINS.get(name, "").split()]
        pins = [*map(_input, used), _output("Q", "IQ"), _output("QN", "IQN")]
        cells.append(f"cell ({name}) {{ area : 1; ff (IQ, IQN) {{ {text} }} {' '.join(pins)} }}")
    pins = [_input("G"), _input("D"), _output("Q", "IQ")]
    latch = 'latch (IQ, IQN) { data_in : "D"; enable : "G"; }'
    cells.append(f"cell (LATCH) {{ area : 1; {latch} {' '.join(pins)} }}")
    for name, kind in _GATES.items():
        pins = [_input("CK", "clock_gate_clock_pin : true;")]
        pins.append(_input("E", "clock_gate_enable_pin : true;"))
        if "control" in kind:
            pins.append(_input("SE", "clock_gate_test_pin : true;"))
        pins.append("pin (GCK) { direction : output; clock_gate_out_pin : true; }")
        cells.append(
            f"cell ({name}) {{ area : 1; clock_gating_integrated_cell : {kind}; {' '.join(pins)} }}"
        )
    text = (
        'library (gates) { time_unit : "1ps"; capacitive_load_unit (1, ff); nom_voltage : 1; '
        f"{' '.join(cells)} }}"
    )
    return parse_library(text, Path("gates.lib"))


def timing_of(delays: Mapping[tuple[int, str, str], tuple[float, float]]) -> Timing:
    """Return a timing analysis that holds delays alone, and a long clock."""
    return Timing([], [], [], delays, (), 0.0, 10_000.0, ClockNetwork({}, frozenset()))


def delays_of(netlist: Netlist, by_instance: Mapping[str, float]) -> Timing:
    """Return delays that are equal for all arcs of an instance; 0 for instances not named."""
    delays = {}
    for index, instance in enumerate(netlist.instances):
        cell = netlist.cell(instance)
        delay = by_instance.get(instance.name, 0.0)
        for output in cell.outputs:
            for pin in cell.inputs:
                delays[index, output, pin] = (delay, delay)
    return timing_of(delays)


def random_delays(netlist: Netlist, seed: int) -> Timing:
    """Return delays of 10 to 100 ps, another for every arc and edge."""
    source = random.Random(seed)
    delays = {}
    for index, instance in enumerate(netlist.instances):
        cell = netlist.cell(instance)
        for output in cell.outputs:
            for pin in cell.inputs:
                delays[index, output, pin] = (source.uniform(10, 100), source.uniform(10, 100))
    return timing_of(delays)


def random_netlist(seed: int, *, gates: int = 120, flip_flops: int = 40) -> Netlist:
    """Return a random circuit of all cells, with gated clocks, without loops.

    Its inputs are ``clk_i``, ``rst_ni``, ``enable_i`` (4 bits) and ``data_i`` (70
    bits), its output ``data_o`` (70 bits).
    """
    source = random.Random(seed)
    library = gate_library()
    names = ["0", "1"]

    def net(name: str) -> int:
        names.append(name)
        return len(names) - 1

    clock, reset = net("clk_i"), net("rst_ni")
    inputs = {"clk_i": [clock], "rst_ni": [reset]}
    for name, width in (("enable_i", 4), ("data_i", 70)):
        inputs[name] = [net(f"{name}[{bit}]") for bit in range(width)]
    instances: list[Instance] = []
    states = [(net(f"q{n}"), net(f"qn{n}")) for n in range(flip_flops)]
    ready = [*inputs["enable_i"], *inputs["data_i"], *(q for pair in states for q in pair)]
    ready += [CONST0, CONST1]
    kinds = list(_COMBINATIONAL)
    for n in range(gates):
        kind = source.choice(kinds)
        cell = library.cells[kind]
        pins = {pin: source.choice(ready[-100:]) for pin in cell.inputs}
        outputs = {pin: net(f"{kind.lower()}{n}_{pin.lower()}") for pin in cell.outputs}
        instances.append(Instance(f"g{n}", kind, "", {**pins, **outputs}))
        ready += outputs.values()
    cycles = [clock]
    for n, kind in enumerate(("ICG", "ICG", "ICGT", "BUF")):
        gated = net(f"gated{n}")
        pins = {"A": clock, "Y": gated} if kind == "BUF" else {"CK": clock, "GCK": gated}
        for pin in ("E", "SE"):
            if pin in library.cells[kind].pins:
                pins[pin] = source.choice(ready)
        instances.append(Instance(f"c{n}", kind, "", pins))
        cycles.append(gated)
    for n, (q, qn) in enumerate(states):
        kind = source.choice(["DFF", "DFFE", "DFFR", "DFFS", "DFFRS"])
        pins = {"CK": source.choice(cycles), "D": source.choice(ready), "Q": q, "QN": qn}
        pins |= {"EN": source.choice(ready)} if kind == "DFFE" else {}
        pins |= {"RN": reset} if kind in ("DFFR", "DFFS", "DFFRS") else {}
        pins |= {"SN": CONST1} if kind == "DFFRS" else {}
        instances.append(Instance(f"f{n}", kind, "", pins))
    source.shuffle(instances)
    ports = {"data_o": source.sample(ready, 70)}
    return Netlist("top", library, instances, names, inputs, ports)


def verilog_models(netlist: Netlist) -> str:
    """Return a model in Verilog of each cell that a netlist has, written from its liberty."""
    kinds = sorted({instance.cell for instance in netlist.instances})
    return "\n".join(_verilog_model(netlist.library.cells[kind]) for kind in kinds)


def _verilog_model(cell: Cell) -> str:
    ports = ", ".join(
        [*(f"input {p}" for p in cell.inputs), *(f"output {p}" for p in cell.outputs)]
    )
    lines = [f"module {cell.name}({ports});"]
    sequential = cell.sequential
    if isinstance(sequential, ClockGate):
        wanted = sequential.enable
        if sequential.test is not None:
            wanted = f"({wanted} | {sequential.test})"
        lines.append("  reg q;")
        clock, output = sequential.clock, sequential.output
        if "posedge" in sequential.kind:
            lines.append(f"  always @* if (!{clock}) q = {wanted};")
            lines.append(f"  assign {output} = {clock} & q;")
        else:
            lines.append(f"  always @* if ({clock}) q = {wanted};")
            lines.append(f"  assign {output} = {clock} | !q;")
        return "\n".join([*lines, "endmodule"])
    if sequential is not None:
        lines += [f"  reg {sequential.state};", f"  wire {sequential.inverted_state};"]
        lines.append(f"  assign {sequential.inverted_state} = !{sequential.state};")
    if isinstance(sequential, Storage) and not sequential.is_latch:
        lines += _flip_flop(sequential)
    elif isinstance(sequential, Storage):
        opened, data = sequential.trigger, sequential.data
        if opened is not None and data is not None:
            lines.append(f"  always @* if ({_text(opened)}) {sequential.state} = {_text(data)};")
    for output in cell.outputs:
        function = cell.pins[output].function
        if function is not None:
            lines.append(f"  assign {output} = {_text(function)};")
    return "\n".join([*lines, "endmodule"])


def _flip_flop(flip_flop: Storage) -> list[str]:
    assert flip_flop.trigger
    assert flip_flop.data
    state = flip_flop.state
    lines = ["  wire edge_;", f"  assign edge_ = {_text(flip_flop.trigger)};"]
    events, branches = ["posedge edge_"], []
    for name, expression, value in (
        ("clear_", flip_flop.clear, 0),
        ("preset_", flip_flop.preset, 1),
    ):
        if expression is not None:
            lines.append(f"  wire {name};\n  assign {name} = {_text(expression)};")
            events.append(f"posedge {name}")
            branches.append(f"if ({name}) {state} <= {value}; else ")
    if flip_flop.clear_preset == "H":  # preset wins
        branches.reverse()
    body = f"{''.join(branches)}{state} <= {_text(flip_flop.data)};"
    lines.append(f"  always @({' or '.join(events)}) {body}")
    return lines


def _text(expression: Expression) -> str:
    stack: list[str] = []
    for item in expression.postfix:
        if item == "!":
            stack.append(f"(!{stack.pop()})")
        elif item in "&|^":
            right, left = stack.pop(), stack.pop()
            stack.append(f"({left} {item} {right})")
        else:
            stack.append(f"1'b{item}" if item in "01" else item)
    return stack.pop()
