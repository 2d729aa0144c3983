# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES-256 paper's conclusions, each checked with measured figures.

Their statements, rules and limits are rows of ``report.toml``. If something was not run (a
soft core without an instruction port, no areas), the verdict says that it is open.
"""

from __future__ import annotations

from typing import Any

from ciphermill.design import BusInterface, Direction, Measurement, Partition, Variant
from ciphermill.papers.aes256_hw_sw_partitions.experiment import HARDWARE, KEY_MESSAGES, WORDS
from ciphermill.papers.aes256_hw_sw_partitions.published import TEXTS
from ciphermill.papers.aes256_hw_sw_partitions.view import PIPELINED, PartitionsView
from ciphermill.papers.texts import Finding, Judges, each, found
from ciphermill.report import format as human
from ciphermill.report.cosim_table import blocks

_BY_AREA = (*HARDWARE, Partition.SOFTWARE)
_NO_AREA = TEXTS.sentence("no_area")


def _cycles_of(view: PartitionsView, *names: Partition) -> dict[str, float]:
    """Cycles of designs at the length at which the paper compares."""
    of = f"cycles of encrypting {WORDS} words"
    return {f"{name}, {of}": view.cycles(name).ours for name in names}


def _area_order(view: PartitionsView, _: float) -> Finding | str:
    if not view.areas:
        return _NO_AREA
    luts = [view.lut(name).ours for name in _BY_AREA]
    return found(
        luts == sorted(luts, reverse=True),
        {f"{name}, LUTs of the system": view.lut(name).ours for name in _BY_AREA},
        luts=", ".join(map(human.count, luts)),
    )


def _directions(view: PartitionsView, limit: float) -> Finding:
    apart = {}
    for name in _BY_AREA:
        forth, back = (view.cycles(name, direction).ours for direction in Direction)
        apart[name] = abs(back - forth) / forth
    worst = max(apart, key=lambda name: apart[name])
    return found(
        apart[worst] <= limit,
        {f"{name}, decryption apart from encryption": one for name, one in apart.items()},
        worst=worst,
        most=apart[worst],
    )


def _core_speed(view: PartitionsView, limit: float) -> Finding:
    unrolled, iterative = view.cycles(Partition.UNROLLED), view.cycles(Partition.ITERATIVE)
    gap = abs(unrolled.ours - iterative.ours) / iterative.ours
    evidence = _cycles_of(view, Partition.UNROLLED, Partition.ITERATIVE)
    return found(gap <= limit, evidence, ours=unrolled, iterative=iterative, gap=gap)


def _more_hardware(view: PartitionsView, _: float) -> Finding:
    order = [Partition.ITERATIVE, Partition.ROUND, Partition.LINEAR_LAYER, Partition.SOFTWARE]
    ours = [view.cycles(name).ours for name in order]
    fast = view.maybe(Partition.SOFTWARE, variant=Variant.TABLE)
    table = fast.cycles_total if fast else None
    beaten = [
        name for name in order[:-1] if fast and view.cycles(name).ours > (fast.cycles_total or 0)
    ]
    return found(
        ours == sorted(ours),
        _cycles_of(view, *order),
        order=human.listed(order),
        cycles=", ".join(map(human.count, ours)),
        better=TEXTS.sentence("table_beats", cycles=table, beaten=human.listed(beaten))
        if beaten
        else TEXTS.sentence("table_does_not_beat"),
    )


def _lacking(view: PartitionsView, *names: Partition) -> str | None:
    """The reason why the power of one of some designs is not known, if any."""
    if not view.powers.wanted:
        return TEXTS.sentence("no_energy")
    systems = view.powers.systems
    return next((view.powers.missing[name] for name in names if name not in systems), None)


def _powers(view: PartitionsView, *names: Partition) -> dict[str, float]:
    return {f"{name}, power of the system": view.powers.systems[name].power_mw for name in names}


def _more_power(view: PartitionsView, _: float) -> Finding | str:
    designs = sorted(view.paper.partition, key=lambda one: -one.lut_logic)
    order = [printed.name for printed in designs]
    if (why := _lacking(view, *(printed.name for printed in view.paper.partition))) is not None:
        return why
    powers = _powers(view, *order)
    milliwatts = list(powers.values())
    return found(
        milliwatts == sorted(milliwatts, reverse=True),
        powers,
        "mW",
        order=human.listed(order),
        powers=", ".join(map(human.significant, milliwatts)),
        least=min(order, key=lambda name: view.powers.systems[name].nj_per_byte),
    )


def _same_power(view: PartitionsView, limit: float) -> Finding | str:
    names = Partition.ROUND, Partition.LINEAR_LAYER
    if (why := _lacking(view, *names)) is not None:
        return why
    powers = _powers(view, *names)
    first, second = powers.values()
    apart = abs(first / second - 1)
    printed = [view.paper.of(name).power_w for name in names]
    shares = [view.powers.systems[name].accelerator_share for name in names]
    return found(
        apart <= limit,
        powers,
        "mW",
        first=first,
        second=second,
        apart=apart,
        printed=abs(printed[0] / printed[1] - 1),
        shares=human.listed([f"{share:.0%}" for share in shares]),
    )


def _little_more_power(view: PartitionsView, limit: float) -> Finding | str:
    others = Partition.ROUND, Partition.LINEAR_LAYER, Partition.SOFTWARE
    if (why := _lacking(view, Partition.ITERATIVE, *others)) is not None:
        return why
    systems, paper = view.powers.systems, view.paper
    iterative, printed = systems[Partition.ITERATIVE], paper.of(Partition.ITERATIVE).power_w
    more = [iterative.power_mw / systems[name].power_mw for name in others]
    theirs = [printed / paper.of(name).power_w for name in others]
    saved = {name: systems[name].nj_per_byte / iterative.nj_per_byte for name in others}
    return found(
        max(more) <= 1 + limit,
        _powers(view, Partition.ITERATIVE, *others),
        "mW",
        more=each("{0:x} that of {1} (theirs {2:x})", zip(more, others, theirs, strict=True)),
        saved=each("{0} {1:x}", saved),
    )


def _best_metric(view: PartitionsView, _: float) -> Finding | str:
    if not view.areas:
        return _NO_AREA
    order = view.ranking(lambda name: view.metric(name).ours)
    second = order[1] if order[0] is Partition.ITERATIVE else order[0]
    theirs = view.ranking(lambda name: view.metric(name).theirs)
    return found(
        order[0] is Partition.ITERATIVE,
        {f"{name}, cycles x LUTs": view.metric(name).ours for name in order},
        second=second,
        lead=view.metric(second).ours / view.metric(Partition.ITERATIVE).ours,
        their_second=theirs[1],
        their_lead=view.metric(theirs[1]).theirs / view.metric(theirs[0]).theirs,
    )


def _software_worst(view: PartitionsView, limit: float) -> Finding | str:
    if not view.areas:
        return _NO_AREA
    plain, best = view.metric(Partition.SOFTWARE), view.metric(Partition.ITERATIVE)
    fast = view.maybe(Partition.SOFTWARE, variant=Variant.TABLE)
    cycles = fast.cycles_total or 0 if fast else 0
    table = cycles * view.lut(Partition.SOFTWARE).ours / best.ours
    return found(
        table > limit,
        {"table software, cycles x LUTs over iterative": table},
        ours=plain.ours / best.ours,
        table=table,
        theirs=plain.theirs / best.theirs,
    )


def _linear(view: PartitionsView, limit: float) -> Finding:
    errors = {
        printed.name: max(
            view.fit(printed.name, direction)[0].worst_relative_error for direction in Direction
        )
        for printed in view.paper.partition
    }
    worst = max(errors, key=lambda name: errors[name])
    return found(
        errors[worst] <= limit,
        {f"{name}, largest distance from its line": one for name, one in errors.items()},
        worst=worst,
        most=errors[worst],
    )


def _over_iterative(view: PartitionsView, seen: Measurement) -> float:
    return (seen.cycles_total or 0) / view.cycles(Partition.ITERATIVE).ours


def _instructions(view: PartitionsView, limit: float) -> Finding | str:
    column = view.maybe(Partition.INSTRUCTION, variant=Variant.COLUMN)
    block = view.maybe(Partition.INSTRUCTION, variant=Variant.BLOCK)
    if column is None or block is None:
        return TEXTS.sentence("no_port", soft_core=view.soft_core)
    plain = view.cycles(Partition.SOFTWARE).ours / (column.cycles_total or 1)
    against = _over_iterative(view, block)
    return found(
        plain > limit and against < 1,
        {
            "plain C over column instructions, cycles": plain,
            "whole blocks by instructions over iterative, cycles": against,
        },
        plain=plain,
        against=against,
    )


def _wide_bus(view: PartitionsView, limit: float) -> Finding:
    wide = view.find(Partition.ITERATIVE, interface=BusInterface.AXI4_256)
    reference = view.base(Partition.ITERATIVE, Direction.ENCRYPT, WORDS)
    cycles = _over_iterative(view, wide)
    return found(
        cycles < 1 - limit,
        {"iterative, AXI4 of 256 bits over AXI4-Lite, cycles": cycles},
        cycles=cycles,
        beats=(wide.bus_transactions or 0) / (reference.bus_transactions or 1),
    )


def _master_port(view: PartitionsView, _: float) -> Finding:
    dma = view.find(Partition.DMA)
    against = _over_iterative(view, dma)
    evidence = {"dma over iterative, cycles": against}
    return found(against < 1, evidence, block=dma.cycles_per_block or 0.0, against=against)


def _pipelining(view: PartitionsView, limit: float) -> Finding:
    flight = view.paper.pipelining.blocks_in_flight
    lite = view.find(Partition.UNROLLED, flight=flight)
    wide = view.find(Partition.UNROLLED, flight=flight, interface=BusInterface.AXI4_256)
    cycles = _over_iterative(view, lite)
    tests = {"unrolled with blocks in flight over iterative, cycles": cycles}
    words: dict[str, Any] = {
        "flight": flight,
        "cycles": cycles,
        "cycles_wide": _over_iterative(view, wide),
    }
    area = view.areas.get(PIPELINED)
    if area is None:
        holds = False if cycles >= 1 - limit else None
        return found(holds, tests, row="pipelining_without_areas", **words)
    product = cycles * area.system_lut / view.lut(Partition.ITERATIVE).ours
    tests["unrolled with blocks in flight, product over iterative"] = product
    return found(product < 1, tests, product=product, **words)


def _key_storage(view: PartitionsView, _: float) -> Finding:
    rows, gains = [], {}
    for name in (Partition.ITERATIVE, Partition.ROUND):
        off, on = (
            view.find(name, key_caching=cached, messages=KEY_MESSAGES) for cached in (False, True)
        )
        without, cached = ((one.cycles_total or 0) / blocks(off) for one in (off, on))
        rows.append((name, without, cached))
        gains[name] = without / cached
    first = view.find(Partition.ITERATIVE, key_caching=False, messages=KEY_MESSAGES)
    won = [f"{name} ({human.ratio(gain)})" for name, gain in gains.items() if gain > 1]
    lost = [str(name) for name, gain in gains.items() if gain <= 1]
    why: dict[str, list[str]] = {"key_pays": won, "key_does_not_pay": lost}
    return found(
        not lost,
        {f"{name}, cycles without caching over with": one for name, one in gains.items()},
        costs=each("{0}: {1} cycles a block without, {2} with", rows, "; "),
        length=blocks(first) // (first.messages or 1),
        why=" ".join(
            TEXTS.sentence(one, designs=human.listed(names)) for one, names in why.items() if names
        ),
    )


ENERGY = Judges((_more_power, _same_power, _little_more_power))
CONCLUSIONS = Judges(
    (
        *(_area_order, _directions, _core_speed, _more_hardware),
        *ENERGY.judges,
        *(_best_metric, _software_worst, _linear),
        *(_instructions, _wide_bus, _master_port, _pipelining, _key_storage),
    )
)
"""Every conclusion of the paper, in its order."""
