# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES-256 paper's figures and the measured ones, by name, for tables and conclusions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ciphermill.design import BusInterface, Direction, Measurement, Partition, Run, Variant
from ciphermill.evaluate.system.show import MAIN
from ciphermill.papers.aes256_hw_sw_partitions.experiment import (
    BLOCK_WORDS,
    HARDWARE,
    KEY_WITH_EVERY_BLOCK,
    WORDS,
    key_runs,
    simulated_runs,
)
from ciphermill.papers.aes256_hw_sw_partitions.published import PartitionsPaper
from ciphermill.papers.systems import Powers, areas_of, measured, soft_core_of
from ciphermill.report.fit import Fit, linear_fit

PIPELINED = "pipelined"
"""``unrolled`` with blocks in flight, among areas."""


class Pair(NamedTuple):
    """A measured figure and the published one."""

    ours: float
    theirs: float


class PartitionsView:
    """Figures of both sides by name; further work is absent without a soft core for it."""

    def __init__(self, paper: PartitionsPaper, stored: Sequence[Measurement]) -> None:
        """Take what is printed, and the measurements of a run.

        Raises:
            KeyError: They are not all measurements of the experiments.
        """
        self.paper = paper
        self.soft_core = soft_core_of(stored)
        # Stores of earlier versions have the key with every block at one length only.
        self.keyed = tuple(_keyed(stored, key_runs(paper, self.soft_core)))
        """The runs in which the key is sent with every block."""
        runs = simulated_runs(paper, self.soft_core)
        self.measurements = (*measured(stored, runs), *self.keyed)
        self.programs = [seen for seen in stored if seen.workload == MAIN]
        """The paper's own program: encryption, then decryption, of each design."""
        self.areas = areas_of(stored, _area_name)
        """By partition, and ``PIPELINED``; empty where no areas were wanted."""
        self.powers = Powers(stored, lambda seen: Partition(seen.partition or ""))

    def base(self, partition: Partition, direction: Direction, words: int) -> Measurement:
        """Return one point of the paper's own experiment."""
        form = Variant.PORTABLE if partition is Partition.SOFTWARE else None
        return self.find(
            partition, variant=form, operation=direction, bytes=4 * words, messages=1, flight=0
        )

    def with_key(
        self,
        partition: Partition,
        direction: Direction = Direction.ENCRYPT,
        words: int = WORDS,
    ) -> Measurement:
        """Return the runs as in the paper: messages of one block, each sent with the key."""
        return self.find(
            partition,
            operation=direction,
            key_caching=False,
            bytes=4 * BLOCK_WORDS,
            messages=words // BLOCK_WORDS,
            flight=0,
        )

    def like_theirs(self, partition: Partition, direction: Direction, words: int) -> Measurement:
        """Return a point of the paper's experiment; the key is sent when its program sends it."""
        if partition in KEY_WITH_EVERY_BLOCK:
            return self.with_key(partition, direction, words)
        return self.base(partition, direction, words)

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
        """Return the result of ``find``, or None if there is none."""
        try:
            return self.find(partition, **fields)
        except KeyError:
            return None

    def cycles(self, name: Partition, direction: Direction = Direction.ENCRYPT) -> Pair:
        """Cycles at the length at which the paper compares."""
        printed = self.paper.of(name)
        theirs = printed.cycles(direction)[printed.words.index(WORDS)]
        return Pair(total(self.base(name, direction, WORDS)), theirs)

    def fit(self, name: Partition, direction: Direction = Direction.ENCRYPT) -> tuple[Fit, Fit]:
        """Lines of cycles over blocks, measured and published."""
        printed = self.paper.of(name)
        xs = [words / BLOCK_WORDS for words in printed.words]
        ours = [total(self.base(name, direction, words)) for words in printed.words]
        return linear_fit(xs, ours), linear_fit(xs, printed.cycles(direction))

    def lut(self, name: Partition) -> Pair:
        """LUTs of the whole system.

        Raises:
            KeyError: No areas were taken.
        """
        return Pair(self.areas[name].system_lut, self.paper.of(name).lut_logic)

    def metric(self, name: Partition) -> Pair:
        """Cycles times LUTs, fewer being better.

        Raises:
            KeyError: No areas were taken.
        """
        cycles, lut = self.cycles(name), self.lut(name)
        return Pair(cycles.ours * lut.ours, cycles.theirs * lut.theirs)

    def ranking(self, figure: Callable[[Partition], float]) -> list[Partition]:
        """The paper's designs by a figure, least first."""
        return sorted((one.name for one in self.paper.partition), key=figure)


def _keyed(stored: Sequence[Measurement], runs: Sequence[Run]) -> Iterator[Measurement]:
    for run in runs:
        try:
            yield from measured(stored, [run])
        except KeyError:
            continue


def _area_name(part: Measurement) -> Partition | str:
    name = Partition(part.partition or "")
    return PIPELINED if name is Partition.UNROLLED and part.blocks_in_flight else name


def total(seen: Measurement) -> int:
    """The cycles of a run."""
    return seen.cycles_total or 0
