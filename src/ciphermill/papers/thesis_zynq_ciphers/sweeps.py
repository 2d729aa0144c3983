# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Sweeps of parameters that the thesis on Zynq ciphers does not state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermill.design import Direction
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform, StreamMode
from ciphermill.evaluate.stream.applications import (
    Application,
    Destination,
    stream,
    stream_in_software,
)
from ciphermill.evaluate.stream.bench import BUFFER_COUNTS, from_memory, through_bus, with_buffers
from ciphermill.evaluate.stream.kernel import SimulationError
from ciphermill.evaluate.stream.rate import HELD_OUT_BUFFERS
from ciphermill.evaluate.stream.virtual import OWN_CORES, VirtualStreams
from ciphermill.toolchain.model import Report, say

BUFFER_KIB = (16, 32, 64, 128, 256, 512, 1024)
UPDATES_KIB = (64, 128, 256, 512, 1024)
WAKE_FACTORS = (0.5, 1.0, 2.0)


@dataclass(frozen=True)
class BufferPoint:
    """The rate with each number of DMA buffers."""

    count: int
    inside_write_mb_s: float
    end_to_end_mb_s: float


@dataclass(frozen=True)
class BufferSizePoint:
    """The steady rate of the bus alone, from memory, with each size of DMA buffer."""

    kib_each: int
    end_to_end_mb_s: float


@dataclass(frozen=True)
class UpdatePoint:
    """The rate of the synchronous application for values of ``update_kib`` and ``wake_us``."""

    update_kib: int
    inside_write_mb_s: tuple[float, ...]
    """By ``WAKE_FACTORS`` times the platform's ``wake_us``."""


def sweep_buffers(
    platform: StreamingPlatform,
    operation: Operation,
    length: int,
    *,
    cores: str = OWN_CORES,
    counts: Sequence[int] = BUFFER_COUNTS,
    report: Report = say,
) -> list[BufferPoint]:
    """Return what numbers of DMA buffers give to a stream into the sink.

    Raises:
        SimulationError: A model is wrong, or there are no cores.
    """
    runner = VirtualStreams(platform, cores, report=report)
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
        update = max(platform.host.update_kib, float(kib))
        varied = memory.with_number("dma_buffers.kib_each", kib)
        varied = varied.with_number("host.update_kib", update)
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
    core = VirtualStreams(platform, OWN_CORES, report=report).core
    found = []
    for kib in updates_kib:
        rates = []
        for factor in WAKE_FACTORS:
            varied = platform.with_number("host.update_kib", float(kib))
            times = stream(
                varied.with_number("host.wake_us", platform.host.wake_us * factor),
                core(operation),
                length,
                application=Application.OPENSSL,
                destination=Destination.FILE,
            )
            rates.append(length / times.inside_write_s / 1e6)
        found.append(UpdatePoint(kib, tuple(rates)))
    return found
