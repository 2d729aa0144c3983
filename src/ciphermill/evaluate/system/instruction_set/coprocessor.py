# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The RTL of a coprocessor, compiled by Verilator and called through ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self

from ciphermill.evaluate.system.errors import Hung

WAIT_LIMIT = 1_000_000
"""Wait cycles after which a transfer counts as hung."""


class Transfer(NamedTuple):
    """The value and the cycles of a transfer."""

    data: int
    waited: int
    """Cycles before the cycle of the transfer itself."""
    computing: int
    """The cycles among these in which the cipher computed."""


class Coprocessor:
    """One coprocessor, reset and ready; close it after use (a context manager)."""

    def __init__(self, library: Path) -> None:
        functions = ctypes.CDLL(str(library))
        word, pointer = ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32)
        functions.coprocessor_model_open.restype = ctypes.c_void_p
        functions.coprocessor_model_close.argtypes = [ctypes.c_void_p]
        functions.coprocessor_model_advance.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
        functions.coprocessor_model_stick.argtypes = [ctypes.c_void_p, word]
        transfer: Callable[..., int] = functions.coprocessor_model_transfer
        functions.coprocessor_model_transfer.restype = word
        functions.coprocessor_model_transfer.argtypes = [
            ctypes.c_void_p,
            ctypes.c_int,
            word,
            word,
            word,
            pointer,
            pointer,
        ]
        self._functions = functions
        self._transfer = transfer
        self._model: int | None = functions.coprocessor_model_open()
        if self._model is None:
            raise MemoryError("no memory for a model of the coprocessor")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the model; a second call has no effect."""
        if self._model is not None:
            self._functions.coprocessor_model_close(self._model)
            self._model = None

    def advance(self, cycles: int) -> None:
        """Simulate cycles without a transfer."""
        self._functions.coprocessor_model_advance(self._model, cycles)

    def stick(self, bits: int) -> None:
        """Set these bits of every result that is read to one, for tests."""
        self._functions.coprocessor_model_stick(self._model, bits)

    def transfer(self, address: int, data: int | None = None) -> Transfer:
        """Write a word, or read one where ``data`` is None.

        Raises:
            Hung: The coprocessor does not answer.
        """
        waited, computing = ctypes.c_uint32(), ctypes.c_uint32()
        read = self._transfer(
            self._model,
            int(data is not None),
            address,
            data or 0,
            WAIT_LIMIT,
            ctypes.byref(waited),
            ctypes.byref(computing),
        )
        if waited.value >= WAIT_LIMIT:
            raise Hung(f"the coprocessor does not answer a transfer at 0x{address:03x}")
        return Transfer(read, waited.value, computing.value)
