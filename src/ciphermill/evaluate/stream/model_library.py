# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A compiled model's C functions (hw/model/ciphermill_model.h), and messages in its channels."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ciphermill.design import Direction
from ciphermill.design.streaming_platform import StreamMode
from ciphermill.evaluate.stream.kernel import SimulationError
from ciphermill.registry import openssl

KEY_BYTES = 32
"""The streaming systems use AES-256."""

# Registers: hw/accel/accel.rdl.
_CHANNEL_BYTES = 256
_CONTROL, _CONFIGURATION, _ERROR = 0x10, 0x14, 0x1C
_LENGTH_LOW, _LENGTH_HIGH, _IV, _KEY = 0x28, 0x2C, 0x30, 0x40
_START, _LOAD_KEY = 1 << 0, 1 << 1
_MODES = {"ecb": 0, "cbc": 1, "ctr": 2}
_DECRYPT, _KEY_256, _COUNT_128 = 1 << 3, 2 << 4, 2 << 6

_INTERFACE = 1


class ModelLibrary:
    """The model's C functions."""

    def __init__(self, path: Path) -> None:
        """Load a library."""
        self._path = path
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
        self.queued = declare("queued", size, handle, word)
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
        self.cycles = declare("cycles", ctypes.c_uint64, handle)

    def facts(self) -> Mapping[str, Any]:
        """Return the description, once the interface is known to be ours.

        Raises:
            SimulationError: The model is of another interface.
        """
        if self.interface() != _INTERFACE:
            raise SimulationError(f"{self._path} is a model of another interface; build it again")
        found: dict[str, Any] = json.loads(self.description().decode())
        return found

    def start(
        self,
        handle: int,
        channel: int,
        *,
        mode: StreamMode,
        direction: Direction,
        length: int,
        key: bytes,
        iv: bytes,
    ) -> None:
        """Load a key and an IV, and start a message of so many bytes.

        Raises:
            SimulationError: The model refuses it.
        """
        configuration = _MODES[mode] | _KEY_256 | _COUNT_128
        if direction is Direction.DECRYPT:
            configuration |= _DECRYPT
        base = channel * _CHANNEL_BYTES
        writes = [
            *_words(_KEY, key),
            (_CONFIGURATION, configuration),
            (_CONTROL, _LOAD_KEY),
            *_words(_IV, iv),
            (_LENGTH_LOW, length & 0xFFFF_FFFF),
            (_LENGTH_HIGH, length >> 32),
            (_CONTROL, _START),
        ]
        for address, value in writes:
            if self.write(handle, base + address, value):
                raise SimulationError(f"{self._path} has no register {base + address:#x}")
        error = ctypes.c_uint32(0)
        if self.read(handle, base + _ERROR, ctypes.byref(error)) or error.value:
            raise SimulationError(
                f"{self._path} refuses {mode} {direction} with error {error.value:#x}"
            )

    def _declare(self, name: str, result: Any, *arguments: Any) -> Any:
        try:
            function = getattr(self._library, f"ciphermill_model_{name}")
        except AttributeError:
            raise SimulationError(f"{self._path} is an older model; build it again") from None
        function.restype, function.argtypes = result, arguments
        return function


def model_facts(library: Path) -> Mapping[str, Any]:
    """Return what a model says of itself: its ``description`` in ciphermill_model.h.

    Raises:
        SimulationError: The model is of another interface.
    """
    return ModelLibrary(library).facts()


def reference(data: bytes, mode: StreamMode, direction: Direction, key: bytes, iv: bytes) -> bytes:
    """Return what OpenSSL makes of a message."""
    output, _ = openssl().transform(
        data, mode=mode, direction=direction.value, key=key, iv=None if mode == "ecb" else iv
    )
    return output


def _words(address: int, text: bytes) -> list[tuple[int, int]]:
    """Return the writes that put bytes into registers from an address on."""
    return [
        (address + offset, int.from_bytes(text[offset : offset + 4], "little"))
        for offset in range(0, len(text), 4)
    ]
