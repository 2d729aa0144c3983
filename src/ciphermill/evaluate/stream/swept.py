# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The evaluators of a platform's properties: sweeps, and micro-benchmarks.

``workload`` of a measurement says what was varied: ``bus=400.0``, and ``bus=400.0, from memory``
of a stream without files. Of micro-benchmarks it is ``bus`` or ``from memory``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Accelerator, Measurement, Method
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.evaluator import Evaluator, Progress, between
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.evaluate.stream.bench import BusBench, CipherBench, bus_bench, cipher_bench
from ciphermill.evaluate.stream.message import key_bytes
from ciphermill.evaluate.stream.sweeps import SWEPT_BYTES, Sweep, SweepPoint, sweep_at
from ciphermill.evaluate.stream.virtual import OWN_CORES, device_name
from ciphermill.toolchain.model import find_model

_FROM_MEMORY = ", from memory"
_WIRES, _BUS, _CIPHER = "bus, within a burst", "bus", "from memory"
_BUS_BEFORE = "bus from memory"
"""Its rate end to end, in stores of before schema 9."""


@dataclass(frozen=True)
class Cores:
    """A design: the cores of a streaming platform."""

    name: str = OWN_CORES
    """``own``, or a design of ours."""
    model: str = ""
    """Digest of the design's model, which tells it from an earlier version."""
    design: Accelerator | None = None
    """The design itself, where it is in no file; it has the name then."""


@dataclass(frozen=True)
class Swept:
    """A workload: streams while a property of their platform has a value."""

    what: Sweep
    value: float
    bytes: int = SWEPT_BYTES
    """Of each stream."""


@dataclass(frozen=True)
class Benches:
    """A workload: the micro-benchmarks of a platform."""


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
    return [seen for point in found for seen in _measurements(point, cores.name, platform, asked)]


def _measurements(
    point: SweepPoint, cores: str, platform: StreamingPlatform, asked: Swept
) -> Iterator[Measurement]:
    varied = f"{asked.what}={asked.value!r}"
    for workload, destination, inside, total in (
        (varied, Destination.SINK, point.inside_write_mb_s, point.end_to_end_mb_s),
        (varied + _FROM_MEMORY, Destination.SINK, None, point.memory_to_sink_mb_s),
        (varied + _FROM_MEMORY, Destination.FILE, None, point.memory_to_memory_mb_s),
    ):
        if total is not None:
            yield Measurement(
                algorithm=platform.algorithm,
                key_bits=8 * key_bytes(platform.cipher),
                mode=point.operation.mode,
                operation=point.operation.verb,
                device=device_name("hardware", cores),
                design=Path(cores).stem if cores != OWN_CORES else None,
                platform=platform.name,
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


def _bench(
    cores: Cores, platform: StreamingPlatform, _: Benches, progress: Progress
) -> list[Measurement]:
    bus = bus_bench(platform)
    rows: list[dict[str, Any]] = [
        {"workload": _WIRES, "throughput_mb_s": bus.wires_mb_s},
        {
            "workload": _BUS,
            "throughput_mb_s": bus.end_to_end_mb_s,
            "throughput_inside_write_mb_s": bus.inside_write_mb_s,
        },
    ]
    for one in cipher_bench(platform, cores.name, report=progress.report):
        rates = (one.memory_to_sink_mb_s, one.memory_to_memory_mb_s)
        rows += [
            {
                "workload": _CIPHER,
                "algorithm": platform.algorithm,
                "mode": one.operation.mode,
                "operation": one.operation.verb,
                "device": device_name("hardware", cores.name),
                "destination": destination,
                "cycles_per_block": one.cycles_per_block,
                "clock_mhz": one.clock_mhz,
                "throughput_mb_s": rate,
            }
            for destination, rate in zip((Destination.SINK, Destination.FILE), rates, strict=True)
        ]
    return [
        Measurement(
            platform=platform.name,
            application=Application.THROUGHPUT,
            method=Method.MODELLED,
            **row,
        )
        for row in rows
    ]


def benches_of(
    measurements: Iterable[Measurement],
) -> dict[str, tuple[BusBench, list[CipherBench]]]:
    """Return stored micro-benchmarks, by platform."""
    seen = {
        (one.platform, one.workload, one.mode, one.operation, one.destination): one
        for one in measurements
    }
    found: dict[str, tuple[BusBench, list[CipherBench]]] = {}
    for (platform, workload, mode, verb, destination), one in seen.items():
        if workload == _BUS:
            wires, memory = (
                seen.get((platform, name, None, None, None), one) for name in (_WIRES, _BUS_BEFORE)
            )
            bus = (wires.throughput_mb_s, memory.throughput_mb_s, one.throughput_inside_write_mb_s)
            found[platform or ""] = BusBench(*(rate or 0.0 for rate in bus)), []
        elif workload == _CIPHER and destination == Destination.SINK:
            back = seen[platform, workload, mode, verb, Destination.FILE.value]
            cycles, clock = one.cycles_per_block or 1.0, one.clock_mhz or 0.0
            found[platform or ""][1].append(
                CipherBench(
                    Operation(mode or "", verb or ""),
                    cycles,
                    clock,
                    ALGORITHMS[one.algorithm or "aes"].block_bytes,
                    one.throughput_mb_s or 0.0,
                    back.throughput_mb_s or 0.0,
                )
            )
    return found


BENCH = Evaluator(
    "micro-benchmarks", between(Cores, StreamingPlatform, Benches), _bench, alone=lambda _: True
)
SWEEP = Evaluator(
    "sweep",
    between(Cores, StreamingPlatform, Swept),
    _evaluate,
    # A simulation in virtual time is one process of Python's.
    alone=lambda _: True,
)
