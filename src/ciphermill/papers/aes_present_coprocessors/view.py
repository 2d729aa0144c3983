# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Figures of the AES and PRESENT paper and measured ones, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ciphermill.design import Measurement, Method, Partition, Variant
from ciphermill.evaluate.chip.measures import RTL, ZERO_DELAY
from ciphermill.papers.aes_present_coprocessors.experiment import (
    BLOCKS,
    WORKLOAD,
    coprocessors_runs,
    waits,
)
from ciphermill.papers.aes_present_coprocessors.published import (
    Cipher,
    CoprocessorsPaper,
    MemoryCycles,
)
from ciphermill.papers.systems import Powers, SystemPower, areas_of, measured, soft_core_of

_SETTLED = ("run", ZERO_DELAY)


def _cipher(seen: Measurement) -> Cipher:
    return Cipher(seen.algorithm or "")


class CorePower:
    """Power and energy of a core alone in cells, from its measurements."""

    def __init__(self, whole: Measurement, settled: Mapping[Cipher, Measurement]) -> None:
        """Take the run, and the runs without glitches."""
        self.whole = whole
        self.power_mw = whole.power_mw or 0.0
        self.static_mw = whole.power_leakage_mw or 0.0
        self.dynamic_mw = self.power_mw - self.static_mw
        self.nj_per_byte = (whole.energy_pj_per_byte or 0.0) * 1e-3
        self.gates = whole.area_ge or 0.0
        self.time_us = (whole.cycles_per_block or 0.0) * BLOCKS / (whole.clock_mhz or 1.0)
        zero_delay = settled[_cipher(whole)]
        dynamic = (zero_delay.power_mw or 0.0) - (zero_delay.power_leakage_mw or 0.0)
        self.glitches = 1 - dynamic / self.dynamic_mw
        """Part of the dynamic energy."""


class CoprocessorsView:
    """Figures of both sides by name; a design that a soft core does not support is absent."""

    def __init__(self, paper: CoprocessorsPaper, stored: Sequence[Measurement]) -> None:
        """Take what is printed, and the measurements of a run.

        Raises:
            KeyError: They are not all measurements of the experiments.
        """
        self.paper = paper
        self.soft_core = soft_core_of(stored)
        self.measurements = measured(stored, coprocessors_runs(paper, self.soft_core))
        self.estimates = [
            seen for seen in stored if seen.method is Method.ESTIMATED and seen.cycles_total
        ]
        """Software and shell on the processor that the paper simulated instructions of."""
        alone = [seen for seen in stored if seen.workload == WORKLOAD and seen.design]
        counted = [seen for seen in alone if seen.target == RTL]
        self.alone = {_cipher(seen): seen for seen in counted}
        """The cores alone, those whose energy is taken: cycles and toggles."""
        self.areas = areas_of(stored, _cipher)
        """Of the shells; empty where no areas were wanted."""
        self.powers = Powers(stored, _cipher)
        settled = {_cipher(seen): seen for seen in alone if (seen.scope, seen.kind) == _SETTLED}
        in_cells = [seen for seen in alone if seen.power_mw is not None and not seen.scope]
        self.cores_in_cells = {_cipher(seen): CorePower(seen, settled) for seen in in_cells}
        """Of both ciphers, or empty."""
        if len(self.alone) != len(Cipher):
            raise KeyError("no run of a core alone")

    @property
    def systems_in_cells(self) -> Mapping[Cipher, SystemPower]:
        """Of both ciphers, or empty."""
        return self.powers.systems if len(self.powers.systems) == len(Cipher) else {}

    @property
    def missing(self) -> str | None:
        """The reason why there are no figures in cells, or none of systems."""
        return next(iter(self.powers.missing.values()), None)

    def find(
        self,
        cipher: Cipher,
        partition: Partition,
        variant: Variant | None = None,
        memory: MemoryCycles | None = None,
    ) -> Measurement | None:
        """Return the run of a cipher, or None if it was not run.

        Args:
            cipher: The cipher.
            partition: How it is split.
            variant: The form, where there are several.
            memory: The memory's cycles; one of each where absent.
        """
        wait = waits(memory) if memory else (0, 0)
        for seen in self.measurements:
            if (
                seen.algorithm == cipher
                and seen.partition == partition
                and (variant is None or seen.variant == variant)
                and (seen.memory_read_wait, seen.memory_write_wait) == wait
            ):
                return seen
        return None

    def need(
        self, cipher: Cipher, partition: Partition, variant: Variant | None = None
    ) -> Measurement:
        """Return a run that every soft core supports.

        Raises:
            KeyError: It was not run.
        """
        found = self.find(cipher, partition, variant)
        if found is None:
            raise KeyError(f"{cipher} {partition} {variant}")
        return found

    @property
    def count(self) -> int:
        """Encryptions of an experiment."""
        return self.paper.workload.encryptions

    def each_alone(self, cipher: Cipher) -> float:
        """Measured cycles of an encryption by Ciphermill's core alone, each with a new key."""
        return self.alone[cipher].cycles_per_block or 0.0

    def hardware(self, cipher: Cipher) -> float:
        """Cycles of all encryptions by Ciphermill's core alone."""
        return self.each_alone(cipher) * self.count

    def software(self, cipher: Cipher) -> Measurement:
        """The software to compare with the paper's, which also uses tables."""
        return self.need(cipher, Partition.SOFTWARE, Variant.TABLE)

    def shell(self, cipher: Cipher) -> Measurement:
        """The paper's own partition: the coprocessor shell."""
        return self.need(cipher, Partition.SHELL)

    def overhead(self, seen: Measurement) -> float:
        """Cycles of a run over those of the hardware alone."""
        return total(seen) / self.hardware(_cipher(seen))


def total(seen: Measurement) -> int:
    """The cycles of a run."""
    return seen.cycles_total or 0


def their_overhead(paper: CoprocessorsPaper, cipher: Cipher) -> float:
    """Return the cycles of the paper's system over those of its hardware, on its board."""
    board = paper.on_board(cipher)
    return board.system / board.hardware
