# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Instruction-set co-simulation: a fast estimate of firmware on a processor.

Firmware for RV32IM or ARMv4 (SA-1110) runs in Unicorn; the coprocessor behind its
memory-mapped registers is the verilated RTL. Cycles are estimates: the processor's cycle
table (``tables``) gives the cycles of each instruction; bus and coprocessor add wait cycles
to each access. No soft core is simulated or built.

    from ciphermill.evaluate.system.instruction_set import estimate, measurement
    result = estimate(run.system, run.workload, processor="sa1110")
    print(measurement(result, processor="sa1110").to_json())

``estimate`` returns the ``CosimResult`` that a cycle-accurate run returns; ``measurement``
says ``estimated`` and names the processor.
"""

from __future__ import annotations

from ciphermill.design import Measurement
from ciphermill.evaluate.system.instruction_set.estimate import (
    INTERFACES,
    PARTITIONS,
    check_estimate,
    estimate,
)
from ciphermill.evaluate.system.instruction_set.tables import TABLES, CycleTable
from ciphermill.evaluate.system.run import CosimResult


def measurement(result: CosimResult, *, processor: str | None = None) -> Measurement:
    """Return an estimate as a measurement with method ``estimated``.

    Args:
        result: The result of ``estimate``.
        processor: The processor that was passed to it.
    """
    fields = result.measurement().to_json()
    fields["method"] = "estimated"
    if processor is not None:
        fields["soft_core"] = processor
    return Measurement.from_json(fields)
