# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""One accelerator for several streams, in virtual time: a compiled model with channels.

Streams that share cores cannot be simulated one after another, as ``ModelCore`` does
it: here the model moves with virtual time, some cycles in each step, and each channel
has in every step the bursts that have arrived for it by then. Bytes are real: what
comes out is compared with OpenSSL's.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

from ciphermill.design import Direction
from ciphermill.design.streaming_platform import BLOCK_BYTES, StreamMode
from ciphermill.evaluate.stream.kernel import Process, Simulation, SimulationError
from ciphermill.evaluate.stream.model_library import KEY_BYTES, ModelLibrary, reference

STEP_CYCLES = 16
"""The grain of time: a burst waits for the next step, a result for the end of its own.

A burst is 64 blocks on most platforms, and no core takes one in fewer cycles."""

_HUNG_CYCLES = 1_000_000
_PULLED_BYTES = 1 << 16


class SharedChannel:
    """A cipher element (``ClockedElement``) that shares an accelerator with others."""

    def __init__(self, model: SharedModel, number: int, data: bytes, expected: bytes) -> None:
        """Make the channel of one message; ``SharedModel`` does that."""
        self._model = model
        self._number = number
        self._data = data
        self._expected = expected
        self._output = bytearray()
        self.pushed = 0
        """Bytes that were put in."""
        self.moved = model.simulation.gate()
        """Opens whenever bytes have gone in or come out."""

    @property
    def given(self) -> int:
        """Bytes that have come out."""
        return len(self._output)

    @property
    def queued(self) -> int:
        """Bytes that were put in and have not entered the device."""
        return self._model.queued(self._number)

    @property
    def rests(self) -> bool:
        """Whether all that was put in has come out."""
        return self.given == self.pushed

    @property
    def ended(self) -> bool:
        """Whether the message has."""
        return self.given == len(self._data)

    def put(self, count: int) -> None:
        """Put a burst in that has arrived now.

        Raises:
            SimulationError: The model's queue is full; no device's FIFO is that large.
        """
        piece = self._data[self.pushed : self.pushed + count]
        self.pushed += count
        self._model.push(self._number, piece, last=self.pushed == len(self._data))

    def add(self, output: bytes) -> None:
        """Add what has come out."""
        self._output += output

    def check(self) -> bool:
        """Return whether all output is there and is what OpenSSL gives."""
        return bytes(self._output) == self._expected


class SharedModel:
    """A compiled accelerator in a simulation, with one message in each of some channels."""

    def __init__(
        self,
        simulation: Simulation,
        library: Path,
        *,
        clock_mhz: float,
        mode: StreamMode,
        direction: Direction,
        messages: Sequence[bytes],
    ) -> None:
        """Open a model, start the messages, and join it to a simulation.

        Args:
            simulation: The clock.
            library: The model (``toolchain.model``).
            clock_mhz: What its cycles are counted in here.
            mode: Mode of operation of all.
            direction: Encrypt or decrypt, all of them.
            messages: What each channel gets; none is empty.

        Raises:
            SimulationError: The model is of another interface, has not as many channels,
                or refuses a message.
        """
        self.simulation = simulation
        self._functions = ModelLibrary(library)
        facts = self._functions.facts()
        self.design = str(facts["design"])
        if len(messages) > int(facts["channels"]):
            raise SimulationError(
                f"{len(messages)} streams do not fit the {facts['channels']} channels"
                f" of {self.design}"
            )
        self._hertz = clock_mhz * 1e6
        self._work = simulation.gate()
        self.channels: list[SharedChannel] = []
        self._handle = self._functions.open()
        if not self._handle:
            raise SimulationError(f"no memory for the model {self.design}")
        self._buffer = ctypes.create_string_buffer(_PULLED_BYTES)
        for number, data in enumerate(messages):
            # Each stream has a key and an IV of its own.
            key, iv = bytes([number] * KEY_BYTES), bytes([~number & 0xFF] * BLOCK_BYTES)
            self._functions.start(
                self._handle,
                number,
                mode=mode,
                direction=direction,
                length=len(data),
                key=key,
                iv=iv,
            )
            expected = reference(data, mode, direction, key, iv)
            self.channels.append(SharedChannel(self, number, data, expected))
        simulation.spawn("the accelerator", self._run())

    def __enter__(self) -> SharedModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the model's memory back; it is not to be used any more."""
        if self._handle:
            self._functions.close(self._handle)
            self._handle = None

    def push(self, channel: int, piece: bytes, *, last: bool) -> None:
        """Queue bytes for a channel, and wake the model up.

        Raises:
            SimulationError: The queue is full.
        """
        taken = self._functions.push(self._handle, channel, piece, len(piece), int(last))
        if taken != len(piece):
            raise SimulationError(f"a burst does not fit the queue of the model {self.design}")
        self._work.open()

    def queued(self, channel: int) -> int:
        """Return the bytes that wait in front of a channel."""
        return int(self._functions.queued(self._handle, channel))

    def _run(self) -> Process:
        still = 0
        while not all(channel.ended for channel in self.channels):
            # Cycles in which there is nothing inside are not simulated.
            if all(channel.rests for channel in self.channels):
                yield self._work
                continue
            yield self._step() / self._hertz
            still = 0 if self._collect() else still + STEP_CYCLES
            if still > _HUNG_CYCLES:
                raise SimulationError(f"the model {self.design} gives no output any more")
            for channel in self.channels:
                channel.moved.open()

    def _step(self) -> int:
        """Let a step pass; returns its cycles."""
        passed, reason = 0, ctypes.c_uint32(0)
        while passed < STEP_CYCLES:
            left = STEP_CYCLES - passed
            passed += int(self._functions.advance(self._handle, left, ctypes.byref(reason)))
        return passed

    def _collect(self) -> bool:
        """Take what has come out; returns whether anything has."""
        any_output = False
        last = ctypes.c_int(0)
        for number, channel in enumerate(self.channels):
            while count := int(
                self._functions.pull(
                    self._handle, number, self._buffer, _PULLED_BYTES, ctypes.byref(last)
                )
            ):
                channel.add(self._buffer.raw[:count])
                any_output = True
        return any_output
