# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The evaluators: the same message a number of times, and a simulated FPGA at one clock.

A device that computes for real runs the message once to warm up and then a number of times; each
output is compared. A simulated device takes the same time every time, so it runs once.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from types import NoneType
from typing import TYPE_CHECKING, Any

from ciphermill._engine import CancelledError, DeviceError
from ciphermill.design import Core, Fpga, Measurement
from ciphermill.evaluate.chip.targets import Settings, on_target
from ciphermill.evaluate.device.weigh import (
    Device,
    aes_arguments,
    failed,
    first_difference,
    memory_clock_mhz,
)
from ciphermill.evaluate.evaluator import Cancelled, Evaluator, Progress, between
from ciphermill.evaluate.speed.energy import Watch
from ciphermill.registry import MODEL_PREFIX, PROCESSOR_DEVICES, AnyDevice, split_model
from ciphermill.toolchain.board import BOARD_TOP, lane_of
from ciphermill.toolchain.modules import find_core
from ciphermill.toolchain.provenance import processor, processor_clock_mhz

if TYPE_CHECKING:
    from ciphermill.evaluate.device.weigh import AnyTiming

IDLE_S = 0.2
"""For so long, the idle machine's power is taken before the runs."""


@dataclass(frozen=True)
class Runs:
    """A workload: one message through AES, a number of times."""

    bytes: int
    """Length of the plaintext; whole blocks where the mode needs them."""
    mode: str
    key_bits: int
    operation: str = "encrypt"
    runs: int = 20
    devices: Mapping[str, AnyDevice] = field(default_factory=dict, compare=False, repr=False)
    """Open devices by name."""
    reference: Mapping[str, AnyDevice] = field(default_factory=dict, compare=False, repr=False)
    """By a device's name, the other device whose output its own must equal."""
    most_seconds: float | None = field(default=None, compare=False)
    """After so long no further run begins, and the first one is cut off; None: no bound."""
    told: Callable[[AnyTiming], None] = field(default=lambda _: None, compare=False, repr=False)
    """Called with the timing of each run that counts, as soon as it is done."""


@dataclass(frozen=True)
class Clocked:
    """A design: an accelerator that is simulated at a clock, and its RTL."""

    device: str
    """The device's name, with the clock."""
    design: str
    """Name of the accelerator."""
    clock_mhz: float


def measure(design: Device, _: None, workload: Runs, progress: Progress) -> list[Measurement]:
    """Run a message on a device, and return the one measurement.

    That of a device that fails, or vanishes, has no figures but a note: ``weigh.failure``.

    Raises:
        Cancelled: The measurement was cancelled.
        ciphermill.Error: The device cannot do what is asked.
    """
    try:
        fields = _fields(design.name, workload, progress)
    except DeviceError as error:
        fields = _asked_fields(design.name, workload) | {"runs": workload.runs}
        fields |= failed(design.name, error)
    return [Measurement.from_json(fields)]


def measure_clocked(
    design: Clocked, platform: Fpga, workload: Runs, progress: Progress
) -> list[Measurement]:
    """Run a message at a clock, and say whether the placed and routed accelerator reaches it.

    Raises:
        ciphermill.Error: The device failed.
        ToolError: A tool of place and route is missing or failed.
    """
    fields = _fields(design.device, workload, progress)
    routed = _routed(design, platform, progress)
    reached = routed.clock_mhz or 0.0
    what, _ = _placed(design)
    note = f"Placed and routed for {platform.name} by nextpnr, {what} reaches {reached:.1f} MHz."
    fields |= {
        "design": design.design,
        "target": platform.name,
        "clock.met": design.clock_mhz <= reached,
        "clock.highest_mhz": reached,
        "notes": (*fields.get("notes", ()), note),
    }
    return [Measurement.from_json(fields)]


RUNS = Evaluator("runs", between(Device, NoneType, Runs), measure, alone=lambda _: True)
CLOCKED = Evaluator(
    "clocked",
    between(Clocked, Fpga, Runs),
    measure_clocked,
    # Place and route is the same for every clock, and its result is cached.
    prepare=lambda design, platform, _, progress: _routed(design, platform, progress),
)


def _placed(design: Clocked) -> tuple[str, Core]:
    """What is placed and routed, in words, and its module.

    Of a board's FPGA, which has two clocks, it is a core with its counter: a part that is on the
    swept clock alone.
    """
    module = find_core(design.design)
    if module.top == BOARD_TOP:
        return f"a core of {design.design} with its counter", lane_of(module)
    return design.design, module


def _routed(design: Clocked, platform: Fpga, progress: Progress) -> Measurement:
    _, module = _placed(design)
    return on_target(module, platform, Settings(), progress.report)[0]


def _fields(name: str, workload: Runs, progress: Progress) -> dict[str, Any]:
    device = workload.devices[name]
    progress.report(
        f"{name}, {workload.mode}, {workload.key_bits} bits, {workload.bytes:,} bytes ..."
    )
    source, expected, asked = _texts(workload, name)

    begun, warm = perf_counter(), False

    def heed(_: int, __: int | None) -> None:
        if progress.cancelled.is_set():
            raise Cancelled
        if not warm and _over(begun, workload):
            raise CancelledError(
                f"one run of {name} takes more than {workload.most_seconds:g} s: take a shorter "
                "message, or more time"
            )

    def once() -> tuple[bytes, AnyTiming]:
        return device.run(workload.operation, source, progress=heed, **asked)

    fields = _asked_fields(name, workload)
    # The first run fills caches, starts threads and compiles kernels.
    output, timing = once()
    warm = True
    wrong = first_difference(output, expected)
    if timing.method == "simulated":
        workload.told(timing)
        fields |= _times(workload.bytes, [timing])
        fields |= {
            "design": split_model(name)[0] if name.startswith(MODEL_PREFIX) else None,
            "method": "simulated",
            "cycles.total": timing.cycles,
            "notes": ("A simulated device takes the same time every time, so it runs once.",),
        }
    else:
        found, other = _repeat(
            name, once, expected, workload, lambda part: progress.done(name, part), begun
        )
        fields |= found
        wrong = wrong if wrong >= 0 else other
        if name in PROCESSOR_DEVICES:
            fields["clock.mhz"] = processor_clock_mhz()
    rate, clock_mhz = fields["throughput.mb_s"], fields["clock.mhz"]
    return fields | {
        "correct": wrong < 0,
        "wrong.byte": wrong if wrong >= 0 else None,
        "merit.mb_s_per_mhz": rate / clock_mhz if clock_mhz else None,
        "merit.mb_s_per_processor": rate / device.processors if device.processors else None,
    }


def _asked_fields(name: str, workload: Runs) -> dict[str, Any]:
    """What is known before a device has run."""
    device = workload.devices[name]
    return {
        "algorithm": "aes",
        "key_bits": workload.key_bits,
        "mode": workload.mode,
        "operation": workload.operation,
        "device": device.name,
        "architecture": device.architecture,
        "bytes": workload.bytes,
        "messages": 1,
        "processors": device.processors,
        "clock.mhz": device.clock_mhz,
        "clock.memory_mhz": memory_clock_mhz(device),
    }


def _texts(workload: Runs, name: str) -> tuple[bytes, bytes, dict[str, Any]]:
    """What goes in, what must come out, and the other arguments; all random."""
    asked = aes_arguments(workload.mode, workload.key_bits)
    plain = os.urandom(workload.bytes)
    sealed, _ = workload.reference[name].run("encrypt", plain, **asked)
    texts = (plain, sealed) if workload.operation == "encrypt" else (sealed, plain)
    return (*texts, asked)


def _repeat(
    name: str,
    once: Callable[[], tuple[bytes, AnyTiming]],
    expected: bytes,
    workload: Runs,
    advance: Callable[[float], None],
    since: float,
) -> tuple[dict[str, Any], int]:
    """The figures of runs on a device that computes for real, and the first wrong byte or -1.

    The bound of the workload counts from ``since``; one run is made in any case.
    """
    timings: list[AnyTiming] = []
    watch, wrong = Watch(name, IDLE_S), -1
    begun = perf_counter()
    for number in range(workload.runs):
        if timings and _over(since, workload):
            break
        output, timing = once()
        timings.append(timing)
        workload.told(timing)
        if wrong < 0:
            wrong = first_difference(output, expected)
        advance((number + 1) / workload.runs)
    spent = {
        "time.total_s": perf_counter() - begun,
        "bytes": workload.bytes,
        "messages": len(timings),
    }
    energy = watch.fields(spent)
    return {
        **_times(workload.bytes, timings),
        **energy,
        "method": "measured",
        "platform": processor(),
        "notes": watch.notes or None,
    }, wrong


def _over(since: float, workload: Runs) -> bool:
    """Whether the time of a workload is over."""
    return workload.most_seconds is not None and perf_counter() - since > workload.most_seconds


def _times(length: int, timings: list[Any]) -> dict[str, Any]:
    """Medians and the spread of all runs, and throughput by the medians."""
    totals = sorted(one.total_s for one in timings)
    transfer_s, processing_s = (
        statistics.median(getattr(one, name) for one in timings)
        for name in ("transfer_s", "processing_s")
    )
    median_s = statistics.median(totals)
    low, _, high = statistics.quantiles(totals, method="inclusive") if totals[1:] else totals * 3
    return {
        "runs": len(totals),
        "time.total_s": median_s,
        "time.best_s": totals[0],
        "time.lower_quartile_s": low,
        "time.upper_quartile_s": high,
        "time.worst_message_s": totals[-1],
        # A processor that works in its own memory transfers nothing.
        "time.transfer_s": transfer_s or None,
        "time.processing_s": processing_s or None,
        "throughput.mb_s": length / median_s / 1e6,
        "throughput.processing_mb_s": length / processing_s / 1e6 if processing_s else None,
    }
