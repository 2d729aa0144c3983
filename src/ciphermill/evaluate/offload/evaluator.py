# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The evaluator: messages of one length, one after the other or several at once.

Latency is the engine's time of a message; Python's own copies are left out. Several messages at
once are one call from Python, whose latency is that of all of them, copies included. A simulated
device takes simulated time; what is longer than ``SIMULATED_BYTES`` is computed from two shorter
messages.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter, process_time
from types import NoneType
from typing import Any, cast

from ciphermill._engine import Device as EngineDevice
from ciphermill._engine import Error
from ciphermill.design import Measurement
from ciphermill.evaluate.device.weigh import Device, aes_arguments
from ciphermill.evaluate.evaluator import Evaluator, Progress, between
from ciphermill.evaluate.speed.energy import Watch
from ciphermill.functions import Message, run_batch
from ciphermill.registry import MODEL_PREFIX, AnyDevice
from ciphermill.toolchain.provenance import processor

SIMULATED_BYTES = 1 << 16
"""The longest message that is simulated."""
LEAST_SECONDS = 0.2
"""Calls are repeated for this time, but for a long message."""
LEAST_CALLS = 5
MOST_SECONDS = 2.0
"""No further call begins after this time."""
REFERENCE = "cpu"
"""The device whose output the others' must equal."""


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
    """Open devices by name, ``cpu`` among them."""


def measure(design: Device, _: None, workload: Lengths, progress: Progress) -> list[Measurement]:
    """Measure a device with messages of one length, and return the one measurement.

    Raises:
        Cancelled: The measurement was cancelled.
        ciphermill.Error: The device failed.
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
    }
    simulated = design.name.startswith(MODEL_PREFIX)
    found = _simulate(device, workload) if simulated else _repeat(device, workload, progress)
    return [Measurement.from_json({**fields, **found})]


OFFLOAD = Evaluator(
    "offload",
    between(Device, NoneType, Lengths),
    measure,
    alone=lambda _: True,
)


def _simulate(device: AnyDevice, workload: Lengths) -> dict[str, Any]:
    """The simulated time of a message; of a long one by the line through two shorter ones."""
    lengths = [workload.bytes]
    if workload.bytes > SIMULATED_BYTES:
        lengths = [SIMULATED_BYTES // 2, SIMULATED_BYTES]
    correct, times = True, []
    for length in lengths:
        data, asked = os.urandom(length), aes_arguments(workload.mode, workload.key_bits)
        output, timing = device.run("encrypt", data, **asked)
        correct &= output == workload.devices[REFERENCE].run("encrypt", data, **asked)[0]
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
        "time.median_message_s": total_s,
        "time.worst_message_s": total_s,
        "throughput.mb_s": workload.bytes / total_s / 1e6,
    }


def _repeat(device: AnyDevice, workload: Lengths, progress: Progress) -> dict[str, Any]:
    """Times of calls on a device that computes for real."""
    data, asked = os.urandom(workload.bytes), aes_arguments(workload.mode, workload.key_bits)
    call = _call(device, data, asked, workload.at_once)
    expected = workload.devices[REFERENCE].run("encrypt", data, **asked)[0]
    # The first call fills caches and starts threads; it is checked, not timed.
    correct = all(output == expected for output in call().outputs)
    del expected
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
    fields |= watch.fields({**fields, "time.total_s": spent})
    middle = statistics.median_low(times)
    seen = next(one for one in calls if one.total_s == middle)
    fields["time.transfer_s"] = seen.transfer_s or None
    fields["time.processing_s"] = seen.processing_s or None
    return fields | {"notes": watch.notes or None}


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
