# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The tables of the report on the thesis: ours beside its figures, and which of them went in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ciphermill.design import Direction
from ciphermill.design.operations import Operation
from ciphermill.evaluate.stream.series import KIB
from ciphermill.papers.paper import ratio
from ciphermill.papers.texts import each
from ciphermill.papers.thesis_zynq_ciphers.experiment import (
    CORE_MODULE,
    MODES,
    OUR_CORE,
    OWN_ARM,
    SIZES_KIB,
)
from ciphermill.papers.thesis_zynq_ciphers.kernel import KERNEL, KernelRow
from ciphermill.papers.thesis_zynq_ciphers.published import TEXTS, ends, middle
from ciphermill.papers.thesis_zynq_ciphers.view import Point, ThesisView, bench_off, cycles
from ciphermill.report import format as human
from ciphermill.report.section import Section, cells, whole


def sections(view: ThesisView) -> Iterator[Section]:
    """Yield every table, those of the platforms first."""
    for name in view.paper.platforms:
        points = [point for point in view.points() if point.printed.platform == name]
        notes = _notes(view, name, points)
        yield TEXTS.table("throughput", map(_row, points), *notes, name=name)
        yield _speedups(view, name)
        yield _bench(view, name)
    yield _pipelined_core(view)
    yield _two_times(view)
    yield _future(view)
    yield _buffers(view)
    yield _buffer_sizes(view)
    yield _updates(view)
    yield _through_kernel(view)


def _row(point: Point) -> tuple[str, ...]:
    where = f"{point.printed.application}, {point.printed.destination}"
    inside, published = point.inside_write, point.published
    return (
        *cells(where, point.implementation, modes(point.operations), published, inside),
        *cells(ratio(inside, published), point.end_to_end, "input" if point.fitted else ""),
    )


def _notes(view: ThesisView, name: str, points: Sequence[Point]) -> Iterator[str]:
    free = [point for point in points if not point.fitted]
    off = {
        f"{point.printed.application}, {point.printed.destination}, {point.implementation}, "
        f"{modes(point.operations)}": point.off
        for point in free
    }
    if not view.copied_bench(name):
        off["bus, inside write"] = bench_off(view, name)
    part = view.paper.tolerance.part
    worst = max(off, key=lambda what: abs(off[what]))
    hardware = sum(point.implementation == "hardware" for point in free)
    yield TEXTS.sentence(
        "within",
        within=sum(abs(one) <= part for one in off.values()),
        free=len(off),
        name=name,
        part=part,
        off=off[worst],
        worst=worst,
        hardware=hardware or "None",
        are="is" if hardware < 2 else "are",
    )
    yield TEXTS.say["two_times"]
    yield view.results.platforms[name].lines
    if view.platform(name).storage.writing_left_out:
        yield TEXTS.say["writing_left_out"]


def modes(operations: Sequence[Operation]) -> str:
    """Modes in few words: a direction is named where only one is meant.

    >>> modes([Operation("ecb", "encrypt"), Operation("ecb", "decrypt")])
    'ECB'
    >>> modes([Operation("cbc", "decrypt"), Operation("ctr", "encrypt")])
    'CBC decrypt, CTR encrypt'
    """
    both: list[str] = []
    one: list[str] = []
    for mode in ("ecb", "cbc", "ctr"):
        directions = [one.verb for one in operations if one.mode == mode]
        if len(directions) == 2:
            both.append(mode.upper())
        elif directions:
            one.append(f"{mode.upper()} {directions[0]}")
    if not both and len({word.split()[1] for word in one}) == 1 and len(one) > 1:
        names = ", ".join(word.split()[0] for word in one)
        return f"{names} {one[0].split()[1]}"
    return ", ".join([*both, *one])


def _speedups(view: ThesisView, name: str) -> Section:
    rows = []
    for printed in view.paper.result:
        if printed.platform != name:
            continue
        where = (name, printed.application, printed.destination)
        for of, over, theirs in (
            ("hardware", "software", printed.speedup),
            ("hardware", "software+", printed.speedup_over_software_plus),
            ("software+", "software", printed.software_plus_speedup),
        ):
            for mode in MODES:
                said = theirs.of(mode) if theirs else None
                if said is None:
                    continue
                inside, real = (
                    rate(*where, of, mode) / rate(*where, over, mode)
                    for rate in (view.inside, view.end_to_end)
                )
                rows.append(
                    (
                        f"{printed.application}, {printed.destination}",
                        f"{of} over {over}",
                        mode.upper(),
                        " to ".join(human.ratio(end) for end in ends(said)),
                        human.ratio(inside),
                        human.ratio(real),
                    )
                )
    notes = []
    if view.platform(name).storage.writing_left_out:
        notes.append(TEXTS.say["speedups_without_writing"])
    if name == "zc706":
        notes += _workstation_notes(view)
    return TEXTS.table("speedups", rows, *notes, name=name)


def _workstation_notes(view: ThesisView) -> Iterator[str]:
    """What the thesis says of its workstation's speedups as a whole, beside ours."""
    printed = view.paper.of("zc706", "throughput", "file")
    slow = printed.rate("hardware", "ecb", Direction.ENCRYPT) or 0.0
    fast = printed.rate("software+", "ecb", Direction.ENCRYPT) or 1.0
    coarse = printed.speedup_over_software_plus
    rounded = middle(coarse.ecb) if coarse and coarse.ecb else 0.0
    yield TEXTS.sentence("coarse", slow=slow, fast=fast, quotient=slow / fast, rounded=rounded)

    def gain(application: str, of: str, over: str, mode: str, direction: str) -> float:
        rates = (
            view.inside("zc706", application, "file", one, mode, direction) for one in (of, over)
        )
        return next(rates) / next(rates)

    openssl = view.paper.of("zc706", "openssl", "file").software_plus_speedup_decrypt
    if openssl:
        rows = [
            (
                mode.upper(),
                " to ".join(f"{end:g}" for end in ends(openssl.of(mode) or 0.0)),
                gain("openssl", "software+", "software", mode, "decrypt"),
            )
            for mode in MODES
        ]
        said = each("{0} {1} (ours inside write {2:.3g})", rows)
        yield TEXTS.sentence("decrypting", said=said)
    summary = view.paper.software_plus
    over = [
        (
            mode.upper(),
            middle(summary.over_hardware.of(mode) or 0.0),
            gain("throughput", "software+", "hardware", mode, "encrypt"),
        )
        for mode in MODES
    ]
    said = each("{0} {1:g} (ours inside write {2:.3g})", over)
    yield TEXTS.sentence("summary", one=summary, said=said)


def _pipelined_core(view: ThesisView) -> Section:
    printed, area = view.paper.pipelined_core, view.results.core_area
    ours = view.cipher("zedboard", "ctr", ours=True)
    gbit_s = 128 / ours.cycles_per_block * printed.clock_mhz / 1000
    figures = (
        ("slice LUTs", printed.slice_luts, area.area_lut if area else None),
        ("slice registers", printed.slice_registers, area.area_ff if area else None),
        ("block RAMs", printed.block_rams, area.area_block_ram if area else None),
    )
    rows = [cells(what, theirs, mine, ratio(mine, theirs)) for what, theirs, mine in figures]
    rate = (f"{printed.gbit_s:g}", f"{gbit_s:.3g}", ratio(gbit_s, printed.gbit_s))
    rows.append((f"Gbit/s at {printed.clock_mhz:g} MHz", *rate))
    says = "core_area" if area else "no_core_area"
    note = TEXTS.sentence(says, printed=printed, module=CORE_MODULE, core=OUR_CORE)
    return TEXTS.table("core", rows, note)


def _bench(view: ThesisView, name: str) -> Section:
    printed, results = view.paper.bench_of(name), view.results.platforms[name]
    storage, bus = results.platform.storage, results.platform.bus
    wires = "its wires'" if bus.mb_s is None else bus.provenance_of("mb_s")[0]
    timed = (
        "input: a copy, as the thesis took it"
        if view.copied_bench(name)
        else f"as the thesis took it: off by {bench_off(view, name):+.0%}"
    )
    figures: list[tuple[str, float, float | None, str]] = [
        (
            "bus, 1 GiB, end to end",
            printed.bus_mb_s,
            results.bus.end_to_end_mb_s,
            f"within a burst {human.significant(results.bus.wires_mb_s)}, {wires}",
        ),
        ("bus, 1 GiB, inside write", printed.bus_mb_s, results.bus.inside_write_mb_s, timed),
        ("storage", printed.storage_mb_s, storage.read_mb_s, "input"),
    ]
    for what, mode, said in (
        ("ECB and CBC, ideal", "ecb", printed.ecb_cbc_ideal_mb_s),
        ("CTR, ideal", "ctr", printed.ctr_ideal_mb_s),
    ):
        one = view.cipher(name, mode)
        how = (
            f"16 bytes in {cycles(one)} at {one.clock_mhz:g} MHz; from "
            f"memory to the sink {human.significant(one.memory_to_sink_mb_s)}"
        )
        figures.append((what, said, one.ideal_mb_s, how))
    return TEXTS.table("bench", (cells(*row) for row in figures), name=name)


def _two_times(view: ThesisView) -> Section:
    rows = []
    for kib in SIZES_KIB:
        rates: list[float] = []
        for platform, mode in (("zedboard", "ecb"), ("zc706", "ecb"), ("zc706", "ctr")):
            series = view.series("throughput", "sink", "hardware", mode)
            seen = view.results.platforms[platform].streams.find(series, kib)
            assert seen  # noqa: S101 - every size is run
            rates += [seen.throughput_inside_write_mb_s or 0.0, seen.throughput_mb_s or 0.0]
        rows.append(cells(_size(kib), *rates))
    return TEXTS.table("two_times", rows)


def _size(kib: int) -> str:
    return f"{kib} KiB" if kib < KIB else f"{kib // KIB} MiB" if kib < KIB * KIB else "1 GiB"


def _future(view: ThesisView) -> Section:
    places = [(name, one.bus, one.ours) for name, one in view.results.platforms.items()] + [
        (OWN_ARM, view.results.own_arm_bus, view.results.own_arm)
    ]
    return TEXTS.table(
        "future",
        (
            cells(
                name,
                str(one.operation),
                f"{one.cycles_per_block:.0f}",
                one.ideal_mb_s,
                one.memory_to_sink_mb_s,
                one.memory_to_memory_mb_s,
                bus.end_to_end_mb_s,
            )
            for name, bus, ciphers in places
            for one in ciphers
        ),
        core=OUR_CORE,
    )


def _buffers(view: ThesisView) -> Section:
    swept = [view.results.platforms[name].buffers for name in view.paper.platforms]
    return TEXTS.table(
        "buffers",
        (cells(str(count), *(rate for one in swept for rate in one[count])) for count in swept[0]),
    )


def _buffer_sizes(view: ThesisView) -> Section:
    swept = [view.results.platforms[name].buffer_sizes for name in view.paper.platforms]
    return TEXTS.table(
        "buffer_sizes",
        (cells(str(kib), *(one[kib] for one in swept)) for kib in swept[0]),
    )


def _updates(view: ThesisView) -> Section:
    names = view.paper.platforms
    swept = [view.results.platforms[name].updates for name in names]
    hosts = [(name, view.platform(name).host) for name in names]
    said = [
        (name, middle(view.paper.of(name, "openssl", "file").hardware.ctr or 0.0)) for name in names
    ]
    return TEXTS.table(
        "updates",
        (cells(str(kib), *(rate for one in swept for rate in one[kib])) for kib in swept[0]),
        chosen=each("{0} {1.update_kib:g} KiB and {1.wake_us:g} us", hosts),
        said=each("{0} {1:g}", said),
    )


def _through_kernel(view: ThesisView) -> Section:
    """Streams through the kernel driver, or that there are none."""
    rows = [_kernel_row(one) for one in view.results.through_kernel]
    return TEXTS.table("kernel", rows or [(TEXTS.say["kernel_not_run"], *["-"] * 9)])


def _kernel_row(row: KernelRow) -> tuple[str, ...]:
    host, card = row.host, row.card
    cipher = "-".join(filter(None, (host.algorithm, host.mode))).upper()
    how = TEXTS.say["kernel_simulated" if card else "kernel_in_software"]
    kernel = (host.platform or "").removeprefix(KERNEL)
    return (
        host.application or "",
        cipher,
        *(whole(count) for count in (host.messages, host.bytes)),
        whole(card.cycles_total if card else None),
        *cells(card.throughput_mb_s if card else None, host.time_total_s),
        kernel,
        host.device or "",
        how,
    )
