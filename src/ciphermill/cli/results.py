# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill results``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ciphermill.algorithms import ALGORITHMS, all_modes
from ciphermill.cli import options, running
from ciphermill.names import did_you_mean

if TYPE_CHECKING:
    from ciphermill.campaign.store import Record, Store
    from ciphermill.design import Measurement
    from ciphermill.report.table import Table


MODES = all_modes()

_EXAMPLES = """\b
Examples:
  ciphermill results --last 1
  ciphermill results --device model:aes-pipelined --mode ctr
  ciphermill results --partition stream --soft-core vexriscv
  ciphermill results --design aes-iterative-256 --target nangate45
  ciphermill results --platform zedboard --device hardware --mode ctr
  ciphermill results --json > measurements.json
"""


@click.command("results", epilog=_EXAMPLES)
@running.store_option
@click.option("--run", type=click.IntRange(1), help="Only this run.")
@click.option("--last", type=click.IntRange(1), metavar="N", help="Only the last N runs.")
@click.option("--device", help="Only this device.")
@click.option("--mode", type=click.Choice(MODES), help="Only this mode.")
@click.option("--algorithm", type=click.Choice([*ALGORITHMS]), help="Only this algorithm.")
@click.option("--partition", help="Only this partition of an embedded system; see cosim --help.")
@click.option("--soft-core", help="Only this soft core.")
@click.option("--design", help="Only this design.")
@click.option("--target", help="Only this FPGA family or cell library; see physical --help.")
@click.option("--platform", help="Only this streaming platform; see campaign --help.")
@options.json_of("a list of measurements")
def command(store: str | None, last: int | None, as_json: bool, **given: Any) -> None:
    """List stored measurements."""
    from ciphermill.campaign.store import Store

    path = running.find_store(store)
    wanted = {name: value for name, value in given.items() if value is not None}
    records: list[Record] = []
    runs: list[str] = []
    # Listing must not create a store.
    if path:
        with Store(path) as opened:
            runs = opened.held("run")
            if runs:
                _refuse_unknown(opened, wanted)
            records = opened.records(**wanted, last=last)
    if as_json:
        options.print_json([record.measurement.to_json() for record in records])
        return
    if not runs:
        click.echo("nothing is stored yet; measure with: ciphermill weigh FILE", err=True)
        return
    if not records:
        asked = " and ".join(f"{_option(name)} {value}" for name, value in wanted.items())
        among = f" among its last {last} runs" if last else ""
        click.echo(
            f"no measurement in {path} has {asked}{among}: omit some of these options", err=True
        )
        return
    options.wide_console(options.LIST_WIDTH).print(results_table(records))


def _refuse_unknown(store: Store, wanted: Mapping[str, object]) -> None:
    """Refuse a value that no stored measurement has: it is mistyped or was never measured.

    Raises:
        UsageError: The message names similar values, and all that exist.
    """
    for name, value in wanted.items():
        held = store.held(name)
        if str(value) in held:
            continue
        question = did_you_mean(str(value), held)
        if name == "run":
            there = f"there are {len(held)}, the last is {held[-1]}"
        else:
            there = f"there are: {', '.join(held)}" if held else "no measurement has one"
        raise click.UsageError(
            f"{_option(name)} {value}: {store.location} has none; {question or there}"
            + (f" T{there[1:]}" if question else "")
        )


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def results_table(records: list[Record]) -> Table:
    """Return a row for each measurement; the first of a run has the run's number and time."""
    from ciphermill.report import format as human
    from ciphermill.report.table import Table

    table = Table(caption="~ simulated time")
    table.add_column("run", figures=True)
    for name in ("started (UTC)", "device or system", "operation"):
        table.add_column(name)
    for name in ("bytes", "time", "throughput", "cycles/\nblock"):
        table.add_column(name, figures=True)
    before = None
    for record in records:
        seen = record.measurement
        first = record.run != before
        before = record.run
        time = "-" if seen.time_total_s is None else human.duration(seen.time_total_s)
        rate = "-" if seen.throughput_mb_s is None else human.throughput(seen.throughput_mb_s)
        table.add_row(
            str(record.run) if first else "",
            record.started[:16].replace("T", " ") if first else "",
            seen.device or _system(seen),
            f"{(seen.mode or seen.algorithm or '-').upper()} {seen.operation or ''}",
            "-" if seen.bytes is None else str(seen.bytes),
            f"~{time}" if seen.method == "simulated" and seen.time_total_s else time,
            rate,
            "-" if seen.cycles_per_block is None else human.significant(seen.cycles_per_block),
        )
    return table


def _system(seen: Measurement) -> str:
    """A short label of an embedded system: ``software table, vexriscv``."""
    split = " ".join(part for part in (seen.partition, seen.variant) if part)
    return ", ".join(part for part in (split, seen.interface, seen.soft_core) if part) or "-"
