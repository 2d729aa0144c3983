# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs of devices as tables and as a page: who is fastest, the spread, every figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import RenderableType

from ciphermill.design import Measurement
from ciphermill.report import format as human
from ciphermill.report.dot_plot import Row, dot_plot
from ciphermill.report.html_page import described, moment, origin_lines, render
from ciphermill.report.section import Section, cells, section_renderables
from ciphermill.report.verdict import name, size

Group = tuple[str, int, str, int]
"""Mode, bits of the key, operation, bytes of a message."""
MOST_DRAWN = 12
"""A plot has no more rows than these: the fastest devices."""


def is_bench(seen: Measurement) -> bool:
    """Whether a measurement is of runs of the same message."""
    return seen.runs is not None


def by_group(seen: Sequence[Measurement]) -> dict[Group, list[Measurement]]:
    """Return the measurements of each message, by mode, key, operation and length."""
    found: dict[Group, list[Measurement]] = {}
    for one in seen:
        key = (one.mode or "", one.key_bits or 0, one.operation or "", one.bytes or 0)
        found.setdefault(key, []).append(one)
    return found


def title(group: Group) -> str:
    """Return a message in words.

    >>> title(("ctr", 256, "encrypt", 65536))
    'AES-256-CTR encryption of 64 KiB'
    """
    mode, key_bits, operation, length = group
    done = {"encrypt": "encryption", "decrypt": "decryption"}[operation]
    return f"AES-{key_bits}-{mode.upper()} {done} of {size(length)}"


def spread(seen: Measurement) -> float | None:
    """Return the middle half of the times, as a share of the median; None after one run."""
    if (seen.runs or 1) < 2 or not seen.time_total_s:
        return None
    low, high = seen.time_lower_quartile_s or 0.0, seen.time_upper_quartile_s or 0.0
    return (high - low) / seen.time_total_s


def sentences(seen: Sequence[Measurement]) -> list[str]:
    """Return who is fastest at each message, and which clocks are right and met."""
    told = []
    clocked = [one for one in seen if one.clock_met is not None]
    for group, found in by_group([one for one in seen if one.clock_met is None]).items():
        known = [one for one in found if one.throughput_mb_s is not None]
        if len(known) < 2:
            continue
        best, second, *_ = sorted(known, key=lambda one: one.throughput_mb_s or 0.0, reverse=True)
        rates = [one.throughput_mb_s or 0.0 for one in (best, second)]
        told.append(
            f"{title(group)}: {name(best)} is the fastest with {human.throughput(rates[0])}, "
            f"{human.ratio(rates[0] / rates[1])} of {name(second)}."
        )
    for design in dict.fromkeys(one.design for one in clocked):
        told.append(_clock_sentence([one for one in clocked if one.design == design]))
    return told


def _clock_sentence(found: Sequence[Measurement]) -> str:
    first = found[0]
    clocks = {one.clock_mhz or 0.0 for one in found}
    met = sorted({one.clock_mhz or 0.0 for one in found if one.clock_met})
    wrong = sorted({one.clock_mhz or 0.0 for one in found if not one.correct})
    right = f"wrong at {_clocks(wrong)}" if wrong else f"right at all of {len(clocks)} clocks"
    most = f"the highest of them that it allows is {_clocks(met[-1:])}" if met else "it allows none"
    return (
        f"{first.design}: outputs are {right}; placed and routed for {first.target} it reaches "
        f"{first.clock_highest_mhz or 0.0:.1f} MHz, and {most}."
    )


def _clocks(mhz: Sequence[float]) -> str:
    return f"{human.listed([f'{one:.10g}' for one in mhz])} MHz"


def bench_parts(seen: Sequence[Measurement]) -> list[RenderableType]:
    """Return the tables for a terminal, and the sentences below them."""
    shown = [part for one in _sections(seen) for part in section_renderables(one)]
    return [*shown, *sentences(seen), *_notes(seen)]


def bench_page(seen: Sequence[Measurement], started: str) -> str:
    """Return the page as HTML text.

    Args:
        seen: Measurements of one run.
        started: When it started, ISO 8601.
    """
    first = seen[0]
    return render(
        "bench.html.j2",
        title="Devices, run by run",
        subtitle=f"AES, {max(one.runs or 1 for one in seen)} runs of each message, "
        f"{moment(started)}",
        wrong=dict.fromkeys(one.device for one in seen if one.correct is False),
        sentences=sentences(seen),
        drawn=[
            {
                "title": f"{title(group)}: MB/s",
                "drawn": [
                    described(_rate_svg(found, narrow=narrow), _spoken(found))
                    for narrow in (False, True)
                    if rate_rows(found)
                ],
            }
            for group, found in by_group(seen).items()
        ],
        sections=list(_sections(seen)),
        notes=_notes(seen),
        powered=any(one.power_mw is not None for one in seen),
        provenance=[("Taken", moment(started)), *origin_lines(first.provenance)],
        wide=True,
    )


def rate_rows(found: Sequence[Measurement]) -> list[Row]:
    """Return throughput with and without transfers, the fastest device first."""
    rows: list[Row] = []
    for one in _ordered(found)[:MOST_DRAWN]:
        if one.throughput_mb_s is None:
            continue
        rates = {"with transfers": one.throughput_mb_s}
        if one.time_transfer_s and one.throughput_processing_mb_s:
            rates["without"] = one.throughput_processing_mb_s
        rows.append((name(one), rates))
    return rows


def _rate_svg(found: Sequence[Measurement], *, narrow: bool) -> str:
    identity = "-".join(map(str, next(iter(by_group(found)))))
    return dot_plot(rate_rows(found), "MB/s, logarithmic", f"bench-{identity}", narrow=narrow)


def _spoken(found: Sequence[Measurement]) -> str:
    rates = "; ".join(
        f"{device}: "
        + ", ".join(f"{human.significant(rate)} {kind}" for kind, rate in rates.items())
        for device, rates in rate_rows(found)
    )
    return f"Throughput in MB/s. {rates}."


_Cell = str | float | None
_COLUMNS: dict[str, Callable[[Measurement], _Cell]] = {
    "device": name,
    "MB/s": lambda one: one.throughput_mb_s,
    "without transfers": lambda one: (
        one.throughput_processing_mb_s if one.time_transfer_s else None
    ),
    "median": lambda one: _time(one.time_total_s),
    "a MHz": lambda one: one.merit_mb_s_per_mhz,
    "a processor that it has": lambda one: one.merit_mb_s_per_processor,
}
"""The columns that every table has, and their cells."""
_SPREAD: dict[str, Callable[[Measurement], _Cell]] = {
    "spread": lambda one: _percent(spread(one)),
    "best": lambda one: _time(one.time_best_s),
    "worst": lambda one: _time(one.time_worst_message_s),
}
_POWER: dict[str, Callable[[Measurement], _Cell]] = {"pJ a bit": lambda one: one.energy_pj_per_bit}
_CLOCK: dict[str, Callable[[Measurement], _Cell]] = {
    "clock is met": lambda one: "yes" if one.clock_met else "no"
}
_OUTPUT: dict[str, Callable[[Measurement], _Cell]] = {
    "output": lambda one: (
        "none"
        if one.correct is None
        else "right"
        if one.correct
        else f"wrong from byte {one.wrong_byte}"
    )
}


def _sections(seen: Sequence[Measurement]) -> list[Section]:
    columns = dict(_COLUMNS)
    if any((one.runs or 1) > 1 for one in seen):
        columns |= _SPREAD
    if any(one.energy_pj_per_bit is not None for one in seen):
        columns |= _POWER
    clocked = any(one.clock_met is not None for one in seen)
    if clocked:
        columns |= _CLOCK
    if clocked or any(one.correct is False for one in seen):
        columns |= _OUTPUT
    return [
        Section(
            title(group),
            tuple(columns),
            tuple(cells(*(value(one) for value in columns.values())) for one in _ordered(found)),
        )
        for group, found in by_group(seen).items()
    ]


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else human.duration(seconds)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _ordered(found: Sequence[Measurement]) -> list[Measurement]:
    """Clocks as they were asked for; devices with the fastest first."""
    if any(one.clock_met is not None for one in found):
        return list(found)
    return sorted(found, key=lambda one: one.throughput_mb_s or 0.0, reverse=True)


def _notes(seen: Sequence[Measurement]) -> list[str]:
    return list(dict.fromkeys(note for one in seen for note in one.notes or ()))
