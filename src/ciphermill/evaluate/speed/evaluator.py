# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The evaluator: an operation, repeated for a fixed time by threads of this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from ciphermill.design import Measurement, Provenance
from ciphermill.evaluate.device.weigh import Device
from ciphermill.evaluate.evaluator import Evaluator, Progress, between
from ciphermill.evaluate.speed.energy import Meter, find_counters, idle_mw, power_fields
from ciphermill.evaluate.speed.operations import OPERATIONS, Repeatable
from ciphermill.evaluate.speed.worker import Asked, Counted
from ciphermill.evaluate.speed.workers import Workers
from ciphermill.toolchain.packages import tool_version
from ciphermill.toolchain.provenance import processor


@dataclass(frozen=True)
class Threads:
    """A platform: this machine, with so many threads, each on one processor."""

    count: int


@dataclass(frozen=True)
class Repeated:
    """A workload: an operation of the table, repeated for a fixed time."""

    operation: str
    bytes: int
    """Length of a message."""
    seconds: float


def measure(
    design: Device, platform: Threads, workload: Repeated, progress: Progress
) -> list[Measurement]:
    """Repeat an operation on a device, and return the one measurement.

    On a simulated device it is done once, in simulated time.

    Raises:
        ToolError: The package of OpenSSL's calls is missing.
        ciphermill.Error: The device failed.
    """
    version = tool_version("cryptography", "the Python package cryptography")
    operation, device = OPERATIONS[workload.operation], design.name
    threads = f"{platform.count} thread{'s' if platform.count > 1 else ''}"
    progress.report(f"{operation.title}, {workload.bytes} bytes, {device}, {threads} ...")
    key, message = operation.openssl.new_key(), os.urandom(workload.bytes)
    asked = Asked(device, operation.name, key, message)
    with Workers(platform.count, asked) as workers:
        ready = workers.ready()
        fields: dict[str, Any] = {
            "algorithm": operation.algorithm,
            "key_bits": operation.key_bits or None,
            "mode": operation.mode,
            "operation": operation.verb,
            "device": device,
            "workload": operation.name,
            "threads": platform.count,
            "correct": all(one.correct for one in ready),
            "provenance": Provenance(tools={"cryptography": version, "openssl": _openssl()}),
        }
        simulated_s = ready[0].simulated_s
        if simulated_s is not None:
            once = Counted(1, simulated_s, 0.0, simulated_s)
            fields |= {"method": "simulated", **_counted(operation, workload, [once], simulated_s)}
            return [Measurement.from_json(fields)]
        power, notes = find_counters(device)
        idle = idle_mw(power, workload.seconds) if power else 0.0
        meter = Meter(power) if power else None

        def tick(elapsed_s: float) -> None:
            if meter:
                meter.sample(elapsed_s)
            progress.done(device, min(elapsed_s / workload.seconds, 1.0))

        found, total_s = workers.go(workload.seconds, tick)
    fields |= {"method": "measured", "platform": processor()}
    fields |= _counted(operation, workload, found, total_s)
    if meter:
        fields |= power_fields(fields, meter, idle)
    processors = len(os.sched_getaffinity(0))
    if platform.count > processors:
        shared = f"{processors} processor{'s' if processors > 1 else ''}"
        notes = (*notes, f"{platform.count} threads share {shared}.")
    return [Measurement.from_json({**fields, "notes": notes or None})]


SPEED = Evaluator(
    "speed",
    between(Device, Threads, Repeated),
    measure,
    alone=lambda _: True,
)


def _counted(
    operation: Repeatable, workload: Repeated, found: list[Counted], total_s: float
) -> dict[str, Any]:
    count = sum(one.count for one in found)
    fields: dict[str, Any] = {
        "messages": count,
        "time.total_s": total_s,
        "time.worst_message_s": max(one.worst_s for one in found),
    }
    if operation.message_bytes is None:
        rate = count * workload.bytes / total_s / 1e6
        fields |= {"bytes": workload.bytes, "throughput.mb_s": rate}
    return fields


def _openssl() -> str:
    """The version of the OpenSSL whose calls are made."""
    from cryptography.hazmat.backends.openssl import backend

    return backend.openssl_version_text().removeprefix("OpenSSL ")
