# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A serial port of Linux, with nothing but its file descriptor and termios."""

from __future__ import annotations

import os
import select
import termios
import time
from types import TracebackType


class SerialPort:
    """A serial port: eight data bits, no parity, one stop bit, no flow control.

    Args:
        path: The port, such as ``/dev/ttyUSB0``.
        baud: Bits a second, one of the rates that termios names.

    Raises:
        ValueError: termios has no such rate.
        OSError: The port cannot be opened, is no terminal, or another program has it.
    """

    def __init__(self, path: str, baud: int = 1_000_000) -> None:
        speed: int | None = getattr(termios, f"B{baud}", None)
        if speed is None:
            raise ValueError(f"{baud} baud is no rate of this machine's serial ports")
        self._file = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            control = termios.CS8 | termios.CREAD | termios.CLOCAL
            characters = termios.tcgetattr(self._file)[6]
            attributes = [0, 0, control, 0, speed, speed, characters]
            termios.tcsetattr(self._file, termios.TCSANOW, attributes)
            termios.tcflush(self._file, termios.TCIOFLUSH)
        except termios.error as error:
            os.close(self._file)
            raise OSError(*error.args, path) from error

    def write(self, data: bytes) -> None:
        """Send bytes; return when the system has taken them."""
        rest = memoryview(data)
        while rest:
            select.select([], [self._file], [])
            rest = rest[os.write(self._file, rest) :]

    def read(self, count: int, timeout_s: float) -> bytes:
        """Return ``count`` bytes, or fewer if no more have come within the time."""
        end = time.monotonic() + timeout_s
        data = b""
        while len(data) < count:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._file], [], [], left)[0]:
                break
            data += os.read(self._file, count - len(data))
        return data

    def close(self) -> None:
        """Close the port."""
        os.close(self._file)

    def __enter__(self) -> SerialPort:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
