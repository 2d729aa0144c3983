# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The power of the AES-256 paper's designs beside ours: a table, and its conclusions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ciphermill.design import Partition
from ciphermill.papers.aes256_hw_sw_partitions.experiment import POWERED_BLOCKS, WORDS
from ciphermill.papers.aes256_hw_sw_partitions.published import PartitionsPaper
from ciphermill.papers.aes256_hw_sw_partitions.view import PartitionsView
from ciphermill.papers.paper import Conclusion, cells, evidence, ratio, untested
from ciphermill.papers.systems import Powers, SystemPower
from ciphermill.report import format as human
from ciphermill.report.section import Section
from ciphermill.report.system_energy import memory_note

SAME_POWER = 0.02
"""Powers that differ by no more than this part are called the same."""
SMALL = 0.5
"""Power that is larger by no more than this part is called little more."""

_ORDER = "more hardware takes more power"
_SAME = "round and linear layer take the same power"
_LITTLE = "iterative takes little more power than round, linear layer and software"
_ROUND, _LAYER = Partition.ROUND, Partition.LINEAR_LAYER
_LESS = (_ROUND, _LAYER, Partition.SOFTWARE)
"""The partitions with which iterative is compared."""
_CLAIMS: Mapping[str, tuple[str, str, tuple[Partition, ...]]] = {
    _ORDER: (
        "section 5, item 2",
        "if power falls in the order of the printed LUTs, from most to fewest",
        (),
    ),
    _SAME: (
        "section 5, item 2",
        f"if their powers differ by {100 * SAME_POWER:g}% or less",
        (_ROUND, _LAYER),
    ),
    _LITTLE: (
        "section 5, below item 4",
        f"if iterative takes no more than {100 * SMALL:.0f}% more power than each of the three",
        (Partition.ITERATIVE, *_LESS),
    ),
}
"""Where each is said, its rule, and the designs whose power decides; all where none is named."""


def published_nj_per_byte(paper: PartitionsPaper, name: Partition) -> float:
    """Return the energy of a byte that the paper's power and cycles give, in nanojoules."""
    printed = paper.of(name)
    cycles = printed.cycles_encrypt[printed.words.index(WORDS)]
    seconds = cycles / (paper.workload.clock_mhz * 1e6)
    return printed.power_w * seconds / (WORDS * paper.workload.word_bits / 8) * 1e9


def energy_sections(view: PartitionsView) -> Iterator[Section]:
    """Yield the table, where there is anything in it."""
    powers, paper = view.powers, view.paper
    if not powers.systems:
        return
    some = powers.some
    base = powers.systems.get(Partition.SOFTWARE)
    rows = []
    for printed in paper.partition:
        *power, each = _ours(powers.systems.get(printed.name), base)
        over = ratio(printed.power_w, paper.of(Partition.SOFTWARE).power_w)
        theirs = published_nj_per_byte(paper, printed.name)
        rows.append(cells(printed.name, *power, f"{printed.power_w:.3f}", over, each, theirs))
    yield Section(
        f"Power and energy of the systems at {some.clock_mhz:g} MHz (theirs: "
        f"{paper.workload.clock_mhz:g} MHz, encrypt {WORDS} words)",
        (
            "design",
            "GE",
            "static mW",
            "dynamic mW",
            "mW",
            "over software",
            "published W",
            "over software",
            "nJ/byte",
            "published nJ/byte",
        ),
        tuple(rows),
        (
            f"Ours: {some.soft_core} and coprocessor in {powers.library}, encrypting "
            f"{POWERED_BLOCKS} blocks, the key in place, glitches counted; the coprocessor made "
            f"for 256-bit keys and encryption. {memory_note(some)}",
            "Published: a whole Kintex-7 after Vivado; its energy is computed here from its power "
            "and cycles. Watts of an FPGA and of cells do not compare; the columns over software "
            "do.",
            *(f"{name.value} was not taken: {why}." for name, why in powers.missing.items()),
        ),
    )


def _ours(system: SystemPower | None, base: SystemPower | None) -> tuple[str, ...]:
    """Return a design's gate equivalents, powers, power over software, and nJ a byte."""
    if system is None:
        return ("-",) * 6
    static, power = system.static_mw, system.power_mw
    over = ratio(power, base.power_mw if base else None)
    gates = round(system.whole.area_ge or 0)
    return cells(gates, static, power - static, power, over, system.nj_per_byte)


def energy_conclusions(view: PartitionsView) -> Iterator[Conclusion]:
    """Yield the conclusions; those that nothing was run for cannot be tested."""
    powers = view.powers
    ours = {name: system.power_mw for name, system in powers.systems.items()}
    theirs = {printed.name: printed.power_w for printed in view.paper.partition}
    for statement, (source, _, needs) in _CLAIMS.items():
        lacking = next((name for name in needs or theirs if name not in ours), None)
        if not powers.wanted:
            yield untested(statement, source, "power was not taken (--no-energy)")
        elif lacking:
            yield untested(statement, source, powers.missing[lacking])
        elif statement == _ORDER:
            yield _order(view.paper, powers, ours)
        elif statement == _SAME:
            yield _same(powers, ours, theirs)
        else:
            yield _little(powers, ours, theirs)


def _conclusion(
    statement: str, holds: bool, figures: str, reason: str, powers: Mapping[Partition, float]
) -> Conclusion:
    """A conclusion with its rule, and the powers of designs that it looks at."""
    source, rule, needs = _CLAIMS[statement]
    shown = {f"{name}, power of the system": powers[name] for name in needs or powers}
    return Conclusion(statement, source, holds, figures, reason, rule, evidence(shown, "mW"))


def _order(
    paper: PartitionsPaper, powers: Powers[Partition], ours: dict[Partition, float]
) -> Conclusion:
    designs = sorted(paper.partition, key=lambda one: -one.lut_logic)
    order = [printed.name for printed in designs]
    milliwatts = [ours[name] for name in order]
    least = min(order, key=lambda name: powers.systems[name].nj_per_byte)
    return _conclusion(
        _ORDER,
        milliwatts == sorted(milliwatts, reverse=True),
        f"{human.listed(order)}: {', '.join(map(human.significant, milliwatts))} mW",
        f"Energy decides, and time with it: {least} takes least a byte.",
        {name: ours[name] for name in order},
    )


def _same(
    powers: Powers[Partition], ours: dict[Partition, float], theirs: dict[Partition, float]
) -> Conclusion:
    first, second = ours[_ROUND], ours[_LAYER]
    shares = [100 * powers.systems[name].accelerator_share for name in (_ROUND, _LAYER)]
    apart = abs(first / second - 1)
    printed = abs(theirs[_ROUND] / theirs[_LAYER] - 1)
    return _conclusion(
        _SAME,
        apart <= SAME_POWER,
        f"{human.significant(first)} and {human.significant(second)} mW, {100 * apart:.1f}% apart "
        f"(theirs {100 * printed:.1f}%)",
        "Of it the coprocessor takes "
        + human.listed([f"{share:.0f}%" for share in shares])
        + ": what the two share, processor, caches and memory, is the rest.",
        ours,
    )


def _little(
    powers: Powers[Partition], ours: dict[Partition, float], theirs: dict[Partition, float]
) -> Conclusion:
    def more(powers: dict[Partition, float], name: Partition) -> float:
        return powers[Partition.ITERATIVE] / powers[name]

    most = max(more(ours, name) for name in _LESS)
    iterative = powers.systems[Partition.ITERATIVE]
    saved = ", ".join(
        f"{name} {human.ratio(powers.systems[name].nj_per_byte / iterative.nj_per_byte)}"
        for name in _LESS
    )
    return _conclusion(
        _LITTLE,
        most <= 1 + SMALL,
        ", ".join(
            f"{human.ratio(more(ours, name))} that of {name} (theirs "
            f"{human.ratio(more(theirs, name))})"
            for name in _LESS
        ),
        f"And it is done sooner. Energy of a byte over iterative's: {saved}.",
        ours,
    )
