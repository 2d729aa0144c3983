# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The experiments of the AES and PRESENT paper, run on our systems.

A hundred encryptions, each with its own key and plaintext: in software, through
the paper's coprocessor shell, and by ways that move less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ciphermill.algorithms import ALGORITHMS
from ciphermill.campaign.run import evaluate_runs
from ciphermill.design import (
    DesignError,
    Direction,
    Measurement,
    Method,
    Partition,
    Provenance,
    Run,
    SoftCore,
    System,
    Variant,
    make_run,
)
from ciphermill.evaluate.chip.area import SystemArea, system_area
from ciphermill.evaluate.chip.measures import of_toggles
from ciphermill.evaluate.chip.toggles import ToggleCount
from ciphermill.evaluate.chip.workloads import WORKLOADS
from ciphermill.evaluate.system.evaluator import InstructionSet, Simulator
from ciphermill.papers import stored
from ciphermill.papers.aes_present_coprocessors.experiment_energy import (
    CORES,
    KEY_BITS,
    WORKLOAD,
    CoprocessorsEnergy,
    count_core_toggles,
    run_coprocessors_energy,
)
from ciphermill.papers.aes_present_coprocessors.published import (
    Cipher,
    CoprocessorsPaper,
    MemoryCycles,
)
from ciphermill.toolchain.cells import CellTarget
from ciphermill.toolchain.model import Report, say
from ciphermill.toolchain.modules import find_core

INSTRUCTION_SET = "sa1110"
"""The paper's co-simulation ran instructions of a StrongARM."""

_WAYS: tuple[tuple[Partition, Variant | None], ...] = (
    (Partition.SOFTWARE, Variant.PORTABLE),
    (Partition.SOFTWARE, Variant.TABLE),
    (Partition.SOFTWARE, Variant.BITSLICED),
    (Partition.SHELL, None),
    (Partition.ITERATIVE, None),
    (Partition.STREAM, None),
    (Partition.DMA, None),
)
COMPARED: tuple[tuple[Partition, Variant | None], ...] = (
    (Partition.SOFTWARE, Variant.TABLE),
    (Partition.SHELL, None),
)
"""What the paper compares: software with tables, and the shell."""


@dataclass(frozen=True)
class CoprocessorsResults:
    """What the experiments gave; what a soft core cannot host is absent."""

    soft_core: SoftCore
    measurements: tuple[Measurement, ...]
    estimates: tuple[Measurement, ...]
    """Software and shell on the processor that the paper simulated instructions of."""
    areas: dict[Cipher, SystemArea]
    """Of the shells, by cipher; empty where no areas were wanted."""
    alone: Mapping[Cipher, ToggleCount]
    """The cores alone, those whose energy is taken: cycles and toggles."""
    energy: CoprocessorsEnergy | None = None
    """Power and energy; None where they were not wanted."""
    hardware: tuple[Measurement, ...] = ()
    """The cores alone, as measurements."""

    def find(
        self,
        cipher: Cipher,
        partition: Partition,
        variant: Variant | None = None,
        memory: MemoryCycles | None = None,
    ) -> Measurement | None:
        """Return the run of a cipher, or None where it was not run.

        Args:
            cipher: The cipher.
            partition: How it is split.
            variant: The form, where there are several.
            memory: The memory's cycles; one of each where absent.
        """
        waits = (memory.read - 1, memory.write - 1) if memory else (0, 0)
        for seen in self.measurements:
            if (
                seen.algorithm == cipher
                and seen.partition == partition
                and (variant is None or seen.variant == variant)
                and (seen.memory_read_wait, seen.memory_write_wait) == waits
            ):
                return seen
        return None


def coprocessors_runs(paper: CoprocessorsPaper, soft_core: SoftCore) -> list[Run]:
    """Return the encryptions, by every way that the soft core can host."""
    memories = (paper.memory.on_chip, paper.memory.off_chip)
    ways = [(*way, None) for way in _WAYS] + [(*way, one) for one in memories for way in COMPARED]
    runs = []
    for cipher in Cipher:
        for partition, variant, memory in ways:
            fields: dict[str, Any] = {
                "algorithm": cipher,
                "partition": partition,
                "soft_core": soft_core,
                "key_bits": KEY_BITS[cipher],
                "bytes": ALGORITHMS[cipher].block_bytes,
                "messages": paper.workload.encryptions,
                "fresh_key": True,
            }
            if variant is not None:
                fields["variant"] = variant
            if memory is not None:
                fields["memory_read_wait"] = memory.read - 1
                fields["memory_write_wait"] = memory.write - 1
            try:
                runs.append(make_run(fields, "the AES and PRESENT paper's experiment"))
            except DesignError:
                continue  # not there for this cipher, or the core cannot host it
    return runs


def run_coprocessors_paper(
    paper: CoprocessorsPaper,
    soft_core: SoftCore,
    *,
    areas: bool = True,
    energy: bool = False,
    target: CellTarget | None = None,
    provenance: Provenance | None = None,
    report: Report = say,
) -> CoprocessorsResults:
    """Run the experiments.

    Args:
        paper: What is printed: it says how many encryptions, and the memories.
        soft_core: What our firmware runs on.
        areas: Synthesise too, which takes minutes the first time.
        energy: Count toggles and compute energy too, which takes many minutes.
        target: The cell library of the energy; the first that is found unless given.
        provenance: What every measurement says of its origin.
        report: Is given a line before and after a build.

    Raises:
        ToolError: A tool is missing or failed.
        CosimError: A run gave no result.
        SimulationError: A core's output is wrong.
    """
    results = evaluate_runs(coprocessors_runs(paper, soft_core), Simulator(), provenance, report)
    first_look = [one for one in coprocessors_runs(paper, soft_core) if _compared(one.system)]
    estimates = evaluate_runs(first_look, InstructionSet(INSTRUCTION_SET), provenance, report)
    alone = count_core_toggles(report=report)
    found = {}
    if areas:
        for cipher in Cipher:
            shell = System(algorithm=cipher, partition=Partition.SHELL, soft_core=soft_core)
            found[cipher] = system_area(shell, key_bits=KEY_BITS[cipher], report=report)
    return CoprocessorsResults(
        soft_core,
        tuple(results),
        tuple(estimates),
        found,
        alone,
        run_coprocessors_energy(
            paper, soft_core, alone, target=target, provenance=provenance, report=report
        )
        if energy
        else None,
        tuple(
            of_toggles(find_core(CORES[cipher]), WORKLOAD, count, provenance)
            for cipher, count in alone.items()
        ),
    )


def _compared(system: System) -> bool:
    """Whether it is software with tables or the shell, and memory does not wait."""
    software = system.partition is Partition.SOFTWARE and system.variant is Variant.TABLE
    return (software or system.partition is Partition.SHELL) and not system.memory_read_wait


def area_rows(results: CoprocessorsResults) -> Iterator[Measurement]:
    """Yield the areas of the systems, part by part."""
    for cipher, area in results.areas.items():
        yield from stored.area_rows(
            area,
            algorithm=cipher,
            partition=Partition.SHELL,
            soft_core=results.soft_core,
            provenance=results.measurements[0].provenance,
        )


def restored(measurements: Sequence[Measurement]) -> CoprocessorsResults:
    """Return the results whose measurements these are, without power and energy.

    Raises:
        KeyError: They are not all measurements of the experiments.
    """
    runs = tuple(stored.runs(measurements))
    hardware = tuple(seen for seen in measurements if seen.workload == WORKLOAD and _counted(seen))
    if not runs or len(hardware) != len(Cipher):
        raise KeyError("no run of a system, or of a core alone")
    core = SoftCore(runs[0].soft_core or "")
    alone = {Cipher(seen.algorithm or ""): _count(seen) for seen in hardware}
    missing = CoprocessorsEnergy(core, alone, None, {}, {}, stored.NO_ENERGY, ())
    return CoprocessorsResults(
        core,
        runs,
        tuple(stored.runs(measurements, Method.ESTIMATED)),
        stored.areas_of(measurements, lambda seen: Cipher(seen.algorithm or "")),
        alone,
        missing if stored.powered(measurements) else None,
        hardware,
    )


def _counted(seen: Measurement) -> bool:
    return seen.toggles_per_cycle is not None and seen.power_mw is None


def _count(seen: Measurement) -> ToggleCount:
    """The toggles of a core alone, over the encryptions of ``WORKLOAD``."""
    blocks = WORKLOADS[WORKLOAD].blocks
    cycles = round((seen.cycles_per_block or 0.0) * blocks)
    return ToggleCount(
        round((seen.toggles_per_op or 0.0) * blocks),
        cycles,
        blocks,
        ALGORITHMS[seen.algorithm or ""].block_bytes,
        seen.key_bits or 0,
        Direction(seen.direction or ""),
        0,
        {},
    )
