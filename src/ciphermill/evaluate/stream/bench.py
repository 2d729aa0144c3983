# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Micro-benchmarks of a streaming platform: its bus, its storage, its ciphers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ciphermill.design.operations import Operation, streamed_operations
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.stream.applications import (
    Application,
    Destination,
    StreamTimes,
    stream,
)
from ciphermill.evaluate.stream.cores import Wire
from ciphermill.evaluate.stream.rate import HELD_OUT_BUFFERS, MOST_ERROR, calibrate
from ciphermill.evaluate.stream.virtual import OWN_CORES, VirtualStreams
from ciphermill.toolchain.model import Report, say

BUS_BENCH_BYTES = 1 << 30
"""Length of the stream that measures the bus by time inside write: more than all buffers hold."""
BUFFER_COUNTS = (4, 8, 16, 32, 64, 128, 256)
FASTER_THAN_ALL_MB_S = 1e9
"""Storage that takes no time: from memory to memory."""


@dataclass(frozen=True)
class CipherBench:
    """A cipher's rate by its cycle counts, and in the system without files."""

    operation: Operation
    cycles_per_block: float
    clock_mhz: float
    block_bytes: int
    memory_to_sink_mb_s: float
    memory_to_memory_mb_s: float
    """Writing and draining in parallel."""

    @property
    def ideal_mb_s(self) -> float:
        """The rate by the cycle count alone."""
        return self.block_bytes * self.clock_mhz / self.cycles_per_block


@dataclass(frozen=True)
class BusBench:
    """Rates of the bus, end to end and by time inside write."""

    wires_mb_s: float
    """Within a burst."""
    end_to_end_mb_s: float
    """From memory into a sink."""
    inside_write_mb_s: float
    """As the paper measured it: a file of 1 GiB, by time inside write."""


def from_memory(platform: StreamingPlatform) -> StreamingPlatform:
    """Return the platform with files that take no time."""
    rates = {"read_mb_s": FASTER_THAN_ALL_MB_S, "write_mb_s": FASTER_THAN_ALL_MB_S}
    storage = platform.storage.model_copy(update={**rates, "shared": False})
    return platform.model_copy(update={"storage": storage})


def with_buffers(platform: StreamingPlatform, count: int) -> StreamingPlatform:
    """Return the platform with another number of DMA buffers in each direction."""
    buffers = platform.dma_buffers.model_copy(update={"count": count})
    return platform.model_copy(update={"dma_buffers": buffers})


def bus_bench(platform: StreamingPlatform) -> BusBench:
    """Return the rates of the bus into a sink."""
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
    """Return the times of a stream over the bus into a sink."""
    return stream(platform, Wire(), length, Application.THROUGHPUT, Destination.SINK)


def steady_bus(platform: StreamingPlatform, length: int) -> float:
    """Return MB/s of the bus alone, into the sink, in the second half of a length.

    The first half is excluded, since the bus is idle until the first buffer is full.
    """
    half = through_bus(platform, length // 2).total_s
    whole = through_bus(platform, length).total_s
    return (length - length // 2) / (whole - half) / 1e6


def cipher_bench(
    platform: StreamingPlatform, cores: str = OWN_CORES, *, report: Report = say
) -> Iterator[CipherBench]:
    """Yield the rates of every cipher of the device, from memory.

    Raises:
        DesignError: There is no such design.
        ToolError: Its model could not be built.
        SimulationError: A model is wrong, or there are no cores.
    """
    runner = VirtualStreams(from_memory(platform), cores, report=report)
    length = HELD_OUT_BUFFERS * runner.buffers_bytes // 4
    for operation in streamed_operations(platform.cipher):
        if cores == OWN_CORES and not platform.core_of(operation.mode):
            continue
        rates = {}
        for destination in Destination:
            core = runner.core(operation)
            times = stream(runner.platform, core, length, Application.THROUGHPUT, destination)
            rates[destination] = length / times.total_s / 1e6
        own = platform.core_of(operation.mode) if cores == OWN_CORES else None
        clock = own.clock_mhz if own else platform.device.clock_mhz
        cycles = own.cycles_per_block if own else core.period_s * clock * 1e6
        yield CipherBench(
            operation,
            cycles,
            clock,
            platform.cipher.block_bytes,
            rates[Destination.SINK],
            rates[Destination.FILE],
        )
