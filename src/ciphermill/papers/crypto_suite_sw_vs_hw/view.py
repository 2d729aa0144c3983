# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The figures of an experiment beside those of the crypto-suite paper, from measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ciphermill.algorithms import Algorithm
from ciphermill.design import Measurement, Partition
from ciphermill.evaluate.speed.operations import OPERATIONS, Repeatable
from ciphermill.papers.crypto_suite_sw_vs_hw.experiment import CELLS, algorithm_of
from ciphermill.papers.crypto_suite_sw_vs_hw.formula import (
    CARRIED_BITS,
    Formula,
    merit,
    printed_formula,
)
from ciphermill.papers.crypto_suite_sw_vs_hw.published import (
    TEXTS,
    CryptoSuitePaper,
    Hardware,
)
from ciphermill.report.speed_table import dynamic_mw, is_speed, rate

MOST_THREADS = 4
"""The number of threads at which software is compared with hardware, as in the paper."""


@dataclass(frozen=True)
class Built:
    """An algorithm of the paper, and what this project has of it in hardware."""

    paper: CryptoSuitePaper
    printed: Hardware
    systems: tuple[Measurement, ...]
    """Runs behind DMA, the shortest message first."""
    energy: Measurement | None
    """The core in cells, while it works."""
    fastest: Measurement | None
    """The core in cells at its highest clock."""
    unmapped: str
    """Why the core is not in cells."""

    @property
    def operation(self) -> Repeatable:
        """The operation."""
        return OPERATIONS[self.printed.algorithm]

    @property
    def algorithm(self) -> Algorithm | None:
        """Its entry of the table of algorithms."""
        return algorithm_of(self.operation)

    @property
    def theirs(self) -> Formula:
        """The paper's rate by its formula."""
        return printed_formula(self.paper, self.printed)

    @property
    def quantum(self) -> float:
        """Bits of a block, or one operation."""
        return self.theirs.quantum

    @property
    def core_cycles(self) -> float | None:
        """Cycles of a quantum in our core, by the table of algorithms."""
        algorithm = self.algorithm
        if algorithm is None or algorithm.rtl is None:
            return None
        for by_key in algorithm.rtl.cycles.values():
            return by_key.get(self.operation.key_bits)
        return None

    @property
    def longest(self) -> Measurement | None:
        """The run of the longest message behind DMA."""
        return self.systems[-1] if self.systems else None

    def at_clock(self, seen: Measurement) -> Formula:
        """Return a run at the paper's clock: our core, and what the system adds to it."""
        cycles = (seen.cycles_total or 0) / (seen.messages or 1)
        if self.operation.message_bytes is None:
            cycles = seen.cycles_per_block or 0.0
        core = self.core_cycles or 0.0
        period_ns = self.paper.clock.period_ns
        return Formula(self.quantum, core, self.paper.clock.mhz, (cycles - core) * period_ns)

    def on_our_bus(self, seen: Measurement) -> Formula:
        """Return equation 1 with our core and a bus of a run's width, at the paper's clock."""
        carried = sum(CARRIED_BITS[self.printed.algorithm])
        width = int((seen.interface or "").rpartition("-")[2])
        period_ns = self.paper.clock.period_ns
        core = self.core_cycles or 0.0
        return Formula(self.quantum, core, self.paper.clock.mhz, carried / width * period_ns)

    @property
    def rate(self) -> float | None:
        """Mbit/s or operations a second behind DMA, at the paper's clock."""
        return self.at_clock(self.longest).rate if self.longest else None

    @property
    def energy_mj(self) -> float | None:
        """Energy of the core a Mbit, or an operation."""
        if self.energy is None:
            return None
        if self.operation.message_bytes is not None:
            return _scaled(self.energy.energy_uj_per_op, 1e-3)
        return _scaled(self.energy.energy_pj_per_bit, 1e-3)

    @property
    def merit(self) -> float | None:
        """Our figure of merit."""
        return merit(self.rate, self.energy_mj) if self.rate and self.energy_mj else None

    @property
    def state(self) -> str:
        """What our figures are of, or why there are none."""
        algorithm = self.algorithm
        if algorithm is None:
            return TEXTS.sentence("no_algorithm", title=self.operation.title)
        if algorithm.rtl is None:
            return TEXTS.sentence("no_rtl", title=algorithm.title)
        parts = []
        if self.systems:
            parts.append(TEXTS.sentence("simulated", soft_core=self.systems[0].soft_core))
        elif Partition.DMA not in algorithm.partitions:
            parts.append(TEXTS.sentence("no_dma", title=algorithm.title))
        else:
            parts.append(TEXTS.sentence("not_simulated"))
        if self.energy:
            clock_mhz = self.energy.clock_mhz
            parts.append(TEXTS.sentence("in_cells", design=self.energy.design, clock_mhz=clock_mhz))
        else:
            # How to get a library stands once on the page, with a conclusion.
            parts.append(self.unmapped.partition(": ")[0] or TEXTS.sentence("not_in_cells"))
        return "; ".join(parts)


class SuiteView:
    """What an experiment has found, beside what the paper prints."""

    def __init__(self, paper: CryptoSuitePaper, stored: Sequence[Measurement]) -> None:
        """Take the measurements of a run."""
        self.paper = paper
        self._stored = stored
        self._speeds = {
            (seen.workload, seen.device, seen.threads): seen for seen in stored if is_speed(seen)
        }

    def software(self, algorithm: str, device: str, threads: int) -> Measurement | None:
        """Return what a device did with so many threads; None if it lacks the operation."""
        return self._speeds.get((algorithm, device, threads))

    @property
    def powered(self) -> bool:
        """Whether the power of software was measured."""
        return any(seen.power_mw is not None for seen in self._speeds.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """What the measurements of software say about themselves."""
        every = (note for seen in self._speeds.values() for note in seen.notes or ())
        return tuple(dict.fromkeys(every))

    @cached_property
    def hardware(self) -> tuple[Built, ...]:
        """The paper's algorithms, with what is built of each."""
        return tuple(self._built(printed) for printed in self.paper.hardware)

    def _built(self, printed: Hardware) -> Built:
        operation = OPERATIONS[printed.algorithm]
        algorithm = algorithm_of(operation)
        own = [seen for seen in self._stored if algorithm and seen.algorithm == algorithm.name]
        systems = [seen for seen in own if seen.partition and seen.operation == operation.verb]
        cells = [seen for seen in own if seen.target == CELLS and not seen.breakdown]
        mapped = [seen for seen in cells if seen.power_mw is None and seen.clock_mhz]
        return Built(
            self.paper,
            printed,
            tuple(sorted(systems, key=lambda seen: seen.bytes or 0)),
            next((seen for seen in cells if seen.power_mw is not None), None),
            max(mapped, key=lambda seen: seen.clock_mhz or 0.0, default=None),
            next((seen.notes[0] for seen in cells if seen.notes and not seen.clock_mhz), ""),
        )


def printed_rate(seen: Measurement) -> float:
    """Return the rate of software in the paper's unit: Mbit/s, or operations a second."""
    return rate(seen) * (1 if seen.bytes is None else 8)


def printed_energy_mj(seen: Measurement) -> float | None:
    """Return the energy of software in the paper's unit: mJ a Mbit, or an operation."""
    added = dynamic_mw(seen)
    return None if added is None else added / printed_rate(seen)


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
