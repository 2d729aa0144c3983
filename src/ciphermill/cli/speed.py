# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill speed``: repeats an operation in software for a fixed time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ciphermill.cli import options, progress, running
from ciphermill.evaluate.speed.operations import OPENSSL, OPERATIONS

if TYPE_CHECKING:
    from ciphermill.campaign.run import Point

THREADS = (1, 2, 4)
BYTES = (16, 64, 256, 1024, 8192, 16384)
"""The lengths of ``openssl speed``."""
DEVICES = ("cpu", "software+")

_EXAMPLES = """\b
Examples:
  ciphermill speed
  ciphermill speed --algorithm aes-256-ecb --bytes 16k --seconds 1
  ciphermill speed --algorithm sha-256 --threads 1 --device cpu
  ciphermill speed --algorithm ecdsa-p256-sign --algorithm ecdsa-p521-sign --seconds 10
  ciphermill speed --json | jq '.[] | select(.threads == 4)'
"""


@click.command("speed", epilog=_EXAMPLES)
@click.option(
    "--algorithm",
    "algorithms",
    multiple=True,
    type=click.Choice(list(OPERATIONS)),
    help="An operation; may be repeated.  [default: all]",
)
@click.option(
    "--device",
    "devices",
    multiple=True,
    help=f"A device beside {OPENSSL}; may be repeated.  [default: {', '.join(DEVICES)} if there]",
)
@click.option(
    "--threads",
    multiple=True,
    type=click.IntRange(1, 1024),
    help=f"Threads at once; may be repeated.  [default: {', '.join(map(str, THREADS))}]",
)
@click.option(
    "--bytes",
    "lengths",
    multiple=True,
    metavar="BYTES",
    callback=options.numbers_of_bytes,
    help=f"Length of a message; may be repeated.  [default: {', '.join(map(str, BYTES))}]",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.001, 3600),
    default=3.0,
    show_default=True,
    help="Time for which each operation is repeated.",
)
@running.output_options
def command(
    algorithms: tuple[str, ...],
    devices: tuple[str, ...],
    threads: tuple[int, ...],
    lengths: tuple[int, ...],
    seconds: float,
    store: str | None,
    report: str | None,
    as_json: bool,
) -> None:
    """Repeat operations in software for a fixed time.

    As openssl speed does, it repeats each operation on each device that has it and by
    OpenSSL's own calls, with each number of threads and each length of message. A signature
    is of a digest, so it has no length. Prints rates, mean and worst times, stores the
    measurements and writes an HTML report. The first output of each thread is checked (exit
    code 6 if one is wrong).

    Where the processor's energy counters can be read (Linux, RAPL), power and energy are
    measured too; of cuda:N by NVML. A simulated device does each operation once, in simulated time.
    """
    from ciphermill.campaign.run import Run
    from ciphermill.evaluate.evaluator import Progress

    names = dict.fromkeys(algorithms or OPERATIONS)
    for name in names:
        _check_lengths(name, lengths)
    with running.open_store(store) as opened:
        running.check_outputs(opened, report)
        points = _points(
            list(names), devices, threads or THREADS, lengths or BYTES, seconds, as_json
        )
        with progress.of_steps("operations", silent=as_json) as advance:
            # Without a bar, each operation is a line.
            told = Progress(progress.say_nothing if advance or as_json else progress.say)
            told.points = advance or told.points
            run = Run(opened, running.origin(), points, progress=told)
            run.go()
        pages = running.show(run, "speed", report=report, as_json=as_json)
        wrong = [
            f"an output of {seen.workload} on {seen.device} is wrong"
            for seen in run.measurements
            if seen.correct is False
        ]
        running.tell(run, pages, as_json=as_json, fail=not wrong)
    running.refuse_wrong(wrong, "device")


def _check_lengths(name: str, lengths: Sequence[int]) -> None:
    block = OPERATIONS[name].block_bytes
    for length in lengths:
        if length == 0 or length % block:
            whole = f"a multiple of {block}" if block > 1 else "at least 1"
            raise click.UsageError(f"--bytes {length}: a message of {name} has {whole} bytes")


def _points(
    names: Sequence[str],
    devices: Sequence[str],
    threads: Sequence[int],
    lengths: Sequence[int],
    seconds: float,
    silent: bool,
) -> list[Point]:
    """Return what is measured: on each device what it has, by OpenSSL's own calls everything."""
    from ciphermill import UnsupportedError
    from ciphermill.campaign.run import Point
    from ciphermill.evaluate.device.weigh import Device
    from ciphermill.evaluate.speed.evaluator import Repeated, Threads
    from ciphermill.registry import MODEL_PREFIX, open_device

    opened = []
    with progress.of_work(silent=silent) as report:
        for device in devices or DEVICES:
            try:
                if device != OPENSSL:
                    opened.append(open_device(device, report=report))
            except UnsupportedError:
                if devices:
                    raise
    points = []
    unable = {one.name for one in opened}
    for name in names:
        operation = OPERATIONS[name]
        able = [one for one in opened if operation.is_of(one)]
        unable -= {one.name for one in able}
        sizes = (
            [operation.message_bytes] if operation.message_bytes else list(dict.fromkeys(lengths))
        )
        points += [
            Point(Device(device), Threads(count), Repeated(name, size, seconds))
            for device in (*(one.name for one in able), OPENSSL)
            for count in ((1,) if device.startswith(MODEL_PREFIX) else sorted(set(threads)))
            for size in sizes
        ]
    if devices and unable:
        listed = " and ".join(sorted(unable))
        raise click.UsageError(f"{listed} has none of {', '.join(names)}: name another --device")
    return points
