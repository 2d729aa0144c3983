# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The experiments of the AES-256 paper on Ciphermill's systems.

They are: its five designs over AXI4-Lite at its array lengths in both directions; the
further work that it proposes, at one of those lengths; its program; areas; and power of the
systems in standard cells. The paper has the power of an FPGA, which no open tool gives, so
only ratios between designs can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ciphermill.algorithms import ALGORITHMS
from ciphermill.campaign.run import Point
from ciphermill.design import (
    DesignError,
    Direction,
    Partition,
    Run,
    SoftCore,
    System,
    Variant,
    make_run,
)
from ciphermill.evaluate.system.evaluator import Simulator
from ciphermill.evaluate.system.model import Window
from ciphermill.evaluate.system.show import ShownArray, run_show
from ciphermill.papers.aes256_hw_sw_partitions.published import PartitionsPaper
from ciphermill.papers.plan import Plan
from ciphermill.papers.systems import Wanted
from ciphermill.toolchain.model import Report

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
POWERED_BLOCKS = 4
"""Blocks that each system in cells encrypts, the key in place."""
CLOCK_MHZ = 50.0
"""Its clock, half the paper's: one that also all rounds between two registers meet."""
HARDWARE = (Partition.UNROLLED, Partition.ITERATIVE, Partition.ROUND, Partition.LINEAR_LAYER)
"""The paper's designs beside software."""


def base_runs(paper: PartitionsPaper, soft_core: SoftCore) -> list[Run]:
    """Return the paper's own experiment: its designs, lengths and directions."""
    return [
        _base_run(paper, printed.name, soft_core, words, direction)
        for printed in paper.partition
        for direction in Direction
        for words in printed.words
    ]


def _base_run(
    paper: PartitionsPaper,
    partition: Partition,
    soft_core: SoftCore,
    words: int = WORDS,
    direction: Direction = Direction.ENCRYPT,
) -> Run:
    fields = {
        "partition": partition,
        "soft_core": soft_core,
        "key_bits": paper.workload.key_bits,
        "operation": direction,
        "bytes": words * paper.workload.word_bits // 8,
    }
    return make_run(fields, "the AES-256 paper's experiment")


def further_runs(paper: PartitionsPaper, soft_core: SoftCore) -> list[Run]:
    """Return the designs that the paper proposes as further work and the soft core supports."""
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


def key_runs(paper: PartitionsPaper, soft_core: SoftCore) -> list[Run]:
    """Return runs as in the paper's program: the key is sent with every block."""
    wanted = [
        {
            "partition": printed.name.value,
            "operation": direction,
            "key_caching": False,
            "bytes": 4 * BLOCK_WORDS,
            "messages": words // BLOCK_WORDS,
        }
        for printed in paper.partition
        if printed.name in KEY_WITH_EVERY_BLOCK
        for direction in Direction
        for words in printed.words
    ]
    return list(_possible(wanted, soft_core))


def _possible(wanted: Iterable[dict[str, Any]], soft_core: SoftCore) -> Iterable[Run]:
    for fields in wanted:
        try:
            yield make_run({**fields, "soft_core": soft_core}, "further work")
        except DesignError:
            continue


def simulated_runs(paper: PartitionsPaper, soft_core: SoftCore) -> list[Run]:
    """Return every workload that is simulated, but for those of ``key_runs``."""
    return [*base_runs(paper, soft_core), *further_runs(paper, soft_core)]


def powered_runs(paper: PartitionsPaper, soft_core: SoftCore) -> list[Run]:
    """Return the paper's designs and workloads for energy in cells."""
    found = []
    for printed in paper.partition:
        fields: dict[str, Any] = {
            "partition": printed.name,
            "soft_core": soft_core,
            "key_bits": paper.workload.key_bits,
            "bytes": POWERED_BLOCKS * ALGORITHMS[paper.workload.algorithm].block_bytes,
        }
        if printed.name is Partition.SOFTWARE:
            fields["variant"] = Variant.PORTABLE
        found.append(make_run(fields, "the AES-256 paper's power experiment"))
    return found


def plan(paper: PartitionsPaper, wanted: Wanted) -> Plan:
    """Return the plan of the experiments.

    Args:
        paper: The paper's figures, which give the lengths.
        wanted: The soft core, and whether areas and energy are requested.
    """
    core, simulator = wanted.soft_core, Simulator()
    runs = [*simulated_runs(paper, core), *key_runs(paper, core)]
    points = [Point(one.system, simulator, one.workload) for one in runs]
    designs = [System(partition=printed.name, soft_core=core) for printed in paper.partition]
    points += [Point(system, simulator, ShownArray(SHOWN_WORDS)) for system in designs]
    further = further_runs(paper, core)
    pipelined = [one for one in further if one.system.partition is Partition.UNROLLED]
    return wanted.plan(
        points,
        [*(_base_run(paper, printed.name, core) for printed in paper.partition), *pipelined[:1]],
        [(one, CLOCK_MHZ) for one in powered_runs(paper, wanted.soft_core_in_cells)],
    )


def consoles(paper: PartitionsPaper, soft_core: SoftCore, report: Report) -> str:
    """Return the console output of the paper's program, by design."""
    shown = [
        run_show(System(partition=printed.name, soft_core=soft_core), SHOWN_WORDS, report=report)
        for printed in paper.partition
    ]
    return "\n".join(f"== {one.system.label}\n{one.console}" for one in shown)


def trace_stages(path: Path, soft_core: SoftCore, report: Report) -> None:
    """Write the four stages of the paper's simulations as a waveform."""
    system = System(partition=Partition.ITERATIVE, soft_core=soft_core)
    run_show(system, STAGES_WORDS, trace=Window(path, 0, STAGES_CYCLES), report=report)
