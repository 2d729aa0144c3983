# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""One accelerator for several streams, in virtual time: a compiled model with channels.

Streams that share cores cannot be simulated one after another, as ``ModelCore`` does
it: here the model moves with virtual time, some cycles in each step, and each channel
has in every step the bursts that have arrived for it by then. Bytes are real: what
comes out is compared with OpenSSL's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ciphermill._engine import Model
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.stream.kernel import Gate, Process, Simulation, SimulationError
from ciphermill.evaluate.stream.message import HUNG_CYCLES, Message, key_bytes

STEP_CYCLES = 16
"""The grain of time: a burst waits for the next step, a result for the end of its own.

A burst is 64 blocks on most platforms, and no core takes one in fewer cycles."""


class SharedChannel(Message):
    """A core in virtual time that shares an accelerator: other streams delay its bursts."""

    moved: Gate
    """Opens whenever bytes have gone in or come out."""
    work: Gate
    """Wakes the model up."""

    @property
    def given(self) -> int:
        """Bytes that have come out."""
        return len(self.output)

    def put(self, count: int) -> None:
        """Put a burst in that has arrived now.

        Raises:
            SimulationError: The model's queue is full; no device's FIFO is that large.
        """
        wanted = min(count, len(self.data) - self.pushed)
        if self.push(wanted) != wanted:
            raise SimulationError("a burst does not fit the model's queue")
        self.work.open()


class SharedModel:
    """A compiled accelerator in a simulation, with one message in each of some channels."""

    def __init__(
        self,
        simulation: Simulation,
        library: Path,
        platform: StreamingPlatform,
        operation: Operation,
        messages: Sequence[bytes],
    ) -> None:
        """Open a model, start the messages, and join it to a simulation.

        Args:
            simulation: The clock.
            library: The model (``toolchain.model``).
            platform: What it runs on: its clock, and the cipher that it is built around.
            operation: What is done with every message.
            messages: What each channel gets; none is empty.

        Raises:
            SimulationError: The model is of another interface, has not as many channels,
                or refuses a message.
        """
        self._model = Model(library)
        self.design = self._model.design
        if len(messages) > self._model.channels:
            raise SimulationError(
                f"{len(messages)} streams do not fit the {self._model.channels} channels"
                f" of {self.design}"
            )
        self._hertz = platform.device.clock_mhz * 1e6
        self._work = simulation.gate()
        self.channels: list[SharedChannel] = []
        for number, data in enumerate(messages):
            # Each stream has a key and an IV of its own.
            channel = SharedChannel(
                self._model,
                number,
                data,
                algorithm=platform.cipher,
                operation=operation,
                key=bytes([number] * key_bytes(platform.cipher)),
                iv=bytes([~number & 0xFF] * platform.cipher.block_bytes),
            )
            channel.moved, channel.work = simulation.gate(), self._work
            self.channels.append(channel)
        simulation.spawn("the accelerator", self._run())

    def _run(self) -> Process:
        still = 0
        while not all(channel.ended for channel in self.channels):
            # Cycles in which there is nothing inside are not simulated.
            if all(channel.given == channel.pushed for channel in self.channels):
                yield self._work
                continue
            passed = 0
            while passed < STEP_CYCLES:
                passed += self._model.advance(STEP_CYCLES - passed)[0]
            yield passed / self._hertz
            # A list: every channel gives what it has.
            moved = any([channel.pull() for channel in self.channels])
            still = 0 if moved else still + STEP_CYCLES
            if still > HUNG_CYCLES:
                raise SimulationError(f"the model {self.design} gives no output any more")
            for channel in self.channels:
                channel.moved.open()
