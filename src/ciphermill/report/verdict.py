# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The verdict on offload: who wins by which criterion, and from which size offload pays.

The processor's devices are ``cpu``, ``software`` and ``software+``; every other device is offloaded
to. Sizes are those that were measured: that a device pays from 64 KiB on says that it lost at the
next shorter size and won at 64 KiB and at every longer one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ciphermill.design import Measurement, Method
from ciphermill.evaluate.offload.evaluator import MOST_BYTES
from ciphermill.registry import PROCESSOR_DEVICES
from ciphermill.report import format as human

Value = Callable[[Measurement], float | None]


@dataclass(frozen=True)
class Criterion:
    """What devices are compared by."""

    title: str
    noun: str
    """What it is called in a sentence."""
    value: Value
    """None where it is not known."""
    is_least: bool
    """Whether the least value wins."""

    def first_two(self, seen: Sequence[Measurement]) -> tuple[Measurement, Measurement] | None:
        """Return the winner and the runner-up; None where fewer than two values are known."""
        known = [one for one in seen if self.value(one) is not None]
        known.sort(key=lambda one: self.value(one) or 0.0, reverse=not self.is_least)
        return (known[0], known[1]) if len(known) > 1 else None

    def change(self, first: Measurement, second: Measurement) -> float | None:
        """Return by what the runner-up's value must be multiplied; None where one is zero."""
        best, next_best = self.value(first), self.value(second)
        return best / next_best if best and next_best else None


def processor_ns_per_byte(seen: Measurement) -> float | None:
    """Return the processor time of a byte in nanoseconds."""
    if seen.time_processor_s is None or not seen.bytes or not seen.messages:
        return None
    return seen.time_processor_s / (seen.bytes * seen.messages) * 1e9


def worst_s(seen: Measurement) -> float | None:
    """Return the worst latency; one simulation, without call and driver, has none."""
    return seen.time_worst_message_s if seen.method is Method.MEASURED else None


CRITERIA = (
    Criterion("Throughput", "throughput", lambda seen: seen.throughput_mb_s, is_least=False),
    Criterion(
        "Latency (median)", "median latency", lambda seen: seen.time_median_message_s, is_least=True
    ),
    Criterion("Latency (worst)", "worst latency", worst_s, is_least=True),
    Criterion("Processor time a byte", "processor time", processor_ns_per_byte, is_least=True),
    Criterion("Energy a byte", "energy", lambda seen: seen.energy_pj_per_bit, is_least=True),
)


def is_verdict(seen: Measurement) -> bool:
    """Whether a measurement is of messages of one length, so many at once."""
    return seen.at_once is not None


def by_size(seen: Sequence[Measurement], *, several: bool) -> dict[int, list[Measurement]]:
    """Return the measurements of each size, the smallest first.

    Args:
        seen: Measurements.
        several: Those of several messages at once; or of one caller.
    """
    sizes: dict[int, list[Measurement]] = {}
    for one in seen:
        if ((one.at_once or 1) > 1) == several:
            sizes.setdefault(one.bytes or 0, []).append(one)
    return dict(sorted(sizes.items()))


def callers(seen: Sequence[Measurement], *, several: bool) -> str:
    """Return who calls, in words."""
    if not several:
        return "one caller"
    most = max((one.at_once or 1 for one in seen), default=1)
    return f"{most} messages at once"


def name(seen: Measurement) -> str:
    """Return the name of a device, and whether its times are simulated or it has none."""
    if seen.throughput_mb_s is None:
        return f"{seen.device} (no figures)"
    simulated = seen.method is not Method.MEASURED
    return f"{seen.device} (simulated)" if simulated else seen.device or ""


def size(length: int) -> str:
    """Return a size in powers of two.

    >>> [size(n) for n in (16, 4096, 3 << 20, 1 << 30)]
    ['16 bytes', '4 KiB', '3 MiB', '1 GiB']
    """
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if length >= unit and length % unit == 0:
            return f"{length // unit} {name}"
    return f"{length:,} bytes"


def winners(seen: Sequence[Measurement], criterion: Criterion, *, several: bool) -> str | None:
    """Return the winner at each size, and what would change it. None where nothing is compared.

    A winner's sizes in a row have one change: at the size at which the runner-up is the nearest.
    """
    runs: list[_Won] = []
    for length, found in by_size(seen, several=several).items():
        two = criterion.first_two(found)
        if two is None:
            continue
        change = criterion.change(*two)
        won = _Won(name(two[0]), length, length, _Change(name(two[1]), length, change))
        if runs and runs[-1].winner == won.winner:
            runs[-1] = runs[-1].joined(won)
        else:
            runs.append(won)
    if not runs:
        return None
    if len(runs) == 1:
        told = f"{runs[0].winner} wins at every size"
    else:
        told = ", ".join(f"{one.winner} wins {_span(one.first, one.last)}" for one in runs)
    changes = "; ".join(filter(None, (one.change.sentence(criterion.noun) for one in runs)))
    whole = f"{criterion.title}, {callers(seen, several=several)}: {told}."
    return f"{whole} {changes}." if changes else whole


@dataclass(frozen=True)
class _Change:
    """By what a runner-up's value must be multiplied for it to win."""

    device: str
    length: int
    factor: float | None
    """None where it is not known."""

    @property
    def distance(self) -> float:
        """How far the factor is from one; the nearest runner-up has the least."""
        return abs(math.log(self.factor)) if self.factor else math.inf

    def sentence(self, noun: str) -> str:
        """Return it in words; empty where the factor is not known."""
        if not self.factor:
            return ""
        factor = human.significant(self.factor)
        if factor == "1.00":
            return f"{self.device} is level at {size(self.length)}"
        return (
            f"{self.device} would win at {size(self.length)} if its {noun} were {factor} times "
            "what it is"
        )


@dataclass(frozen=True)
class _Won:
    """The sizes in a row at which a device wins."""

    winner: str
    first: int
    last: int
    change: _Change

    def joined(self, later: _Won) -> _Won:
        """Return these and later sizes."""
        change = min(self.change, later.change, key=lambda one: one.distance)
        return _Won(self.winner, self.first, later.last, change)


def _span(first: int, last: int) -> str:
    return f"at {size(first)}" if first == last else f"from {size(first)} to {size(last)}"


@dataclass(frozen=True)
class Offload:
    """A device beside the processor's best one, at each size."""

    device: str
    ratios: dict[int, float]
    """Its throughput over that of the processor's best device, by size."""
    without_transfers: dict[int, float]
    """The same if transfers took no time, where the device tells them apart."""

    @property
    def pays_from(self) -> int | None:
        """The smallest size from which on it is the faster one; None if it never is."""
        smallest = None
        for length, ratio in sorted(self.ratios.items(), reverse=True):
            if ratio <= 1.0:
                break
            smallest = length
        return smallest

    def _spans(self) -> list[tuple[int, int]]:
        """The sizes at which it is the faster one, as first and last of each stretch."""
        spans: list[tuple[int, int]] = []
        before = False
        for length, ratio in sorted(self.ratios.items()):
            wins = ratio > 1.0
            if wins:
                spans = (
                    [*spans[:-1], (spans[-1][0], length)] if before else [*spans, (length, length)]
                )
            before = wins
        return spans

    def sentence(self, whose: str) -> str:
        """Return what a user must know, and what would change it."""
        start = self.pays_from
        if start is not None:
            first = " at every size" if start == min(self.ratios) else f" from {size(start)} on"
            return f"{self.device} pays{first}, for {whose}. {self._change()}"
        best = max(self.ratios, key=lambda length: self.ratios[length])
        ratio = self.ratios[best]
        if ratio > 1.0:
            spans = " and ".join(_span(*span) for span in self._spans())
            return f"{self.device} pays {spans} only, for {whose}. {self._change()}"
        told = (
            f"{self.device} does not pay, for {whose}: at best, at {size(best)}, it reaches "
            f"{human.significant(ratio)} of the processor. "
            f"It would pay there if it were {human.significant(1 / ratio)} times as fast"
        )
        free = self.without_transfers.get(best)
        if free is None:
            return f"{told}."
        change = "would" if free > 1.0 else "would not"
        return (
            f"{told}; transfers that took no time {change} do: "
            f"it would reach {human.significant(free)}."
        )

    def _change(self) -> str:
        """What would change it, at the size at which it wins and loses by the least."""
        won = {length: ratio for length, ratio in self.ratios.items() if ratio > 1.0}
        lost = {length: ratio for length, ratio in self.ratios.items() if ratio <= 1.0}
        least = min(won, key=lambda length: won[length])
        told = (
            f"It would not pay at {size(least)} if the processor were "
            f"{human.significant(won[least])} times as fast"
        )
        if not lost:
            return f"{told}."
        most = max(lost, key=lambda length: lost[length])
        return (
            f"{told}, and would pay at {size(most)} if it were "
            f"{human.significant(1 / lost[most])} times as fast."
        )


def offloads(seen: Sequence[Measurement], *, several: bool) -> Iterator[Offload]:
    """Yield each device that work is offloaded to, beside the processor's best one."""
    ratios: dict[str, dict[int, float]] = {}
    free: dict[str, dict[int, float]] = {}
    for length, found in by_size(seen, several=several).items():
        own = [one for one in found if one.device in PROCESSOR_DEVICES]
        rate = max((one.throughput_mb_s or 0.0 for one in own), default=0.0)
        if rate <= 0.0:
            continue
        for one in found:
            if one.device in PROCESSOR_DEVICES or one.throughput_mb_s is None:
                continue
            ratios.setdefault(name(one), {})[length] = one.throughput_mb_s / rate
            if one.time_processing_s and one.time_transfer_s:
                most = length / one.time_processing_s / 1e6
                free.setdefault(name(one), {})[length] = most / rate
    for device, found_ratios in ratios.items():
        yield Offload(device, found_ratios, free.get(device, {}))


def sentences(seen: Sequence[Measurement]) -> list[str]:
    """Return the verdict: on each criterion, on each device, and what is left out of it."""
    told: list[str] = []
    for several in (False, True):
        said = (winners(seen, criterion, several=several) for criterion in CRITERIA)
        told += [one for one in said if one]
        whose = callers(seen, several=several)
        told += [one.sentence(whose) for one in offloads(seen, several=several)]
    if not any(one.energy_pj_per_bit for one in seen):
        told.append("Energy is not known: this machine's counters cannot be read.")
    return told + _left_out(seen)


def _left_out(seen: Sequence[Measurement]) -> list[str]:
    """Return what is not compared, and why."""
    told = []
    simulated = dict.fromkeys(one.device or "" for one in seen if one.method is not Method.MEASURED)
    if simulated:
        told.append(
            f"{human.listed([*simulated])}: the times of simulated devices leave out the call and "
            "the driver, and are of one caller: they have no worst latency."
        )
    sizes = [max(by_size(seen, several=several), default=0) for several in (False, True)]
    if 0 < sizes[1] < sizes[0]:
        told.append(
            f"Nothing above {size(sizes[1])} is measured with "
            f"{callers(seen, several=True)}: together they have {size(MOST_BYTES)} at most."
        )
    return told
