# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill campaign``: streams of every mode and size, on a platform or on this machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ciphermill.cli import failures, files, options, progress
from ciphermill.toolchain import provenance

if TYPE_CHECKING:
    from ciphermill.campaign.store import StoreError
    from ciphermill.campaign.streams import Campaign, Streams
    from ciphermill.design import Measurement
    from ciphermill.design.streaming_platform import StreamingPlatform

PLATFORMS = ("zedboard", "zc706", "zc706-arm", "zynq-ultrascale", "pcie-gen4-x16")
OUR_CORE = "aes-pipelined"
"""The cores of a platform that has none of its own."""
SMALLEST_KIB = 32

_NOT_WITH_SWEEPS = {
    "largest": "--largest: its streams are of 16 MiB",
    "bench": "--bench or --no-bench: it has no micro-benchmarks",
    "plots": "--plots",
    "fresh": "--fresh: it takes nothing from the store",
    "store": "--store: it stores nothing",
    "as_json": "--json",
}

_NOT_WITH_DEVICE = {
    "platform_name": "--platform: it is this machine that is measured",
    "cores": "--cores: the device has what it has",
    "bench": "--bench or --no-bench: it has no micro-benchmarks",
    "sweeps": "--sweep: this machine is as it is",
}

_EXAMPLES = """\b
Examples:
  ciphermill campaign thesis --platform zedboard
  ciphermill campaign thesis --platform zc706 --cores aes-pipelined --plots plots
  ciphermill campaign thesis --platform pcie-gen4-x16 --largest 64M --json
  ciphermill campaign thesis --platform zedboard --sweep bus --sweep together
  ciphermill campaign thesis --device stream:/dev/board --folder /mnt/disk --largest 64M
"""


@click.command("campaign", epilog=_EXAMPLES)
@click.argument("name", type=click.Choice(["thesis"]))
@click.option(
    "--platform",
    "platform_name",
    default="zedboard",
    show_default=True,
    metavar="NAME",
    help=f"One of {', '.join(PLATFORMS)}, or the path of a platform's file.",
)
@click.option(
    "--device",
    metavar="NAME",
    help="Measure this device on this machine instead, in wall time, beside `software` and "
    "`software+`, with real files.",
)
@click.option(
    "--folder",
    metavar="FOLDER",
    help="Where the files of --device go: the storage to measure.  [default: a temporary one]",
)
@click.option(
    "--cores",
    metavar="NAME",
    help="A design of ours, run clock by clock as far as that goes, or `paper`: the clock counts "
    f"of the paper's cores.  [default: paper where the platform has them, else {OUR_CORE}]",
)
@click.option(
    "--largest",
    default="1024M",
    show_default=True,
    callback=options.number_of_bytes,
    metavar="SIZE",
    help="The largest of the sizes, which double from 32 KiB.",
)
@click.option(
    "--bench/--no-bench",
    default=True,
    show_default=True,
    help="Micro-benchmarks of bus and ciphers too.",
)
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    type=click.Choice(["storage", "bus", "clock", "buffers", "fifo", "update", "together"]),
    help="Vary this instead, all else as it is, and print what it does; again for more. "
    "`clock` is that of the cores, `update` what the openssl application hands over, "
    "`together` the operations that share the bus.",
)
@click.option("--plots", metavar="FOLDER", help="Write throughput and speedup over size as SVG.")
@click.option("--fresh", is_flag=True, help="Use nothing of an earlier run in the store.")
@click.option("--store", metavar="FILE", help="The results store.  [default: see weigh --help]")
@click.option("--json", "as_json", is_flag=True, help="Print a list of objects and nothing else.")
def command(
    name: str,
    platform_name: str,
    device: str | None,
    folder: str | None,
    cores: str | None,
    largest: int,
    bench: bool,
    sweeps: tuple[str, ...],
    plots: str | None,
    fresh: bool,
    store: str | None,
    as_json: bool,
) -> None:
    """Stream files of every size through software and hardware ciphers of a platform.

    Both applications (throughput, openssl), both tests (file, sink), ECB, CBC and
    CTR, encryption and decryption, in virtual time or, with --device, on this machine
    by its clock. Each series is stored when it is done; interrupted, the same command
    goes on where it was, as long as source, platform and model do not change.
    """
    from ciphermill.campaign.streams import PAPER_CORES, SIZES_KIB, run_campaign
    from ciphermill.design.streaming_platform import load_streaming_platform

    sizes = [kib for kib in SIZES_KIB if kib * 1024 <= largest]
    if not sizes:
        raise click.UsageError(f"--largest is less than the smallest size, {SMALLEST_KIB} KiB")
    kept = _Kept(store, fresh)
    if device:
        _refuse_beside("--device", _NOT_WITH_DEVICE)
        _wall(device, folder, sizes, kept, plots, as_json)
        return
    if folder:
        raise click.UsageError("--folder is for --device: a platform's files are virtual")
    platform = load_streaming_platform(platform_name)
    chosen = cores or (PAPER_CORES if platform.cores else OUR_CORE)
    if chosen == PAPER_CORES and not platform.cores:
        raise click.UsageError(
            f"{platform.name} has no cores of a paper: name a design, such as --cores {OUR_CORE}"
        )
    if sweeps:
        _refuse_beside("--sweep", _NOT_WITH_SWEEPS)
        _sweep(platform, chosen, sweeps)
        return
    plots_folder = _plots_folder(plots)
    report = progress.say_nothing if as_json else _say
    with kept, progress.of_steps("series", silent=as_json) as advance:
        campaign = run_campaign(
            platform,
            cores=chosen,
            sizes_kib=sizes,
            earlier=kept.earlier_on(platform.name),
            keep=kept.keep,
            provenance=provenance.provenance(sys.argv),
            progress=advance,
            report=report,
        )
    if plots_folder:
        _write_plots(campaign, plots_folder, platform.name)
    if as_json:
        click.echo(json.dumps([seen.to_json() for seen in campaign.measurements], indent=2))
    else:
        _show(campaign, sizes, bench)
    kept.say()


class _Kept:
    """The results store while a campaign runs: what was there, and each series as it comes.

    When it takes no more, what comes is not stored, but shown all the same.
    """

    def __init__(self, store: str | None, fresh: bool) -> None:
        self._path = Path(store) if store else None
        self._fresh = fresh
        self._run: int | None = None
        self._error: StoreError | None = None

    def __enter__(self) -> _Kept:
        from ciphermill.campaign.store import Store, default_store_path

        self._path = self._path or default_store_path()
        self._started = datetime.now().astimezone()
        self._store = Store(self._path)
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def earlier_on(self, platform: str) -> list[Measurement]:
        """Measurements on a platform; none where all is to be run again."""
        if self._fresh:
            return []
        return [record.measurement for record in self._store.records(platform=platform)]

    def earlier_of(self, devices: Sequence[str]) -> list[Measurement]:
        """Measurements of devices; none where all is to be run again."""
        if self._fresh:
            return []
        return [
            record.measurement
            for device in devices
            for record in self._store.records(device=device)
        ]

    def keep(self, found: Sequence[Measurement]) -> None:
        """Store a series, as long as there is room; the first makes a run of its own."""
        from ciphermill.campaign.store import StoreError

        if self._error:
            return
        try:
            if self._run is None:
                said = provenance.command_line(sys.argv)
                self._run = self._store.add_run([], command=said, started=self._started)
            self._store.extend_run(self._run, found)
        except StoreError as error:
            self._error = error

    def say(self) -> None:
        """Tell where everything is.

        Raises:
            StoreError: Not all of it could be stored.
        """
        sys.stdout.flush()
        if self._error:
            raise self._error
        if self._run:
            _say(f"Stored as run {self._run} in {self._path}")
        else:
            _say(f"All of it was in {self._path} already")


def _wall(
    device: str,
    folder: str | None,
    sizes: Sequence[int],
    kept: _Kept,
    plots: str | None,
    as_json: bool,
) -> None:
    """Run the campaign on this machine."""
    from ciphermill.campaign.stream_wall import (
        SOFTWARE,
        NoRoomError,
        WallTimeError,
        run_wall_campaign,
    )
    from ciphermill.report.section import section_renderables
    from ciphermill.report.stream_table import wall_section

    place = Path(folder) if folder else None
    if place and not place.is_dir():
        raise click.UsageError(f"--folder: {folder} is not a folder")
    plots_folder = _plots_folder(plots)
    try:
        with kept, progress.of_steps("series", silent=as_json) as advance:
            campaign = run_wall_campaign(
                device,
                folder=place,
                sizes_kib=sizes,
                earlier=kept.earlier_of((device, *SOFTWARE)),
                keep=kept.keep,
                origin=provenance.provenance(sys.argv),
                progress=advance,
            )
    except WallTimeError as error:
        raise click.UsageError(str(error)) from error
    except NoRoomError as error:
        raise failures.Failure(str(error)) from error
    if plots_folder:
        name = "".join(sign if sign.isalnum() or sign in "-+" else "-" for sign in device)
        _write_plots(campaign, plots_folder, name)
    if as_json:
        click.echo(json.dumps([seen.to_json() for seen in campaign.measurements], indent=2))
    else:
        console = options.wide_console()
        for part in section_renderables(wall_section(campaign, sizes)):
            console.print(part)
    kept.say()


def _show(campaign: Campaign, sizes: Sequence[int], bench: bool) -> None:
    from ciphermill.campaign.stream_bench import bus_bench, cipher_bench
    from ciphermill.report.section import section_renderables
    from ciphermill.report.stream_table import bench_section, campaign_section

    sections = [campaign_section(campaign, sizes)]
    if bench:
        ciphers = list(cipher_bench(campaign.platform, campaign.cores, report=_say))
        sections.append(
            bench_section(campaign.platform.name, bus_bench(campaign.platform), ciphers)
        )
    console = options.wide_console()
    for section in sections:
        for part in section_renderables(section):
            console.print(part)


def _refuse_beside(option_name: str, refused: dict[str, str]) -> None:
    """Refuse the options that another has no use for, rather than ignore them.

    Raises:
        UsageError: One of them was given.
    """
    context = click.get_current_context()
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if given and option.name in refused:
            raise click.UsageError(f"{option_name} does not go with {refused[option.name]}")


def _sweep(platform: StreamingPlatform, cores: str, sweeps: Sequence[str]) -> None:
    from ciphermill.campaign.stream_sweeps import Sweep, sweep
    from ciphermill.report.section import section_renderables
    from ciphermill.report.stream_table import sweep_section

    console = options.wide_console()
    for what in map(Sweep, dict.fromkeys(sweeps)):
        points = list(sweep(platform, what, cores=cores, report=_say))
        for part in section_renderables(sweep_section(platform.name, what, points)):
            console.print(part)


def _plots_folder(plots: str | None) -> Path | None:
    """Where plots go, known to be writable before the work begins."""
    if plots is None:
        return None
    files.check_writable(Path(plots) / "plot.svg")
    return Path(plots)


def _write_plots(campaign: Streams, folder: Path, prefix: str) -> None:
    from ciphermill.report.stream_plots import campaign_plots

    for name, text in campaign_plots(campaign):
        files.write(folder / f"{prefix}-{name}.svg", text)


def _say(text: str) -> None:
    click.echo(text, err=True)
