# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Our accelerators in virtual time: the compiled model of the RTL, clock by clock.

The bytes that arrive are real: what comes out is compared with OpenSSL's. Clocks
in which the model waits for a burst and nothing in it moves are not simulated.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ciphermill._engine import Device
from ciphermill.design import Direction
from ciphermill.design.streaming_platform import BLOCK_BYTES, StreamMode

from .cores import TimedCore
from .kernel import SimulationError, WrongStreamError

KEY_BYTES = 32
"""The streaming systems use AES-256."""

# Registers: hw/accel/accel.rdl.
_CONTROL, _CONFIGURATION, _ERROR = 0x10, 0x14, 0x1C
_LENGTH_LOW, _LENGTH_HIGH, _IV, _KEY = 0x28, 0x2C, 0x30, 0x40
_START, _LOAD_KEY = 1 << 0, 1 << 1
_MODES = {"ecb": 0, "cbc": 1, "ctr": 2}
_DECRYPT, _KEY_256, _COUNT_128 = 1 << 3, 2 << 4, 2 << 6

# hw/model/ciphermill_model.h.
_INTERFACE = 1
_NEEDS_INPUT = 2
_HUNG_CLOCKS = 1_000_000
_FIRST_CLOCKS = 4096
"""Before the first burst: more than key schedule and first counter block take in any core."""

_MEASURED_BYTES = (16 * 1024, 48 * 1024)
"""Two lengths whose difference gives a core's clocks a block."""


class _Library:
    """The model's C functions."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        declare = self._declare
        handle, word, size = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t
        self.interface = declare("interface", word)
        self.description = declare("description", ctypes.c_char_p)
        self.open = declare("open", handle)
        self.close = declare("close", None, handle)
        self.write = declare("write_register", ctypes.c_int, handle, word, word)
        self.read = declare(
            "read_register", ctypes.c_int, handle, word, ctypes.POINTER(ctypes.c_uint32)
        )
        self.push = declare("push", size, handle, word, ctypes.c_char_p, size, ctypes.c_int)
        self.pull = declare(
            "pull", size, handle, word, ctypes.c_char_p, size, ctypes.POINTER(ctypes.c_int)
        )
        self.advance = declare(
            "advance",
            ctypes.c_uint64,
            handle,
            ctypes.c_uint64,
            ctypes.POINTER(ctypes.c_uint32),
        )
        self.clocks = declare("clocks", ctypes.c_uint64, handle)

    def facts(self, library: Path) -> Mapping[str, Any]:
        """Return the description, once the interface is known to be ours."""
        if self.interface() != _INTERFACE:
            raise SimulationError(f"{library} is a model of another interface; build it again")
        found: dict[str, Any] = json.loads(self.description().decode())
        return found

    def _declare(self, name: str, result: Any, *arguments: Any) -> Any:
        function = getattr(self._library, f"ciphermill_model_{name}")
        function.restype, function.argtypes = result, arguments
        return function


def model_facts(library: Path) -> Mapping[str, Any]:
    """Return what a model says of itself: its ``description`` in ciphermill_model.h.

    Raises:
        SimulationError: The model is of another interface.
    """
    return _Library(library).facts(library)


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
            clock_mhz: What its clocks are counted in here.
            mode: Mode of operation.
            direction: Encrypt or decrypt.
            data: The whole message.
            key: 32 bytes.
            iv: 16 bytes; ECB has no use for it.

        Raises:
            SimulationError: The model is of another interface, or refuses the message.
        """
        self._functions = _Library(library)
        self.design = str(self._functions.facts(library)["design"])
        self._expected = _reference(data, mode, direction, key, iv)
        self._data = data
        self._hertz = clock_mhz * 1e6
        self._skipped = 0.0
        self._pushed = 0
        self._output = bytearray()
        self._drain_clocks: float | None = None
        self._handle = self._functions.open()
        if not self._handle:
            raise SimulationError(f"no memory for the model {self.design}")
        self._start(mode, direction, key, iv)
        self._skipped = -float(self._functions.clocks(self._handle))

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
                if waited > _HUNG_CLOCKS:
                    raise SimulationError(f"the model {self.design} takes no data any more")
        self._pushed += count
        taken_at = self._clocks()
        if last or self._drain_clocks is None:
            self._drain(self._pushed)
            left_at = self._clocks()
            if self._drain_clocks is None:
                self._drain_clocks = left_at - taken_at
            return (left_at if last else taken_at) / self._hertz, left_at / self._hertz
        return taken_at / self._hertz, (taken_at + self._drain_clocks) / self._hertz

    @property
    def latency_s(self) -> float:
        """Return the seconds from a burst's last block taken to its last block out."""
        return (self._drain_clocks or 0.0) / self._hertz

    def check(self) -> bool:
        """Return whether all output is there and is what OpenSSL gives."""
        return bytes(self._output) == self._expected

    def _step(self, clocks: int) -> tuple[int, bool]:
        """Let up to so many clocks pass; returns how many did, and whether input is asked for."""
        reason = ctypes.c_uint32(0)
        passed = int(self._functions.advance(self._handle, clocks, ctypes.byref(reason)))
        self._pull()
        return passed, bool(reason.value & _NEEDS_INPUT)

    def _idle_until(self, clocks: float) -> None:
        """Let the time until a burst's arrival pass; what nothing moves in is skipped.

        Nothing moves once all that was taken has left, and as many clocks again as the
        first burst took to leave have passed: in them a core that prepares a counter
        block or a round key for what comes next has prepared it.
        """
        idle = clocks - self._clocks()
        if idle <= 0:
            return
        left = int(idle)
        while left > 0 and len(self._output) < self._pushed:
            left -= self._step(1)[0]
        left = min(left, int(self._drain_clocks or _FIRST_CLOCKS))
        while left > 0:
            left -= self._step(left)[0]
        self._skipped += clocks - self._clocks()

    def _drain(self, count: int) -> None:
        waited = 0
        while len(self._output) < count:
            waited += self._step(1)[0]
            if waited > _HUNG_CLOCKS:
                raise SimulationError(f"the model {self.design} gives no output any more")

    def _pull(self) -> None:
        buffer = ctypes.create_string_buffer(4096)
        last = ctypes.c_int(0)
        while count := int(self._functions.pull(self._handle, 0, buffer, 4096, ctypes.byref(last))):
            self._output += buffer.raw[:count]

    def _clocks(self) -> float:
        return float(self._functions.clocks(self._handle)) + self._skipped

    def _start(self, mode: StreamMode, direction: Direction, key: bytes, iv: bytes) -> None:
        self._words(_KEY, key)
        configuration = _MODES[mode] | _KEY_256 | _COUNT_128
        if direction is Direction.DECRYPT:
            configuration |= _DECRYPT
        self._write(_CONFIGURATION, configuration)
        self._write(_CONTROL, _LOAD_KEY)
        self._words(_IV, iv)
        self._write(_LENGTH_LOW, len(self._data) & 0xFFFF_FFFF)
        self._write(_LENGTH_HIGH, len(self._data) >> 32)
        self._write(_CONTROL, _START)
        error = ctypes.c_uint32(0)
        if self._functions.read(self._handle, _ERROR, ctypes.byref(error)) or error.value:
            raise SimulationError(
                f"the model {self.design} refuses {mode} {direction} with error {error.value:#x}"
            )

    def _words(self, address: int, text: bytes) -> None:
        for offset in range(0, len(text), 4):
            self._write(address + offset, int.from_bytes(text[offset : offset + 4], "little"))

    def _write(self, address: int, value: int) -> None:
        if self._functions.write(self._handle, address, value):
            raise SimulationError(f"the model {self.design} has no register {address:#x}")


def measure_core(
    library: Path, *, clock_mhz: float, mode: StreamMode, direction: Direction, burst_bytes: int
) -> TimedCore:
    """Return a model as clock counts: what it takes when its input never runs dry.

    Args:
        library: The model.
        clock_mhz: What its clocks are counted in.
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


def _reference(data: bytes, mode: StreamMode, direction: Direction, key: bytes, iv: bytes) -> bytes:
    output, _ = Device("software+").transform(
        data, mode=mode, direction=direction.value, key=key, iv=None if mode == "ecb" else iv
    )
    return output
