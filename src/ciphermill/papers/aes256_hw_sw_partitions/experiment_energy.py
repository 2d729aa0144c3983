# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The power of the AES-256 paper's five designs, as systems in standard cells.

The paper has the power of an FPGA, which no open tool gives; what can be compared
is which design takes more, and by how much.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Measurement, Partition, Provenance, SoftCore, Variant, make_run
from ciphermill.evaluate.chip.system_energy import (
    SystemEnergy,
    memory_of,
    soft_core_with_energy,
    system_energy,
)
from ciphermill.papers.aes256_hw_sw_partitions.published import PartitionsPaper
from ciphermill.toolchain.cells import CellTarget, first_library
from ciphermill.toolchain.errors import ClockMissed, ToolError
from ciphermill.toolchain.model import Report, say

BLOCKS = 4
"""Blocks that each system encrypts, the key in place."""
CLOCK_MHZ = 50.0
"""Half the paper's clock: a clock that also all rounds between two registers meet."""


@dataclass(frozen=True)
class PartitionsEnergy:
    """What the power experiment gave."""

    soft_core: SoftCore
    target: CellTarget | None
    """The cell library; None where there is none."""
    systems: Mapping[Partition, SystemEnergy]
    """The paper's designs."""
    missing: Mapping[Partition, str]
    """Why there is nothing of the others, such as that a part misses the clock."""
    measurements: tuple[Measurement, ...]
    """Of every system, each followed by its parts."""


def run_partitions_energy(
    paper: PartitionsPaper,
    soft_core: SoftCore,
    *,
    target: CellTarget | None = None,
    provenance: Provenance | None = None,
    report: Report = say,
) -> PartitionsEnergy:
    """Run the experiment.

    Args:
        paper: What is printed: it names the designs.
        soft_core: What our firmware runs on.
        target: The cell library; the first that is found unless given.
        provenance: What every measurement says of its origin.
        report: Is given a line before each step that takes long.

    A design that misses the clock is left out, and ``missing`` says so.

    Raises:
        ToolError: A tool failed, or the library that was asked for is not there.
        SimulationError: The cells of a part do not what its RTL did.
        WrongOutput: A system's output is not the known answer.
        CosimError: A run gave no result.
    """
    soft_core = soft_core_with_energy(soft_core)
    try:
        target = target or first_library()
    except ToolError as error:
        missing = {printed.name: str(error) for printed in paper.partition}
        return PartitionsEnergy(soft_core, None, {}, missing, ())
    missing = {}
    systems: dict[Partition, SystemEnergy] = {}
    measurements: list[Measurement] = []
    for printed in paper.partition:
        fields: dict[str, Any] = {
            "partition": printed.name,
            "soft_core": soft_core,
            "key_bits": paper.workload.key_bits,
            "bytes": BLOCKS * ALGORITHMS[paper.workload.algorithm].block_bytes,
        }
        if printed.name is Partition.SOFTWARE:
            fields["variant"] = Variant.PORTABLE
        one = make_run(fields, "the AES-256 paper's power experiment")
        report(f"energy of a system with {printed.name} in {target} ...")
        try:
            found = system_energy(
                one.system,
                one.workload,
                target,
                clock_mhz=CLOCK_MHZ,
                memory=memory_of(target),
                report=report,
            )
        except ClockMissed as error:
            missing[printed.name] = str(error)
            continue
        systems[printed.name] = found
        measurements += found.measurements(provenance)
    return PartitionsEnergy(soft_core, target, systems, missing, tuple(measurements))
