# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The device of a stream whose DMA engine is RTL, joined to virtual time.

The DMA engine (``hw/dma``) and an accelerator are simulated cycle by cycle, as one system. The
engine reads the bytes of a DMA buffer from a modelled memory behind the platform's link, and writes
what the accelerator gives into a buffer of the host, one transfer for each pair of buffers. The
host's threads and its hand-over of buffers are in virtual time, as of every other platform. Cycles
in which no transfer is in progress are not simulated.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path

from ciphermill.design import Accelerator, load_design
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.stream.kernel import (
    Process,
    Simulation,
    SimulationError,
    WrongStreamError,
)
from ciphermill.evaluate.stream.message import (
    HUNG_CYCLES,
    answer_of,
    iv_of,
    key_of,
    start_message,
)
from ciphermill.registers import accel, dma
from ciphermill.toolchain.dma import ACCELERATOR, ENGINE, DmaModel, DmaWidths, build_dma
from ciphermill.toolchain.model import Report

STEP_CYCLES = 16
"""The grain of time: a buffer that the host hands over waits for the next step."""
_FIRST_CYCLES = 4096
"""Before the first transfer: more than key schedule and first counter block take in any core."""
_IN_FLIGHT = 8
"""Transfers that the engine has at once (hw/dma/README.md)."""


def dma_library(platform: StreamingPlatform, cores: str | Accelerator, report: Report) -> Path:
    """Return the library of a design behind the DMA engine of a platform.

    Raises:
        DesignError: There is no such design, or it cannot be behind the engine.
        ToolError: A tool is missing or failed.
    """
    bus = platform.bus
    bits = bus.to_device_bits or 0
    widths = DmaWidths(bits, bus.burst_bytes * 8 // bits, platform.fifo_bytes * 8 // bits)
    design = load_design(cores, Accelerator) if isinstance(cores, str) else cores
    return build_dma(design, widths, report)


class DmaSystem:
    """An accelerator behind the DMA engine, with one message started in it."""

    def __init__(
        self,
        library: Path,
        platform: StreamingPlatform,
        operation: Operation,
        data: bytes,
        *,
        sink: bool,
    ) -> None:
        """Open a library and start a message.

        Args:
            library: Of ``dma_library``.
            platform: Where it is: its clock, its link and its DMA buffers.
            operation: What is done with the message.
            data: The whole message; not empty.
            sink: Whether the output stays in the accelerator.

        Raises:
            SimulationError: The accelerator refuses the message, or the engine does not get ready.
            ToolError: It is no such library.
        """
        bus, buffers, cipher = platform.bus, platform.dma_buffers, platform.cipher
        self.hertz = platform.device.clock_mhz * 1e6
        self.data, self.sink = data, sink
        self.output = bytearray()
        """What the engine has written into the host's memory."""
        self._half = buffers.count * buffers.bytes_each
        latency = max(1, round(bus.latency_ns * 1e-9 * self.hertz))
        per_cycle = bus.mb_s_to(device=True) * 1e6 / self.hertz
        self.model = DmaModel(library, 2 * self._half, latency, max(1, int(per_cycle)))
        key, iv = key_of(cipher), iv_of(cipher)
        self._expected = b"" if sink else answer_of(cipher, operation, key, iv, data)
        waited = 0
        while self.model.read(ENGINE, dma.STATUS) & dma.STATUS__BUSY.word():
            waited += self.model.advance(STEP_CYCLES)[0]
            if waited > HUNG_CYCLES:
                raise SimulationError(f"the DMA engine before {self.design} never gets ready")
        start_message(
            self,
            0,
            len(data),
            algorithm=cipher,
            operation=operation,
            key=key,
            iv=iv,
            sink=sink,
        )
        self.model.write(
            ENGINE,
            dma.INTERRUPT_ENABLE,
            dma.INTERRUPT_ENABLE__DONE.word() | dma.INTERRUPT_ENABLE__ERROR.word(),
        )
        self.model.advance(_FIRST_CYCLES)

    @property
    def design(self) -> str:
        """The accelerator's name."""
        return self.model.design

    def read(self, offset: int) -> int:
        """Return a register of the accelerator."""
        return self.model.read(ACCELERATOR, offset)

    def write(self, offset: int, value: int) -> None:
        """Write a register of the accelerator."""
        self.model.write(ACCELERATOR, offset, value)

    def transfer(self, place: int, start: int, count: int) -> None:
        """Ask for a transfer: so many bytes of the message, from and to the buffers at a place.

        Args:
            place: Offset of both buffers in their half of the memory.
            start: The first byte in the message.
            count: Bytes.
        """
        flags = dma.FLAGS__READ.word() | dma.FLAGS__INTERRUPT.word()
        flags |= dma.FLAGS__WRITE.word(not self.sink)
        flags |= dma.FLAGS__MESSAGE_END.word(start + count == len(self.data))
        self.model.store(place, self.data[start : start + count])
        self.model.write(ENGINE, dma.SOURCE, place)
        self.model.write(ENGINE, dma.DESTINATION, self._half + place)
        self.model.write(ENGINE, dma.FLAGS, flags)
        self.model.write(ENGINE, dma.LENGTH, count)

    def completed(self) -> int:
        """Return the transfers that are complete, and clear the interrupt.

        Raises:
            SimulationError: The engine tells of an error.
        """
        state = self.model.read(ENGINE, dma.INTERRUPT_STATE)
        self.model.write(ENGINE, dma.INTERRUPT_STATE, state)
        if error := self.model.read(ENGINE, dma.ERROR):
            raise SimulationError(f"the DMA engine before {self.design}: error {error:#x}")
        return self.model.read(ENGINE, dma.COMPLETED)

    def take(self, place: int, count: int) -> None:
        """Take what the engine wrote into a buffer."""
        self.output += self.model.load(self._half + place, count)

    @property
    def is_busy(self) -> bool:
        """Whether the accelerator has not ended its message."""
        return bool(self.read(accel.STATUS) & accel.STATUS__BUSY.word())

    @property
    def compared(self) -> bool:
        """Whether ``check`` compares an output; that of the sink is gone."""
        return not self.sink

    def check(self) -> None:
        """Compare the output with OpenSSL's.

        Raises:
            WrongStreamError: They differ.
        """
        if self.compared and bytes(self.output) != self._expected:
            raise WrongStreamError(f"wrong output: {self.design} behind the DMA engine")


class DmaSide:
    """What a host sees of such a device: DMA buffers in both directions (see ``DeviceSide``)."""

    def __init__(
        self,
        simulation: Simulation,
        platform: StreamingPlatform,
        system: DmaSystem,
        *,
        length: int,
    ) -> None:
        """Add a device to a simulation and start its processes.

        Args:
            simulation: The clock.
            platform: Rates and sizes.
            system: Engine and accelerator, the message started.
            length: Bytes of the whole stream.
        """
        self._simulation, self._system, self._length = simulation, system, length
        self._hand_over = platform.bus.buffer_us * 1e-6
        self._skipped = simulation.now - system.model.cycles / system.hertz
        self.buffer_bytes = platform.dma_buffers.bytes_each
        self._buffers = platform.dma_buffers.count
        self.free = self._buffers
        """DMA buffers that the host may fill."""
        self.freed = simulation.gate()
        self.ready: deque[int] = deque()
        """Bytes in the DMA buffers that the host may empty."""
        self.arrived = simulation.gate()
        self.finished_s = 0.0
        """The time at which the last byte left the accelerator."""
        self._host_free = self._buffers
        self._filled: deque[int] = deque()
        self._was_filled = simulation.gate()
        self._given: deque[int] = deque()
        self._work = simulation.gate()
        self._returned: deque[int] = deque()
        self._was_returned = simulation.gate()
        simulation.spawn("the driver's buffers to the device", self._to_device())
        simulation.spawn("DMA engine and accelerator", self._run())
        if not system.sink:
            simulation.spawn("the driver's buffers to the host", self._to_host())

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
        self._work.open()

    def _to_device(self) -> Process:
        moved = 0
        while moved < self._length:
            while not self._filled:
                yield self._was_filled
            count = self._filled.popleft()
            yield self._hand_over
            moved += count
            self._given.append(count)
            self._work.open()

    def _to_host(self) -> Process:
        moved = 0
        while moved < self._length:
            while not self._returned:
                yield self._was_returned
            count = self._returned.popleft()
            yield self._hand_over
            moved += count
            self.ready.append(count)
            self.arrived.open()

    def _run(self) -> Process:
        system, model = self._system, self._system.model
        started = completed = asked = still = 0
        in_flight: deque[tuple[int, int]] = deque()
        while asked < self._length or in_flight:
            while self._given and self._host_free and len(in_flight) < _IN_FLIGHT:
                if not in_flight:
                    # Nothing was in progress: these cycles are not simulated.
                    self._skipped = self._simulation.now - model.cycles / system.hertz
                count = self._given.popleft()
                place = started % self._buffers * self.buffer_bytes
                system.transfer(place, asked, count)
                in_flight.append((place, count))
                self._host_free -= not system.sink
                started, asked = started + 1, asked + count
                yield self._until_model()
            if not in_flight:
                yield self._work
                continue
            passed, interrupt = model.advance(STEP_CYCLES)
            still = 0 if interrupt else still + passed
            if still > HUNG_CYCLES + self._length:
                raise SimulationError(f"the DMA engine before {system.design} stands still")
            now_complete = system.completed() if interrupt else completed
            yield self._until_model()
            for _ in range(now_complete - completed):
                self._complete(*in_flight.popleft())
            completed = now_complete
        while system.sink and system.is_busy:
            model.advance(STEP_CYCLES)
            yield self._until_model()
        self.finished_s = self._simulation.now

    def _complete(self, place: int, count: int) -> None:
        """Give a transfer's buffers back to the host."""
        self.free += 1
        self.freed.open()
        if not self._system.sink:
            self._system.take(place, count)
            self._returned.append(count)
            self._was_returned.open()

    def _until_model(self) -> float:
        """Return the seconds from now until the model's present cycle."""
        at = self._system.model.cycles / self._system.hertz + self._skipped
        return max(0.0, at - self._simulation.now)
