# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""One property of a streaming platform varied, all others as they are.

Storage, bus, FPGA (by the clock that a
family allows), DMA buffers, FIFOs on the device, and operations at once; and the
updates that the synchronous application hands over, down to those of ``openssl enc``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ciphermill._engine import Model
from ciphermill.design.operations import Operation, streamed_operations
from ciphermill.design.streaming_platform import LANE_MB_S, Bus, StreamingPlatform
from ciphermill.evaluate.stream.applications import (
    Application,
    Destination,
    stream_on_channels,
    stream_together,
)
from ciphermill.evaluate.stream.bench import BUFFER_COUNTS, from_memory, with_buffers
from ciphermill.evaluate.stream.virtual import OWN_CORES, VirtualStreams
from ciphermill.toolchain.model import Report, find_model, say

SWEPT_BYTES = 16 << 20
"""More than the DMA buffers of most platforms hold."""
CHANNEL_BYTES = 1 << 20
"""Of a stream through a channel of a shared accelerator, which is simulated cycle by cycle."""

_STORAGE_MB_S = (1, 10, 30, 100, 300, 1000, 3000, 10_000)
_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
_CORE_MHZ = (50, 100, 150, 200, 250, 300, 400, 500)
_FIFO_BURSTS = (2, 4, 8, 16, 32)
_UPDATES_KIB = (8, 16, 64, 256, 1024, 4096)
"""``openssl enc`` hands over 8 KiB unless told otherwise (``-bufsize``)."""
_TOGETHER = (1, 2, 3, 4, 5, 6)


class Sweep(StrEnum):
    """The varied property."""

    STORAGE = "storage"
    BUS = "bus"
    CLOCK = "clock"
    BUFFERS = "buffers"
    FIFO = "fifo"
    UPDATE = "update"
    TOGETHER = "together"


UNITS: Mapping[Sweep, str] = {
    Sweep.STORAGE: "storage, MB/s",
    Sweep.BUS: "bus, MB/s towards the device",
    Sweep.CLOCK: "clock of the cores, MHz",
    Sweep.BUFFERS: "DMA buffers",
    Sweep.FIFO: "FIFO on the device, KiB",
    Sweep.UPDATE: "update, KiB",
    Sweep.TOGETHER: "operations at once",
}


@dataclass(frozen=True)
class SweepPoint:
    """The result of an operation for one value; MB/s of all streams together."""

    value: float
    application: Application
    """``openssl`` where updates are swept, else ``throughput``."""
    operation: Operation
    inside_write_mb_s: float | None
    """From a file to the sink; None of operations at once, which would share its storage."""
    end_to_end_mb_s: float | None
    memory_to_sink_mb_s: float
    """Without files."""
    memory_to_memory_mb_s: float


def sweep_values(platform: StreamingPlatform, what: Sweep) -> tuple[float, ...]:
    """Return the values that a property takes on a platform."""
    return tuple(float(value) for value, _ in _VARIANTS[what](platform))


def sweep_at(
    platform: StreamingPlatform,
    what: Sweep,
    value: float,
    *,
    cores: str = OWN_CORES,
    length: int = SWEPT_BYTES,
    report: Report = say,
) -> Iterator[SweepPoint]:
    """Yield what one of ``sweep_values`` gives to a stream from a file, and without files.

    There is nothing where there are too few channels.

    Args:
        platform: Everything that is not varied.
        what: What is varied.
        value: One of ``sweep_values``.
        cores: ``own``, or a design of ours.
        length: Bytes of each stream.
        report: Is given a line before and after a build.

    Raises:
        DesignError: There is no such design.
        SimulationError: A model is wrong, or there are no cores.
    """
    updates = what is Sweep.UPDATE
    shared = _shared(cores, report) if what is Sweep.TOGETHER else None
    application = Application.OPENSSL if updates else Application.THROUGHPUT
    varied = next(one for other, one in _VARIANTS[what](platform) if other == value)
    runner = VirtualStreams(varied, cores, report=report)
    count = int(value) if what is Sweep.TOGETHER else 1
    if shared and count > shared[1]:
        return

    def rates(
        operation: Operation, where: StreamingPlatform, destination: Destination
    ) -> tuple[float, float]:
        """MB/s inside write and end to end, of all streams together."""
        if shared:
            size = min(length, CHANNEL_BYTES)
            messages = [bytes(size)] * count
            times = stream_on_channels(
                where, shared[0], messages, operation, application, destination
            )
        else:
            size = length
            elements = [runner.core(operation) for _ in range(count)]
            times = stream_together(where, elements, size, application, destination)
        moved = count * size / 1e6
        inside = max(one.inside_write_s for one in times)
        return moved / inside, moved / max(one.total_s for one in times)

    for operation in streamed_operations(platform.cipher, ["encrypt"]):
        if cores == OWN_CORES and not varied.core_of(operation.mode):
            continue
        inside = end_to_end = None
        if what is not Sweep.TOGETHER:
            inside, end_to_end = rates(operation, varied, Destination.SINK)
        memory = from_memory(varied)
        yield SweepPoint(
            value,
            application,
            operation,
            inside,
            end_to_end,
            rates(operation, memory, Destination.SINK)[1],
            rates(operation, memory, Destination.FILE)[1],
        )


def _shared(cores: str, report: Report) -> tuple[Path, int] | None:
    """Return the model of a design whose channels several streams can share, and how many."""
    if cores == OWN_CORES:
        return None
    library = find_model(cores, report=report)
    channels = Model(library).channels
    return (library, channels) if channels > 1 else None


Variant = tuple[float, StreamingPlatform]


def _storage(platform: StreamingPlatform) -> Iterator[Variant]:
    for rate in _STORAGE_MB_S:
        rates = {"read_mb_s": float(rate), "write_mb_s": float(rate)}
        storage = platform.storage.model_copy(update=rates)
        yield rate, platform.model_copy(update={"storage": storage})


def _bus(platform: StreamingPlatform) -> Iterator[Variant]:
    for factor in _FACTORS:
        bus = _faster(platform.bus, factor)
        if bus is not None:
            yield bus.mb_s_to(device=True), platform.model_copy(update={"bus": bus})


def _faster(bus: Bus, factor: float) -> Bus | None:
    """The bus at another clock, or with other lanes; None where there is no such bus."""
    update: dict[str, float | int] = {}
    if bus.mb_s is not None:
        update["mb_s"] = bus.mb_s * factor
    if bus.kind == "axi4":
        update["clock_mhz"] = (bus.clock_mhz or 0.0) * factor
    else:
        lanes = (bus.lanes or 1) * factor
        if lanes < 1 or lanes > max(16, bus.lanes or 1) or bus.generation not in LANE_MB_S:
            return None
        update["lanes"] = int(lanes)
    return bus.model_copy(update=update)


def _clock(platform: StreamingPlatform) -> Iterator[Variant]:
    for clock in _CORE_MHZ:
        device = platform.device.model_copy(update={"clock_mhz": float(clock)})
        cores = {
            name: core.model_copy(update={"clock_mhz": float(clock)})
            for name, core in platform.cores.items()
        }
        yield clock, platform.model_copy(update={"device": device, "cores": cores})


def _fifo(platform: StreamingPlatform) -> Iterator[Variant]:
    for bursts in _FIFO_BURSTS:
        kib = bursts * platform.bus.burst_bytes / 1024
        yield kib, platform.with_number("device.fifo_kib", kib)


def _update(platform: StreamingPlatform) -> Iterator[Variant]:
    most = platform.dma_buffers.count * platform.dma_buffers.kib_each
    for kib in _UPDATES_KIB:
        if kib <= most:
            yield kib, platform.with_number("host.update_kib", float(kib))


_VARIANTS: Mapping[Sweep, Callable[[StreamingPlatform], Iterator[Variant]]] = {
    Sweep.STORAGE: _storage,
    Sweep.BUS: _bus,
    Sweep.CLOCK: _clock,
    Sweep.BUFFERS: lambda one: ((count, with_buffers(one, count)) for count in BUFFER_COUNTS),
    Sweep.FIFO: _fifo,
    Sweep.UPDATE: _update,
    Sweep.TOGETHER: lambda one: ((count, one) for count in _TOGETHER),
}
