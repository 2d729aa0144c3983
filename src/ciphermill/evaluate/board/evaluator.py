# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Evaluator of an FPGA on a board: one message, without and with its way over the link.

The time in the FPGA is simulated at both clocks. The way over the link is a formula: the bytes
of the message at the platform's rate, there and back, neither beside the other nor beside the
FPGA's work, since one message may fill the memory.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from ciphermill.design import Board, CannotBeError, Core, Measurement, Method, Operation, Workload
from ciphermill.evaluate.evaluator import Evaluator, Progress
from ciphermill.registry import openssl
from ciphermill.toolchain.board import BOARD_TOP, build_board, memory_bytes, run_board

KEY_BITS, MODE = 128, "ctr"
"""What the FPGA does."""


@dataclass(frozen=True)
class BoardTimes:
    """Times of a message on a board, in seconds."""

    processing: float
    """In the FPGA, from the start to the last byte in memory."""
    transfer: float
    """On the link, there and back."""


def times(platform: Board, length: int, processing_s: float) -> BoardTimes:
    """Return the times of a message of a length.

    >>> link = {"mbit_s": 800, "method": "assumed", "source": "an example"}
    >>> board = Board(name="b", clock_mhz=70, memory_clock_mhz=40, memory_bytes=1 << 20, link=link)
    >>> times(board, 1_000_000, 0.01)
    BoardTimes(processing=0.01, transfer=0.02)
    """
    return BoardTimes(processing_s, 2 * 8 * length / (platform.link.mbit_s * 1e6))


def _answers(design: Any, platform: Any, workload: Any) -> bool:
    return (
        isinstance(design, Core)
        and design.top == BOARD_TOP
        and isinstance(platform, Board)
        and isinstance(workload, Workload)
    )


def _check(design: Core, platform: Board, workload: Workload) -> None:
    asked = (workload.algorithm, workload.mode, workload.key_bits, workload.messages)
    if asked != ("aes", MODE, KEY_BITS, 1) or workload.operation is not Operation.ENCRYPT:
        raise CannotBeError(
            f"{design.name} encrypts one message with AES-{KEY_BITS} in counter mode; choose "
            f'algorithm "aes", mode "{MODE}", key_bits {KEY_BITS}, operation "encrypt"'
        )
    most = min(memory_bytes(design), platform.memory_bytes)
    if not 0 < workload.bytes <= most:
        raise CannotBeError(
            f"{workload.bytes:,} bytes: a message on {design.name} and {platform.name} has 1 to "
            f"{most:,}, as the memory has; send a longer one in chunks"
        )


def _prepare(design: Core, platform: Board, workload: Workload, progress: Progress) -> None:
    _check(design, platform, workload)
    build_board(design, progress.report)


def _evaluate(
    design: Core, platform: Board, workload: Workload, progress: Progress
) -> list[Measurement]:
    _check(design, platform, workload)
    library = build_board(design, progress.report)
    key, counter, data = (os.urandom(n) for n in (KEY_BITS // 8, 16, workload.bytes))
    clocks = (platform.clock_mhz, platform.memory_clock_mhz)
    progress.report(
        f"{design.name}: {workload.bytes:,} bytes at {clocks[0]:g} and {clocks[1]:g} MHz"
    )
    seen = run_board(library, *clocks, key, counter, data)
    answer, _ = openssl().transform(data, mode=MODE, direction="encrypt", key=key, iv=counter)
    pairs = enumerate(zip(seen.output, answer, strict=True))
    wrong = next((at for at, (given, right) in pairs if given != right), None)
    spent = times(platform, workload.bytes, seen.processing_s)
    common: dict[str, Any] = {
        "design": design.name,
        "algorithm": workload.algorithm,
        "key_bits": workload.key_bits,
        "mode": workload.mode,
        "operation": workload.operation,
        "architecture": design.architecture,
        "platform": platform.name,
        "bytes": workload.bytes,
        "cycles.total": seen.core_cycles,
        "cycles.per_block": seen.core_cycles / workload.blocks,
        "clock.mhz": platform.clock_mhz,
        "clock.memory_mhz": platform.memory_clock_mhz,
        "time.processing_s": spent.processing,
        "correct": wrong is None,
        **({} if wrong is None else {"wrong.byte": wrong}),
    }

    def of(total: float, method: Method, **more: Any) -> Measurement:
        rate = workload.bytes / 1e6 / total
        figures = {"time.total_s": total, "throughput.mb_s": rate, "method": method}
        return Measurement.from_json({**common, **figures, **more})

    return [
        of(spent.processing, Method.SIMULATED),
        of(
            spent.processing + spent.transfer,
            Method.MODELLED,
            **{"time.transfer_s": spent.transfer, "inputs": platform.link_input.names},
        ),
    ]


BOARD = Evaluator("board", _answers, _evaluate, prepare=_prepare)
