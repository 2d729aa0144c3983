# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A message in a channel of a compiled accelerator, and what must come of it.

The bytes are real: what comes out is compared with OpenSSL's.
"""

from __future__ import annotations

from typing import Protocol

from ciphermill._engine import Model
from ciphermill.algorithms import Algorithm
from ciphermill.design.operations import Operation
from ciphermill.evaluate.stream.kernel import SimulationError, WrongStreamError
from ciphermill.registers import accel
from ciphermill.registry import openssl

HUNG_CYCLES = 1_000_000
"""A model in which nothing moves for so long hangs."""
_CHANNEL_BYTES = 256
"""Registers of a channel: hw/accel/README.md."""


def key_bytes(algorithm: Algorithm) -> int:
    """Return the length of the key of streams: the longest that the algorithm has."""
    return max(algorithm.key_bits) // 8


def key_of(algorithm: Algorithm) -> bytes:
    """Return the key of a stream that has a device for itself."""
    return bytes(range(key_bytes(algorithm)))


def iv_of(algorithm: Algorithm) -> bytes:
    """Return the IV of such a stream, for a mode that has one."""
    return bytes(range(algorithm.block_bytes))


class Registers(Protocol):
    """The registers of an accelerator."""

    @property
    def design(self) -> str:
        """The accelerator's name."""

    def read(self, offset: int) -> int:
        """Return a register."""

    def write(self, offset: int, value: int) -> None:
        """Write a register."""


def answer_of(
    algorithm: Algorithm, operation: Operation, key: bytes, iv: bytes, data: bytes
) -> bytes:
    """Return what OpenSSL makes of a message; ECB has no use for the IV."""
    answer, _ = openssl().run(
        operation.verb,
        data,
        algorithm=algorithm.name,
        mode=operation.mode,
        key=key,
        iv=iv if algorithm.modes[operation.mode].iv_bytes else None,
    )
    return bytes(answer)


def start_message(
    registers: Registers,
    base: int,
    length: int,
    *,
    algorithm: Algorithm,
    operation: Operation,
    key: bytes,
    iv: bytes,
    sink: bool = False,
) -> None:
    """Load a key and an IV, and start a message.

    Args:
        registers: The accelerator's.
        base: Address of the channel's registers.
        length: Bytes of the message.
        algorithm: What the accelerator is built around.
        operation: What is done with it.
        key: Of ``key_bytes``.
        iv: A block; ECB has no use for it.
        sink: Whether the output goes into the accelerator's sink.

    Raises:
        SimulationError: The accelerator refuses the message.
    """
    rtl = algorithm.cores
    configuration = (
        accel.CONFIGURATION__MODE.word(rtl.mode_codes[operation.mode])
        | accel.CONFIGURATION__DIRECTION.word(operation.verb == "decrypt")
        | accel.CONFIGURATION__KEY_SIZE.word(rtl.key_size_codes[8 * len(key)])
        | accel.CONFIGURATION__COUNTER_WIDTH.word(accel.CONFIGURATION__COUNTER_WIDTH__BITS_128)
        | accel.CONFIGURATION__SINK.word(sink)
    )
    for offset, value in (
        *_words(accel.KEY, key),
        (accel.CONFIGURATION, configuration),
        (accel.CONTROL, accel.CONTROL__LOAD_KEY.word()),
        *_words(accel.IV, iv),
        (accel.MESSAGE_LENGTH_LOW, length & 0xFFFF_FFFF),
        (accel.MESSAGE_LENGTH_HIGH, length >> 32),
        (accel.CONTROL, accel.CONTROL__START.word()),
    ):
        registers.write(base + offset, value)
    if error := registers.read(base + accel.ERROR):
        raise SimulationError(
            f"the model {registers.design} refuses {operation.mode} {operation.verb} "
            f"with error {error:#x}"
        )


class Message:
    """A message in one channel of a model, from its start to its last byte."""

    def __init__(
        self,
        model: Model,
        channel: int,
        data: bytes,
        *,
        algorithm: Algorithm,
        operation: Operation,
        key: bytes,
        iv: bytes,
    ) -> None:
        """Load a key and an IV, and start the message.

        Args:
            model: The accelerator.
            channel: The channel's number.
            data: The whole message; not empty.
            algorithm: What the accelerator is built around.
            operation: What is done with it.
            key: Of ``key_bytes``.
            iv: A block; ECB has no use for it.

        Raises:
            SimulationError: The model refuses the message.
            ciphermill.DeviceError: The model has no such channel.
        """
        self.data = data
        self.output = bytearray()
        """What has come out."""
        self.pushed = 0
        """Bytes that were put in."""
        self._model, self._channel, self._operation = model, channel, operation
        self._expected = answer_of(algorithm, operation, key, iv, data)
        start_message(
            model,
            channel * _CHANNEL_BYTES,
            len(data),
            algorithm=algorithm,
            operation=operation,
            key=key,
            iv=iv,
        )

    @property
    def ended(self) -> bool:
        """Whether all of it has come out."""
        return len(self.output) == len(self.data)

    @property
    def queued(self) -> int:
        """Bytes that were put in and have not entered the device."""
        return self._model.queued(self._channel)

    def push(self, count: int) -> int:
        """Put up to so many bytes in; returns how many the model's queue took."""
        piece = self.data[self.pushed : self.pushed + count]
        last = self.pushed + len(piece) == len(self.data)
        taken = self._model.push(self._channel, piece, last)
        self.pushed += taken
        return taken

    def pull(self) -> bool:
        """Take what has come out; returns whether anything has."""
        found = self._model.pull(self._channel)
        self.output += found
        return bool(found)

    def check(self) -> bool:
        """Return whether all output is there and is what OpenSSL gives."""
        return bytes(self.output) == self._expected

    def wrong(self) -> WrongStreamError:
        """Return the error of a message that fails ``check``."""
        said = f"{self._operation.mode} {self._operation.verb}"
        return WrongStreamError(f"the model {self._model.design} gives a wrong {said}")


def _words(offset: int, text: bytes) -> list[tuple[int, int]]:
    """Return the writes that put bytes into registers from an offset on."""
    return [
        (offset + number, int.from_bytes(text[number : number + 4], "little"))
        for number in range(0, len(text), 4)
    ]
