# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Our accelerators in virtual time: the compiled model of the RTL, cycle by cycle.

The bytes that arrive are real: what comes out is compared with OpenSSL's. Cycles
in which the model waits for a burst and nothing in it moves are not simulated.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

from ciphermill.design import Direction
from ciphermill.design.streaming_platform import BLOCK_BYTES, StreamMode
from ciphermill.evaluate.stream.cores import TimedCore
from ciphermill.evaluate.stream.kernel import SimulationError, WrongStreamError
from ciphermill.evaluate.stream.model_library import KEY_BYTES, ModelLibrary, reference

_NEEDS_INPUT = 2
_HUNG_CYCLES = 1_000_000
_FIRST_CYCLES = 4096
"""Before the first burst: more than key schedule and first counter block take in any core."""

_MEASURED_BYTES = (16 * 1024, 48 * 1024)
"""Two lengths whose difference gives a core's cycles a block."""


class ModelCore:
    """A cipher element that is a compiled accelerator, with one message in it."""

    def __init__(
        self,
        library: Path,
        *,
        clock_mhz: float,
        mode: StreamMode,
        direction: Direction,
        data: bytes,
        key: bytes,
        iv: bytes,
    ) -> None:
        """Open a model and start a message.

        Args:
            library: The model (``toolchain.model``).
            clock_mhz: What its cycles are counted in here.
            mode: Mode of operation.
            direction: Encrypt or decrypt.
            data: The whole message.
            key: 32 bytes.
            iv: 16 bytes; ECB has no use for it.

        Raises:
            SimulationError: The model is of another interface, or refuses the message.
        """
        self._functions = ModelLibrary(library)
        self.design = str(self._functions.facts()["design"])
        self._expected = reference(data, mode, direction, key, iv)
        self._data = data
        self._hertz = clock_mhz * 1e6
        self._skipped = 0.0
        self._pushed = 0
        self._output = bytearray()
        self._drain_cycles: float | None = None
        self._handle = self._functions.open()
        if not self._handle:
            raise SimulationError(f"no memory for the model {self.design}")
        self._functions.start(
            self._handle, 0, mode=mode, direction=direction, length=len(data), key=key, iv=iv
        )
        self._skipped = -float(self._functions.cycles(self._handle))

    def __enter__(self) -> ModelCore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the model's memory back; the core is not to be used any more."""
        if self._handle:
            self._functions.close(self._handle)
            self._handle = None

    def take(self, now: float, count: int) -> tuple[float, float]:
        """Take a burst; see ``CipherElement``.

        Raises:
            SimulationError: The model hangs.
        """
        self._idle_until(now * self._hertz)
        piece = self._data[self._pushed : self._pushed + count]
        last = self._pushed + count == len(self._data)
        pushed = waited = 0
        while pushed < len(piece):
            pushed += self._functions.push(
                self._handle, 0, piece[pushed:], len(piece) - pushed, int(last)
            )
            # After the last burst nothing is asked for: it is followed to its end.
            asks = False
            while not (asks or (last and pushed == len(piece))):
                passed, asks = self._step(4096)
                waited += passed
                if waited > _HUNG_CYCLES:
                    raise SimulationError(f"the model {self.design} takes no data any more")
        self._pushed += count
        taken_at = self._cycles()
        if last or self._drain_cycles is None:
            self._drain(self._pushed)
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
        return bytes(self._output) == self._expected

    def _step(self, cycles: int) -> tuple[int, bool]:
        """Let up to so many cycles pass; returns how many did, and whether input is asked for."""
        reason = ctypes.c_uint32(0)
        passed = int(self._functions.advance(self._handle, cycles, ctypes.byref(reason)))
        self._pull()
        return passed, bool(reason.value & _NEEDS_INPUT)

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
        while left > 0 and len(self._output) < self._pushed:
            left -= self._step(1)[0]
        left = min(left, int(self._drain_cycles or _FIRST_CYCLES))
        while left > 0:
            left -= self._step(left)[0]
        self._skipped += cycles - self._cycles()

    def _drain(self, count: int) -> None:
        waited = 0
        while len(self._output) < count:
            waited += self._step(1)[0]
            if waited > _HUNG_CYCLES:
                raise SimulationError(f"the model {self.design} gives no output any more")

    def _pull(self) -> None:
        buffer = ctypes.create_string_buffer(4096)
        last = ctypes.c_int(0)
        while count := int(self._functions.pull(self._handle, 0, buffer, 4096, ctypes.byref(last))):
            self._output += buffer.raw[:count]

    def _cycles(self) -> float:
        return float(self._functions.cycles(self._handle)) + self._skipped


def measure_core(
    library: Path, *, clock_mhz: float, mode: StreamMode, direction: Direction, burst_bytes: int
) -> TimedCore:
    """Return a model as cycle counts: what it takes when its input never runs dry.

    Args:
        library: The model.
        clock_mhz: What its cycles are counted in.
        mode: Mode of operation.
        direction: Encrypt or decrypt.
        burst_bytes: What it is given at once.

    Raises:
        SimulationError: The model hangs, or its output is wrong.
    """
    ends = []
    latency = 0.0
    for length in _MEASURED_BYTES:
        data = bytes(length)
        with ModelCore(
            library,
            clock_mhz=clock_mhz,
            mode=mode,
            direction=direction,
            data=data,
            key=bytes(KEY_BYTES),
            iv=bytes(BLOCK_BYTES),
        ) as core:
            left = 0.0
            for start in range(0, length, burst_bytes):
                _, left = core.take(0.0, min(burst_bytes, length - start))
            latency = core.latency_s
            if not core.check():
                raise WrongStreamError(f"the model {core.design} gives a wrong {mode} {direction}")
            ends.append(left)
    blocks = (_MEASURED_BYTES[1] - _MEASURED_BYTES[0]) / BLOCK_BYTES
    return TimedCore((ends[1] - ends[0]) / blocks, latency)
