# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``evaluate``: the cost of a workload with a design on a platform.

The first of ``EVALUATORS`` that supports the types of design, platform and workload is
used. ``docs/how-to/add-an-evaluator.md`` lists which types each of them supports.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from ciphermill.design import Measurement
from ciphermill.design.measurement import design_fields
from ciphermill.evaluate.bench.evaluator import CLOCKED, RUNS
from ciphermill.evaluate.board.beside import BESIDE
from ciphermill.evaluate.board.evaluator import BOARD
from ciphermill.evaluate.chip.evaluator import CHIP, SYSTEM_AREA, SYSTEM_ENERGY
from ciphermill.evaluate.device.weigh import DEVICE
from ciphermill.evaluate.evaluator import Evaluator, Progress
from ciphermill.evaluate.microprogram.evaluator import MICROPROGRAM
from ciphermill.evaluate.offload.evaluator import OFFLOAD
from ciphermill.evaluate.speed.evaluator import SPEED
from ciphermill.evaluate.stream.evaluator import STREAM
from ciphermill.evaluate.stream.latency import LATENCY
from ciphermill.evaluate.stream.swept import BENCH, SWEEP
from ciphermill.evaluate.stream.varied import VARIED
from ciphermill.evaluate.system.evaluator import INSTRUCTION_SET, PROGRAM, SYSTEM

EVALUATORS: tuple[Evaluator, ...] = (
    DEVICE,
    SPEED,
    OFFLOAD,
    BESIDE,
    RUNS,
    CLOCKED,
    SYSTEM,
    PROGRAM,
    INSTRUCTION_SET,
    MICROPROGRAM,
    SYSTEM_ENERGY,
    SYSTEM_AREA,
    CHIP,
    BOARD,
    STREAM,
    SWEEP,
    LATENCY,
    BENCH,
    VARIED,
)
"""All evaluators, in the order in which they are tried."""


def find_evaluator(design: Any, platform: Any, workload: Any) -> Evaluator:
    """Return the evaluator for a design, a platform and a workload.

    Raises:
        LookupError: None does.
    """
    for one in EVALUATORS:
        if one.answers(design, platform, workload):
            return one
    words = ", ".join(type(word).__name__ for word in (design, platform, workload))
    raise LookupError(f"no evaluator answers for {words}")


def evaluate(
    design: Any, platform: Any, workload: Any, *, progress: Progress | None = None
) -> list[Measurement]:
    """Return measurements of a workload with a design on a platform.

    Args:
        design: What is built: a system, a core, a device of the engine, or a series of
            streams.
        platform: What it is built or run on; None if the design determines it.
        workload: The messages to process.
        progress: Receives the progress of the work.

    Raises:
        LookupError: There is no evaluator for them.
        DesignError: The three do not go together.
        ToolError: A tool is missing or failed.
        CosimError: A simulated system gave no result.
        ciphermill.Error: A device failed.
    """
    found = find_evaluator(design, platform, workload).evaluate(
        design, platform, workload, progress or Progress()
    )
    own = design_fields(design) if isinstance(design, BaseModel) else {}
    return [one if one.design_digest else one.model_copy(update=own) for one in found]
