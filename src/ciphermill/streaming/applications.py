# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The applications that stream: what their threads do, and what they time.

``throughput`` has a thread that reads and writes and one that drains, so that
files, bus and core go on side by side. ``openssl`` knows OpenSSL's calls only:
each update is written, and its result is awaited before the next is read.

Two times come of a run. *Inside write* is what the paper thesis-zynq-ciphers timed
(sections 7.5 to 7.7): the time inside the calls that hand data to the cipher; for
``throughput`` with files, and from the writing thread's end to the draining
thread's. *Total* is what a user waits for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from ciphermill.design.streaming_platform import StreamingPlatform

from .cores import CipherElement, Wire
from .device_side import DeviceSide
from .kernel import Gate, Process, Simulation


class Application(StrEnum):
    """How an application is written."""

    THROUGHPUT = "throughput"
    OPENSSL = "openssl"


class Destination(StrEnum):
    """What becomes of the output: the paper's two tests."""

    FILE = "file"
    SINK = "sink"


@dataclass(frozen=True)
class StreamTimes:
    """What a run took, in seconds of virtual time."""

    total_s: float
    """From the first read to the last byte written, or taken by the sink."""
    inside_write_s: float
    """What the paper timed."""
    blocked_s: float
    """Of it, waiting for a DMA buffer or for the result."""
    bus_busy_s: float
    """In which data went towards the device."""


class _Host:
    """What the threads share: storage, clocks, and the time inside calls."""

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
        self.blocked_s = 0.0

    def store(self, seconds: float) -> Process:
        """Use the storage for a time; whoever else wants it waits where it is shared."""
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
        """Block until something is there; waking up takes its time."""
        if there():
            return
        begin = self.simulation.now
        while not there():
            yield gate
        yield self.wake_s
        self.blocked_s += self.simulation.now - begin

    def write(self, device: DeviceSide, count: int) -> Process:
        """Copy an update into DMA buffers, blocking while none is free."""
        for piece in pieces(count, device.buffer_bytes):
            yield from self.wait(device.freed, lambda: device.free)
            device.free -= 1
            yield piece * self.copy_s
            device.fill(piece)

    def collect(self, device: DeviceSide) -> Process:
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


def stream(
    platform: StreamingPlatform,
    core: CipherElement,
    length: int,
    *,
    application: Application,
    destination: Destination,
) -> StreamTimes:
    """Run an application with the ciphers in hardware.

    Args:
        platform: What it runs on.
        core: The core that the bytes go through.
        length: Bytes of the file.
        application: How it is written.
        destination: Where the output goes.

    Raises:
        SimulationError: The system locks up.
    """
    simulation = Simulation()
    sink = destination is Destination.SINK
    two_threads = application is Application.THROUGHPUT and not sink
    host = _Host(simulation, platform, threads=2 if two_threads else 1)
    update = platform.update_bytes
    # Who drains at leisure takes what comes; who awaits each update needs it handed over.
    flush = update if application is Application.OPENSSL else length
    device = DeviceSide(simulation, platform, core, length=length, update=flush, sink=sink)
    wait_for_result = application is Application.OPENSSL and not sink
    writer_ended = drainer_ended = 0.0

    def writer() -> Process:
        nonlocal writer_ended
        for count in pieces(length, update):
            yield from host.store(count * host.read_s)
            begin = simulation.now
            yield from host.write(device, count)
            if wait_for_result:
                for _ in pieces(count, device.buffer_bytes):
                    yield from host.collect(device)
            host.inside_s += simulation.now - begin
            if wait_for_result:
                yield from host.store(count * host.write_s)
        writer_ended = simulation.now

    def drainer() -> Process:
        nonlocal drainer_ended
        for count in pieces(length, device.buffer_bytes):
            yield from host.collect(device)
            yield from host.store(count * host.write_s)
        drainer_ended = simulation.now

    simulation.spawn("the writing thread", writer())
    if two_threads:
        simulation.spawn("the draining thread", drainer())
    total = simulation.run()
    tail = max(drainer_ended - writer_ended, 0.0) if two_threads else 0.0
    return StreamTimes(total, host.inside_s + tail, host.blocked_s, device.bus_busy_s)


def stream_in_software(
    platform: StreamingPlatform, cipher_mb_s: float, length: int, *, destination: Destination
) -> StreamTimes:
    """Run an application with the ciphers in software; both are written alike then.

    Args:
        platform: What it runs on.
        cipher_mb_s: What its cipher does in memory.
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
    busy = device.bus_busy_s if device else 0.0
    return StreamTimes(total, host.inside_s, host.blocked_s, busy)
