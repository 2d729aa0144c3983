# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Our accelerators in virtual time: the compiled model of the RTL, cycle by cycle.

The bytes that arrive are real: what comes out is compared with OpenSSL's. Cycles
in which the model waits for a burst and nothing in it moves are not simulated.
"""

from __future__ import annotations

from pathlib import Path

from ciphermill._engine import Model
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.stream.cores import TimedCore
from ciphermill.evaluate.stream.kernel import SimulationError
from ciphermill.evaluate.stream.message import HUNG_CYCLES, Message, iv_of, key_of

_FIRST_CYCLES = 4096
"""Before the first burst: more than key schedule and first counter block take in any core."""

_MEASURED_BYTES = (16 * 1024, 48 * 1024)
"""Two lengths whose difference gives a core's cycles a block."""


class ModelCore:
    """A cipher element that is a compiled accelerator, with one message in it."""

    def __init__(
        self, library: Path, platform: StreamingPlatform, operation: Operation, data: bytes
    ) -> None:
        """Open a model and start a message.

        Args:
            library: The model (``toolchain.model``).
            platform: What it runs on: its clock, and the cipher that it is built around.
            operation: What is done with the message.
            data: The whole message.

        Raises:
            SimulationError: The model refuses the message.
            ciphermill.DeviceError: The file is no model, or one of another interface.
        """
        self._model = Model(library)
        self.design = self._model.design
        cipher = platform.cipher
        self.message = Message(
            self._model,
            0,
            data,
            algorithm=cipher,
            operation=operation,
            key=key_of(cipher),
            iv=iv_of(cipher),
        )
        self._hertz = platform.device.clock_mhz * 1e6
        self._drain_cycles: float | None = None
        self._skipped = -float(self._model.cycles)

    def take(self, now: float, count: int) -> tuple[float, float]:
        """Take a burst; see ``CipherElement``.

        Raises:
            SimulationError: The model hangs.
        """
        self._idle_until(now * self._hertz)
        message = self.message
        end = min(message.pushed + count, len(message.data))
        last = end == len(message.data)
        waited = 0
        while message.pushed < end:
            message.push(end - message.pushed)
            # After the last burst nothing is asked for: it is followed to its end.
            asks = False
            while not (asks or (last and message.pushed == end)):
                passed, asks = self._step(4096)
                waited += passed
                if waited > HUNG_CYCLES:
                    raise SimulationError(f"the model {self.design} takes no data any more")
        taken_at = self._cycles()
        if last or self._drain_cycles is None:
            self._drain()
            left_at = self._cycles()
            if self._drain_cycles is None:
                self._drain_cycles = left_at - taken_at
            return (left_at if last else taken_at) / self._hertz, left_at / self._hertz
        return taken_at / self._hertz, (taken_at + self._drain_cycles) / self._hertz

    @property
    def latency_s(self) -> float:
        """Return the seconds from a burst's last block taken to its last block out."""
        return (self._drain_cycles or 0.0) / self._hertz

    def check(self) -> bool:
        """Return whether all output is there and is what OpenSSL gives."""
        return self.message.check()

    def _step(self, cycles: int) -> tuple[int, bool]:
        """Let up to so many cycles pass; returns how many did, and whether input is asked for."""
        passed = self._model.advance(cycles)
        self.message.pull()
        return passed

    def _idle_until(self, cycles: float) -> None:
        """Let the time until a burst's arrival pass; what nothing moves in is skipped.

        Nothing moves once all that was taken has left, and as many cycles again as the
        first burst took to leave have passed: in them a core that prepares a counter
        block or a round key for what comes next has prepared it.
        """
        idle = cycles - self._cycles()
        if idle <= 0:
            return
        left = int(idle)
        while left > 0 and len(self.message.output) < self.message.pushed:
            left -= self._step(1)[0]
        left = min(left, int(self._drain_cycles or _FIRST_CYCLES))
        while left > 0:
            left -= self._step(left)[0]
        self._skipped += cycles - self._cycles()

    def _drain(self) -> None:
        waited = 0
        while len(self.message.output) < self.message.pushed:
            waited += self._step(1)[0]
            if waited > HUNG_CYCLES:
                raise SimulationError(f"the model {self.design} gives no output any more")

    def _cycles(self) -> float:
        return self._model.cycles + self._skipped


def measure_core(library: Path, platform: StreamingPlatform, operation: Operation) -> TimedCore:
    """Return a model as cycle counts: what it takes when its input never runs dry.

    The arguments are those of ``ModelCore``.

    Raises:
        SimulationError: The model hangs, or its output is wrong.
    """
    ends = []
    latency = 0.0
    burst_bytes, block_bytes = platform.bus.burst_bytes, platform.cipher.block_bytes
    for length in _MEASURED_BYTES:
        core = ModelCore(library, platform, operation, bytes(length))
        left = 0.0
        for start in range(0, length, burst_bytes):
            _, left = core.take(0.0, min(burst_bytes, length - start))
        latency = core.latency_s
        if not core.check():
            raise core.message.wrong()
        ends.append(left)
    blocks = (_MEASURED_BYTES[1] - _MEASURED_BYTES[0]) / block_bytes
    return TimedCore((ends[1] - ends[0]) / blocks, latency, block_bytes)
