# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Micro-benchmarks of a streaming platform: its bus, its storage, its ciphers, its buffers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ciphermill.campaign.streams import PAPER_CORES, Runner
from ciphermill.design import Direction
from ciphermill.design.operations import OPERATIONS, Operation
from ciphermill.design.streaming_platform import BLOCK_BYTES, StreamingPlatform, StreamMode
from ciphermill.evaluate.stream.applications import (
    Application,
    Destination,
    StreamTimes,
    stream,
    stream_in_software,
)
from ciphermill.evaluate.stream.cores import Wire
from ciphermill.evaluate.stream.kernel import SimulationError
from ciphermill.evaluate.stream.rate import HELD_OUT_BUFFERS, MOST_ERROR, calibrate
from ciphermill.toolchain.model import Report, say

BUS_BENCH_BYTES = 1 << 30
"""What the paper streamed to find its bus's rate (section 8.1.1)."""
BUFFER_COUNTS = (4, 8, 16, 32, 64, 128, 256)
BUFFER_KIB = (16, 32, 64, 128, 256, 512, 1024)
UPDATES_KIB = (64, 128, 256, 512, 1024)
WAKE_FACTORS = (0.5, 1.0, 2.0)
FASTER_THAN_ALL_MB_S = 1e9
"""Storage that takes no time: from memory to memory."""


@dataclass(frozen=True)
class CipherBench:
    """A cipher by its clock counts, and in the system without files."""

    operation: Operation
    clocks_per_block: float
    clock_mhz: float
    ideal_mb_s: float
    """By the clock count alone."""
    memory_to_sink_mb_s: float
    memory_to_memory_mb_s: float
    """Writing and draining side by side."""


@dataclass(frozen=True)
class BusBench:
    """The bus, end to end and as time inside write shows it."""

    wires_mb_s: float
    """Within a burst."""
    end_to_end_mb_s: float
    """From memory into a sink that takes all."""
    inside_write_mb_s: float
    """As the paper took it: a file of 1 GiB, the time inside write."""


@dataclass(frozen=True)
class BufferPoint:
    """What a number of DMA buffers gives."""

    count: int
    inside_write_mb_s: float
    end_to_end_mb_s: float


@dataclass(frozen=True)
class BufferSizePoint:
    """What the size of each DMA buffer gives to the bus alone, from memory, once under way."""

    kib_each: int
    end_to_end_mb_s: float


@dataclass(frozen=True)
class UpdatePoint:
    """What ``update_kib`` and ``wake_us`` give to the application that awaits each update."""

    update_kib: int
    inside_write_mb_s: tuple[float, ...]
    """By ``WAKE_FACTORS`` times the platform's ``wake_us``."""


def from_memory(platform: StreamingPlatform) -> StreamingPlatform:
    """Return the platform with files that take no time."""
    rates = {"read_mb_s": FASTER_THAN_ALL_MB_S, "write_mb_s": FASTER_THAN_ALL_MB_S}
    storage = platform.storage.model_copy(update={**rates, "shared": False})
    return platform.model_copy(update={"storage": storage})


def with_buffers(platform: StreamingPlatform, count: int) -> StreamingPlatform:
    """Return the platform with so many DMA buffers in each direction."""
    buffers = platform.dma_buffers.model_copy(update={"count": count})
    return platform.model_copy(update={"dma_buffers": buffers})


def bus_bench(platform: StreamingPlatform) -> BusBench:
    """Return what the bus does into a sink that takes all."""
    whole = platform.dma_buffers.count * platform.dma_buffers.bytes_each

    def into_sink(one: StreamingPlatform, length: int) -> tuple[float, float]:
        lines = calibrate(lambda size: through_bus(one, size), whole)
        far_off = lines.error > MOST_ERROR
        times = through_bus(one, length) if far_off else lines.times(length)
        return length / times.total_s / 1e6, length / times.inside_write_s / 1e6

    end_to_end, _ = into_sink(from_memory(platform), BUS_BENCH_BYTES)
    _, inside = into_sink(platform, BUS_BENCH_BYTES)
    return BusBench(platform.bus.mb_s_to(device=True), end_to_end, inside)


def through_bus(platform: StreamingPlatform, length: int) -> StreamTimes:
    """Return the times of a stream over the bus into a sink that takes all."""
    return stream(
        platform,
        Wire(),
        length,
        application=Application.THROUGHPUT,
        destination=Destination.SINK,
    )


def cipher_bench(
    platform: StreamingPlatform, cores: str = PAPER_CORES, *, report: Report = say
) -> Iterator[CipherBench]:
    """Yield every cipher that the device has, from memory.

    Raises:
        DesignError: There is no such design.
        ToolError: Its model could not be built.
        SimulationError: A model is wrong, or there are no cores.
    """
    runner = Runner(from_memory(platform), cores, report=report)
    length = HELD_OUT_BUFFERS * runner.buffers_bytes // 4
    for operation in OPERATIONS:
        if cores == PAPER_CORES and not platform.core_of(operation.mode):
            continue
        rates = {}
        for destination in Destination:
            core = runner.core(operation)
            times = stream(
                runner.platform,
                core,
                length,
                application=Application.THROUGHPUT,
                destination=destination,
            )
            rates[destination] = length / times.total_s / 1e6
        own = platform.core_of(operation.mode) if cores == PAPER_CORES else None
        clock = own.clock_mhz if own else platform.device.clock_mhz
        clocks = own.clocks_per_block if own else core.period_s * clock * 1e6
        yield CipherBench(
            operation,
            clocks,
            clock,
            BLOCK_BYTES * clock / clocks,
            rates[Destination.SINK],
            rates[Destination.FILE],
        )


def sweep_buffers(
    platform: StreamingPlatform,
    operation: Operation,
    length: int,
    *,
    cores: str = PAPER_CORES,
    counts: Sequence[int] = BUFFER_COUNTS,
    report: Report = say,
) -> list[BufferPoint]:
    """Return what numbers of DMA buffers give to a stream into the sink.

    Raises:
        SimulationError: A model is wrong, or there are no cores.
    """
    runner = Runner(platform, cores, report=report)
    found = []
    for count in counts:
        times = stream(
            with_buffers(platform, count),
            runner.core(operation),
            length,
            application=Application.THROUGHPUT,
            destination=Destination.SINK,
        )
        found.append(
            BufferPoint(count, length / times.inside_write_s / 1e6, length / times.total_s / 1e6)
        )
    return found


def software_bench(platform: StreamingPlatform, mode: StreamMode) -> float:
    """Return MB/s end to end of encryption in software, from memory to the sink.

    Raises:
        SimulationError: The platform has no such rate.
    """
    rate = platform.software_rate("software", mode, Direction.ENCRYPT)
    if rate is None:
        raise SimulationError(f"{platform.name} has no rate for {mode} in software")
    memory = from_memory(platform)
    length = HELD_OUT_BUFFERS * memory.dma_buffers.count * memory.dma_buffers.bytes_each // 4
    times = stream_in_software(memory, rate, length, destination=Destination.SINK)
    return length / times.total_s / 1e6


def sweep_buffer_sizes(
    platform: StreamingPlatform, length: int, *, sizes_kib: Sequence[int] = BUFFER_KIB
) -> list[BufferSizePoint]:
    """Return what the size of each DMA buffer gives to the bus alone, into the sink.

    Updates are as large where buffers are larger, or they would not be filled. The
    rate is that of the second half of the length: filling the first buffer, before
    which no bus moves, is no property of the bus.
    """
    memory = from_memory(platform)
    found = []
    for kib in sizes_kib:
        buffers = memory.dma_buffers.model_copy(update={"kib_each": kib})
        update = max(platform.host.update_kib, float(kib))
        host = platform.host.model_copy(update={"update_kib": update})
        varied = memory.model_copy(update={"dma_buffers": buffers, "host": host})
        half = through_bus(varied, length // 2).total_s
        whole = through_bus(varied, length).total_s
        found.append(BufferSizePoint(kib, (length - length // 2) / (whole - half) / 1e6))
    return found


def sweep_updates(
    platform: StreamingPlatform,
    operation: Operation,
    length: int,
    *,
    updates_kib: Sequence[int] = UPDATES_KIB,
    report: Report = say,
) -> list[UpdatePoint]:
    """Return what sizes of update and times of waking up give, from file to file.

    Neither has a source: this says how much hangs on them.

    Raises:
        SimulationError: There are no cores.
    """
    core = Runner(platform, PAPER_CORES, report=report).core
    found = []
    for kib in updates_kib:
        rates = []
        for factor in WAKE_FACTORS:
            update = {"update_kib": float(kib), "wake_us": platform.host.wake_us * factor}
            host = platform.host.model_copy(update=update)
            times = stream(
                platform.model_copy(update={"host": host}),
                core(operation),
                length,
                application=Application.OPENSSL,
                destination=Destination.FILE,
            )
            rates.append(length / times.inside_write_s / 1e6)
        found.append(UpdatePoint(kib, tuple(rates)))
    return found
