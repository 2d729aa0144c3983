# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The evaluator: messages of one length, one after the other or several at once.

Latency is the engine's time of a message; Python's own copies are left out. Several messages at
once are one call from Python, whose latency is that of all of them, copies included. The outputs of
a call before the timed ones and of a call after them are compared. A simulated device takes
simulated time, one message at a time; what is longer than ``SIMULATED_BYTES`` is computed from two
shorter messages.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, process_time
from types import NoneType
from typing import Any, cast

from ciphermill._engine import Device as EngineDevice
from ciphermill._engine import DeviceError, Error
from ciphermill.design import Measurement
from ciphermill.evaluate.device.weigh import (
    Device,
    aes_arguments,
    failed,
    is_simulated,
    memory_clock_mhz,
)
from ciphermill.evaluate.evaluator import Evaluator, Progress, between
from ciphermill.evaluate.speed.energy import Watch
from ciphermill.functions import Message, run_batch
from ciphermill.registry import AnyDevice
from ciphermill.toolchain.provenance import processor

SIMULATED_BYTES = 1 << 16
"""The longest message that is simulated."""
LEAST_SECONDS = 0.2
"""Calls are repeated for this time, but for a long message."""
LEAST_CALLS = 5
MOST_SECONDS = 2.0
"""No further call begins after this time."""
AT_ONCE = 16
"""Messages of many callers."""
MOST_BYTES = 256 << 20
"""All messages that are handed over together are no longer."""
COPIES = 4
"""A call needs memory for so many copies of its messages: input, output, expected output, and the
device's own."""
MEMORY = Path("/proc/meminfo")


@dataclass(frozen=True)
class Lengths:
    """A workload: AES encryption of messages of one length."""

    bytes: int
    """Whole blocks where the mode needs them."""
    mode: str = "ctr"
    key_bits: int = 256
    at_once: int = 1
    """Messages that are handed over together."""
    devices: Mapping[str, AnyDevice] = field(default_factory=dict, compare=False, repr=False)
    """Open devices by name."""
    reference: Mapping[str, AnyDevice] = field(default_factory=dict, compare=False, repr=False)
    """By a device's name, the other device whose output its own must equal."""


def measure(design: Device, _: None, workload: Lengths, progress: Progress) -> list[Measurement]:
    """Measure a device with messages of one length, and return the one measurement.

    There is none of a simulated device with several messages at once. That of a device that fails,
    or vanishes, has no figures but a note (``weigh.failure``); so has one for which this machine
    lacks the memory.

    Raises:
        Cancelled: The measurement was cancelled.
        ciphermill.Error: The device cannot do what is asked.
    """
    device = workload.devices[design.name]
    progress.report(f"{design.name}, {workload.bytes:,} bytes, {workload.at_once} at once ...")
    fields: dict[str, Any] = {
        "algorithm": "aes",
        "key_bits": workload.key_bits,
        "mode": workload.mode,
        "operation": "encrypt",
        "device": device.name,
        "bytes": workload.bytes,
        "at_once": workload.at_once,
        "clock.mhz": device.clock_mhz,
        "clock.memory_mhz": memory_clock_mhz(device),
    }
    reference = workload.reference[design.name]
    try:
        if not is_simulated(device, workload.mode, workload.key_bits):
            found = _repeat(device, reference, workload, progress)
        elif workload.at_once == 1:
            found = _simulate(device, reference, workload)
        else:
            return []
    except DeviceError as error:
        found = failed(design.name, error)
    except MemoryError:
        several = f"{workload.at_once} times " if workload.at_once > 1 else ""
        note = f"{several}{workload.bytes:,} bytes are left out: this machine lacks the memory."
        found = {"method": "measured", "notes": (note[0].upper() + note[1:],)}
    return [Measurement.from_json({**fields, **found})]


OFFLOAD = Evaluator(
    "offload",
    between(Device, NoneType, Lengths),
    measure,
    alone=lambda _: True,
)


def _simulate(device: AnyDevice, reference: AnyDevice, workload: Lengths) -> dict[str, Any]:
    """The simulated time of a message; of a long one by the line through two shorter ones."""
    lengths = [workload.bytes]
    if workload.bytes > SIMULATED_BYTES:
        lengths = [SIMULATED_BYTES // 2, SIMULATED_BYTES]
    correct, times = True, []
    for length in lengths:
        data, asked = os.urandom(length), aes_arguments(workload.mode, workload.key_bits)
        output, timing = device.run("encrypt", data, **asked)
        correct &= output == reference.run("encrypt", data, **asked)[0]
        times.append([timing.total_s, timing.transfer_s, timing.processing_s])
    fields: dict[str, Any] = {"correct": correct, "method": "simulated"}
    if len(times) > 1:
        slopes = [
            (far - near) / (lengths[1] - lengths[0]) for near, far in zip(*times, strict=True)
        ]
        more = workload.bytes - lengths[1]
        times = [[far + more * slope for far, slope in zip(times[1], slopes, strict=True)]]
        measured = " and ".join(f"{length:,}" for length in lengths)
        fields |= {
            "method": "modelled",
            "notes": (f"The line through simulations of {measured} bytes.",),
        }
    [(total_s, transfer_s, processing_s)] = times
    return fields | {
        "messages": 1,
        "time.total_s": total_s,
        "time.transfer_s": transfer_s or None,
        "time.processing_s": processing_s or None,
        # One simulation says nothing of the worst.
        "time.median_message_s": total_s,
        "throughput.mb_s": workload.bytes / total_s / 1e6,
    }


def _repeat(
    device: AnyDevice, reference: AnyDevice, workload: Lengths, progress: Progress
) -> dict[str, Any]:
    """Times of calls on a device that computes for real.

    Raises:
        MemoryError: This machine has too little.
    """
    if COPIES * workload.at_once * workload.bytes > _free_bytes():
        raise MemoryError
    data, asked = os.urandom(workload.bytes), aes_arguments(workload.mode, workload.key_bits)
    call = _call(device, data, asked, workload.at_once)
    expected = reference.run("encrypt", data, **asked)[0]
    # The first call fills caches and starts threads; it is checked, not timed.
    correct = all(output == expected for output in call().outputs)
    watch = Watch(device.name, LEAST_SECONDS)
    calls: list[_Called] = []
    processor_before, began = process_time(), perf_counter()
    spent = 0.0
    while spent < LEAST_SECONDS or (len(calls) < LEAST_CALLS and spent < MOST_SECONDS):
        # The outputs are not kept.
        calls.append(replace(call(), outputs=[]))
        spent = perf_counter() - began
        progress.done(device.name, min(spent / LEAST_SECONDS, 1.0))
    processor_s = process_time() - processor_before
    energy = watch.fields(
        {
            "bytes": workload.bytes,
            "messages": len(calls) * workload.at_once,
            "time.total_s": spent,
        }
    )
    # To compare each output in between would add to processor time and energy.
    correct &= all(output == expected for output in call().outputs)
    times = [one.total_s for one in calls]
    fields: dict[str, Any] = {
        "messages": len(times) * workload.at_once,
        "bytes": workload.bytes,
        "time.total_s": sum(times),
        "time.median_message_s": statistics.median(times),
        "time.worst_message_s": max(times),
        "throughput.mb_s": workload.at_once * workload.bytes / statistics.median(times) / 1e6,
        "correct": correct,
        "method": "measured",
        "platform": processor(),
    }
    if isinstance(device, EngineDevice):
        # Of a device in a process of its own, the processor time is not known here.
        fields["time.processor_s"] = processor_s
    middle = statistics.median_low(times)
    seen = next(one for one in calls if one.total_s == middle)
    fields["time.transfer_s"] = seen.transfer_s or None
    fields["time.processing_s"] = seen.processing_s or None
    return {**fields, **energy, "notes": watch.notes or None}


def _free_bytes() -> float:
    """The memory that programs can still have, where Linux tells it."""
    try:
        lines = MEMORY.read_text(encoding="ascii").splitlines()
    except OSError:
        return float("inf")
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return 1024.0 * int(found[0]) if found else float("inf")


@dataclass(frozen=True)
class _Called:
    """What a call gave and took."""

    outputs: list[bytes]
    total_s: float
    transfer_s: float = 0.0
    processing_s: float = 0.0


def _call(
    device: AnyDevice, data: bytes, asked: dict[str, Any], at_once: int
) -> Callable[[], _Called]:
    """What is repeated: one message, or several at once."""

    def one() -> _Called:
        output, timing = device.run("encrypt", data, **asked)
        return _Called([output], timing.total_s, timing.transfer_s, timing.processing_s)

    def several() -> _Called:
        began = perf_counter()
        outputs = run_batch([message] * at_once, device=device)
        total_s = perf_counter() - began
        for output in outputs:
            if isinstance(output, Error):
                raise output
        return _Called([output for output in outputs if isinstance(output, bytes)], total_s)

    message = cast(Message, {"operation": "encrypt", "data": data, **asked})
    return one if at_once == 1 else several
