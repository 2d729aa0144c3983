# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The accelerator over a serial line: messages of AES in ECB, CBC and CTR.

``python hw/boards/host/serial_accelerator.py /dev/ttyUSB0`` runs the examples of SP 800-38A on
a board and says which were right.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "accel" / "dv"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dv"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from ciphermill_dv.registers import RegisterMap
from serial_bridge import MAX_BYTES, Bridge, LineError, RefusedError
from serial_port import SerialPort

MAP = RegisterMap(Path(__file__).resolve().parents[2] / "accel" / "accel.rdl")
POLLS = 1000
"""The most reads of STATUS, or empty answers of the output, before a message counts as hung."""
IN_FLIGHT = 128
"""Bytes that the accelerator holds in its input: 8 blocks (InputFifoBlocks)."""


class MessageError(Exception):
    """The accelerator refused or stopped a message, or has hung."""


class SerialAccelerator:
    """An accelerator behind a bridge."""

    def __init__(self, bridge: Bridge) -> None:
        self.bridge = bridge

    def read(self, name: str) -> dict[str, int]:
        """Return the fields of a register."""
        return MAP.unpack(name, self.bridge.read(MAP.address(name)))

    def write(self, name: str, word: int) -> None:
        """Write the word of a register."""
        self.write_bytes(name, word.to_bytes(4, "little"))

    def write_bytes(self, name: str, data: bytes) -> None:
        """Write whole words to a register array."""
        self.bridge.write(MAP.address(name), data)

    def command(self, name: str) -> None:
        """Write a bit of CONTROL."""
        self.write("CONTROL", MAP.pack("CONTROL", **{name: 1}))

    def wait(self, field: str) -> dict[str, int]:
        """Wait until a field of STATUS is zero; return STATUS."""
        for _ in range(POLLS):
            status = self.read("STATUS")
            if not status[field]:
                return status
        raise MessageError(f"the accelerator has hung: STATUS.{field} stays set")

    def load_key(self, key: bytes) -> None:
        """Load a key of AES, of 16, 24 or 32 bytes."""
        self.wait("zeroising")
        size = MAP.values("CONFIGURATION", "key_size")[f"bits_{8 * len(key)}"]
        self.write("CONFIGURATION", MAP.pack("CONFIGURATION", key_size=size))
        self.write_bytes("KEY", key)
        self.command("load_key")
        self.wait("key_pending")

    def message(self, mode: str, data: bytes, iv: bytes = b"", decrypt: bool = False) -> bytes:
        """Run a message with the key that is loaded; return its output.

        Args:
            mode: ``ecb``, ``cbc`` or ``ctr``, with a counter of 128 bits.
            data: The message.
            iv: The IV or first counter block, 16 bytes; none with ECB.
            decrypt: Decrypt.

        Raises:
            MessageError: The accelerator refused it. What it had taken is dropped.
        """
        configuration = MAP.pack(
            "CONFIGURATION",
            mode=MAP.values("CONFIGURATION", "mode")[mode],
            direction=int(decrypt and mode != "ctr"),
            counter_width=MAP.values("CONFIGURATION", "counter_width")["bits_128"],
        )
        self.write("CONFIGURATION", configuration)
        if iv:
            self.write_bytes("IV", iv)
        self.write_bytes("MESSAGE_LENGTH_LOW", len(data).to_bytes(8, "little"))
        self.command("start")
        self._check()
        try:
            output = self._stream(data)
            status = self.wait("busy")
        except MessageError:
            self.give_up()
            raise
        if not status["done"]:
            self._check()
            raise MessageError("the message ended without an answer")
        return output

    def give_up(self) -> None:
        """Drop the message in progress and its data; the key stays."""
        self.command("abort")
        self.wait("busy")

    def zeroise(self) -> None:
        """Erase key and data in the accelerator."""
        self.command("zeroise")
        self.wait("zeroising")

    def _check(self) -> None:
        error = self.read("ERROR")
        named = sorted(name for name, value in error.items() if value)
        if named:
            self.write("ERROR", MAP.pack("ERROR", **dict.fromkeys(named, 1)))
            raise MessageError(f"the accelerator refused the message: {', '.join(named)}")

    def _stream(self, data: bytes) -> bytes:
        sent, output, empty = 0, b"", 0
        while len(output) < len(data):
            # Never more ahead than fits into the accelerator, so that neither stream stalls.
            room = min(MAX_BYTES, IN_FLIGHT - (sent - len(output)))
            part = data[sent:][: room - room % 4]
            if part:
                sent += self.bridge.push(part, last=sent + len(part) == len(data))
            taken, _ = self.bridge.take(min(MAX_BYTES, -(-(sent - len(output)) // 4) * 4))
            output += taken
            empty = 0 if taken or part else empty + 1
            if empty == POLLS:
                self._check()
                raise MessageError("the accelerator has hung: no output comes")
        return output


def check(accelerator: SerialAccelerator) -> int:
    """Run the examples of SP 800-38A; print how each ended, return how many were wrong."""
    import vectors  # of the accelerator's benches; needs the package cryptography_vectors

    wrong = 0
    for vector in vectors.sp_800_38a():
        accelerator.load_key(vector.key)
        decrypt = vector.direction == "decrypt"
        iv = b"" if vector.mode == "ecb" else vector.iv
        right = accelerator.message(vector.mode, vector.data, iv, decrypt) == vector.answer
        wrong += not right
        print(f"{'right' if right else 'WRONG'}  {vector.source}, {vector.direction}")
    accelerator.zeroise()
    return wrong


def main() -> None:
    """Check a board."""
    parser = argparse.ArgumentParser(description="Run published vectors on a board.")
    parser.add_argument("port", help="the serial port, such as /dev/ttyUSB0")
    parser.add_argument("--baud", type=int, default=1_000_000, help="bits a second (%(default)s)")
    parser.add_argument("--timeout", type=float, default=1.0, help="seconds (%(default)s)")
    arguments = parser.parse_args()
    begin = time.monotonic()
    try:
        with SerialPort(arguments.port, arguments.baud) as port:
            bridge = Bridge(port, arguments.timeout)
            bridge.resynchronise()
            wrong = check(SerialAccelerator(bridge))
    except (OSError, ValueError, LineError, RefusedError, MessageError) as error:
        sys.exit(f"error: {error}")
    print(f"{wrong} wrong, {time.monotonic() - begin:.1f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
