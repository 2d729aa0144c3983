# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The FPGA of a board: what it refuses, what is compared, and rates at both clocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ciphermill.design import (
    Board,
    CannotBeError,
    Core,
    Method,
    Operation,
    Workload,
    load_design,
    load_platform,
)
from ciphermill.evaluate.board import evaluator
from ciphermill.evaluate.evaluate import evaluate, find_evaluator
from ciphermill.evaluate.evaluator import Progress
from ciphermill.registry import openssl
from ciphermill.toolchain.board import BoardRun

PAPER = load_design("aes-fpga-paper", Core)
RC1000 = load_platform("celoxica-rc1000", Board)


def asked(length: int = 1000, **changes: Any) -> Workload:
    fields: dict[str, Any] = {"operation": Operation.ENCRYPT, "mode": "ctr", "key_bits": 128}
    return Workload(**{**fields, "bytes": length, **changes})


def at(**changes: Any) -> Board:
    return RC1000.model_copy(update=changes)


@pytest.mark.parametrize(
    ("design", "platform", "workload", "message"),
    [
        (PAPER, RC1000, asked(operation=Operation.DECRYPT), "one message with AES-128 in counter"),
        (PAPER, RC1000, asked(mode="ecb"), "one message with AES-128 in counter"),
        (PAPER, RC1000, asked(key_bits=256), "one message with AES-128 in counter"),
        (PAPER, RC1000, asked(messages=2), "one message with AES-128 in counter"),
        (PAPER, RC1000, asked(0), "has 1 to 8,388,608"),
        (PAPER, RC1000, asked(8388609), "send a longer one in chunks"),
        (PAPER, at(memory_bytes=4096), asked(4097), "has 1 to 4,096"),
        (PAPER.model_copy(update={"parameters": {}}), RC1000, asked(), "'Banks' is missing"),
    ],
)
def test_what_the_fpga_cannot_do_is_refused_before_a_build(
    design: Core, platform: Board, workload: Workload, message: str
) -> None:
    found = find_evaluator(design, platform, workload)
    for step in (found.prepare, found.evaluate):
        assert step is not None
        with pytest.raises(CannotBeError, match=message):
            step(design, platform, workload, Progress())


@pytest.mark.parametrize("wrong", [None, 0, 999])
def test_the_output_is_compared(monkeypatch: pytest.MonkeyPatch, wrong: int | None) -> None:
    def encrypted(_: Path, *clocks_and_texts: Any) -> BoardRun:
        *clocks, key, counter, data = clocks_and_texts
        assert clocks == [70, 33]
        answer = bytearray(
            openssl().transform(data, mode="ctr", direction="encrypt", key=key, iv=counter)[0]
        )
        if wrong is not None:
            answer[wrong] ^= 1
        return BoardRun(700, 10e-6, bytes(answer))

    monkeypatch.setattr(evaluator, "build_board", lambda design, report: Path())
    monkeypatch.setattr(evaluator, "run_board", encrypted)
    alone, whole = evaluate(PAPER, RC1000, asked())
    assert {(one.correct, one.wrong_byte) for one in (alone, whole)} == {(wrong is None, wrong)}
    # 16,000 bits over the link.
    assert (alone.method, whole.method) == (Method.SIMULATED, Method.MODELLED)
    assert alone.time_total_s == pytest.approx(10e-6)
    assert whole.time_total_s == pytest.approx(10e-6 + 16000 / 489.6e6)
    assert alone.throughput_mb_s == pytest.approx(100)
    assert (alone.time_transfer_s, alone.inputs) == (None, None)
    assert whole.inputs == ("fitted:celoxica-rc1000.link.mbit_s",)


def test_the_clocks_are_independent() -> None:
    """The slower of cores and memory decides, at clocks that are chosen after the build."""
    small = {"Cores": 2, "Banks": 1, "Stepped": 0, "AddressWidth": 10, "FifoBlocks": 4}
    design = PAPER.model_copy(update={"parameters": small})
    cases = (
        # 128 bits in 10 cycles of each core, or in 8 cycles of the bank.
        (10, 90, 2 * 128 * 10 / 10),
        (7.3, 33, 2 * 128 * 7.3 / 10),
        (400, 10, 128 * 10 / 8),
    )
    for core_mhz, memory_mhz, mbit_s in cases:
        platform = at(clock_mhz=core_mhz, memory_clock_mhz=memory_mhz)
        alone = evaluate(design, platform, asked(4091))[0]
        assert alone.correct
        assert 8 * (alone.throughput_mb_s or 0) == pytest.approx(mbit_s, rel=0.08)
