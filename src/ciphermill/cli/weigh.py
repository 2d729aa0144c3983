# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill weigh``: compares devices on one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ciphermill.algorithms import AES, ALGORITHMS, SCHEMES
from ciphermill.cli import measured, options, progress, running, verdict
from ciphermill.cli.failures import ExitCode, Failure, reading

if TYPE_CHECKING:
    from ciphermill.campaign.run import Run
    from ciphermill.campaign.store import Store
    from ciphermill.evaluate.device.weigh import Message

_DEVICES = "; ".join(
    f"{one.title}: {', '.join(scheme.devices)}"
    for one in ALGORITHMS.values()
    for scheme in one.schemes[:1]
)
_KEY_BITS = "; ".join(
    f"{scheme.title}: {one.default_key_bits} of {', '.join(map(str, one.key_bits))}"
    for one, scheme in SCHEMES.values()
    if "encrypt" in scheme.operations
)
_EXAMPLES = """\b
Examples:
  ciphermill weigh holiday.jpg
  ciphermill weigh --example --device software --device model:aes-serial
  ciphermill weigh holiday.jpg --algorithm ascon-aead128
  ciphermill weigh --verdict
  ciphermill weigh --verdict --mode gcm --bytes 4k --bytes 1M --device cpu --device opencl
  ciphermill weigh data.bin --json | jq '.[] | select(.mode == "ctr")'
"""


@click.command("weigh", epilog=_EXAMPLES)
@click.argument("file", required=False)
@click.option("--example", is_flag=True, help="Weigh a photograph that comes with matplotlib.")
@click.option(
    "--algorithm",
    type=click.Choice(list(SCHEMES)),
    default=AES.name,
    show_default=True,
    help="The algorithm, in all of its operations.",
)
@click.option(
    "--device",
    "devices",
    multiple=True,
    help="A device, or the file of a design of kind software; may be repeated.  "
    f"[default: {_DEVICES}]",
)
@click.option("--key-bits", type=int, help=f"Bits of the key.  [default: {_KEY_BITS}]")
@click.option(
    "--verdict",
    "decide",
    is_flag=True,
    help="Measure messages of each size instead of FILE, and say from which size offload pays.",
)
@click.option(
    "--mode",
    type=click.Choice(list(AES.modes)),
    help="With --verdict: mode of operation.  [default: ctr]",
)
@click.option(
    "--bytes",
    "sizes",
    multiple=True,
    metavar="BYTES",
    callback=options.numbers_of_bytes,
    help="With --verdict: length of a message; may be repeated.  [default: 16 to 1G, four times "
    "as long each]",
)
@running.plot_option
@running.output_options
def command(
    file: str | None,
    example: bool,
    algorithm: str,
    devices: tuple[str, ...],
    key_bits: int | None,
    decide: bool,
    mode: str | None,
    sizes: tuple[int, ...],
    store: str | None,
    report: str | None,
    plot: str | None,
    as_json: bool,
) -> None:
    """Compare software and simulated hardware on FILE.

    Runs AES in ECB, CBC, CTR, GCM and XTS, encrypt and decrypt, or another algorithm,
    on every device that has it, checks that all outputs are equal (exit code 6 if they are not),
    prints a table, stores the measurements and writes an HTML report.

    Times of software are wall times of this machine: the median of several
    runs. Times of models are simulated: cycles of the accelerator divided by
    its clock frequency.

    With --verdict it encrypts messages of 16 bytes to 1 GiB by AES on every device that is
    present, one at a time and 16 at once, and says who wins by throughput, latency, processor time
    and energy, and from which size offload pays. A message of 1 GiB needs 4.2 GB of memory and up
    to a minute on each device: without the memory it is left out, and --bytes chooses other sizes.
    A device that fails has no figures; the others are measured (exit code 5).
    """
    if decide:
        if file or example or plot or algorithm != AES.name:
            raise click.UsageError("--verdict takes no FILE, --example, --plot or --algorithm")
        _verdict(devices, sizes, mode or "ctr", key_bits or 256, store, report, as_json)
        return
    if mode or sizes:
        raise click.UsageError("--mode and --bytes need --verdict")
    known, scheme = SCHEMES[algorithm]
    allowed = known.key_bits if "encrypt" in scheme.operations else ()
    if key_bits is not None and key_bits not in allowed:
        has = f"keys of {', '.join(map(str, allowed))} bits" if allowed else "no key"
        raise click.UsageError(f"--key-bits {key_bits}: {scheme.title} has {has}")
    path = _input(file, example)
    with reading(str(path)):
        data = path.read_bytes()
    if not data:
        raise Failure(
            f"{path} is empty: name a file with at least one byte",
            ExitCode.USAGE,
        )
    from ciphermill.evaluate.device.weigh import Message
    from ciphermill.report.weigh_page import wrong_outputs

    with running.open_store(store) as opened:
        running.check_outputs(opened, report, plot)
        bits = key_bits or (known.default_key_bits if allowed else 0)
        asked = Message(path.name, data, bits, scheme_name=algorithm)
        run = _weigh(asked, devices or scheme.devices, opened, as_json)
        pages = running.show(run, "weigh", report=report, plot=plot, as_json=as_json)
        wrong = wrong_outputs(run.measurements)
        running.tell(run, pages, as_json=as_json, fail=not wrong)
    running.refuse_wrong((f"outputs differ: {line}" for line in wrong), "device")


def _verdict(
    devices: Sequence[str],
    sizes: Sequence[int],
    mode: str,
    key_bits: int,
    store: str | None,
    report: str | None,
    as_json: bool,
) -> None:
    """Measure messages of each size, and say from which size offload pays."""
    measured.check_key_bits(key_bits, mode)
    lengths = sorted(set(sizes)) or verdict.SIZES
    measured.check_sizes(lengths, mode)
    with running.open_store(store) as opened:
        running.check_outputs(opened, report)
        run = verdict.measure(devices, lengths, mode, key_bits, opened, silent=as_json)
        pages = running.show(run, "verdict", report=report, as_json=as_json)
        wrong = [
            f"an output of {seen.device} for {seen.bytes} bytes is wrong"
            for seen in run.measurements
            if seen.correct is False
        ]
        running.tell(run, pages, as_json=as_json, fail=not wrong)
    running.refuse_wrong(wrong, "device")
    measured.refuse_failed(run.measurements)


def _weigh(message: Message, names: Sequence[str], store: Store, silent: bool) -> Run:
    """Open the devices, build missing models, and measure them."""
    from ciphermill.campaign.run import Point, Run
    from ciphermill.design import Software, load_design
    from ciphermill.evaluate.device.weigh import Device, weighed_operations
    from ciphermill.evaluate.evaluator import Progress
    from ciphermill.registry import open_device

    files = {name: load_design(name, Software) for name in names if name.endswith(".toml")}
    # A device that is named twice is measured once, at its first place.
    wanted = dict.fromkeys(files[name].device if name in files else name for name in names)
    with progress.of_work(silent=silent) as report:
        devices = [open_device(one, report=report) for one in wanted]
    opened = {device.name: device for device in devices}
    reference = message.scheme.reference
    compared = {reference: open_device(reference)} if reference else {}
    asked = replace(message, devices={**compared, **opened})
    if not any(weighed_operations(device, asked) for device in devices):
        bits = f" with keys of {asked.key_bits} bits" if asked.key_bits else ""
        unable = " and ".join(opened)
        raise click.UsageError(
            f"{unable} cannot compute {asked.scheme.title}{bits}: name another --device"
        )
    designs = {one.device: one for one in files.values()}
    points = [Point(designs.get(one) or Device(one), None, asked) for one in opened]
    with progress.of_devices(list(opened), silent=silent) as advance:
        told = Progress(progress.say_nothing if silent else progress.say)
        told.advance = advance or told.advance
        run = Run(store, running.origin(), points, progress=told)
        run.go()
    return run


def _input(file: str | None, example: bool) -> Path:
    if example == (file is not None):
        raise click.UsageError("name a FILE to weigh, or give --example")
    if file is not None:
        return Path(file)
    from importlib.resources import files as resources

    # The photograph by the US Navy is in the public domain (matplotlib's LICENSE notes).
    return Path(str(resources("matplotlib") / "mpl-data" / "sample_data" / "grace_hopper.jpg"))
