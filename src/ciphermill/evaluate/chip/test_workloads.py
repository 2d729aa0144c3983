# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Workloads on cores as RTL and as cells: right answers, windows, toggles."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ciphermill.algorithms import ALGORITHMS, PRESENT
from ciphermill.design import Core, Direction, build_folder
from ciphermill.evaluate.chip.activity.rtl_simulation import RtlSimulation
from ciphermill.evaluate.chip.activity.simulation import SimulationError
from ciphermill.evaluate.chip.cells.gate_simulation import GateSimulation
from ciphermill.evaluate.chip.cells.netlist import Netlist, read_netlist
from ciphermill.evaluate.chip.cells.timing import analyse_timing
from ciphermill.evaluate.chip.drivers.driver import Operation
from ciphermill.evaluate.chip.drivers.drivers import HashCore
from ciphermill.evaluate.chip.toggles import count_toggles
from ciphermill.evaluate.chip.workloads import WORKLOADS, CoreWorkload, run_workload
from ciphermill.registers import accel
from ciphermill.toolchain.cell_synthesis import synthesise_cells
from ciphermill.toolchain.cells import CELLS, CellTarget, find_library, liberty_file
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.liberty import load_library
from ciphermill.toolchain.modules import Part, find_core, module_source
from ciphermill.toolchain.rtl import RtlSource

SHORT = CoreWorkload("short", "for tests", 4, fresh_keys=True, idle_cycles=20)

_TABLE = 'values ("0.02, 0.3", "0.03, 0.35");'


def _arc(pin: str, more: str) -> str:
    tables = "".join(
        f" {kind}(t) {{ {_TABLE} }}"
        for kind in ("cell_rise", "cell_fall", "rise_transition", "fall_transition")
    )
    return f'timing() {{ related_pin : "{pin}"; {more}{tables} }}'


def _pins(names: str) -> str:
    return "".join(f"pin({name}) {{ direction : input; capacitance : 0.002; }}" for name in names)


def _gate(name: str, area: float, function: str, sense: str) -> str:
    inputs = sorted({c for c in function if c.isalpha()})
    arcs = "".join(_arc(pin, f"timing_sense : {sense};") for pin in inputs)
    output = (
        f'pin(Y) {{ direction : output; max_capacitance : 0.1; function : "{function}"; {arcs} }}'
    )
    return f"cell({name}) {{ area : {area}; {_pins(''.join(inputs))} {output} }}"


def _flip_flop(name: str, more: str, pins: str) -> str:
    clock = "pin(C) { direction : input; capacitance : 0.002; clock : true; }"
    arc = _arc("C", "timing_type : rising_edge;")
    output = f'pin(Q) {{ direction : output; function : "IQ"; max_capacitance : 0.1; {arc} }}'
    state = f'ff(IQ, IQN) {{ next_state : "D"; clocked_on : "C"; {more} }}'
    limits = "".join(
        f' {kind}(scalar) {{ values ("0.01"); }}' for kind in ("rise_constraint", "fall_constraint")
    )
    setup = f'timing() {{ related_pin : "C"; timing_type : setup_rising;{limits} }}'
    data = f"pin(D) {{ direction : input; capacitance : 0.002; {setup} }}"
    return f"cell({name}) {{ area : 8; {state} {clock} {data} {_pins(pins)} {output} }}"


SEVEN_CELLS = f"""
library(seven) {{
  delay_model : table_lookup; time_unit : "1ns"; voltage_unit : "1V"; current_unit : "1mA";
  leakage_power_unit : "1nW"; capacitive_load_unit(1, pf); nom_voltage : 1.0;
  lu_table_template(t) {{ variable_1 : input_net_transition;
    variable_2 : total_output_net_capacitance; index_1("0.01, 0.1"); index_2("0.001, 0.1"); }}
  {_gate("NAND", 2, "!(A & B)", "negative_unate")}
  {_gate("NOR", 2, "!(A | B)", "negative_unate")}
  {_gate("XOR", 3, "A ^ B", "non_unate")}
  {_gate("INV", 1, "!A", "negative_unate")}
  {_gate("BUF", 1.5, "A", "positive_unate")}
  {_flip_flop("FLOP", "", "")}
  {_flip_flop("CLEARED", 'clear : "!R";', "R")}
}}
"""


def mapped(module: Core, liberty: Path, *, clock_gates: bool = False) -> Netlist:
    made = synthesise_cells(module_source(module), liberty, clock_mhz=50, clock_gates=clock_gates)
    return read_netlist(made.json, load_library(liberty))


@pytest.mark.parametrize(
    ("name", "direction", "cycles_of_a_block"),
    [
        ("present-minimal", Direction.ENCRYPT, 32),
        ("present-nibble-80-encrypt", Direction.ENCRYPT, 563),
        ("present-iterative", Direction.DECRYPT, None),
        ("aes-iterative-128-encrypt", Direction.ENCRYPT, 10),
        ("ascon-iterative", Direction.ENCRYPT, None),
        ("ascon-unrolled", Direction.DECRYPT, None),
    ],
)
def test_cores_compute_and_toggle(
    name: str, direction: Direction, cycles_of_a_block: int | None
) -> None:
    module = find_core(name)
    for key_bits in module.key_sizes:
        simulation = RtlSimulation(module)
        asked = replace(SHORT, key_bits=key_bits, direction=direction)
        done = run_workload(simulation, module, asked)
        run, idle = done.window("run"), done.window("idle")
        assert (run.blocks, idle.blocks, idle.cycles) == (4, 0, 20)
        assert run.activity.total() / run.cycles > 2 * idle.activity.total() / idle.cycles or (
            name == "present-minimal"  # which cannot idle
        )
        assert run.settled is None, "there are no glitches in RTL"
    stream = replace(WORKLOADS["stream"], blocks=12)
    count = count_toggles(module, replace(stream, direction=direction))
    assert (count.key_bits, count.operation) == (max(module.key_sizes), direction)
    assert count.per_byte == pytest.approx(count.toggles / 12 / count.block_bytes)
    if cycles_of_a_block is not None:
        # Back to back, but for what the first and the last one take more.
        slack = 1 if name == "present-minimal" else 1.5 * cycles_of_a_block + 3
        assert 0 <= count.cycles - 12 * cycles_of_a_block <= slack


@pytest.mark.parametrize(
    ("name", "part", "direction", "cycles_of_a_block"),
    [
        ("coprocessor-shell-present", Part.CORE, Direction.ENCRYPT, 32),
        ("coprocessor-iterative-aes", Part.CORE, Direction.DECRYPT, 14),
        ("aes-serial", Part.ACCELERATOR, Direction.ENCRYPT, 44),
    ],
)
def test_what_is_behind_a_bus_is_kept_busy(
    name: str, part: Part, direction: Direction, cycles_of_a_block: int
) -> None:
    module = find_core(name, part=part)
    simulation = RtlSimulation(module)
    key_bits = min(module.key_sizes)

    def cycles(workload: CoreWorkload) -> int:
        asked = replace(workload, key_bits=key_bits, direction=direction)
        done = run_workload(simulation, module, asked)
        return done.window("run").cycles

    stream = replace(WORKLOADS["stream"], blocks=8)
    # Back to back, but for what the first and the last one take more.
    assert 8 * cycles_of_a_block < cycles(stream) < 9 * cycles_of_a_block + 40
    spaced = replace(stream, blocks=3, period_cycles={"aes": 400, "present": 400})
    assert 800 < cycles(spaced) < 900
    asked = replace(SHORT, key_bits=key_bits, direction=direction)
    fresh = run_workload(simulation, module, asked)
    assert fresh.window("idle").activity.total() < fresh.window("run").activity.total() / 4


@pytest.mark.parametrize("part", list(Part))
def test_each_operation_of_what_takes_messages_is_driven(part: Part) -> None:
    module = find_core("ascon-iterative-stream", part=part)
    simulation = RtlSimulation(module)
    for name, direction, cycles_of_a_block in (
        ("stream", Direction.ENCRYPT, 8),
        ("stream", Direction.DECRYPT, 8),
        ("associated", Direction.ENCRYPT, 8),
        ("associated", Direction.DECRYPT, 8),
        ("digest", Direction.ENCRYPT, 24),
    ):
        workload = replace(WORKLOADS[name], blocks=12)
        done = run_workload(simulation, module, replace(workload, direction=direction))
        more = done.window("run").cycles - 12 * cycles_of_a_block
        assert 0 <= more < 150, (name, direction, more)
    fresh = run_workload(simulation, module, SHORT)
    assert fresh.window("idle").activity.total() < fresh.window("run").activity.total() / 4


@pytest.mark.parametrize(("name", "cycles_of_a_block"), [("sha2-256", 64), ("sha2-two-rounds", 40)])
def test_a_hash_is_driven(name: str, cycles_of_a_block: int) -> None:
    module = find_core(name)
    simulation = RtlSimulation(module)
    for workload in (WORKLOADS["stream"], WORKLOADS["digest"]):
        done = run_workload(simulation, module, replace(workload, blocks=5))
        assert (done.key_bits, done.operation) == (0, "digest")
        # The padding is a block more.
        assert 0 <= done.window("run").cycles - 6 * cycles_of_a_block < 16
    fresh = run_workload(simulation, module, SHORT)
    assert fresh.window("idle").activity.total() < fresh.window("run").activity.total() / 4
    with pytest.raises(SimulationError, match=r"which SHA-\d+ does not take"):
        run_workload(simulation, module, WORKLOADS["associated"])


def test_a_hash_behind_a_bus_is_driven() -> None:
    module = find_core("sha2-stream")
    simulation = RtlSimulation(module)
    done = run_workload(simulation, module, replace(WORKLOADS["digest"], blocks=5))
    assert (done.key_bits, done.operation) == (0, "digest")
    # The padding is a block more; registers and FIFOs take some cycles.
    assert 0 <= done.window("run").cycles - 6 * 80 < 100


@pytest.mark.parametrize("name", ["sha2-256", "sha2-all"])
def test_a_message_on_a_hash_core_takes_the_cycles_of_the_table(name: str) -> None:
    module = find_core(name)
    algorithm = ALGORITHMS[module.algorithm or ""]
    simulation = RtlSimulation(module)
    driver = HashCore(simulation, module, algorithm, 0, None)
    driver.prepare()
    expected = algorithm.cores.message_cycles
    assert expected is not None
    for length in (0, 1, 55, 56, 64, 111, 112, 128, 1000):
        data = bytes(range(256)) * 4
        answer = algorithm.reference("digest", b"", data[:length])
        begin = simulation.cycles
        operation = Operation(b"", data[:length], answer, False, "digest")
        assert driver.run([operation], 0) == [answer]
        assert simulation.cycles - begin == expected("digest", 0, length), length
        driver.idle(1)


def test_modes_are_those_of_the_accelerator_s_registers() -> None:
    for one in ALGORITHMS.values():
        for name, code in one.cores.mode_codes.items():
            mode = name if name in one.modes or name == "digest" else "aead"
            assert getattr(accel, f"CONFIGURATION__MODE__{mode.upper()}") == code, (one.name, name)


def test_what_an_algorithm_does_not_take_is_refused() -> None:
    module = find_core("present-minimal")
    simulation = RtlSimulation(module)
    for name in ("associated", "digest"):
        with pytest.raises(SimulationError, match=f"{name} data, which PRESENT does not take"):
            run_workload(simulation, module, WORKLOADS[name])


def test_an_accelerator_with_two_clocks_is_refused() -> None:
    module = find_core("aes-iterative", part=Part.ACCELERATOR)
    module = module.model_copy(update={"parameters": {**module.parameters, "Asynchronous": 1}})
    simulation = RtlSimulation(find_core("present-minimal"))  # it is not looked at
    with pytest.raises(SimulationError, match="the driver supports one clock"):
        run_workload(simulation, module, SHORT)


def test_simulations_of_one_module_run_side_by_side() -> None:
    source = module_source(find_core("present-minimal"))

    def windows() -> set[tuple[str, ...]]:
        simulation, found = RtlSimulation(source), set()
        simulation.clock()
        for _ in range(10):
            simulation.start_window()
            simulation.clock(2)
            simulation.end_window()
            found.add((*simulation.net_names, *simulation.aliases))
        return found

    alone = windows()
    assert len(alone) == 1
    with ThreadPoolExecutor(2) as pool:
        assert [future.result() for future in [pool.submit(windows) for _ in range(2)]] == [
            alone,
            alone,
        ]


def test_every_window_is_closed() -> None:
    module = find_core("present-minimal")
    simulation = RtlSimulation(module)
    done = run_workload(simulation, module, replace(SHORT, idle_cycles=0))
    assert [window.name for window in done.windows] == ["run"], "without those of no cycles"
    with pytest.raises(SimulationError, match="no window is open"):
        simulation.end_window()


def test_a_pipelined_register_counts_once(tmp_path: Path) -> None:
    """By hand: a counter's bits, a copy of its output one level down, and a named XOR."""
    source = tmp_path / "counter.sv"
    source.write_text("""
module copy (input logic [2:0] a_i, output logic [2:0] a_o);
  assign a_o = a_i;
endmodule
module counter (input logic clk_i, input logic on_i, output logic [2:0] count_o);
  logic [2:0] count_q;
  logic parity;
  assign parity = ^count_q;
  always_ff @(posedge clk_i) if (on_i) count_q <= count_q + 3'd1 + {2'b0, parity & 1'b0};
  copy u_copy (.a_i(count_q), .a_o(count_o));
endmodule
""")
    simulation = RtlSimulation(RtlSource("counter", (source,), {}), 1000)
    simulation.poke("on_i", 1)
    simulation.clock(3)
    simulation.start_window()
    simulation.clock(8)
    activity = simulation.end_window()
    found = {
        name.removeprefix("counter/"): toggles
        for name, toggles in zip(simulation.net_names, activity.toggles, strict=True)
        if toggles
    }
    # Bits of a counter of three toggle 8, 4 and 2 times in 8 cycles, its parity 4 + 2 times:
    # 000 001 010 011 100 101 110 111 000 has parities 0 1 1 0 1 0 0 1 0.
    assert found == {
        "clk_i": 16, "count_o[0]": 8, "count_o[1]": 4, "count_o[2]": 2, "parity": 6,
    }  # fmt: skip
    assert simulation.aliases["counter/count_q"] == "counter/count_o"
    assert simulation.aliases["counter/u_copy/a_i"] == "counter/count_o"
    place = list(simulation.net_names).index("counter/count_o[2]")
    assert activity.high_ps[place] == 4000


def test_wrong_answers_and_unknown_protocols_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    module = find_core("present-minimal")
    simulation = RtlSimulation(module)
    with pytest.raises(SimulationError, match="no driver for protocol nonsense of present"):
        run_workload(simulation, module.model_copy(update={"protocol": "nonsense"}), SHORT)
    with pytest.raises(SimulationError, match="cannot encrypt with 128-bit keys"):
        run_workload(simulation, module, replace(SHORT, key_bits=128))
    for update, problem in (
        ({"key_sizes": ()}, "no workload without key_sizes"),
        ({"directions": ()}, "no workload without key_sizes and directions"),
        ({"key_sizes": (64,)}, "present has no 64-bit keys"),
    ):
        with pytest.raises(SimulationError, match=f"present-minimal: {problem}"):
            run_workload(simulation, module.model_copy(update=update), SHORT)
    with pytest.raises(SimulationError, match="workload idle has no blocks"):
        count_toggles(module, WORKLOADS["idle"])
    swapped = replace(PRESENT, rtl=replace(PRESENT.cores, byte_order="little"))
    monkeypatch.setitem(ALGORITHMS, "present", swapped)
    with pytest.raises(SimulationError, match=r"present-minimal: block 0 is .*, should be"):
        run_workload(simulation, module, SHORT)


def test_blocks_are_as_far_apart_as_a_workload_says() -> None:
    spaced = replace(WORKLOADS["keys"], blocks=4, period_cycles={"aes": 774})
    module = find_core("aes-iterative-128-encrypt")
    run = run_workload(RtlSimulation(module), module, spaced).window("run")
    assert 3 * 774 < run.cycles < 3 * 774 + 30


def check_cells(module: Core, netlist: Netlist, wire_ff: float) -> None:
    """Both simulations answer right, glitches come on top, and the RTL's ports toggle alike."""
    timing = analyse_timing(netlist, module.clock, wire_ff_per_fanout=wire_ff)
    period_ps = 2.0 * math.ceil(timing.clock_period_ps / 2)
    settled = GateSimulation(netlist, None, period_ps, clock=module.clock)
    timed = GateSimulation(netlist, timing, period_ps, clock=module.clock)
    anyhow = GateSimulation(netlist, None, period_ps, clock=module.clock, seed=1)
    run_workload(anyhow, module, SHORT)  # whatever the flip-flops hold at the beginning
    alone = run_workload(settled, module, SHORT).window("run")
    run = run_workload(timed, module, SHORT).window("run")
    assert run.settled == alone.activity
    # Every glitch is a pulse more, but for those that a window's end cuts in two.
    assert alone.activity.total() < run.activity.total() < 20 * alone.activity.total()
    rtl = RtlSimulation(module, period_ps)
    wanted = run_workload(rtl, module, SHORT).window("run").activity
    toggles = dict(zip(rtl.net_names, wanted.toggles, strict=True))
    high_ps = dict(zip(rtl.net_names, wanted.high_ps, strict=True))
    compared = 0
    for ports in (netlist.inputs, netlist.outputs):
        for port, nets in ports.items():
            for bit, net in enumerate(nets):
                name = f"{module.top}/{port}" + (f"[{bit}]" if len(nets) > 1 else "")
                if name in toggles and net > 1:
                    assert alone.activity.toggles[net] == toggles[name], name
                    assert alone.activity.high_ps[net] == pytest.approx(high_ps[name]), name
                    compared += 1
    assert compared > 100


@pytest.mark.synthesis
@pytest.mark.parametrize("name", ["present-minimal", "present-iterative-80-encrypt"])
def test_cells_of_a_small_library_compute(name: str) -> None:
    folder = build_folder() / "tests"  # inside the source tree, where yosys can read it
    folder.mkdir(parents=True, exist_ok=True)
    liberty = folder / f"seven_cells_for_{name}.lib"
    liberty.write_text(SEVEN_CELLS)
    module = find_core(name)
    check_cells(module, mapped(module, liberty), 0.5)


@pytest.mark.synthesis
@pytest.mark.parametrize("target", list(CellTarget))
@pytest.mark.parametrize("name", ["present-iterative-80-encrypt", "aes-iterative-128-encrypt"])
def test_cells_of_real_libraries_compute(name: str, target: CellTarget) -> None:
    try:
        find_library(target)
    except ToolError as error:
        pytest.skip(str(error))
    liberty = liberty_file(target)
    module = find_core(name)
    netlist = mapped(module, liberty, clock_gates=load_library(liberty).has_clock_gates)
    check_cells(module, netlist, CELLS[target].wire_ff_per_fanout)
