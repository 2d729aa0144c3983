# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill campaign``: streams of every mode and size, on platforms or on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ciphermill.cli import failures, files, options, progress, running

if TYPE_CHECKING:
    from ciphermill.campaign.run import Point, Run
    from ciphermill.campaign.store import Store
    from ciphermill.campaign.streams import Streams
    from ciphermill.design.streaming_platform import StreamingPlatform
    from ciphermill.evaluate.evaluator import Progress
    from ciphermill.evaluate.stream.series import Place, Series
    from ciphermill.report.section import Section

PLATFORMS = ("zedboard", "zc706", "zc706-arm", "zynq-ultrascale", "pcie-gen4-x16")
MOST_STREAMS = 64
"""Streams at once."""
LATENCY = "latency"
"""The sweep that is a campaign of messages of several lengths."""
OUR_CORE = "aes-pipelined"
"""The design for a platform that has no cores of its own."""

_NOT_WITH_SWEEPS = {
    "largest": "--largest: its streams have lengths of their own",
    "smallest": "--smallest: its streams have lengths of their own",
    "bench": "--bench or --no-bench: it has no micro-benchmarks",
    "plots": "--plots",
}

_NOT_WITH_DEVICE = {
    "platforms": "a platform: --device measures this machine",
    "cores": "--cores: the device has fixed cores",
    "bench": "--bench or --no-bench: it has no micro-benchmarks",
    "sweeps": "--sweep: the properties of this machine cannot be varied",
}

_EXAMPLES = """\b
Examples:
  ciphermill campaign zedboard
  ciphermill campaign zedboard zc706 --mode ctr --destination sink
  ciphermill campaign zc706 --cores aes-pipelined --plots plots
  ciphermill campaign pcie-gen4-x16 --largest 64M --json
  ciphermill campaign zedboard --sweep bus --sweep together
  ciphermill campaign zynq-ultrascale --sweep latency
  ciphermill campaign --device stream:/dev/board --folder /mnt/disk --largest 64M
  ciphermill campaign --device linux: --streams 6 --mode ctr
"""


def _several(
    name: str, choices: Sequence[str], help_: str
) -> Callable[[options.Command], options.Command]:
    """An option that may be repeated. The default is all of its choices."""
    return click.option(
        f"--{name}", f"{name}s", multiple=True, type=click.Choice(choices), help=help_
    )


@click.command("campaign", epilog=_EXAMPLES)
@click.argument("platforms", nargs=-1, metavar="[PLATFORM]...")
@click.option(
    "--device",
    metavar="NAME",
    help="Measure this device on this machine instead, in wall time, beside `software` and "
    "`software+`, with real files.",
)
@click.option(
    "--folder",
    metavar="FOLDER",
    help="Folder for the files of --device, on the storage to measure.  [default: a temporary one]",
)
@click.option(
    "--streams",
    type=click.IntRange(1, MOST_STREAMS),
    default=1,
    show_default=True,
    metavar="NUMBER",
    help="Streams of --device at once, each with files and an open device of its own: six, as the "
    "thesis has. Each one's rate and the total are reported.",
)
@click.option(
    "--cores",
    metavar="NAME",
    help="A design of ours, run cycle by cycle as far as that goes, or `own`: the cycle counts of "
    f"the platform's own cores.  [default: own where it has them, else {OUR_CORE}]",
)
@click.option(
    "--smallest",
    default="32k",
    show_default=True,
    callback=options.number_of_bytes,
    metavar="SIZE",
    help="The smallest size. Each further size is twice the one before.",
)
@click.option(
    "--largest",
    default="1024M",
    show_default=True,
    callback=options.number_of_bytes,
    metavar="SIZE",
    help="The largest of the sizes.",
)
@_several(
    "application",
    ("throughput", "openssl"),
    "throughput: calls overlap; openssl: each waits for its result; may be repeated.  "
    "[default: both]",
)
@_several(
    "destination",
    ("file", "sink"),
    "Destination of the output: a file, or the device's sink; may be repeated.  [default: both]",
)
@_several("mode", ("ecb", "cbc", "ctr"), "A mode of operation; may be repeated.  [default: all]")
@_several(
    "direction",
    ("encrypt", "decrypt"),
    "Encryption or decryption; may be repeated.  [default: both]",
)
@click.option(
    "--bench/--no-bench",
    default=True,
    show_default=True,
    help="Also run micro-benchmarks of bus and ciphers.",
)
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    type=click.Choice(
        ["storage", "bus", "clock", "buffers", "fifo", "update", "together", "latency"]
    ),
    help="Vary this property of the platform, and print the throughput; may be repeated. "
    "`clock` is that of the cores, `update` what the openssl application hands over, "
    "`together` the operations that share the bus, `latency` that of the link, for messages of "
    "several lengths.",
)
@click.option("--plots", metavar="FOLDER", help="Write throughput and speedup over size as SVG.")
@running.store_option
@options.json_of("a list of measurements")
def command(
    platforms: tuple[str, ...],
    device: str | None,
    folder: str | None,
    streams: int,
    cores: str | None,
    smallest: int,
    largest: int,
    applications: tuple[str, ...],
    destinations: tuple[str, ...],
    modes: tuple[str, ...],
    directions: tuple[str, ...],
    bench: bool,
    sweeps: tuple[str, ...],
    plots: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Stream files of every size through a PLATFORM's ciphers.

    A PLATFORM is zedboard, zc706, zc706-arm, zynq-ultrascale, pcie-gen4-x16, or the
    path of a platform's file. Both applications (throughput, openssl), both
    destinations (file, sink), ECB, CBC and CTR, encryption and decryption, in virtual
    time or, with --device, on this machine in wall time. Each series is stored when it
    is done. After an interruption the same command continues, as long as source, platform
    and model do not change.
    """
    from ciphermill.evaluate.stream.series import KIB

    sizes = [smallest // KIB]
    while sizes[-1] * 2 * KIB <= largest:
        sizes.append(sizes[-1] * 2)
    if smallest < KIB or smallest % KIB:
        raise click.UsageError("--smallest is not a whole number of KiB")
    if largest < smallest:
        raise click.UsageError(f"--largest is less than the smallest size, {smallest // KIB} KiB")

    def wanted(series: Series) -> bool:
        return all(
            not asked or one in asked
            for asked, one in (
                (applications, series.application),
                (destinations, series.destination),
                (modes, series.operation.mode),
                (directions, series.operation.verb),
            )
        )

    if device:
        _refuse_beside("--device", _NOT_WITH_DEVICE)
        if folder and not Path(folder).is_dir():
            raise click.UsageError(f"--folder: {folder} is not a folder")
    elif folder:
        raise click.UsageError("--folder is for --device: a platform's files are virtual")
    elif streams > 1:
        raise click.UsageError(
            "--streams is for --device: on a platform several at once are --sweep together"
        )
    elif not platforms:
        raise click.UsageError(f"name a platform ({', '.join(PLATFORMS)}), or a --device")
    if sweeps:
        _refuse_beside("--sweep", _NOT_WITH_SWEEPS)
    chosen = [_platform(name, cores) for name in dict.fromkeys(platforms)]
    if sweeps:
        with running.open_store(store) as opened:
            _sweep(chosen, sweeps, opened, as_json)
        return
    plots_folder = Path(plots) if plots else None
    if plots_folder:
        files.check_writable(plots_folder / "plot.svg")
    with running.open_store(store) as opened:
        asked = _Asked(sizes, wanted, opened, plots_folder, as_json)
        if device:
            with_openssl = not applications or "openssl" in applications
            _wall(device, folder, asked, with_openssl=with_openssl, streams=streams)
        else:
            _virtual(chosen, bench, asked)


def _platform(name: str, cores: str | None) -> tuple[StreamingPlatform, str]:
    """A platform, and the cores to run on it."""
    from ciphermill.design import load_platform
    from ciphermill.design.streaming_platform import StreamingPlatform
    from ciphermill.evaluate.stream.virtual import OWN_CORES

    platform = load_platform(name, StreamingPlatform)
    chosen = cores or (OWN_CORES if platform.cores else OUR_CORE)
    if chosen == OWN_CORES and not platform.cores:
        raise click.UsageError(
            f"{platform.name} has no cores of its own: name a design, such as --cores {OUR_CORE}"
        )
    return platform, chosen


@dataclass(frozen=True)
class _Asked:
    """The series to run on every platform or device."""

    sizes_kib: Sequence[int]
    wanted: Callable[[Series], bool]
    store: Store
    plots: Path | None
    as_json: bool

    def run(
        self, places: Sequence[Place], beside: Sequence[Point] = ()
    ) -> tuple[Run, list[Streams]]:
        """Run campaigns, sweeps and micro-benchmarks of places, and write the plots."""
        from ciphermill.campaign.streams import stream_points, streams_of
        from ciphermill.report.stream_plots import campaign_plots

        points = [
            point for place in places for point in stream_points(place, self.sizes_kib, self.wanted)
        ]
        points += beside
        run = _go(points, self.store, "series", as_json=self.as_json)
        found = [streams_of(run, place) for place in places]
        for streams in found if self.plots else ():
            name = streams.name.removeprefix("this machine with ")
            prefix = "".join(sign if sign.isalnum() or sign in "-+" else "-" for sign in name)
            for what, text in campaign_plots(streams):
                files.write((self.plots or Path()) / f"{prefix}-{what}.svg", text)
        return run, found

    def show(self, run: Run, sections: Sequence[Section]) -> None:
        """Print the results, then the place of the store."""
        from ciphermill.report.section import section_renderables

        if self.as_json:
            options.print_json([seen.to_json() for seen in run.measurements])
        else:
            running.print_parts(part for one in sections for part in section_renderables(one))
        running.tell(run, as_json=self.as_json)


def _virtual(
    platforms: Sequence[tuple[StreamingPlatform, str]], bench: bool, asked: _Asked
) -> None:
    """Run the campaigns of platforms in virtual time."""
    from ciphermill.campaign.run import Point
    from ciphermill.evaluate.stream.swept import Benches, benches_of, cores_of
    from ciphermill.evaluate.stream.virtual import VirtualStreams
    from ciphermill.report.stream_table import bench_section, streams_section

    told = _told(asked.as_json)
    places = [VirtualStreams(one, cores, report=told.report) for one, cores in platforms]
    benches = [
        Point(cores_of(cores, told), platform, Benches()) for platform, cores in platforms if bench
    ]
    run, found = asked.run(places, benches)
    measured = benches_of(run.measurements)
    sections = []
    for streams in found:
        sections.append(streams_section(streams))
        if streams.name in measured:
            sections.append(bench_section(streams.name, *measured[streams.name]))
    asked.show(run, sections)


def _wall(
    device: str, folder: str | None, asked: _Asked, *, with_openssl: bool, streams: int
) -> None:
    """Run the campaign of this machine, so many streams at once."""
    from ciphermill.evaluate.stream.wall import NoRoomError, WallStreams, WallTimeError
    from ciphermill.report.stream_table import streams_section, together_section

    place = Path(folder) if folder else None
    try:
        with WallStreams(
            device, place, asked.sizes_kib, with_openssl=with_openssl, streams=streams
        ) as machine:
            run, found = asked.run([machine])
    except WallTimeError as error:
        raise click.UsageError(str(error)) from error
    except NoRoomError as error:
        raise failures.Failure(str(error)) from error
    sections = (
        section for one in found for section in (streams_section(one), together_section(one))
    )
    asked.show(run, [one for one in sections if one])


def _refuse_beside(option_name: str, refused: dict[str, str]) -> None:
    """Refuse options that would have no effect beside another one.

    Raises:
        UsageError: One of them was given.
    """
    for name in options.given_options():
        if name in refused:
            raise click.UsageError(f"{option_name} does not go with {refused[name]}")


def _sweep(
    platforms: Sequence[tuple[StreamingPlatform, str]],
    sweeps: Sequence[str],
    store: Store,
    as_json: bool,
) -> None:
    """Run sweeps; after an interruption the same command continues them."""
    from ciphermill.campaign.run import Point
    from ciphermill.evaluate.stream.latency import LATENCIES_NS, AtLatency
    from ciphermill.evaluate.stream.sweeps import Sweep, sweep_values
    from ciphermill.evaluate.stream.swept import Swept, cores_of

    def workloads(platform: StreamingPlatform) -> Iterator[Swept | AtLatency]:
        for what in dict.fromkeys(sweeps):
            if what == LATENCY:
                yield from map(AtLatency, LATENCIES_NS)
            else:
                values = sweep_values(platform, Sweep(what))
                yield from (Swept(Sweep(what), value) for value in values)

    points = [
        Point(cores_of(cores, _told(as_json)), platform, workload)
        for platform, cores in platforms
        for workload in workloads(platform)
    ]
    run = _go(points, store, "values", as_json=as_json)
    pages = running.show(run, "sweep", report=None, as_json=as_json)
    running.tell(run, pages, as_json=as_json)


def _told(as_json: bool) -> Progress:
    """Return where lines on the work go."""
    from ciphermill.evaluate.evaluator import Progress

    return Progress(progress.say_nothing if as_json else progress.say)


def _go(points: Sequence[Point], store: Store, units: str, *, as_json: bool) -> Run:
    """Evaluate points, under a bar of such units; return the run."""
    from ciphermill.campaign.run import Run

    told = _told(as_json)
    with progress.of_steps(units, silent=as_json) as advance:
        told.points = advance or told.points
        run = Run(store, running.origin(), points, progress=told)
        run.go()
    return run
