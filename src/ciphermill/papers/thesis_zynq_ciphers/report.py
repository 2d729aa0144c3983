# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis on Zynq ciphers beside ours: figure by figure, and which of them went in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ciphermill.design import Direction, Measurement, Method
from ciphermill.design.operations import OPERATIONS, Operation
from ciphermill.design.streaming_platform import (
    Implementation,
    StreamingPlatform,
    StreamMode,
)
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.evaluate.stream.bench import CipherBench
from ciphermill.evaluate.stream.inputs import bus_parameters, inputs, parameters_of
from ciphermill.evaluate.stream.series import IMPLEMENTATIONS, KIB, Series, same_stream
from ciphermill.papers.paper import PaperPlot, PaperReport, cells, ratio, same_place
from ciphermill.papers.thesis_zynq_ciphers.experiment import (
    CORE_MODULE,
    OUR_CORE,
    OWN_ARM,
    SIZES_KIB,
    ThesisResults,
)
from ciphermill.papers.thesis_zynq_ciphers.inputs import DecidingInputs
from ciphermill.papers.thesis_zynq_ciphers.published import (
    PublishedStream,
    ThesisPaper,
    ends,
    middle,
)
from ciphermill.papers.thesis_zynq_ciphers.sweeps import WAKE_FACTORS
from ciphermill.report import format as human
from ciphermill.report import plots
from ciphermill.report.section import Section
from ciphermill.report.stream_plots import stream_plot

LONGEST_KIB = SIZES_KIB[-1]
PAPER = "thesis-zynq-ciphers"
MODES: tuple[StreamMode, ...] = ("ecb", "cbc", "ctr")


@dataclass(frozen=True)
class Point:
    """A printed figure and ours, at the longest size."""

    printed: PublishedStream
    implementation: Implementation
    operations: tuple[Operation, ...]
    """Those that are alike on both sides."""
    published: float
    inside_write: float
    end_to_end: float
    fitted: bool
    """Whether the figure, or one of the same stream, went into the platform."""

    @property
    def off(self) -> float:
        """By how much ours differs, as a fraction of theirs."""
        return self.inside_write / self.published - 1


class ThesisView:
    """Both sides' figures by name, for tables and conclusions."""

    def __init__(self, paper: ThesisPaper, results: ThesisResults) -> None:
        """Take what is printed and what was run."""
        self.paper = paper
        self.results = results

    def platform(self, name: str) -> StreamingPlatform:
        """Return a platform that was run."""
        return self.results.platforms[name].platform

    def deciding(self, platform: str) -> DecidingInputs:
        """Return what decides a platform's figures."""
        return self.results.deciding_inputs(platform)

    def series(
        self,
        application: str,
        destination: str,
        implementation: str,
        mode: str,
        direction: str = "encrypt",
    ) -> Series:
        """Return a series by its names."""
        where = Application(application), Destination(destination)
        return Series(*where, Operation(mode, direction), implementation)

    def longest(self, platform: str, *names: str) -> Measurement:
        """Return the measurement at 1 GiB of a series, by its names as in ``series``.

        Raises:
            KeyError: It was not run.
        """
        series = self.series(*names)
        found = self.results.platforms[platform].streams.find(series, LONGEST_KIB)
        if found is None:
            raise KeyError(f"{platform}: {series}")
        return found

    def inside(self, *series: str) -> float:
        """Return the throughput inside write of a series at 1 GiB; see ``longest``."""
        return self.longest(*series).throughput_inside_write_mb_s or 0.0

    def end_to_end(self, *series: str) -> float:
        """Return the throughput that a user sees; see ``longest``."""
        return self.longest(*series).throughput_mb_s or 0.0

    def cipher(self, platform: str, mode: str, *, ours: bool = False) -> CipherBench:
        """Return a cipher from memory, encrypting."""
        one = self.results.platforms[platform]
        found = one.ours if ours else one.ciphers
        return next(
            c for c in found if (c.operation.mode, c.operation.direction) == (mode, "encrypt")
        )

    def points(self) -> Iterator[Point]:
        """Yield every printed throughput with ours, those that are alike together."""
        for printed in self.paper.result:
            for implementation in IMPLEMENTATIONS:
                groups: dict[tuple[float, float, float, bool], list[Operation]] = {}
                for operation in OPERATIONS:
                    direction = Direction(operation.direction)
                    theirs = printed.rate(implementation, operation.mode, direction)
                    if theirs is None:
                        continue
                    name = (printed.platform, printed.application, printed.destination)
                    seen = self.longest(*name, implementation, operation.mode, operation.direction)
                    figures = (
                        theirs,
                        round(seen.throughput_inside_write_mb_s or 0.0, 6),
                        round(seen.throughput_mb_s or 0.0, 6),
                        self.went_in(printed, implementation, operation),
                    )
                    groups.setdefault(figures, []).append(operation)
                for figures, operations in groups.items():
                    yield Point(printed, implementation, tuple(operations), *figures)

    def went_in(
        self, printed: PublishedStream, implementation: Implementation, operation: Operation
    ) -> bool:
        """Whether a printed throughput, or one of the same stream, is among its own inputs."""
        of = (implementation, operation.mode, operation.direction)
        series = self.series(printed.application, printed.destination, *of)
        names = []
        for one in self.paper.result:
            alike = self.series(one.application, one.destination, *of)
            if one.platform == printed.platform and same_stream(alike) == same_stream(series):
                figure = one.figure(implementation, operation.mode, series.direction)
                names += [f"{PAPER}#{figure}"] if figure else []
        platform = self.platform(printed.platform)
        return rests_on(platform, parameters_of(platform, series), names)

    def copied_bench(self, name: str) -> bool:
        """Whether the bus that is printed for a platform is among what its bus rests on."""
        platform = self.platform(name)
        return rests_on(platform, bus_parameters(platform), [f"{PAPER}#bench.{name}.bus_mb_s"])


def rests_on(
    platform: StreamingPlatform, parameters: Sequence[str], figures: Sequence[str]
) -> bool:
    """Whether one of the parameters was taken from, or fitted to, one of the printed figures."""
    return any(
        same_place(mine, theirs)
        for one in inputs(platform, parameters)
        for mine in one.figures
        for theirs in figures
    )


def thesis_report(paper: ThesisPaper, results: ThesisResults) -> PaperReport:
    """Put our results beside the thesis's figures."""
    from ciphermill.papers.thesis_zynq_ciphers import stored
    from ciphermill.papers.thesis_zynq_ciphers.conclusions import conclusions
    from ciphermill.papers.thesis_zynq_ciphers.misprints import misprints

    view = ThesisView(paper, results)
    sections = [section for name in paper.platforms for section in _platform(view, name)]
    concluded = tuple(conclusions(view))
    return PaperReport(
        paper.paper,
        (
            *sections,
            _pipelined_core(view),
            _two_times(view),
            _future(view),
            _buffers(view),
            _buffer_sizes(view),
            _updates(view),
        ),
        concluded,
        tuple(misprints(view)),
        # What decides figures is known once the conclusions have asked for it.
        (*stored.measurements(results), *published(paper)),
        _key(view),
        tuple(_plots(view)),
    )


def _key(view: ThesisView) -> Section:
    """Its main test: a file through the throughput application, encrypting."""
    rows = [
        cells(
            name,
            point.implementation,
            _modes(point.operations),
            point.published,
            point.inside_write,
            point.end_to_end,
        )
        for name in view.paper.platforms
        for point in view.points()
        if point.printed is view.paper.of(name, "throughput", "file")
        and any(one.direction == "encrypt" for one in point.operations)
    ]
    return Section(
        "Key figures: a file of 1 GiB, throughput application, MB/s",
        ("platform", "ciphers", "mode", "published", "ours inside write", "ours end to end"),
        tuple(rows),
        ("Published is time inside write; end to end is what a user waits for.",),
    )


def _plots(view: ThesisView) -> Iterator[PaperPlot]:
    for name, one in view.results.platforms.items():
        for what, said in (("inside-write", "as the thesis timed it"), ("end-to-end", "as waited")):
            wide, narrow = (
                stream_plot(one.streams, "encrypt", what, colours=plots.PAGE, narrow=narrow)
                for narrow in (False, True)
            )
            yield PaperPlot(
                f"{name}, encrypting: {what.replace('-', ' ')} ({said})",
                wide,
                narrow,
                "A panel for each application and destination. Dotted: software; dashed: "
                "software with AES instructions; solid: hardware. Series that are within 1% of "
                "each other share a curve.",
            )


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
        *cells(where, point.implementation, _modes(point.operations), published, inside),
        *cells(ratio(inside, published), point.end_to_end, "input" if point.fitted else ""),
    )


def _notes(view: ThesisView, name: str, points: Sequence[Point]) -> tuple[str, ...]:
    free = [point for point in points if not point.fitted]
    off = {
        f"{point.printed.application}, {point.printed.destination}, {point.implementation}, "
        f"{_modes(point.operations)}": point.off
        for point in free
    }
    if not view.copied_bench(name):
        off["bus, inside write"] = bench_off(view, name)
    within = [one for one in off.values() if abs(one) <= view.paper.tolerance.part]
    worst = max(off, key=lambda what: abs(off[what]))
    hardware = sum(point.implementation == "hardware" for point in free)
    error = view.results.platforms[name].line_error
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
        "1 GiB lies on lines through shorter simulated streams"
        + (
            f"; on a size that they have not seen they are off by {100 * error:.2g}% at most."
            if error
            else "."
        ),
    ]
    if view.platform(name).storage.writing_left_out:
        found.append(
            "End to end to a file: the card's writing left out. How fast it writes is not "
            "printed, and 1 GiB does not fit into the board's memory: until the file is on "
            "the card a user waits longer than this."
        )
    return tuple(found)


def bench_off(view: ThesisView, name: str) -> float:
    """By how much the bus, timed as the thesis timed it, differs from its figure."""
    ours = view.results.platforms[name].bus.inside_write_mb_s
    return ours / view.paper.bench_of(name).bus_mb_s - 1


def _modes(operations: Sequence[Operation]) -> str:
    """Modes in few words: a direction is named where only one is meant.

    >>> _modes([Operation("ecb", "encrypt"), Operation("ecb", "decrypt")])
    'ECB'
    >>> _modes([Operation("cbc", "decrypt"), Operation("ctr", "encrypt")])
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


def cycles(one: CipherBench) -> str:
    """Cycles a block in words."""
    return "a clock" if one.cycles_per_block == 1 else f"{one.cycles_per_block:.0f} cycles"


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


def published(paper: ThesisPaper) -> list[Measurement]:
    """Return the thesis's throughputs as measurements; they are time inside write.

    Where a range is printed, each of its ends is a measurement.
    """
    found = []
    for one in paper.result:
        for implementation in IMPLEMENTATIONS:
            for operation in OPERATIONS:
                direction = Direction(operation.direction)
                printed = one.printed(implementation, operation.mode, direction)
                name = one.figure(implementation, operation.mode, direction)
                if printed is None or name is None:
                    continue
                rates = ends(printed)
                for number, rate in enumerate(rates):
                    place = f"{name}.{number}" if len(rates) > 1 else name
                    found.append(
                        Measurement(
                            algorithm="aes",
                            key_bits=256,
                            mode=operation.mode,
                            direction=operation.direction,
                            platform=one.platform,
                            device=implementation,
                            application=one.application,
                            destination=one.destination,
                            throughput_inside_write_mb_s=rate,
                            method=Method.PUBLISHED,
                            inputs=(f"published:{PAPER}#{place}",),
                        )
                    )
    return found
