# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis on Zynq ciphers beside ours: figure by figure, and what it cannot have meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ciphermill.campaign.thesis import IMPLEMENTATIONS, KIB, SIZES_KIB, Campaign, Series
from ciphermill.campaign.thesis_bench import CipherBench
from ciphermill.campaign.thesis_paper import OUR_CORE, OWN_ARM, ThesisResults
from ciphermill.campaign.workload import OPERATIONS, Operation
from ciphermill.design import Direction, Measurement, Method
from ciphermill.design.published_thesis import PublishedStream, ThesisPaper
from ciphermill.design.streaming_platform import Implementation
from ciphermill.report import format as human
from ciphermill.report.paper import Misprint, PaperReport, Section, ratio
from ciphermill.streaming.applications import Application, Destination

LONGEST_KIB = SIZES_KIB[-1]
FITTED = frozenset(
    {
        # Rates of platforms/*.toml that were read from, or fitted to, these figures.
        ("zedboard", "throughput", "file", "software"),
        ("zedboard", "throughput", "file", "hardware"),
        ("zc706", "throughput", "file", "software"),
        ("zc706", "throughput", "sink", "software"),
        ("zc706", "openssl", "file", "software"),
        ("zc706", "throughput", "file", "software+"),
        ("zc706", "openssl", "file", "software+"),
    }
)
"""What went into the platforms: that these come out again proves nothing."""


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

    @property
    def off(self) -> float:
        """By how much ours differs, as a fraction of theirs."""
        return self.inside_write / self.published - 1

    @property
    def fitted(self) -> bool:
        """Whether the figure went into the platform."""
        one = self.printed
        key = (one.platform, one.application, one.destination, self.implementation)
        # CTR through the pipelined core is what its words' clocks were fitted to.
        words = one.platform == "zc706" and one.application == "throughput"
        ctr = self.implementation == "hardware" and self.operations[0].mode == "ctr"
        return key in FITTED or (words and ctr)


class ThesisView:
    """Both sides' figures by name, for tables and conclusions."""

    def __init__(self, paper: ThesisPaper, results: ThesisResults) -> None:
        """Take what is printed and what was run."""
        self.paper = paper
        self.results = results

    def campaign(self, platform: str) -> Campaign:
        """Return what a platform gave."""
        return self.results.platforms[platform].campaign

    def longest(
        self,
        platform: str,
        application: str,
        destination: str,
        implementation: Implementation,
        mode: str,
        direction: str = "encrypt",
    ) -> Measurement:
        """Return the measurement of a series at 1 GiB.

        Raises:
            KeyError: It was not run.
        """
        operation = next(
            one for one in OPERATIONS if (one.mode, one.direction) == (mode, direction)
        )
        series = Series(
            Application(application), Destination(destination), operation, implementation
        )
        found = self.campaign(platform).find(series, LONGEST_KIB)
        if found is None:
            raise KeyError(f"{platform}: {series}")
        return found

    def inside(self, *series: str) -> float:
        """Return the throughput inside write of a series at 1 GiB; see ``longest``."""
        return self.longest(*series).throughput_inside_write_mb_s or 0.0  # type: ignore[arg-type]

    def end_to_end(self, *series: str) -> float:
        """Return the throughput that a user sees; see ``longest``."""
        return self.longest(*series).throughput_mb_s or 0.0  # type: ignore[arg-type]

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
                groups: dict[tuple[float, float, float], list[Operation]] = {}
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
                    )
                    groups.setdefault(figures, []).append(operation)
                for figures, operations in groups.items():
                    yield Point(printed, implementation, tuple(operations), *figures)


def thesis_report(paper: ThesisPaper, results: ThesisResults) -> PaperReport:
    """Put our results beside the thesis's figures."""
    from ciphermill.report.thesis_conclusions import conclusions

    view = ThesisView(paper, results)
    sections = [section for name in paper.platforms for section in _platform(view, name)]
    return PaperReport(
        paper.paper,
        (*sections, _two_times(view), _future(view), _buffers(view)),
        tuple(conclusions(view)),
        tuple(misprints(view)),
        (*results.measurements, *published(paper)),
    )


def _platform(view: ThesisView, name: str) -> Iterator[Section]:
    points = [point for point in view.points() if point.printed.platform == name]
    yield Section(
        f"{name}: throughput in MB/s at 1 GiB, hardware with the thesis's clock counts",
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
    return (
        f"{point.printed.application}, {point.printed.destination}",
        point.implementation,
        _modes(point.operations),
        human.significant(point.published),
        human.significant(point.inside_write),
        ratio(point.inside_write, point.published),
        human.significant(point.end_to_end),
        "input" if point.fitted else "",
    )


def _notes(view: ThesisView, name: str, points: Sequence[Point]) -> tuple[str, ...]:
    free = [point for point in points if not point.fitted]
    within = [point for point in free if abs(point.off) <= view.paper.tolerance.part]
    worst = max(free, key=lambda point: abs(point.off))
    error = view.campaign(name).line_error
    return (
        f"{len(within)} of {len(free)} figures that did not go into platforms/{name}.toml are "
        f"within {100 * view.paper.tolerance.part:.0f}%; the farthest is off by "
        f"{100 * worst.off:+.0f}% ({worst.printed.application}, {worst.printed.destination}, "
        f"{worst.implementation}, {_modes(worst.operations)}). Those marked input did go in.",
        "Published is time inside write, as the thesis took it. End to end is what a user waits "
        "for; no part of the system is faster than that. Software is at the host's published "
        "rates, and not ours.",
        f"1 GiB lies on lines through shorter simulated streams; on a size that they have not "
        f"seen they are off by {100 * error:.2g}% at most.",
    )


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
        for base, theirs in (
            ("software", printed.speedup),
            ("software+", printed.speedup_over_software_plus),
        ):
            if theirs is None:
                continue
            for mode in ("ecb", "cbc", "ctr"):
                said = getattr(theirs, mode)
                inside = view.inside(*where, "hardware", mode) / view.inside(*where, base, mode)
                real = view.end_to_end(*where, "hardware", mode) / view.end_to_end(
                    *where, base, mode
                )
                rows.append(
                    (
                        f"{printed.application}, {printed.destination}",
                        base,
                        mode.upper(),
                        human.ratio(said),
                        human.ratio(inside),
                        human.ratio(real),
                    )
                )
    return Section(
        f"{name}: speedup of the hardware, encrypting 1 GiB",
        ("application, test", "over", "mode", "published", "ours inside write", "ours end to end"),
        tuple(rows),
        ("Printed speedups are rounded coarsely: 22 over 3,300 MB/s, for one, is 0.0067.",)
        if name == "zc706"
        else (),
    )


def _bench(view: ThesisView, name: str) -> Section:
    printed, results = view.paper.bench_of(name), view.results.platforms[name]
    storage = results.campaign.platform.storage
    rows = [
        (
            "bus, 1 GiB, end to end",
            human.significant(printed.bus_mb_s),
            human.significant(results.bus.end_to_end_mb_s),
            f"its wires carry {human.significant(results.bus.wires_mb_s)}",
        ),
        (
            "bus, 1 GiB, inside write",
            human.significant(printed.bus_mb_s),
            human.significant(results.bus.inside_write_mb_s),
            "as the thesis took it",
        ),
        (
            "storage",
            human.significant(printed.storage_mb_s),
            human.significant(storage.read_mb_s),
            "input",
        ),
    ]
    for mode, said in (("ecb", printed.ecb_cbc_ideal_mb_s), ("ctr", printed.ctr_ideal_mb_s)):
        one = view.cipher(name, mode)
        rows.append(
            (
                "ECB and CBC, ideal" if mode == "ecb" else "CTR, ideal",
                human.significant(said),
                human.significant(one.ideal_mb_s),
                f"16 bytes in {clocks(one)} at {one.clock_mhz:g} MHz; from "
                f"memory to the sink {human.significant(one.memory_to_sink_mb_s)}",
            )
        )
    return Section(
        f"{name}: micro-benchmarks in MB/s",
        ("what", "published", "ours", ""),
        tuple(rows),
    )


def clocks(one: CipherBench) -> str:
    """Clocks a block in words."""
    return "a clock" if one.clocks_per_block == 1 else f"{one.clocks_per_block:.0f} clocks"


def _two_times(view: ThesisView) -> Section:
    columns = (("zedboard", "ecb"), ("zc706", "ecb"), ("zc706", "ctr"))
    rows = []
    for kib in SIZES_KIB:
        cells = []
        for platform, mode in columns:
            operation = next(one for one in OPERATIONS if one.mode == mode)
            series = Series(Application.THROUGHPUT, Destination.SINK, operation, "hardware")
            seen = view.campaign(platform).find(series, kib)
            assert seen  # noqa: S101 - every size is run
            cells += [
                human.significant(seen.throughput_inside_write_mb_s or 0.0),
                human.significant(seen.throughput_mb_s or 0.0),
            ]
        rows.append((_size(kib), *cells))
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
                (
                    name,
                    str(one.operation),
                    f"{one.clocks_per_block:.0f}",
                    human.significant(one.ideal_mb_s),
                    human.significant(one.memory_to_sink_mb_s),
                    human.significant(one.memory_to_memory_mb_s),
                    human.significant(bus.end_to_end_mb_s),
                )
            )
    return Section(
        f"Its future work: {OUR_CORE} in every mode, without files, MB/s",
        (
            "platform",
            "operation",
            "clocks a block",
            "ideal",
            "memory to sink",
            "memory to memory",
            "bus alone, to the sink",
        ),
        tuple(rows),
        (
            "Clocks a block are those of the RTL, simulated with its input never dry and its "
            "output checked. CBC encryption waits for each block. On zc706-arm the processor's "
            "copies into DMA buffers, at 400 to 500 MB/s, are slower than its bus.",
        ),
    )


def _buffers(view: ThesisView) -> Section:
    names = view.paper.platforms
    rows = []
    for points in zip(*(view.results.platforms[name].buffers for name in names), strict=True):
        cells = [
            human.significant(value)
            for point in points
            for value in (point.inside_write_mb_s, point.end_to_end_mb_s)
        ]
        rows.append((str(points[0].count), *cells))
    return Section(
        "DMA buffers swept: ECB, 64 MiB into the sink, MB/s",
        (
            "buffers",
            *(f"{name}, {what}" for name in names for what in ("inside write", "end to end")),
        ),
        tuple(rows),
        ("More buffers change what is timed, not what a user waits for.",),
    )


def misprints(view: ThesisView) -> list[Misprint]:
    """What is printed and cannot be right, computed from the thesis's own figures."""
    found = []
    for name in view.paper.platforms:
        printed, cipher = view.paper.bench_of(name), view.cipher(name, "ecb")
        measured = max(
            one.hardware.ecb or 0.0
            for one in view.paper.result
            if one.platform == "zc706" and one.application == "throughput"
        )
        found.append(
            Misprint(
                f"{printed.source}.3, {name}",
                f"ECB and CBC: ideal {printed.ecb_cbc_ideal_mb_s:g} MB/s",
                f"16 bytes in {clocks(cipher)} at {cipher.clock_mhz:g} MHz are "
                f"{cipher.ideal_mb_s:.1f} MB/s, close to the {measured:g} that it measured",
                "it does not fit its core's clocks",
            )
        )
    wires = view.results.platforms["zedboard"].bus.wires_mb_s
    bench = view.paper.bench_of("zedboard")
    fast = sorted(
        {
            rate
            for one in view.paper.result
            if one.platform == "zedboard"
            for rate in (one.hardware.ecb, one.hardware.ctr)
            if rate and rate > wires
        }
    )
    found.append(
        Misprint(
            "sections 8.1.1, 9.1.2 and 9.1.4, zedboard",
            f"the bus does {bench.bus_mb_s:g} MB/s, the ciphers "
            f"{' to '.join(f'{rate:g}' for rate in fast)}",
            f"32 bits at 100 MHz carry {wires:g} MB/s, and a card of {bench.storage_mb_s:g} MB/s "
            "feeds them",
            "they are time inside write: what a processor copies into DMA buffers",
        )
    )
    bus = view.paper.bench_of("zc706").bus_mb_s
    found.append(
        Misprint(
            "sections 9.2.2 and 9.2.4, zc706",
            "software+ reaches 1000 MB/s into the sink",
            f"everything goes over a bus of {bus:g} MB/s (section 8.2.1)",
            "while the next piece is read the bus catches up, untimed: "
            f"{bus:g} MB/s look like "
            f"{view.results.platforms['zc706'].bus.inside_write_mb_s:.0f}",
        )
    )
    one, other = (view.paper.of("zc706", application, "file") for application in Application)
    rates = [printed.rate("software", "ecb", Direction.DECRYPT) or 0.0 for printed in (one, other)]
    found.append(
        Misprint(
            "sections 9.2.1 and 9.2.3, zc706",
            f"ECB and CBC decryption in software: {rates[0]:g} MB/s, and {rates[1]:g}",
            "both applications call the same OpenSSL for it, and are timed inside it",
            "one of them; the platform has the latter, which section 9.2.4 agrees with",
        )
    )
    disk = view.paper.workstation_disk
    storage = view.paper.bench_of("zc706").storage_mb_s
    found.append(
        Misprint(
            f"{disk.said_in} and {disk.also_said_in}",
            f"the workstation has a {disk.said}, and a {disk.also_said} of {storage:g} MB/s",
            "a spinning disk reads some 200 MB/s, and SATA carries 600",
            "it is one of the two, and the rate is the page cache's",
        )
    )
    return found


def published(paper: ThesisPaper) -> list[Measurement]:
    """Return the thesis's throughputs as measurements; they are time inside write."""
    found = []
    for one in paper.result:
        for implementation in IMPLEMENTATIONS:
            for operation in OPERATIONS:
                rate = one.rate(implementation, operation.mode, Direction(operation.direction))
                if rate is None:
                    continue
                found.append(
                    Measurement(
                        cipher="aes",
                        key_bits=256,
                        mode=operation.mode,
                        direction=operation.direction,
                        platform=one.platform,
                        device=implementation,
                        application=one.application,
                        destination=one.destination,
                        throughput_inside_write_mb_s=rate,
                        method=Method.PUBLISHED,
                    )
                )
    return found
