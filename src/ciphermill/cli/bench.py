# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill bench``: runs AES a number of times on each device."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import click

from ciphermill.algorithms import AES
from ciphermill.cli import measured, options, progress, running

if TYPE_CHECKING:
    from ciphermill.campaign.run import Point
    from ciphermill.registry import AnyDevice

SIZES = (16 << 10, 1 << 20)
"""Lengths of a message, unless given."""
SWEEP_BYTES = 32 << 20
"""Length of the message of a sweep, unless given: the longest chunk."""
CLOCK_SWEEP_BYTES = 4096
"""Length of the message at each clock, unless given: it is simulated."""
GROUPS = tuple(32 << step for step in range(6))
"""Work-items of a group."""
LANES = (1, 4, 8, 16)
"""Words that a work-item computes side by side, with the bitsliced kernel."""
CHUNKS = tuple(1 << shift for shift in range(20, 26))
"""Bytes of a chunk, from which the number of work-items follows."""
ROUTED = "ecp5"
"""The FPGA whose placed and routed clock bounds a sweep of clocks."""

_EXAMPLES = """\b
Examples:
  ciphermill bench
  ciphermill bench --device cpu --device opencl --mode ctr --bytes 64k --bytes 64M
  ciphermill bench --mode gcm --operation decrypt --key-bits 128 --runs 100
  ciphermill bench --sweep --device opencl:0
  ciphermill bench --device model:aes-iterative --clock-sweep 50 --clock-sweep 100
  ciphermill bench --json | jq '.[] | [.device, .mode, ."throughput.mb_s"]'
"""


@click.command("bench", epilog=_EXAMPLES)
@click.option(
    "--device",
    "devices",
    multiple=True,
    help="A device; may be repeated.  [default: those that are present]",
)
@click.option(
    "--mode",
    "modes",
    multiple=True,
    type=click.Choice(list(AES.modes)),
    help="Mode of operation; may be repeated.  [default: all; in a sweep ctr]",
)
@click.option(
    "--key-bits",
    multiple=True,
    type=click.Choice([str(one) for one in AES.key_bits]),
    help="Bits of the key; may be repeated.  [default: 256; of a device without those, 128]",
)
@click.option(
    "--operation",
    type=click.Choice(["encrypt", "decrypt"]),
    default="encrypt",
    show_default=True,
    help="What is done.",
)
@click.option(
    "--bytes",
    "sizes",
    multiple=True,
    metavar="BYTES",
    callback=options.numbers_of_bytes,
    help="Length of a message; may be repeated.  [default: 16k and 1M; --sweep: 32M; "
    "--clock-sweep: 4k]",
)
@click.option(
    "--runs",
    type=click.IntRange(1, 1_000_000),
    default=20,
    show_default=True,
    help="Runs of each message on a device that computes for real, after one to warm up.",
)
@click.option(
    "--sweep",
    is_flag=True,
    help="Vary kernel, work-items of a group, lanes and chunk of each graphics processor.",
)
@click.option(
    "--clock-sweep",
    "clocks_mhz",
    multiple=True,
    metavar="MHZ",
    type=click.FloatRange(0.001, 10_000),
    help="Run simulated devices at this clock, and find the highest that place and route "
    f"for {ROUTED} allows; may be repeated.",
)
@running.output_options
def command(
    devices: tuple[str, ...],
    modes: tuple[str, ...],
    key_bits: tuple[str, ...],
    operation: str,
    sizes: tuple[int, ...],
    runs: int,
    sweep: bool,
    clocks_mhz: tuple[float, ...],
    store: str | None,
    report: str | None,
    as_json: bool,
) -> None:
    """Run AES many times on each device: median and spread.

    Each mode, key and size has a random message. It is run once to warm up and then --runs times,
    and every output is compared with that of another device (exit code 6 if one is wrong). Prints
    throughput with and without transfers, a MHz and a processor, energy where it can be read, and
    the spread; stores the measurements and writes an HTML report.

    A simulated device runs once, in simulated time. One that fails, or vanishes, has no figures;
    the others are measured, and the command ends with exit code 5.
    """
    from ciphermill.campaign.run import Run
    from ciphermill.evaluate.evaluator import Progress

    if sweep and clocks_mhz:
        raise click.UsageError("give --sweep or --clock-sweep, not both")
    asked = _Asked(
        modes or (("ctr",) if sweep or clocks_mhz else ()),
        tuple(dict.fromkeys(map(int, key_bits))),
        operation,
        tuple(dict.fromkeys(sizes)) or _default_sizes(sweep, clocks_mhz),
        runs,
    )
    asked.check()
    with running.open_store(store) as opened:
        running.check_outputs(opened, report)
        if clocks_mhz:
            points = _of_clocks(devices, clocks_mhz, asked, as_json)
        else:
            found = measured.open_devices(_swept(devices) if sweep else devices, silent=as_json)
            points = list(asked.points(_able(found) if sweep else found, bool(devices)))
        with progress.of_steps("devices and messages", silent=as_json) as advance:
            told = Progress(progress.say_nothing if advance or as_json else progress.say)
            told.points = advance or told.points
            run = Run(opened, running.origin(), points, progress=told)
            run.go()
        pages = running.show(run, "bench", report=report, as_json=as_json)
        wrong = [
            f"an output of {seen.device} in mode {seen.mode}, {seen.bytes} bytes, is wrong"
            for seen in run.measurements
            if seen.correct is False
        ]
        running.tell(run, pages, as_json=as_json, fail=not wrong)
    running.refuse_wrong(wrong, "device")
    measured.refuse_failed(run.measurements)


def _default_sizes(sweep: bool, clocks_mhz: Sequence[float]) -> tuple[int, ...]:
    return (SWEEP_BYTES,) if sweep else (CLOCK_SWEEP_BYTES,) if clocks_mhz else SIZES


@dataclass(frozen=True)
class _Asked:
    """What is done on each device."""

    modes: Sequence[str]
    """Empty: all modes."""
    key_bits: Sequence[int]
    """Empty: the default ones."""
    operation: str
    sizes: Sequence[int]
    runs: int

    def check(self) -> None:
        """Refuse keys and sizes that a named mode does not have; without one, those of no mode."""
        # Counter mode takes a message of any length.
        for mode in self.modes or ("ctr",):
            measured.check_sizes(self.sizes, mode)
            for bits in self.key_bits:
                measured.check_key_bits(bits, mode)

    def points(
        self, found: Sequence[AnyDevice], named: bool, clocked: Mapping[str, Point] | None = None
    ) -> Iterator[Point]:
        """Yield what is measured, mode by mode, so that devices stand beside each other.

        Args:
            found: Open devices.
            named: Whether they were named, and must be able to do something that is asked.
            clocked: By a device's name, its point of a sweep of clocks.

        Raises:
            click.UsageError: A named device, or every device, can do nothing that is asked.
        """
        from ciphermill.campaign.run import Point
        from ciphermill.evaluate.bench.evaluator import Runs
        from ciphermill.evaluate.device.weigh import Device

        opened = {one.name: one for one in found}
        references = measured.references(list(opened))
        unable = set(opened)
        for mode, size in product(self.modes or AES.modes, self.sizes):
            if not self.modes and not _fits(size, mode):
                continue
            for name, device in opened.items():
                for bits in self._keys(device, mode):
                    unable.discard(name)
                    work = Runs(*(size, mode, bits, self.operation, self.runs), opened, references)
                    yield (
                        Point(clocked[name].design, clocked[name].platform, work)
                        if clocked
                        else Point(Device(name), None, work)
                    )
        if unable and (named or len(unable) == len(opened)):
            asked = ", ".join(self.modes) or "any mode"
            raise click.UsageError(
                f"{' and '.join(sorted(unable))} cannot {self.operation} AES in {asked} with such "
                "a key: name another --device, --mode or --key-bits"
            )
        for name in sorted(unable):
            progress.say(f"{name} is left out: it cannot {self.operation} what is asked")

    def _keys(self, device: AnyDevice, mode: str) -> list[int]:
        able = [
            bits
            for bits in measured.key_sizes(mode)
            if measured.has_aes(device, mode, bits, self.operation)
        ]
        wanted = self.key_bits or ((256,) if 256 in able else (128,))
        return [bits for bits in wanted if bits in able]


def _fits(size: int, mode: str) -> bool:
    try:
        measured.check_sizes((size,), mode)
    except click.UsageError:
        return False
    return True


def _swept(devices: Sequence[str]) -> list[str]:
    """Names of graphics processors with each setting: no chunk with all groups and lanes."""
    from ciphermill._engine import graphics_processors
    from ciphermill.registry import GRAPHICS_FAMILIES

    for name in devices:
        if name.partition(":")[0] not in GRAPHICS_FAMILIES or "," in name:
            families = " or ".join(f"{family}:0" for family in GRAPHICS_FAMILIES)
            raise click.UsageError(
                f"--sweep --device {name}: name a graphics processor without settings, such as "
                f"{families}"
            )
    names = devices or graphics_processors()
    if not names:
        raise click.UsageError(
            "--sweep: there is no graphics processor here; see docs/how-to/"
            "use-a-graphics-processor.md"
        )
    swept = []
    for name in names:
        begin = name if ":" in name else f"{name}:0"
        lanes = {"tables": (None,), "bitsliced": LANES if name.startswith("opencl") else (None,)}
        for kernel in lanes:
            swept += [f"{begin},kernel={kernel},chunk_bytes={chunk}" for chunk in CHUNKS]
            for lane, group in product(lanes[kernel], GROUPS):
                more = f",lanes={lane}" if lane else ""
                swept.append(f"{begin},kernel={kernel},group_items={group}{more}")
    return swept


def _able(found: Sequence[AnyDevice]) -> list[AnyDevice]:
    """The devices whose driver takes their settings; the others are told."""
    from ciphermill import Error
    from ciphermill.evaluate.device.weigh import aes_arguments

    able = []
    for device in found:
        try:
            device.run("encrypt", bytes(16), **aes_arguments("ctr", 128))
        except Error as error:
            progress.say(f"{device.name} is left out: {error}")
        else:
            able.append(device)
    return able


def _of_clocks(
    devices: Sequence[str], clocks_mhz: Sequence[float], asked: _Asked, silent: bool
) -> list[Point]:
    """Points of each simulated device at each clock, beside its place and route."""
    from ciphermill.campaign.run import Point
    from ciphermill.design import load_platform
    from ciphermill.evaluate.bench.evaluator import Clocked
    from ciphermill.registry import MODEL_PREFIX

    if not devices:
        raise click.UsageError("--clock-sweep needs --device model:NAME")
    for name in devices:
        if not name.startswith(MODEL_PREFIX) or "," in name:
            raise click.UsageError(
                f"--clock-sweep --device {name}: name a simulated device without settings, such "
                f"as {MODEL_PREFIX}aes-iterative"
            )
    platform = load_platform(ROUTED)
    clocked = {}
    for name, clock_mhz in product(dict.fromkeys(devices), sorted(set(clocks_mhz))):
        # All digits, since a close clock is another device.
        device = f"{name},clock_mhz={repr(clock_mhz).removesuffix('.0')}"
        design = Clocked(device, name.removeprefix(MODEL_PREFIX), clock_mhz)
        clocked[device] = Point(design, platform, None)
    found = measured.open_devices(list(clocked), silent=silent)
    return list(asked.points(found, named=True, clocked=clocked))
