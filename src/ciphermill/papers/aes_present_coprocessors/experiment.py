# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The experiments of the AES and PRESENT paper on Ciphermill's systems.

A hundred encryptions, each with its own key and plaintext: in software, through the paper's
coprocessor shell, and through interfaces with fewer transfers. Then the cores alone, whose
toggles need no technology; areas; and energy in cells of a library, instead of the paper's
FPGA.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ciphermill.algorithms import ALGORITHMS
from ciphermill.campaign.run import Point
from ciphermill.design import (
    DesignError,
    Partition,
    Processor,
    Rtl,
    Run,
    SoftCore,
    System,
    Variant,
    load_platform,
    make_run,
)
from ciphermill.evaluate.chip.targets import Settings
from ciphermill.evaluate.system.evaluator import InstructionSet, Simulator
from ciphermill.papers.aes_present_coprocessors.published import (
    Cipher,
    CoprocessorsPaper,
    MemoryCycles,
)
from ciphermill.papers.aes_present_coprocessors.workloads import STAND_ALONE
from ciphermill.papers.plan import Plan
from ciphermill.papers.systems import Wanted, cells_at
from ciphermill.toolchain.modules import find_core

INSTRUCTION_SET = "sa1110"
"""The paper's co-simulation ran instructions of a StrongARM."""
CORES: Mapping[Cipher, str] = {
    Cipher.AES: "aes-iterative-128-encrypt",
    Cipher.PRESENT: "present-iterative-80-encrypt",
}
"""Modules that are like the paper's cores: one round a cycle, encryption only, round
keys made on the way."""
KEY_BITS: Mapping[Cipher, int] = {Cipher.AES: 128, Cipher.PRESENT: 80}
WORKLOAD, BLOCKS = STAND_ALONE.name, STAND_ALONE.blocks
"""The paper's ten encryptions at 20 MHz."""

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
"""The partitions that the paper compares: software with tables, and the shell."""


def coprocessors_runs(paper: CoprocessorsPaper, soft_core: SoftCore) -> list[Run]:
    """Return the encryptions with every partition that the soft core supports."""
    memories = (paper.memory.on_chip, paper.memory.off_chip)
    ways = [(*way, None) for way in _WAYS] + [(*way, one) for one in memories for way in COMPARED]
    runs = []
    for cipher in Cipher:
        for partition, variant, memory in ways:
            fields: dict[str, Any] = {"variant": variant} if variant else {}
            if memory is not None:
                fields["memory_read_wait"], fields["memory_write_wait"] = waits(memory)
            try:
                runs.append(_run(cipher, partition, soft_core, paper.workload.encryptions, fields))
            except DesignError:
                continue  # not there for this cipher, or the core cannot host it
    return runs


def waits(memory: MemoryCycles) -> tuple[int, int]:
    """Return the wait cycles of a read and a write."""
    return memory.read - 1, memory.write - 1


def _run(
    cipher: Cipher,
    partition: Partition,
    soft_core: SoftCore,
    encryptions: int,
    fields: Mapping[str, Any] | None = None,
) -> Run:
    own = {
        "algorithm": cipher,
        "partition": partition,
        "soft_core": soft_core,
        "key_bits": KEY_BITS[cipher],
        "bytes": ALGORITHMS[cipher].block_bytes,
        "messages": encryptions,
        "fresh_key": True,
    }
    return make_run({**own, **(fields or {})}, "the AES and PRESENT paper's experiment")


def plan(paper: CoprocessorsPaper, wanted: Wanted) -> Plan:
    """Return the plan of the experiments.

    Args:
        paper: The paper's figures, which give the number of encryptions, the memories and
        the clocks.
        wanted: The soft core, and whether areas and energy are requested.
    """
    runs = coprocessors_runs(paper, wanted.soft_core)
    points = [Point(one.system, Simulator(), one.workload) for one in runs]
    guess = InstructionSet(load_platform(INSTRUCTION_SET, Processor))
    points += [Point(one.system, guess, one.workload) for one in runs if _compared(one.system)]
    points += list(_cores_alone(paper, wanted))
    core = wanted.soft_core_in_cells
    printed = {cipher: paper.energy_of("system", cipher) for cipher in Cipher}
    return wanted.plan(
        points,
        [_run(cipher, Partition.SHELL, wanted.soft_core, 1) for cipher in Cipher],
        [
            (_run(cipher, Partition.SHELL, core, one.encryptions), one.clock_mhz)
            for cipher, one in printed.items()
        ],
    )


def _cores_alone(paper: CoprocessorsPaper, wanted: Wanted) -> Iterator[Point]:
    """Yield cycles and toggles of both cores, and their energy where it is wanted."""
    for cipher, name in CORES.items():
        core = find_core(name)
        yield Point(core, load_platform("rtl", Rtl), Settings(workload=WORKLOAD))
        if wanted.energy and wanted.target:
            clock_mhz = paper.energy_of("standalone", cipher).clock_mhz
            settings = Settings(search=False, workload=WORKLOAD)
            yield Point(core, cells_at(wanted.target, clock_mhz), settings)


def _compared(system: System) -> bool:
    """Whether it is software with tables or the shell, and memory does not wait."""
    software = system.partition is Partition.SOFTWARE and system.variant is Variant.TABLE
    return (software or system.partition is Partition.SHELL) and not system.memory_read_wait
