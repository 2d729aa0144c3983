# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The host's side of ``uart_bridge``: frames over any line of bytes (hw/boards/README.md)."""

from __future__ import annotations

import binascii
from enum import IntEnum
from typing import NamedTuple, Protocol

REQUEST_MARK = 0xA5
REPLY_MARK = 0x5A
VERSION = 1
MAX_BYTES = 240
"""The longest payload."""
FRAME_BYTES = 6
"""Bytes of a frame besides its payload."""
IDLE_BYTES = 255 + FRAME_BYTES
"""Zeros that end any frame that has begun."""


class Operation(IntEnum):
    """What a request asks for."""

    IDENTIFY = 0
    READ = 1
    WRITE = 2
    PUSH = 3
    PUSH_LAST = 4
    TAKE = 5


class Status(IntEnum):
    """How a request ended."""

    DONE = 0
    LAST = 1
    DAMAGED = 2
    LATE = 3
    OPERATION = 4
    LENGTH = 5
    ADDRESS = 6
    BUS = 7
    STALLED = 8


NOT_EXECUTED = (Status.DAMAGED, Status.LATE)
"""Status of requests that did not arrive whole: they may be sent again."""


class Line(Protocol):
    """What carries the bytes: a serial port, or a bench."""

    def write(self, data: bytes) -> None:
        """Send bytes."""

    def read(self, count: int, timeout_s: float) -> bytes:
        """Return ``count`` bytes, or fewer if no more have come within the time."""


class Reply(NamedTuple):
    """A reply frame."""

    sequence: int
    status: int
    payload: bytes


class LineError(Exception):
    """The line failed: no reply, or a damaged one. Whether the request ran is not known."""


class RefusedError(Exception):
    """The bridge refused a request, or could not end it.

    Attributes:
        status: What the bridge said.
    """

    def __init__(self, what: str, status: int) -> None:
        name = Status(status).name.lower() if status in list(Status) else str(status)
        super().__init__(f"{what}: the bridge answered '{name}'")
        self.status = status


def frame(mark: int, sequence: int, kind: int, payload: bytes = b"") -> bytes:
    """Return a frame: a request if ``kind`` is an operation, a reply if it is a status.

    >>> frame(REQUEST_MARK, 7, Operation.READ, bytes((0x20, 0))).hex()
    'a5070102200068ea'
    """
    body = bytes((sequence, kind, len(payload))) + payload
    return bytes((mark,)) + body + binascii.crc_hqx(body, 0xFFFF).to_bytes(2, "big")


class Bridge:
    """Requests to a bridge, one after the other.

    Args:
        line: The line.
        timeout_s: The longest wait for a reply, in seconds.
        quiet_s: Seconds without a byte after which nothing is on its way any more.
        attempts: How often a request is sent that did not arrive whole.
    """

    def __init__(
        self, line: Line, timeout_s: float = 1.0, quiet_s: float = 0.1, attempts: int = 3
    ) -> None:
        self._line = line
        self._timeout_s = timeout_s
        self._quiet_s = quiet_s
        self._attempts = attempts
        self._sequence = 0

    def resynchronise(self) -> None:
        """End any frame that has begun, drop what comes back, and find the bridge again.

        Raises:
            LineError: Nothing answers as this version of the bridge does.
        """
        for _ in range(self._attempts):
            self._line.write(bytes(IDLE_BYTES))
            while self._line.read(256, self._quiet_s):
                pass
            try:
                self.identify()
            except (LineError, RefusedError):
                continue
            return
        raise LineError("no bridge answers: are port, rate and bitstream right?")

    def identify(self) -> int:
        """Return the number of bytes in a beat of the streams.

        Raises:
            LineError: It is a bridge of another version, or the line failed.
        """
        answer = self._request(Operation.IDENTIFY).payload
        if len(answer) != 4 or answer[0] != VERSION or answer[1] != MAX_BYTES:
            raise LineError(f"a bridge of another version answers: {answer.hex()}")
        return answer[3]

    def read(self, address: int) -> int:
        """Return the word of a register."""
        for attempt in range(self._attempts):
            try:
                reply = self._request(Operation.READ, address.to_bytes(2, "little"))
            except LineError:
                if attempt + 1 == self._attempts:
                    raise
                self.resynchronise()
            else:
                return int.from_bytes(reply.payload, "little")
        raise AssertionError("there is at least one attempt")

    def write(self, address: int, data: bytes) -> None:
        """Write registers, one after the other.

        Args:
            address: That of the first one.
            data: Words of four bytes, at most ``MAX_BYTES - 2`` bytes.
        """
        self._request(Operation.WRITE, address.to_bytes(2, "little") + data)

    def push(self, data: bytes, last: bool) -> int:
        """Send bytes into the input's stream; return how many it took.

        Args:
            data: 1 to ``MAX_BYTES`` bytes; whole beats of four bytes unless ``last``.
            last: The last byte ends a packet.

        Returns:
            The number of bytes taken: fewer than sent if the stream stalls, then whole beats.
        """
        operation = Operation.PUSH_LAST if last else Operation.PUSH
        reply = self._request(operation, data, (Status.DONE, Status.STALLED))
        return reply.payload[0]

    def take(self, count: int) -> tuple[bytes, bool]:
        """Return bytes of the output's stream, and whether the last one ends a packet.

        Args:
            count: The most bytes, a multiple of four up to ``MAX_BYTES``.
        """
        reply = self._request(Operation.TAKE, bytes((count,)), (Status.DONE, Status.LAST))
        return reply.payload, reply.status == Status.LAST

    def _request(
        self,
        operation: Operation,
        payload: bytes = b"",
        expected: tuple[Status, ...] = (Status.DONE,),
    ) -> Reply:
        for _ in range(self._attempts):
            self._sequence = (self._sequence + 1) % 256
            self._line.write(frame(REQUEST_MARK, self._sequence, operation, payload))
            reply = self._reply()
            if reply.status in expected:
                return reply
            if reply.status not in NOT_EXECUTED:
                break
        raise RefusedError(operation.name.lower(), reply.status)

    def _reply(self) -> Reply:
        while True:
            head = self._read(1)
            while head[0] != REPLY_MARK:
                head = self._read(1)
            head += self._read(3)
            _, sequence, status, length = head
            rest = self._read(length + 2)
            if binascii.crc_hqx(head[1:] + rest, 0xFFFF) != 0:
                raise LineError("a reply arrived damaged")
            if sequence == self._sequence:
                return Reply(sequence, status, rest[:-2])
            if status in NOT_EXECUTED:  # the sequence number itself may be what was damaged
                return Reply(sequence, status, b"")

    def _read(self, count: int) -> bytes:
        data = self._line.read(count, self._timeout_s)
        if len(data) < count:
            raise LineError(f"no reply within {self._timeout_s:g} s")
        return data
