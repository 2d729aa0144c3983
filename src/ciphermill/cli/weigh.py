# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill weigh``: the main job."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ciphermill.cli import files, options, progress
from ciphermill.cli.failures import ExitCode, Failure, reading
from ciphermill.cli.storing import store_run
from ciphermill.toolchain import provenance

if TYPE_CHECKING:
    from ciphermill.evaluate.device.weigh import Weighing
    from ciphermill.report.page import About

DEFAULT_DEVICES = ("software", "software+", "cpu", "model:aes-iterative", "model:aes-pipelined")
REFERENCE = "software"
"""Device whose outputs the others must equal."""


_EXAMPLES = """\b
Examples:
  ciphermill weigh holiday.jpg
  ciphermill weigh --example --device software --device model:aes-serial
  ciphermill weigh data.bin --json | jq '.[] | select(.mode == "ctr")'
"""


@click.command("weigh", epilog=_EXAMPLES)
@click.argument("file", required=False)
@click.option("--example", is_flag=True, help="Weigh a photograph that comes with matplotlib.")
@click.option(
    "--device",
    "devices",
    multiple=True,
    help=f"A device to weigh; again for more.  [default: {', '.join(DEFAULT_DEVICES)}]",
)
@click.option(
    "--key-bits",
    type=click.Choice(["128", "192", "256"]),
    default="256",
    show_default=True,
    help="AES key size.",
)
@click.option(
    "--store",
    metavar="FILE",
    help="The results store.  [default: $CIPHERMILL_STORE, else "
    "ciphermill/measurements.sqlite under $XDG_DATA_HOME]",
)
@click.option(
    "--report",
    metavar="FILE",
    help="Where the HTML report goes.  [default: weigh-RUN.html beside the store, with the "
    "number of the run]",
)
@click.option(
    "--plot",
    metavar="FILE",
    help="Also write the plot of throughput as an SVG file of its own.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print a list of measurements and nothing else.",
)
def command(
    file: str | None,
    example: bool,
    devices: tuple[str, ...],
    key_bits: str,
    store: str | None,
    report: str | None,
    plot: str | None,
    as_json: bool,
) -> None:
    """Weigh software and simulated hardware on FILE.

    Runs AES in ECB, CBC, CTR, GCM and XTS, encrypt and decrypt, on every device
    that has them, checks that all outputs agree byte for byte (exit code 6 when
    they do not), prints a table, stores the measurements and writes an HTML report.

    Times of software are wall times of this machine: the median of several
    runs. Times of models are simulated: clocks of the accelerator divided by
    its clock frequency.
    """
    path = _input(file, example)
    with reading(str(path)):
        data = path.read_bytes()
    if not data:
        raise Failure(
            f"{path} is empty: there is nothing to weigh; name a file with something in it",
            ExitCode.USAGE,
        )
    from ciphermill.campaign.store import Store, default_store_path
    from ciphermill.report.page import weigh_page

    store_path = Path(store) if store else default_store_path()
    report_path = Path(report) if report else store_path.with_name("weigh-RUN.html")
    # A store or folder that cannot be used is found before the work, not after.
    with Store(store_path) as opened:
        for target in (report_path, *([Path(plot)] if plot else [])):
            files.check_writable(target)
        started = datetime.now().astimezone()
        weighing = _weigh(data, devices or DEFAULT_DEVICES, int(key_bits), as_json)
        stored = store_run(opened, weighing.measurements, started)
    if not report:
        # A run that could not be stored has no number, but a page.
        run = stored.number or f"{started:%Y-%m-%d-%H%M%S}"
        report_path = store_path.with_name(f"weigh-{run}.html")
    if as_json:
        click.echo(json.dumps([seen.to_json() for seen in weighing.measurements], indent=2))
    else:
        _print(weighing)
    files.write(report_path, weigh_page(weighing, _about(path.name, len(data), started)))
    if plot:
        from ciphermill.report import plots
        from ciphermill.report.comparison import Comparison

        picture = plots.throughput_svg(Comparison.of(weighing.measurements), plots.STANDALONE)
        files.write(Path(plot), picture)
    stored.tell(fail=not weighing.differences)
    click.echo(f"Report: {report_path}", err=as_json)
    if weighing.differences:
        sys.stdout.flush()
        more = len(weighing.differences) - 1
        others = f", and {more} more" if more else ""
        raise Failure(
            f"outputs differ: {weighing.differences[0]}{others}; do not trust this device",
            ExitCode.DIFFERENT,
        )


def _weigh(data: bytes, names: tuple[str, ...], key_bits: int, silent: bool) -> Weighing:
    """Open the devices, building models that are missing, and weigh them."""
    from ciphermill.evaluate.device.weigh import weigh
    from ciphermill.registry import open_device

    # A device that is named twice is weighed once, where it was named first.
    with progress.of_work(silent=silent) as report:
        devices = [open_device(name, report=report) for name in dict.fromkeys(names)]
    opened = {device.name: device for device in devices}
    origin = provenance.provenance(sys.argv)
    with progress.of_devices(list(opened), silent=silent) as advance:
        return weigh(
            data,
            list(opened.values()),
            opened.get(REFERENCE) or open_device(REFERENCE),
            key_bits=key_bits,
            provenance=origin,
            progress=advance,
        )


def _input(file: str | None, example: bool) -> Path:
    if example == (file is not None):
        raise click.UsageError("name a FILE to weigh, or give --example")
    if file is not None:
        return Path(file)
    from importlib.resources import files as resources

    # The photograph by the US Navy is in the public domain (matplotlib's LICENSE notes).
    return Path(str(resources("matplotlib") / "mpl-data" / "sample_data" / "grace_hopper.jpg"))


def _about(name: str, length: int, started: datetime) -> About:
    from ciphermill._engine import __version__
    from ciphermill.report.page import About

    return About(
        name=name,
        length=length,
        reference=REFERENCE,
        moment=started,
        processor=provenance.processor(),
        system=provenance.system(),
        version=__version__,
    )


def _print(weighing: Weighing) -> None:
    from ciphermill.report.table import weigh_table

    console = options.wide_console()
    console.print(weigh_table(weighing.measurements), "")
    if not weighing.differences:
        console.print("All outputs agree byte for byte.")
    streams = {seen.interface for seen in weighing.measurements if seen.interface}
    widths = sorted({int(interface.rpartition("-")[2]) for interface in streams})
    if widths:
        bits = " and ".join(str(width) for width in widths)
        console.print(f"Simulated accelerators have data streams of {bits} bits.")
