# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The evaluator of a campaign while the link of its platform has a latency.

Messages of several lengths are streamed from memory to memory, so that no file hides the link.
Through a design of ours they are simulated, the RTL cycle by cycle; the platform's own cores,
which have no RTL, are modelled by their cycle counts. ``workload`` of a measurement is the
latency in nanoseconds: ``latency=500.0``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ciphermill.design import Measurement
from ciphermill.design.operations import streamed_operations
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.evaluator import Evaluator, Progress, between
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.evaluate.stream.bench import from_memory
from ciphermill.evaluate.stream.inputs import inputs, parameters_of
from ciphermill.evaluate.stream.series import KIB, Series
from ciphermill.evaluate.stream.swept import Cores
from ciphermill.evaluate.stream.virtual import OWN_CORES, VirtualStreams, device_name

LATENCIES_NS = (0.0, 100.0, 250.0, 500.0, 1000.0, 2000.0, 5000.0, 10_000.0)
"""From a port of a system on a chip to a link with switches."""
LENGTHS_KIB = (4, 16, 64, 256, 1024)
_WORKLOAD = "latency="


@dataclass(frozen=True)
class AtLatency:
    """A workload: messages of several lengths while the link has a latency."""

    latency_ns: float
    lengths_kib: tuple[int, ...] = LENGTHS_KIB

    def __str__(self) -> str:
        return f"{_WORKLOAD}{self.latency_ns!r}"


@dataclass(frozen=True)
class LatencyPoint:
    """The goodput of messages of a length at a latency."""

    latency_ns: float
    measurement: Measurement


def _evaluate(
    cores: Cores, platform: StreamingPlatform, asked: AtLatency, progress: Progress
) -> list[Measurement]:
    varied = from_memory(_at(platform, asked.latency_ns))
    longest = max(asked.lengths_kib)
    runner = VirtualStreams(
        varied, cores.design or cores.name, exact_kib=longest, report=progress.report
    )
    device = device_name("hardware", cores.name)
    found: list[Measurement] = []
    for operation in streamed_operations(platform.cipher, ["encrypt"]):
        if cores.name == OWN_CORES and not platform.core_of(operation.mode):
            continue
        where = (Application.THROUGHPUT, Destination.FILE)
        series = Series(*where, operation, device, platform.algorithm)
        parameters = parameters_of(varied, series, own_core=cores.name != OWN_CORES)
        told = inputs(varied, [one for one in parameters if not one.startswith("storage.")])
        names = tuple(dict.fromkeys(name for one in told for name in one.names))
        found += (
            seen.model_copy(update={"workload": str(asked), "inputs": names})
            for seen in runner.run(series, asked.lengths_kib)
        )
    return found


def _at(platform: StreamingPlatform, latency_ns: float) -> StreamingPlatform:
    """Return a platform whose link has an assumed latency."""
    bus = platform.bus
    assumed = tuple(dict.fromkeys((*bus.assumed, "latency_ns")))
    bus = bus.model_copy(update={"latency_ns": latency_ns, "assumed": assumed})
    return platform.model_copy(update={"bus": bus})


def latencies_of(measurements: Iterable[Measurement]) -> dict[tuple[str, str], list[LatencyPoint]]:
    """Return the points of stored campaigns, by platform and device."""
    found: dict[tuple[str, str], list[LatencyPoint]] = {}
    for seen in measurements:
        workload = seen.workload or ""
        if workload.startswith(_WORKLOAD):
            point = LatencyPoint(float(workload.removeprefix(_WORKLOAD)), seen)
            found.setdefault((seen.platform or "", seen.device or ""), []).append(point)
    return found


def kib_of(seen: Measurement) -> int:
    """Return the length of a measurement's message in KiB."""
    return (seen.bytes or 0) // KIB


LATENCY = Evaluator(
    "latency of the link",
    between(Cores, StreamingPlatform, AtLatency),
    _evaluate,
)
