# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Instruction-set co-simulation: a fast first look at firmware on a processor.

Firmware for RV32IM or ARMv4 (SA-1110) runs in Unicorn; the coprocessor behind its
memory-mapped registers is the verilated RTL. Cycles are estimates: each instruction costs
what the processor's cycle table says (``tables``), each access what the bus and the
coprocessor make it wait. No soft core is simulated, and none needs to be built.

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

__all__ = [
    "INTERFACES",
    "PARTITIONS",
    "TABLES",
    "CycleTable",
    "check_estimate",
    "estimate",
    "measurement",
]


def measurement(result: CosimResult, *, processor: str | None = None) -> Measurement:
    """Return an estimate in the vocabulary's words: method ``estimated``.

    Args:
        result: What ``estimate`` returned.
        processor: What it was given.
    """
    fields = result.measurement().to_json()
    fields["method"] = "estimated"
    if processor is not None:
        fields["soft_core"] = processor
    return Measurement.from_json(fields)
