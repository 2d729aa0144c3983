# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Streaming applications: their threads and the times that they measure.

``throughput`` has a thread that reads and writes and one that drains, so that files, bus
and core work in parallel. ``openssl`` uses OpenSSL's calls: it writes each update and waits
for its result before it reads the next.

A run has two times. *Inside write* is the time that the paper thesis-zynq-ciphers measured
(sections 7.5 to 7.7): the time inside the calls that write data to the cipher and, for
``throughput`` with files, also from the end of the writing thread to that of the draining
thread. *Total* is the time until the last byte has arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.stream.cores import CipherElement, Wire
from ciphermill.evaluate.stream.device_side import DeviceSide, Turns
from ciphermill.evaluate.stream.dma_side import DmaSide, DmaSystem
from ciphermill.evaluate.stream.kernel import Gate, Process, Simulation
from ciphermill.evaluate.stream.shared_model import SharedChannel, SharedModel


class Application(StrEnum):
    """The structure of an application."""

    THROUGHPUT = "throughput"
    OPENSSL = "openssl"


class Destination(StrEnum):
    """The destination of the output: the paper's two tests."""

    FILE = "file"
    SINK = "sink"


@dataclass(frozen=True)
class StreamTimes:
    """The times of a run, in seconds of virtual time."""

    total_s: float
    """From the first read to the last byte written, or taken by the sink."""
    inside_write_s: float
    """The time that the paper measured."""

    def fields(self, length: int) -> dict[str, float]:
        """Return the fields of a measurement of so many bytes."""
        return {
            "time_total_s": self.total_s,
            "time_inside_write_s": self.inside_write_s,
            "throughput_mb_s": length / self.total_s / 1e6,
            "throughput_inside_write_mb_s": length / self.inside_write_s / 1e6,
        }


class _Host:
    """State that the threads share: storage, rates, and the time inside calls."""

    def __init__(self, simulation: Simulation, platform: StreamingPlatform, *, threads: int):
        self.simulation = simulation
        self.platform = platform
        copy = platform.host.copy_rate
        rate = copy.mb_s if threads < 2 else copy.shared_mb_s or copy.mb_s
        self.copy_s = 1e-6 / rate
        self.wake_s = platform.host.wake_us * 1e-6
        storage = platform.storage
        self.read_s = 1e-6 / storage.read_mb_s
        self.write_s = 1e-6 / (storage.write_mb_s or storage.read_mb_s)
        self.storage_busy = False
        self.storage_free = simulation.gate()
        self.inside_s = 0.0

    def store(self, seconds: float) -> Process:
        """Use the storage for a time; other threads wait if it is shared."""
        if not self.platform.storage.shared:
            yield seconds
            return
        while self.storage_busy:
            yield self.storage_free
        self.storage_busy = True
        yield seconds
        self.storage_busy = False
        self.storage_free.open()

    def wait(self, gate: Gate, there: Callable[[], int]) -> Process:
        """Block until a condition holds; waking up takes time too."""
        if there():
            return
        while not there():
            yield gate
        yield self.wake_s

    def write(self, device: DeviceSide | DmaSide, count: int) -> Process:
        """Copy an update into DMA buffers, blocking while none is free."""
        for piece in pieces(count, device.buffer_bytes):
            yield from self.wait(device.freed, lambda: device.free)
            device.free -= 1
            yield piece * self.copy_s
            device.fill(piece)

    def collect(self, device: DeviceSide | DmaSide) -> Process:
        """Copy a DMA buffer of output into the application's memory."""
        yield from self.wait(device.arrived, lambda: len(device.ready))
        yield device.empty() * self.copy_s
        device.release()


def pieces(count: int, most: int) -> Iterator[int]:
    """Yield a length in pieces.

    >>> list(pieces(10, 4))
    [4, 4, 2]
    """
    for start in range(0, count, most):
        yield min(most, count - start)


class _Streaming:
    """One stream through hardware: its threads, and its side of the device."""

    def __init__(
        self,
        simulation: Simulation,
        platform: StreamingPlatform,
        core: CipherElement | SharedChannel | DmaSystem,
        length: int,
        application: Application,
        destination: Destination,
        turns: tuple[Turns, Turns],
    ) -> None:
        """Start the threads."""
        sink = destination is Destination.SINK
        self._two_threads = application is Application.THROUGHPUT and not sink
        self._awaits = application is Application.OPENSSL and not sink
        self._length = length
        self._update = platform.update_bytes
        self._writer_ended = self._drainer_ended = 0.0
        self._simulation = simulation
        self._host = _Host(simulation, platform, threads=2 if self._two_threads else 1)
        # A draining thread takes full buffers; an application that awaits each update needs
        # partial ones.
        self._device: DeviceSide | DmaSide
        if isinstance(core, DmaSystem):
            self._device = DmaSide(simulation, platform, core, length=length)
        else:
            self._device = DeviceSide(
                simulation,
                platform,
                core,
                length=length,
                update=self._update if self._awaits else length,
                sink=sink,
                turns=turns,
            )
        simulation.spawn("the writing thread", self._writer())
        if self._two_threads:
            simulation.spawn("the draining thread", self._drainer())

    def times(self) -> StreamTimes:
        """Return the times, once the simulation has ended."""
        host, device = self._host, self._device
        total = max(self._writer_ended, self._drainer_ended, device.finished_s)
        tail = max(self._drainer_ended - self._writer_ended, 0.0) if self._two_threads else 0.0
        return StreamTimes(total, host.inside_s + tail)

    def _writer(self) -> Process:
        simulation, host, device = self._simulation, self._host, self._device
        for count in pieces(self._length, self._update):
            yield from host.store(count * host.read_s)
            begin = simulation.now
            yield from host.write(device, count)
            if self._awaits:
                for _ in pieces(count, device.buffer_bytes):
                    yield from host.collect(device)
            host.inside_s += simulation.now - begin
            if self._awaits:
                yield from host.store(count * host.write_s)
        self._writer_ended = simulation.now

    def _drainer(self) -> Process:
        for count in pieces(self._length, self._device.buffer_bytes):
            yield from self._host.collect(self._device)
            yield from self._host.store(count * self._host.write_s)
        self._drainer_ended = self._simulation.now


def stream(
    platform: StreamingPlatform,
    core: CipherElement | DmaSystem,
    length: int,
    application: Application,
    destination: Destination,
) -> StreamTimes:
    """Run an application with the ciphers in hardware; see ``stream_together``."""
    return stream_together(platform, [core], length, application, destination)[0]


def stream_together(
    platform: StreamingPlatform,
    cores: Sequence[CipherElement | SharedChannel | DmaSystem],
    length: int,
    application: Application,
    destination: Destination,
    simulation: Simulation | None = None,
) -> list[StreamTimes]:
    """Run several streams at once, each with a core, threads and DMA buffers of its own.

    They share the bus, which alternates between them burst by burst.

    Args:
        platform: What they run on.
        cores: The core of each.
        length: Bytes of each.
        application: How they are written.
        destination: Where the output goes.
        simulation: The clock, where the cores have one already.

    Raises:
        SimulationError: The system locks up.
    """
    simulation = simulation or Simulation()
    turns = Turns(simulation), Turns(simulation)
    running = [
        _Streaming(simulation, platform, core, length, application, destination, turns)
        for core in cores
    ]
    simulation.run()
    return [one.times() for one in running]


def stream_on_channels(
    platform: StreamingPlatform,
    library: Path,
    messages: Sequence[bytes],
    operation: Operation,
    application: Application,
    destination: Destination,
) -> list[StreamTimes]:
    """Run several streams at once through the channels of one accelerator.

    They share the bus and the accelerator's cores; threads and DMA buffers are each
    stream's own.

    Args:
        platform: What they run on.
        library: The accelerator's model (``toolchain.model``).
        messages: The data of each stream; all have one length.
        operation: The operation of all streams.
        application: How they are written.
        destination: Where the output goes.

    Raises:
        SimulationError: The system locks up, or the model has not as many channels or
            gives a wrong output.
    """
    simulation = Simulation()
    channels = SharedModel(simulation, library, platform, operation, messages).channels
    length = len(messages[0])
    times = stream_together(platform, channels, length, application, destination, simulation)
    for channel in channels:
        if not channel.check():
            raise channel.wrong()
    return times


def stream_in_software(
    platform: StreamingPlatform, cipher_mb_s: float, length: int, destination: Destination
) -> StreamTimes:
    """Run an application with the ciphers in software; both applications are the same then.

    Args:
        platform: The platform.
        cipher_mb_s: The rate of its cipher in memory.
        length: Bytes of the file.
        destination: Where the output goes; to a sink it goes over the bus.
    """
    simulation = Simulation()
    sink = destination is Destination.SINK
    host = _Host(simulation, platform, threads=1)
    update = platform.update_bytes
    device = (
        DeviceSide(simulation, platform, Wire(), length=length, update=length, sink=True)
        if sink
        else None
    )

    def only_thread() -> Process:
        for count in pieces(length, update):
            yield from host.store(count * host.read_s)
            begin = simulation.now
            yield count * 1e-6 / cipher_mb_s
            if device:
                yield from host.write(device, count)
            host.inside_s += simulation.now - begin
            if not device:
                yield from host.store(count * host.write_s)

    simulation.spawn("the only thread", only_thread())
    total = simulation.run()
    return StreamTimes(total, host.inside_s)
