# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The tables of the report on the thesis: ours beside its figures, and which of them went in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ciphermill.design import Direction
from ciphermill.design.operations import Operation
from ciphermill.evaluate.stream.series import KIB
from ciphermill.papers.paper import cells, ratio
from ciphermill.papers.thesis_zynq_ciphers.experiment import (
    CORE_MODULE,
    MODES,
    OUR_CORE,
    OWN_ARM,
    SIZES_KIB,
)
from ciphermill.papers.thesis_zynq_ciphers.published import ends, middle
from ciphermill.papers.thesis_zynq_ciphers.sweeps import WAKE_FACTORS
from ciphermill.papers.thesis_zynq_ciphers.view import Point, ThesisView, bench_off, cycles
from ciphermill.report import format as human
from ciphermill.report.section import Section


def sections(view: ThesisView) -> Iterator[Section]:
    """Yield every table, those of the platforms first."""
    for name in view.paper.platforms:
        yield from _platform(view, name)
    yield _pipelined_core(view)
    yield _two_times(view)
    yield _future(view)
    yield _buffers(view)
    yield _buffer_sizes(view)
    yield _updates(view)


def _platform(view: ThesisView, name: str) -> Iterator[Section]:
    points = [point for point in view.points() if point.printed.platform == name]
    yield Section(
        f"{name}: throughput in MB/s at 1 GiB, hardware with the thesis's cycle counts",
        (
            "application, test",
            "ciphers",
            "mode",
            "published",
            "ours inside write",
            "ours/published",
            "ours end to end",
            "",
        ),
        tuple(_row(point) for point in points),
        _notes(view, name, points),
    )
    yield _speedups(view, name)
    yield _bench(view, name)


def _row(point: Point) -> tuple[str, ...]:
    where = f"{point.printed.application}, {point.printed.destination}"
    inside, published = point.inside_write, point.published
    return (
        *cells(where, point.implementation, modes(point.operations), published, inside),
        *cells(ratio(inside, published), point.end_to_end, "input" if point.fitted else ""),
    )


def _notes(view: ThesisView, name: str, points: Sequence[Point]) -> tuple[str, ...]:
    free = [point for point in points if not point.fitted]
    off = {
        f"{point.printed.application}, {point.printed.destination}, {point.implementation}, "
        f"{modes(point.operations)}": point.off
        for point in free
    }
    if not view.copied_bench(name):
        off["bus, inside write"] = bench_off(view, name)
    within = [one for one in off.values() if abs(one) <= view.paper.tolerance.part]
    worst = max(off, key=lambda what: abs(off[what]))
    hardware = sum(point.implementation == "hardware" for point in free)
    found = [
        f"{len(within)} of {len(off)} figures that did not go into platforms/{name}.toml, "
        f"micro-benchmarks included, are within {100 * view.paper.tolerance.part:.0f}%. The "
        f"farthest is off by {100 * off[worst]:+.0f}% ({worst}). Those marked input did go in, "
        f"or are the same stream as one that did. {hardware or 'None'} of the others "
        + ("is" if hardware < 2 else "are")
        + " of hardware; those of software are arithmetic on its published rates.",
        "Published is time inside write, as the thesis took it. End to end is what a user waits "
        "for; no part of the system is faster than that. All of ours are modelled. Software "
        "runs at the host's published rates, not at ours.",
        view.results.platforms[name].lines,
    ]
    if view.platform(name).storage.writing_left_out:
        found.append(
            "End to end to a file: the card's writing left out. How fast it writes is not "
            "printed, and 1 GiB does not fit into the board's memory: until the file is on "
            "the card a user waits longer than this."
        )
    return tuple(found)


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
        directions = [one.direction for one in operations if one.mode == mode]
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
                inside = view.inside(*where, of, mode) / view.inside(*where, over, mode)
                real = view.end_to_end(*where, of, mode) / view.end_to_end(*where, over, mode)
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
    notes = ["Quotients of the table above: that those of two inputs come out proves nothing."]
    if view.platform(name).storage.writing_left_out:
        notes.append("End to end to a file: the card's writing left out, which makes them larger.")
    if name == "zc706":
        notes += _workstation_notes(view)
    return Section(
        f"{name}: speedups, encrypting 1 GiB",
        ("application, test", "what", "mode", "published", "ours inside write", "ours end to end"),
        tuple(rows),
        tuple(notes),
    )


def _workstation_notes(view: ThesisView) -> Iterator[str]:
    """What the thesis says of its workstation's speedups as a whole, beside ours."""
    printed = view.paper.of("zc706", "throughput", "file")
    slow = printed.rate("hardware", "ecb", Direction.ENCRYPT) or 0.0
    fast = printed.rate("software+", "ecb", Direction.ENCRYPT) or 1.0
    coarse = printed.speedup_over_software_plus
    rounded = middle(coarse.ecb) if coarse and coarse.ecb else 0.0
    yield (
        f"Printed speedups are rounded coarsely: {slow:g} over {fast:,g} MB/s is "
        f"{slow / fast:.2g}, printed {rounded:g}."
    )
    decrypting = view.paper.of("zc706", "openssl", "file").software_plus_speedup_decrypt
    if decrypting:
        said = []
        for mode in MODES:
            ranges = " to ".join(f"{end:g}" for end in ends(decrypting.of(mode) or 0.0))
            plus, plain = (
                view.inside("zc706", "openssl", "file", of, mode, "decrypt")
                for of in ("software+", "software")
            )
            gain = plus / plain
            said.append(f"{mode.upper()} {ranges} (ours inside write {gain:.3g})")
        yield (
            "Decrypting, software+ is printed to be faster than software by "
            f"{', '.join(said)} times."
        )
    summary = view.paper.software_plus
    where = ("zc706", "throughput", "file")
    ours = {
        m: view.inside(*where, "software+", m) / view.inside(*where, "hardware", m) for m in MODES
    }
    theirs = {m: middle(summary.over_hardware.of(m) or 0.0) for m in MODES}
    yield (
        f"Its summary ({summary.source}) has software+ {summary.over_software[0]:g} to "
        f"{summary.over_software[1]:g} times as fast as software, and over the hardware "
        + ", ".join(f"{m.upper()} {theirs[m]:g} (ours inside write {ours[m]:.3g})" for m in MODES)
        + " times."
    )


def _pipelined_core(view: ThesisView) -> Section:
    printed, area = view.paper.pipelined_core, view.results.core_area
    ours = view.cipher("zedboard", "ctr", ours=True)
    gbit_s = 128 / ours.cycles_per_block * printed.clock_mhz / 1000
    figures = (
        ("slice LUTs", printed.slice_luts, area.lut if area else None),
        ("slice registers", printed.slice_registers, area.ff if area else None),
        ("block RAMs", printed.block_rams, area.block_ram if area else None),
    )
    rows = [
        (what, f"{theirs:,}", "-" if mine is None else f"{mine:,}", ratio(mine, theirs))
        for what, theirs, mine in figures
    ]
    rows.append(
        (
            f"Gbit/s at {printed.clock_mhz:g} MHz",
            f"{printed.gbit_s:g}",
            f"{gbit_s:.3g}",
            ratio(gbit_s, printed.gbit_s),
        )
    )
    return Section(
        "The core that encrypts CTR: resources and rate",
        ("what", "published", "ours", "ours/published"),
        tuple(rows),
        (
            f"Published: {printed.source}, AES-{printed.key_bits}, encryption only, "
            f"{printed.stages} stages. Ours: the module {CORE_MODULE}, estimated by yosys for "
            "Xilinx 7-series; block RAMs are of 18 Kbit, and the thesis does not say the size "
            f"of its own. Our rate is from the cycles a block of {OUR_CORE}, simulated."
            if area
            else f"Published: {printed.source}. Our resources were not taken (--no-area).",
        ),
    )


def _bench(view: ThesisView, name: str) -> Section:
    printed, results = view.paper.bench_of(name), view.results.platforms[name]
    storage, bus = results.platform.storage, results.platform.bus
    rows = [
        cells(
            "bus, 1 GiB, end to end",
            printed.bus_mb_s,
            results.bus.end_to_end_mb_s,
            f"within a burst {human.significant(results.bus.wires_mb_s)}, "
            + ("its wires'" if bus.mb_s is None else bus.provenance_of("mb_s")[0]),
        ),
        cells(
            "bus, 1 GiB, inside write",
            printed.bus_mb_s,
            results.bus.inside_write_mb_s,
            "input: a copy, as the thesis took it"
            if view.copied_bench(name)
            else f"as the thesis took it: off by {100 * bench_off(view, name):+.0f}%",
        ),
        cells("storage", printed.storage_mb_s, storage.read_mb_s, "input"),
    ]
    for mode, said in (("ecb", printed.ecb_cbc_ideal_mb_s), ("ctr", printed.ctr_ideal_mb_s)):
        one = view.cipher(name, mode)
        rows.append(
            cells(
                "ECB and CBC, ideal" if mode == "ecb" else "CTR, ideal",
                said,
                one.ideal_mb_s,
                f"16 bytes in {cycles(one)} at {one.clock_mhz:g} MHz; from "
                f"memory to the sink {human.significant(one.memory_to_sink_mb_s)}",
            )
        )
    return Section(
        f"{name}: micro-benchmarks in MB/s",
        ("what", "published", "ours", ""),
        tuple(rows),
    )


def _two_times(view: ThesisView) -> Section:
    columns = (("zedboard", "ecb"), ("zc706", "ecb"), ("zc706", "ctr"))
    rows = []
    for kib in SIZES_KIB:
        rates: list[float] = []
        for platform, mode in columns:
            series = view.series("throughput", "sink", "hardware", mode)
            seen = view.results.platforms[platform].streams.find(series, kib)
            assert seen  # noqa: S101 - every size is run
            rates += [seen.throughput_inside_write_mb_s or 0.0, seen.throughput_mb_s or 0.0]
        rows.append(cells(_size(kib), *rates))
    names = [
        f"{platform} {mode.upper()}, {what}"
        for platform, mode in columns
        for what in ("inside write", "end to end")
    ]
    return Section(
        "Two times of one run: into the sink, throughput application, MB/s",
        ("size", *names),
        tuple(rows),
        (
            "The DMA buffers swallow 4 MiB (zedboard) and 8 MiB (zc706) at the rate of a copy, "
            "whatever the cipher does; after that the writer waits, on zc706. On zedboard the "
            "card is slower than the cipher, so the buffers never fill, and time inside write is "
            "a copy's at every size.",
        ),
    )


def _size(kib: int) -> str:
    return f"{kib} KiB" if kib < KIB else f"{kib // KIB} MiB" if kib < KIB * KIB else "1 GiB"


def _future(view: ThesisView) -> Section:
    rows = []
    places = [(name, one.bus, one.ours) for name, one in view.results.platforms.items()] + [
        (OWN_ARM, view.results.own_arm_bus, view.results.own_arm)
    ]
    for name, bus, ciphers in places:
        for one in ciphers:
            rows.append(
                cells(
                    name,
                    str(one.operation),
                    f"{one.cycles_per_block:.0f}",
                    one.ideal_mb_s,
                    one.memory_to_sink_mb_s,
                    one.memory_to_memory_mb_s,
                    bus.end_to_end_mb_s,
                )
            )
    return Section(
        f"Its future work: {OUR_CORE} in every mode, without files, MB/s",
        (
            "platform",
            "operation",
            "cycles a block",
            "ideal",
            "memory to sink",
            "memory to memory",
            "bus alone, to the sink",
        ),
        tuple(rows),
        (
            "Cycles a block are those of the RTL, simulated with its input never dry and its "
            "output checked. CBC encryption waits for each block. On zc706-arm the processor's "
            "copies into DMA buffers, at 400 to 500 MB/s, are slower than its bus.",
        ),
    )


def _buffers(view: ThesisView) -> Section:
    names = view.paper.platforms
    rows = []
    for points in zip(*(view.results.platforms[name].buffers for name in names), strict=True):
        rates = [(point.inside_write_mb_s, point.end_to_end_mb_s) for point in points]
        rows.append(cells(str(points[0].count), *(rate for pair in rates for rate in pair)))
    return Section(
        "DMA buffers swept: ECB, 64 MiB into the sink, MB/s",
        (
            "buffers",
            *(f"{name}, {what}" for name in names for what in ("inside write", "end to end")),
        ),
        tuple(rows),
        ("More buffers change what is timed, not what a user waits for.",),
    )


def _buffer_sizes(view: ThesisView) -> Section:
    names = view.paper.platforms
    swept = [view.results.platforms[name].buffer_sizes for name in names]
    return Section(
        "Size of each DMA buffer swept: the bus alone, from memory to the sink, end to end, MB/s",
        ("KiB each", *names),
        tuple(
            cells(str(points[0].kib_each), *(one.end_to_end_mb_s for one in points))
            for points in zip(*swept, strict=True)
        ),
        ("What larger ones save is their hand-over, whose time is assumed: bus.buffer_us.",),
    )


def _updates(view: ThesisView) -> Section:
    names = view.paper.platforms
    swept = [view.results.platforms[name].updates for name in names]
    chosen, said = [], []
    for name in names:
        host = view.platform(name).host
        printed = middle(view.paper.of(name, "openssl", "file").hardware.ctr or 0.0)
        chosen.append(f"{name} {host.update_kib:g} KiB and {host.wake_us:g} us")
        said.append(f"{name} {printed:g}")
    return Section(
        "What has no source: update_kib, and wake_us; CTR, openssl application, file to file, "
        "inside write, MB/s",
        ("update, KiB", *(f"{n}, wake_us x {f:g}" for n in names for f in WAKE_FACTORS)),
        tuple(
            cells(str(points[0].update_kib), *(r for one in points for r in one.inside_write_mb_s))
            for points in zip(*swept, strict=True)
        ),
        (
            f"Chosen: {', '.join(chosen)}. Printed: {', '.join(said)} MB/s. That the first comes "
            "out is no more than what was chosen; the second follows from the same updates.",
        ),
    )
