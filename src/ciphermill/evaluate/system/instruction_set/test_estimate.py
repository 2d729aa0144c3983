# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Estimates: right output on every processor, and their error against the cycle-accurate SoC."""

import dataclasses

import pytest

from ciphermill.design import Run, make_run
from ciphermill.evaluate.system.errors import CosimError, Hung
from ciphermill.evaluate.system.instruction_set import TABLES, estimate, measurement
from ciphermill.evaluate.system.instruction_set.block import make_block
from ciphermill.evaluate.system.instruction_set.instruction import Kind
from ciphermill.evaluate.system.instruction_set.tables import Cost
from ciphermill.evaluate.system.run import run


def asked(**fields: object) -> Run:
    return make_run({"bytes": 160, "partition": "software", "variant": "table", **fields}, "test")


@pytest.mark.parametrize("processor", TABLES)
def test_the_output_is_the_known_answer(processor: str) -> None:
    one = asked()
    result = estimate(one.system, one.workload, processor=processor)
    assert result.correct
    seen = measurement(result, processor=processor).to_json()
    assert seen["method"] == "estimated"
    assert seen["soft_core"] == processor
    assert seen["cycles.total"] > seen["instructions.total"] > 0


@pytest.mark.parametrize(
    ("processor", "error"),
    # Ibex and PicoRV32 follow their tables; VexRiscv's caches, which miss, are not modelled.
    [("picorv32", 0.01), ("ibex", 0.01), ("vexriscv", 0.5)],
)
def test_the_error_against_the_cycle_accurate_system(processor: str, error: float) -> None:
    one = asked(soft_core=processor, bytes=1600)
    guess = estimate(one.system, one.workload).counters
    truth = run(one.system, one.workload).counters
    print(f"{processor}: estimated {guess.cycles}, simulated {truth.cycles}")
    assert abs(guess.cycles / truth.cycles - 1) <= error
    assert abs(guess.instructions - truth.instructions) <= 1


def test_a_wrong_table_would_show() -> None:
    costs = {**TABLES["ibex"].costs, Kind.LOAD: Cost(2)}
    wrong = dataclasses.replace(TABLES["ibex"], costs=costs)
    code = (0x00052583).to_bytes(4, "little")
    assert make_block(0, code, wrong).cycles == make_block(0, code, TABLES["ibex"]).cycles + 1


def test_a_stuck_bit_is_found() -> None:
    one = make_run({"bytes": 160, "partition": "iterative"}, "test")
    assert estimate(one.system, one.workload, processor="sa1110").correct
    assert not estimate(one.system, one.workload, processor="sa1110", stuck_bit=3).correct


def test_firmware_that_takes_too_long_is_hung() -> None:
    one = asked()
    with pytest.raises(Hung, match="estimated cycles"):
        estimate(one.system, one.workload, max_cycles=1000)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"partition": "dma", "variant": None}, "can be estimated"),
        ({"partition": "iterative", "variant": None, "interface": "axi4-128"}, "bursts"),
        ({"memory_read_wait": 2}, "wait states"),
    ],
)
def test_what_cannot_be_estimated_says_so(fields: dict[str, object], words: str) -> None:
    wanted = {name: value for name, value in {**asked_fields(), **fields}.items() if value}
    one = make_run(wanted, "test")
    with pytest.raises(CosimError, match=words):
        estimate(one.system, one.workload)


def asked_fields() -> dict[str, object]:
    return {"bytes": 160, "partition": "software", "variant": "table"}
