# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The device and its bus in virtual time: from DMA buffers through FIFOs and core, and back.

The bus moves bursts, both directions at once. Where the link has a latency, a read is answered so
long after its request, and as many reads are on their way as the FIFO has room for; writes follow
one another, and a buffer of the host is full when the last of them is answered. A DMA buffer
towards the device returns to the host when its last burst has been read; one towards the host is
passed on when it is full, or when a caller's update ends in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator

from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.stream.cores import CipherElement
from ciphermill.evaluate.stream.kernel import Gate, Process, Simulation
from ciphermill.evaluate.stream.shared_model import SharedChannel


class Turns:
    """One direction of a bus that several streams share, round robin by burst."""

    def __init__(self, simulation: Simulation) -> None:
        """Make a bus that is idle."""
        self._waiting: deque[object] = deque()
        self._changed = simulation.gate()

    def move(self, seconds: float) -> Process:
        """Wait for the bus, then use it for a time."""
        mine = object()
        self._waiting.append(mine)
        while self._waiting[0] is not mine:
            yield self._changed
        yield seconds
        self._waiting.popleft()
        self._changed.open()


class DeviceSide:
    """The DMA buffers, bus, FIFOs and core."""

    def __init__(
        self,
        simulation: Simulation,
        platform: StreamingPlatform,
        core: CipherElement | SharedChannel,
        *,
        length: int,
        update: int,
        sink: bool,
        turns: tuple[Turns, Turns] | None = None,
    ) -> None:
        """Add a device to a simulation and start its processes.

        Args:
            simulation: The clock.
            platform: Rates and sizes.
            core: The core that processes the bytes.
            length: Bytes of the whole stream.
            update: Bytes after which the host asks for the output so far.
            sink: Whether the output stays on the device.
            turns: The shared bus, towards the device and towards the host.
        """
        self._turns = turns or (Turns(simulation), Turns(simulation))
        self._simulation = simulation
        self._platform = platform
        self._length = length
        self._update = update
        self._sink = sink
        self.buffer_bytes = platform.dma_buffers.bytes_each
        self.free = platform.dma_buffers.count
        """DMA buffers that the host may fill."""
        self.freed = simulation.gate()
        self.ready: deque[int] = deque()
        """Bytes in the DMA buffers that the host may empty."""
        self.arrived = simulation.gate()
        self.finished_s = 0.0
        """The time at which the last byte left the core."""
        self._host_free = platform.dma_buffers.count
        self._host_freed = simulation.gate()
        self._filled: deque[int] = deque()
        self._was_filled = simulation.gate()
        self._input: deque[int] = deque()
        self._input_free = platform.fifo_bytes
        self._input_changed = simulation.gate()
        self._leaving: deque[tuple[float, int]] = deque()
        self._has_leaving = simulation.gate()
        self._output: deque[int] = deque()
        self._output_free = platform.fifo_bytes
        self._output_changed = simulation.gate()
        self._asked: deque[tuple[float, int]] = deque()
        self._was_asked = simulation.gate()
        self._came = 0
        self._has_come = simulation.gate()
        if platform.bus.latency_ns:
            simulation.spawn("the requests to the host", self._request())
            simulation.spawn("the bus to the device", self._answer())
        else:
            simulation.spawn("the bus to the device", self._to_device())
        enter = self._put(core) if isinstance(core, SharedChannel) else self._cipher(core)
        simulation.spawn("the core", enter)
        simulation.spawn("the core's output", self._leave(core))
        if not sink:
            simulation.spawn("the bus to the host", self._to_host())

    def fill(self, count: int) -> None:
        """Pass on a DMA buffer that the host has filled; the caller has decremented ``free``."""
        self._filled.append(count)
        self._was_filled.open()

    def empty(self) -> int:
        """Take the first buffer of ``ready``; returns its bytes."""
        return self.ready.popleft()

    def release(self) -> None:
        """Return a buffer that the host has emptied."""
        self._host_free += 1
        self._host_freed.open()

    def _to_device(self) -> Process:
        bus = self._platform.bus
        per_byte = 1e-6 / bus.mb_s_to(device=True)
        gap, hand_over = bus.burst_gap_ns * 1e-9, bus.buffer_us * 1e-6
        moved = 0
        while moved < self._length:
            while not self._filled:
                yield self._was_filled
            count = self._filled.popleft()
            yield hand_over
            for start in range(0, count, bus.burst_bytes):
                burst = min(bus.burst_bytes, count - start)
                while self._input_free < burst:
                    yield self._input_changed
                self._input_free -= burst
                yield from self._turns[0].move(burst * per_byte + gap)
                self._input.append(burst)
                self._input_changed.open()
            moved += count
            self.free += 1
            self.freed.open()

    def _request(self) -> Process:
        """Ask for bursts as soon as there is room for them, one buffer after the other."""
        bus, simulation = self._platform.bus, self._simulation
        latency, hand_over = bus.latency_ns * 1e-9, bus.buffer_us * 1e-6
        moved = 0
        while moved < self._length:
            while not self._filled:
                yield self._was_filled
            count = self._filled.popleft()
            yield hand_over
            for start in range(0, count, bus.burst_bytes):
                burst = min(bus.burst_bytes, count - start)
                while self._input_free < burst:
                    yield self._input_changed
                self._input_free -= burst
                self._asked.append((simulation.now + latency, burst))
                self._was_asked.open()
            moved += count
            while self._came < moved:
                yield self._has_come
            self.free += 1
            self.freed.open()

    def _answer(self) -> Process:
        """Move the bursts that were asked for, each when the latency is over, in their order."""
        bus, simulation = self._platform.bus, self._simulation
        per_byte, gap = 1e-6 / bus.mb_s_to(device=True), bus.burst_gap_ns * 1e-9
        while self._came < self._length:
            while not self._asked:
                yield self._was_asked
            when, burst = self._asked.popleft()
            if when > simulation.now:
                yield when - simulation.now
            yield from self._turns[0].move(burst * per_byte + gap)
            self._came += burst
            self._has_come.open()
            self._input.append(burst)
            self._input_changed.open()

    def _next_burst(self) -> Generator[float | Gate, None, int]:
        """Wait for a burst, and for room for its output; return its bytes."""
        while not self._input:
            yield self._input_changed
        burst = self._input.popleft()
        while not self._sink and self._output_free < burst:
            yield self._output_changed
        self._output_free -= 0 if self._sink else burst
        return burst

    def _put(self, core: SharedChannel) -> Process:
        moved = 0
        while moved < self._length:
            burst = yield from self._next_burst()
            self._leaving.append((0.0, burst))
            self._has_leaving.open()
            core.put(burst)
            while core.queued:
                yield core.moved
            moved += burst
            self._input_free += burst
            self._input_changed.open()

    def _cipher(self, core: CipherElement) -> Process:
        simulation = self._simulation
        moved = 0
        while moved < self._length:
            burst = yield from self._next_burst()
            taken, left = core.take(simulation.now, burst)
            if taken > simulation.now:
                yield taken - simulation.now
            moved += burst
            self._input_free += burst
            self._input_changed.open()
            self._leaving.append((left, burst))
            self._has_leaving.open()

    def _leave(self, core: CipherElement | SharedChannel) -> Process:
        simulation = self._simulation
        moved = 0
        while moved < self._length:
            while not self._leaving:
                yield self._has_leaving
            when, burst = self._leaving.popleft()
            if when > simulation.now:
                yield when - simulation.now
            moved += burst
            while isinstance(core, SharedChannel) and core.given < moved:
                yield core.moved
            if not self._sink:
                self._output.append(burst)
                self._output_changed.open()
        self.finished_s = simulation.now

    def _to_host(self) -> Process:
        bus = self._platform.bus
        per_byte = 1e-6 / bus.mb_s_to(device=False)
        gap = bus.burst_gap_ns * 1e-9
        hand_over = bus.latency_ns * 1e-9 + bus.buffer_us * 1e-6
        moved = 0
        while moved < self._length:
            while not self._host_free:
                yield self._host_freed
            self._host_free -= 1
            here = 0
            room = min(self.buffer_bytes, self._update - moved % self._update)
            room = min(room, self._length - moved)
            while here < room:
                while not self._output:
                    yield self._output_changed
                burst = self._output.popleft()
                if burst > room - here:  # the rest of it goes into the next buffer
                    self._output.appendleft(burst - (room - here))
                    burst = room - here
                yield from self._turns[1].move(burst * per_byte + gap)
                self._output_free += burst
                self._output_changed.open()
                here += burst
            moved += here
            yield hand_over
            self.ready.append(here)
            self.arrived.open()
