# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The experiments of the AES-256 paper, run on our systems.

Its five designs over AXI4-Lite at its array lengths in both directions; and, at
one of those lengths, what it proposes as further work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ciphermill.campaign.run import evaluate_runs
from ciphermill.design import (
    BusInterface,
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
from ciphermill.evaluate.system.evaluator import Simulator
from ciphermill.evaluate.system.model import Window
from ciphermill.evaluate.system.show import MAIN, WORD_BYTES, Shown, run_show
from ciphermill.papers import stored
from ciphermill.papers.aes256_hw_sw_partitions.experiment_energy import (
    PartitionsEnergy,
    run_partitions_energy,
)
from ciphermill.papers.aes256_hw_sw_partitions.published import PartitionsPaper
from ciphermill.toolchain.cells import CellTarget
from ciphermill.toolchain.model import Report, say

WORDS = 400
"""Length at which the paper compares (section 5), in words of 32 bits."""
KEY_MESSAGES = 25
"""Messages that the array of that length is cut into, to show key caching."""
KEY_WITH_EVERY_BLOCK = (Partition.UNROLLED, Partition.ITERATIVE)
"""Designs whose program sends the key with every block (section 4.2, item 1)."""
BLOCK_WORDS = 4
"""Words of 32 bits in a block."""
SHOWN_WORDS = 100
"""Length of the array that the paper's own program encrypts, shows and decrypts."""
STAGES_WORDS = 4
"""Its array in the run that is traced, which is there for the four stages before it."""
STAGES_CYCLES = 20_000
"""Cycles within which the four stages are done."""


@dataclass(frozen=True)
class PartitionsResults:
    """What the experiments gave; further work that a soft core cannot host is absent."""

    soft_core: SoftCore
    measurements: tuple[Measurement, ...]
    shown: tuple[Shown, ...]
    """Runs of the paper's own program, one a design."""
    areas: dict[Partition | str, SystemArea]
    """By partition; ``pipelined`` is ``unrolled`` with blocks in flight. Empty
    where no areas were wanted."""
    energy: PartitionsEnergy | None = None
    """Power and energy of the designs; None where they were not wanted."""

    def base(self, partition: Partition, direction: Direction, words: int) -> Measurement:
        """Return one point of the paper's own experiment."""
        form = Variant.PORTABLE if partition is Partition.SOFTWARE else None
        return self.find(
            partition, variant=form, direction=direction, bytes=4 * words, messages=1, flight=0
        )

    def with_key(self, partition: Partition) -> Measurement:
        """Return the paper's way: a message of one block each, the key sent with every one."""
        return self.find(partition, key_caching=False, bytes=4 * BLOCK_WORDS, flight=0)

    def find(
        self,
        partition: Partition,
        *,
        variant: Variant | None = None,
        interface: BusInterface | None = None,
        flight: int | None = None,
        **fields: Any,
    ) -> Measurement:
        """Return the measurement that has these fields.

        Args:
            partition: The partition.
            variant: Its form, or None for any.
            interface: Its interface, or None: AXI4-Lite where it has one.
            flight: Blocks in flight of ``unrolled``, or None for any.
            fields: Further fields by their names in ``Measurement``.

        Raises:
            KeyError: There is none.
        """
        for seen in self.measurements:
            at = interface or (BusInterface.AXI_LITE if partition in HARDWARE else seen.interface)
            if (
                seen.partition == partition
                and (variant is None or seen.variant == variant)
                and (partition is Partition.SOFTWARE or seen.interface == at)
                and (
                    flight is None
                    or partition is not Partition.UNROLLED
                    or seen.blocks_in_flight == flight
                )
                and all(getattr(seen, name) == value for name, value in fields.items())
            ):
                return seen
        raise KeyError(f"{partition} {variant} {interface} {flight} {fields}")

    def maybe(self, partition: Partition, **fields: Any) -> Measurement | None:
        """Return what ``find`` would, or None."""
        try:
            return self.find(partition, **fields)
        except KeyError:
            return None


PIPELINED = "pipelined"
HARDWARE = (Partition.UNROLLED, Partition.ITERATIVE, Partition.ROUND, Partition.LINEAR_LAYER)
"""The paper's designs beside software."""


def base_runs(paper: PartitionsPaper, soft_core: SoftCore) -> list[Run]:
    """Return the paper's own experiment: its designs, lengths and directions."""
    wanted: list[dict[str, Any]] = [
        {
            "partition": printed.name,
            "soft_core": soft_core,
            "key_bits": paper.workload.key_bits,
            "operation": direction,
            "bytes": words * paper.workload.word_bits // 8,
        }
        for printed in paper.partition
        for direction in Direction
        for words in printed.words
    ]
    return [make_run(fields, "the AES-256 paper's experiment") for fields in wanted]


def further_runs(paper: PartitionsPaper, soft_core: SoftCore) -> list[Run]:
    """Return what the paper proposes, as far as the soft core can host it."""
    length = {"bytes": 4 * WORDS}
    flight = paper.pipelining.blocks_in_flight
    short = {"bytes": 4 * WORDS // KEY_MESSAGES, "messages": KEY_MESSAGES}
    wanted: Sequence[dict[str, Any]] = (
        {"partition": "software", "variant": "table", **length},
        {"partition": "unrolled", "blocks_in_flight": flight, **length},
        {"partition": "iterative", "interface": "axi4-256", **length},
        {"partition": "unrolled", "interface": "axi4-256", "blocks_in_flight": flight, **length},
        {"partition": "instruction", "variant": "column", **length},
        {"partition": "instruction", "variant": "block", **length},
        {"partition": "stream", **length},
        {"partition": "dma", **length},
        {"partition": "iterative", "key_caching": False, **short},
        {"partition": "iterative", "key_caching": True, **short},
        {"partition": "round", "key_caching": False, **short},
        {"partition": "round", "key_caching": True, **short},
    )
    return list(_possible(wanted, soft_core))


def key_runs(soft_core: SoftCore) -> list[Run]:
    """Return the paper's length as its program does it: the key sent with every block."""
    fields = {
        "key_caching": False,
        "bytes": 4 * BLOCK_WORDS,
        "messages": WORDS // BLOCK_WORDS,
    }
    wanted = [{"partition": name.value, **fields} for name in KEY_WITH_EVERY_BLOCK]
    return list(_possible(wanted, soft_core))


def _possible(wanted: Iterable[dict[str, Any]], soft_core: SoftCore) -> Iterable[Run]:
    for fields in wanted:
        try:
            yield make_run({**fields, "soft_core": soft_core}, "further work")
        except DesignError:
            continue


def run_partitions_paper(
    paper: PartitionsPaper,
    soft_core: SoftCore,
    *,
    areas: bool = True,
    energy: bool = False,
    target: CellTarget | None = None,
    trace: Path | None = None,
    provenance: Provenance | None = None,
    report: Report = say,
) -> PartitionsResults:
    """Run the experiments.

    Args:
        paper: What is printed: it says at which lengths.
        soft_core: What our firmware runs on.
        trace: Where the waveform of the four stages goes, or None: nowhere.
        areas: Synthesise too, which takes many minutes the first time.
        energy: Compute power and energy too, which takes many minutes.
        target: The cell library of the energy; the first that is found unless given.
        provenance: What every measurement says of its origin.
        report: Is given a line before and after a build.

    Raises:
        ToolError: A tool is missing or failed.
        CosimError: A run gave no result.
    """
    runs = [
        *base_runs(paper, soft_core),
        *key_runs(soft_core),
        *further_runs(paper, soft_core),
    ]
    results = evaluate_runs(runs, Simulator(), provenance, report)
    shown = []
    for printed in paper.partition:
        system = System(partition=printed.name, soft_core=soft_core)
        shown.append(run_show(system, SHOWN_WORDS, report=report))
    if trace is not None:
        system = System(partition=Partition.ITERATIVE, soft_core=soft_core)
        run_show(system, STAGES_WORDS, trace=Window(trace, 0, STAGES_CYCLES), report=report)
    found: dict[Partition | str, SystemArea] = {}
    if areas:
        for run in base_runs(paper, soft_core):
            if run.system.partition not in found:
                found[run.system.partition] = system_area(run.system, report=report)
        for run in further_runs(paper, soft_core):
            if run.system.partition is Partition.UNROLLED:
                found.setdefault(PIPELINED, system_area(run.system, report=report))
    return PartitionsResults(
        soft_core,
        tuple(results),
        tuple(shown),
        found,
        run_partitions_energy(paper, soft_core, target=target, provenance=provenance, report=report)
        if energy
        else None,
    )


def beside_runs(results: PartitionsResults) -> Iterator[Measurement]:
    """Yield what was measured beside the runs: the paper's program, and areas."""
    origin = results.measurements[0].provenance
    for shown in results.shown:
        cycles = (shown.encrypt_cycles, shown.decrypt_cycles)
        for direction, total in zip(Direction, cycles, strict=True):
            yield Measurement(
                partition=shown.system.partition,
                soft_core=results.soft_core,
                direction=direction,
                bytes=WORD_BYTES * shown.words,
                workload=MAIN,
                cycles_total=total,
                correct=shown.correct,
                method=Method.SIMULATED,
                provenance=origin,
            )
    for name, area in results.areas.items():
        design: dict[str, Any] = (
            {"partition": Partition.UNROLLED, "variant": name}
            if name == PIPELINED
            else {"partition": name}
        )
        yield from stored.area_rows(area, soft_core=results.soft_core, provenance=origin, **design)


def restored(measurements: Sequence[Measurement]) -> PartitionsResults:
    """Return the results whose measurements these are, without the energy of systems.

    Raises:
        KeyError: They are not all measurements of the experiments.
    """
    runs = tuple(stored.runs(measurements))
    if not runs:
        raise KeyError("no run of a system")
    core = SoftCore(runs[0].soft_core or "")
    programs = [seen for seen in measurements if seen.workload == MAIN]
    shown = tuple(
        Shown(
            System(partition=Partition(one.partition or ""), soft_core=core),
            (one.bytes or 0) // WORD_BYTES,
            one.cycles_total or 0,
            other.cycles_total or 0,
            "",
            None if one.correct else 0,
            bool(one.correct),
        )
        for one, other in zip(programs[::2], programs[1::2], strict=True)
    )
    missing = dict.fromkeys((*HARDWARE, Partition.SOFTWARE), stored.NO_ENERGY)
    return PartitionsResults(
        core,
        runs,
        shown,
        stored.areas_of(measurements, lambda seen: seen.variant or Partition(seen.partition or "")),
        PartitionsEnergy(core, None, {}, missing, ()) if stored.powered(measurements) else None,
    )
