# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Evaluator for the ECC engine: the cycles of an operation, from its micro-program.

``hw/ecc/programs/ecc_timing.py`` runs the program on Python's integers, and computes when each
instruction is issued. No RTL is compiled. Its counts are those of the RTL within 1 %.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from ciphermill.design import Core, Measurement, Method, Workload, find_home
from ciphermill.evaluate.evaluator import Evaluator, Progress
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.processes import run_program

PROGRAM = "hw/ecc/programs/ecc_timing.py"
TOP = "ecc_core"
"""The top module of the engine that the programs are for."""


@dataclass(frozen=True)
class Microprogram:
    """A platform: the timing of the engine's instructions."""


def has_microprogram(design: object) -> TypeGuard[Core]:
    """Return whether a design is the ECC engine."""
    return isinstance(design, Core) and design.top == TOP


def _estimate(
    core: Core, _: Microprogram, workload: Workload, progress: Progress
) -> list[Measurement]:
    operation = "generate" if workload.operation == "generate-key" else workload.operation.value
    progress.report(f"estimate of {core.name} ...")
    options = {
        "--curves": core.parameters.get("Curves"),
        "--word-bits": core.parameters.get("WordBits"),
        "--multipliers": core.parameters.get("Multipliers"),
    }
    given = [f"{name}={value}" for name, value in options.items() if value is not None]
    program = find_home() / PROGRAM
    what = f"estimate of {core.name}"
    command: list[str | Path] = [sys.executable, program, operation, str(workload.key_bits), *given]
    done = run_program(command, what=what, errors_apart=True)
    if done.returncode != 0:
        problem = (done.stderr.splitlines() or ["it printed nothing"])[-1]
        raise ToolError(f"{what} failed: {problem.removeprefix(f'{program.name}: error: ')}")
    seen = Measurement(
        design=core.name,
        algorithm=core.algorithm,
        architecture=core.architecture,
        operation=workload.operation.value,
        key_bits=workload.key_bits,
        cycles_per_block=json.loads(done.stdout)["cycles"],
        method=Method.ESTIMATED,
    )
    return [seen]


MICROPROGRAM = Evaluator(
    "microprogram",
    lambda design, platform, workload: (
        has_microprogram(design)
        and isinstance(platform, Microprogram)
        and isinstance(workload, Workload)
        and workload.algorithm == "ecc"
    ),
    _estimate,
)
