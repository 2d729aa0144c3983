# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill campaign``: streams of every mode and size on a simulated platform."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ciphermill.campaign import provenance
from ciphermill.cli import files, options, progress

if TYPE_CHECKING:
    from ciphermill.campaign.thesis import Campaign
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

_EXAMPLES = """\b
Examples:
  ciphermill campaign thesis --platform zedboard
  ciphermill campaign thesis --platform zc706 --cores aes-pipelined --plots plots
  ciphermill campaign thesis --platform pcie-gen4-x16 --largest 64M --json
  ciphermill campaign thesis --platform zedboard --sweep bus --sweep together
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
    CTR, encryption and decryption, in virtual time. Each series is stored when it
    is done; interrupted, the same command goes on where it was, as long as
    source, platform and model do not change.
    """
    from ciphermill.campaign.store import Store, default_store_path
    from ciphermill.campaign.thesis import PAPER_CORES, SIZES_KIB, run_campaign
    from ciphermill.design.streaming_platform import load_streaming_platform

    sizes = [kib for kib in SIZES_KIB if kib * 1024 <= largest]
    if not sizes:
        raise click.UsageError(f"--largest is less than the smallest size, {SMALLEST_KIB} KiB")
    platform = load_streaming_platform(platform_name)
    chosen = cores or (PAPER_CORES if platform.cores else OUR_CORE)
    if chosen == PAPER_CORES and not platform.cores:
        raise click.UsageError(
            f"{platform.name} has no cores of a paper: name a design, such as --cores {OUR_CORE}"
        )
    if sweeps:
        _refuse_beside_sweeps()
        _sweep(platform, chosen, sweeps)
        return
    folder = Path(plots) if plots else None
    if folder:
        files.check_writable(folder / "plot.svg")
    path = Path(store) if store else default_store_path()
    with Store(path) as opened:
        run: int | None = None
        started = datetime.now().astimezone()

        def keep(found: Sequence[Measurement]) -> None:
            nonlocal run
            if run is None:
                said = provenance.command_line(sys.argv)
                run = opened.add_run([], command=said, started=started)
            opened.extend_run(run, found)

        records = [] if fresh else opened.records(platform=platform.name)
        with progress.of_steps("series") as advance:
            campaign = run_campaign(
                platform,
                cores=chosen,
                sizes_kib=sizes,
                earlier=[record.measurement for record in records],
                keep=keep,
                provenance=provenance.provenance(sys.argv),
                progress=advance,
                report=_say,
            )
    if folder:
        _write_plots(campaign, folder)
    if as_json:
        click.echo(json.dumps([seen.to_json() for seen in campaign.measurements], indent=2))
    else:
        _show(campaign, sizes, bench)
    _say(f"Stored as run {run} in {path}" if run else f"All of it was in {path} already")


def _show(campaign: Campaign, sizes: Sequence[int], bench: bool) -> None:
    from ciphermill.campaign.thesis_bench import bus_bench, cipher_bench
    from ciphermill.report.paper import section_renderables
    from ciphermill.report.thesis_campaign import bench_section, campaign_section

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


def _refuse_beside_sweeps() -> None:
    """Refuse the options that a sweep has no use for, rather than ignore them.

    Raises:
        UsageError: One of them was given.
    """
    context = click.get_current_context()
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if given and option.name in _NOT_WITH_SWEEPS:
            raise click.UsageError(f"--sweep does not go with {_NOT_WITH_SWEEPS[option.name]}")


def _sweep(platform: StreamingPlatform, cores: str, sweeps: Sequence[str]) -> None:
    from ciphermill.campaign.thesis_sweeps import Sweep, sweep
    from ciphermill.report.paper import section_renderables
    from ciphermill.report.thesis_campaign import sweep_section

    console = options.wide_console()
    for what in map(Sweep, dict.fromkeys(sweeps)):
        points = list(sweep(platform, what, cores=cores, report=_say))
        for part in section_renderables(sweep_section(platform.name, what, points)):
            console.print(part)


def _write_plots(campaign: Campaign, folder: Path) -> None:
    from ciphermill.report.thesis_plots import campaign_plots

    for name, text in campaign_plots(campaign):
        files.write(folder / f"{campaign.platform.name}-{name}.svg", text)


def _say(text: str) -> None:
    click.echo(text, err=True)
