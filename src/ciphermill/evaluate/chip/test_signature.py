# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Samples of a signature stand for all of its cycles."""

from collections.abc import Mapping, Sequence

import pytest

from ciphermill.evaluate.chip.activity.activity import Activity
from ciphermill.evaluate.chip.activity.rtl_simulation import RtlSimulation
from ciphermill.evaluate.chip.activity.simulation import SimulationError
from ciphermill.evaluate.chip.signature import ORDER, PRIME, signature_parts
from ciphermill.evaluate.chip.workloads import WORKLOADS, run_workload
from ciphermill.toolchain.modules import find_core

CORE = find_core("ecc-p521")
PERIOD_PS = 1000.0


class Engine:
    """Takes all operands; a net toggles twice a cycle while it verifies, else once."""

    inputs: Mapping[str, int] = dict.fromkeys(
        ("rst_ni", "operation_i", "curve_i", "start_valid_i", "operand_valid_i", "operand_i",
         "result_ready_i", "status_ready_i"), 8
    )  # fmt: skip
    outputs: Mapping[str, int] = dict.fromkeys(("idle_o",), 1)
    net_names: Sequence[str] = ("net",)
    clock_period_ps = PERIOD_PS

    def __init__(self, *, refuses: bool = False) -> None:
        self.cycles = 0
        self.values: dict[str, int] = {}
        self.taken = b""
        self.windows: list[tuple[int, int]] = []
        self._refuses = refuses

    def poke(self, port: str, value: int) -> None:
        self.values[port] = value
        if port == "operand_i" and value >= 0 and self.values["rst_ni"]:
            self.taken += bytes([value])

    def peek(self, port: str) -> int:
        return {"idle_o": int(self._refuses), "busy_o": 0, "status_valid_o": 0}.get(port, 1)

    def clock(self, n: int = 1) -> None:
        self.cycles += n

    def start_window(self) -> None:
        self.windows.append((self.values["operation_i"], self.cycles))

    def end_window(self) -> Activity:
        operation, begin = self.windows[-1]
        cycles = self.cycles - begin
        toggles = cycles * (2 if operation == ORDER.operation else 1)
        return Activity(cycles * PERIOD_PS, [toggles], [cycles * PERIOD_PS / 2])


def test_each_part_counts_for_its_cycles() -> None:
    engine = Engine()
    prime, order, run = signature_parts(engine, CORE)
    assert (prime.cycles, order.cycles, run.cycles) == (126_151, 25_726, 151_877)
    assert prime.activity.toggles == [126_151]
    assert order.activity.toggles == [2 * 25_726]
    assert run.activity.toggles == [126_151 + 2 * 25_726]
    assert run.activity.duration_ps == pytest.approx(151_877 * PERIOD_PS)
    assert run.activity.high_ps == pytest.approx([151_877 * PERIOD_PS / 2])
    sizes = 66 * len(PRIME.operands), 66 * len(ORDER.operands)
    assert len(engine.taken) == sum(sizes)
    begins = [cycle for _, cycle in engine.windows[:3]]
    assert begins[1] - begins[0] == begins[2] - begins[1] == PRIME.distance


def test_a_refusal_is_no_measurement() -> None:
    with pytest.raises(SimulationError, match="ecc-p521: refuses the operands of prime"):
        signature_parts(Engine(refuses=True), CORE)


def test_a_workload_of_it_is_one_signature() -> None:
    done = run_workload(Engine(), CORE, WORKLOADS["stream"])
    assert (done.key_bits, done.operation) == (521, "sign")
    assert [(window.name, window.blocks) for window in done.windows] == [
        ("prime", 0),
        ("order", 0),
        ("run", 1),
    ]


class Ending(Engine):
    """Gives its status after some cycles."""

    def peek(self, port: str) -> int:
        if port == "status_valid_o":
            return int(self.cycles >= 5_000)
        return super().peek(port)


def test_a_design_that_states_no_cycles_runs_a_whole_signature() -> None:
    unknown = CORE.model_copy(update={"cycles_per_block": None})
    ended = Ending()
    with pytest.raises(SimulationError, match="refuses"):  # the samples find it at its end
        signature_parts(ended, unknown)
    assert ended.cycles >= 5_000
    endless = Engine()
    with pytest.raises(SimulationError, match="no signature within 4,000,000 cycles"):
        signature_parts(endless, unknown)


def test_the_rtl_takes_the_cycles_that_its_file_states() -> None:
    unknown = CORE.model_copy(update={"cycles_per_block": None})
    assert signature_parts(RtlSimulation(unknown), unknown)[-1].cycles == CORE.cycles_per_block
