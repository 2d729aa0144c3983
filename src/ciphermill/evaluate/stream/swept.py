# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The evaluator of sweeps: streams while one property of a platform varies.

``workload`` of a measurement says what was varied: ``bus=400.0``, and ``bus=400.0, from memory``
of a stream without files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ciphermill.algorithms import AES
from ciphermill.design import Measurement, Method
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.evaluator import Evaluator, Progress, between
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.evaluate.stream.message import KEY_BYTES
from ciphermill.evaluate.stream.sweeps import SWEPT_BYTES, Sweep, SweepPoint, sweep_at
from ciphermill.evaluate.stream.virtual import OWN_CORES, device_name
from ciphermill.toolchain.model import find_model

_FROM_MEMORY = ", from memory"


@dataclass(frozen=True)
class Cores:
    """A design: the cores of a streaming platform."""

    name: str = OWN_CORES
    """``own``, or a design of ours."""
    model: str = ""
    """Digest of the design's model, which tells it from an earlier version."""


@dataclass(frozen=True)
class Swept:
    """A workload: streams while a property of their platform has a value."""

    what: Sweep
    value: float
    bytes: int = SWEPT_BYTES
    """Of each stream."""


def cores_of(name: str, progress: Progress) -> Cores:
    """Return cores by their name; the model of a design is built where it is missing.

    Raises:
        DesignError: There is no such design.
        ToolError: Its model could not be built.
    """
    if name == OWN_CORES:
        return Cores()
    from ciphermill._engine import Model

    return Cores(name, Model(find_model(name, report=progress.report)).design_hash)


def _evaluate(
    cores: Cores, platform: StreamingPlatform, asked: Swept, progress: Progress
) -> list[Measurement]:
    found = sweep_at(
        platform,
        asked.what,
        asked.value,
        cores=cores.name,
        length=asked.bytes,
        report=progress.report,
    )
    return [
        seen for point in found for seen in _measurements(point, cores.name, platform.name, asked)
    ]


def _measurements(
    point: SweepPoint, cores: str, platform: str, asked: Swept
) -> Iterator[Measurement]:
    varied = f"{asked.what}={asked.value!r}"
    for workload, destination, inside, total in (
        (varied, Destination.SINK, point.inside_write_mb_s, point.end_to_end_mb_s),
        (varied + _FROM_MEMORY, Destination.SINK, None, point.memory_to_sink_mb_s),
        (varied + _FROM_MEMORY, Destination.FILE, None, point.memory_to_memory_mb_s),
    ):
        if total is not None:
            yield Measurement(
                algorithm=AES.name,
                key_bits=8 * KEY_BYTES,
                mode=point.operation.mode,
                operation=point.operation.verb,
                device=device_name("hardware", cores),
                design=Path(cores).stem if cores != OWN_CORES else None,
                platform=platform,
                application=point.application,
                destination=destination,
                workload=workload,
                bytes=asked.bytes,
                messages=int(asked.value) if asked.what is Sweep.TOGETHER else 1,
                throughput_mb_s=total,
                throughput_inside_write_mb_s=inside,
                method=Method.MODELLED,
            )


def sweeps_of(measurements: Iterable[Measurement]) -> dict[tuple[str, Sweep], list[SweepPoint]]:
    """Return the points of stored sweeps, by platform and property."""
    seen = {
        (one.platform, one.workload, one.mode, one.operation, one.destination): one
        for one in measurements
    }
    found: dict[tuple[str, Sweep], list[SweepPoint]] = {}
    for (platform, workload, mode, verb, destination), sunk in seen.items():
        varied, memory, _ = (workload or "").partition(_FROM_MEMORY)
        if not memory or destination != Destination.SINK:
            continue
        what, _, value = varied.partition("=")
        stored = seen.get((platform, varied, mode, verb, destination))
        back = seen[platform, workload, mode, verb, Destination.FILE.value]
        found.setdefault((platform or "", Sweep(what)), []).append(
            SweepPoint(
                float(value),
                Application(sunk.application or ""),
                Operation(mode or "", verb or ""),
                stored.throughput_inside_write_mb_s if stored else None,
                stored.throughput_mb_s if stored else None,
                sunk.throughput_mb_s or 0.0,
                back.throughput_mb_s or 0.0,
            )
        )
    return found


SWEEP = Evaluator(
    "sweep",
    between(Cores, StreamingPlatform, Swept),
    _evaluate,
    # A simulation in virtual time is one process of Python's.
    alone=lambda _: True,
)
