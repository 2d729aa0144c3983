# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Evaluators of embedded systems: cycle by cycle, and in an instruction-set simulator."""

from __future__ import annotations

from dataclasses import dataclass

from ciphermill.design import Measurement, Processor, System, Workload
from ciphermill.evaluate.evaluator import Evaluator, Progress, between
from ciphermill.evaluate.system.errors import CosimError
from ciphermill.evaluate.system.instruction_set import estimate, measurement
from ciphermill.evaluate.system.model import Window
from ciphermill.evaluate.system.run import build, run
from ciphermill.evaluate.system.show import MAIN as SHOW_MAIN
from ciphermill.evaluate.system.show import ShownArray, run_show


@dataclass(frozen=True)
class Simulator:
    """A platform: the verilated model of the whole system."""

    max_cycles: int | None = None
    """Simulated cycles after which firmware counts as hung."""
    trace: Window | None = None
    """Cycles to write to a waveform."""
    stuck_bit: int | None = None
    """An output bit of the coprocessor that is stuck at one, for tests."""


@dataclass(frozen=True)
class InstructionSet:
    """A platform: an instruction-set simulator with a processor's cycle table."""

    host: Processor
    max_cycles: int | None = None
    """Estimated cycles after which firmware counts as hung."""


def _prepare(system: System, platform: Simulator, _: Workload, progress: Progress) -> None:
    build(system, trace=platform.trace is not None, report=progress.report)


def _simulate(
    system: System, platform: Simulator, workload: Workload, progress: Progress
) -> list[Measurement]:
    try:
        result = run(
            system,
            workload,
            max_cycles=platform.max_cycles,
            trace=platform.trace,
            stuck_bit=platform.stuck_bit,
            report=progress.report,
        )
    except CosimError as error:
        raise type(error)(f"{system.label}: {error}") from error
    return [result.measurement()]


def _prepare_program(system: System, _: Simulator, __: ShownArray, progress: Progress) -> None:
    build(system, main=SHOW_MAIN, report=progress.report)


def _show(system: System, _: Simulator, array: ShownArray, progress: Progress) -> list[Measurement]:
    try:
        return run_show(system, array.words, report=progress.report).measurements()
    except CosimError as error:
        raise type(error)(f"{system.label}: {error}") from error


def _estimate(
    system: System, platform: InstructionSet, workload: Workload, progress: Progress
) -> list[Measurement]:
    result = estimate(
        system,
        workload,
        processor=platform.host.processor,
        max_cycles=platform.max_cycles,
        report=progress.report,
    )
    return [measurement(result, processor=platform.host.processor)]


SYSTEM = Evaluator(
    "system",
    between(System, Simulator, Workload),
    _simulate,
    prepare=_prepare,
)
PROGRAM = Evaluator(
    "program",
    between(System, Simulator, ShownArray),
    _show,
    prepare=_prepare_program,
)
INSTRUCTION_SET = Evaluator(
    "instruction set",
    between(System, InstructionSet, Workload),
    _estimate,
)
