# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The driver that exports carry, compiled, on the accelerator's model cycle by cycle."""

import ctypes
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ciphermill.algorithms import AES
from ciphermill.design import find_home
from ciphermill.toolchain.model import ensure_model

OK, INVALID, REFUSED, TRANSFER = 0, 2, 3, 5
NO_KEY = 4
MODES = ("ecb", "cbc", "ctr")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion")

READ = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32)
WRITE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
BYTES = ctypes.POINTER(ctypes.c_uint8)
TRANSFERS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, BYTES, BYTES, ctypes.c_size_t)


class Device(ctypes.Structure):
    """``struct accel``."""

    _fields_ = (
        ("read", READ),
        ("write", WRITE),
        ("bus_context", ctypes.c_void_p),
        ("transfer", TRANSFERS),
        ("stream_context", ctypes.c_void_p),
        ("poll_limit", ctypes.c_uint32),
    )


class Message(ctypes.Structure):
    """``struct accel_message``."""

    _fields_ = (
        ("mode", ctypes.c_int),
        ("direction", ctypes.c_int),
        ("counter", ctypes.c_int),
        ("iv", ctypes.c_char_p),
        ("input", ctypes.c_char_p),
        ("output", ctypes.c_char_p),
        ("length", ctypes.c_size_t),
    )


class Accelerator:
    """A model and the driver on top of it."""

    def __init__(self, model: ctypes.CDLL, driver: ctypes.CDLL) -> None:
        model.ciphermill_model_open.restype = ctypes.c_void_p
        model.ciphermill_model_pull.restype = ctypes.c_size_t
        model.ciphermill_model_push.restype = ctypes.c_size_t
        driver.accel_cycles.restype = ctypes.c_uint64
        self.model, self.driver = model, driver
        self.handle = ctypes.c_void_p(model.ciphermill_model_open())
        self.broken_after: int | None = None
        self.device = Device(
            READ(self._read), WRITE(self._write), None, TRANSFERS(self._transfer), None, 10_000
        )

    def _read(self, _: object, offset: int) -> int:
        value = ctypes.c_uint32()
        assert not self.model.ciphermill_model_read_register(
            self.handle, ctypes.c_uint32(offset), ctypes.byref(value)
        )
        return value.value

    def _write(self, _: object, offset: int, value: int) -> None:
        assert not self.model.ciphermill_model_write_register(
            self.handle, ctypes.c_uint32(offset), ctypes.c_uint32(value)
        )

    def _transfer(self, _: object, given: int, taken: int, length: int) -> int:
        data = ctypes.cast(given, ctypes.POINTER(ctypes.c_uint8 * length))
        last, reason = ctypes.c_int(), ctypes.c_uint32()
        if self.broken_after is not None:
            self.model.ciphermill_model_push(
                self.handle, 0, data, ctypes.c_size_t(self.broken_after), 0
            )
            self.model.ciphermill_model_advance(
                self.handle, ctypes.c_uint64(100), ctypes.byref(reason)
            )
            self.model.ciphermill_model_discard(self.handle, 0)
            return 1
        pushed = self.model.ciphermill_model_push(self.handle, 0, data, ctypes.c_size_t(length), 1)
        assert pushed == length
        got = 0
        for _ in range(1000):
            room = ctypes.byref(ctypes.cast(taken, BYTES).contents, got)
            got += self.model.ciphermill_model_pull(
                self.handle, 0, room, ctypes.c_size_t(length - got), ctypes.byref(last)
            )
            if got == length:
                return 0 if last.value else 2
            self.model.ciphermill_model_advance(
                self.handle, ctypes.c_uint64(20), ctypes.byref(reason)
            )
        return 3

    def call(self, name: str, *arguments: object) -> int:
        return int(getattr(self.driver, f"accel_{name}")(ctypes.byref(self.device), *arguments))

    def set_key(self, key: bytes) -> int:
        return self.call("set_key", key, ctypes.c_size_t(len(key)))

    def process(
        self, mode: str, direction: int, iv: bytes | None, data: bytes
    ) -> tuple[int, bytes]:
        output = ctypes.create_string_buffer(len(data) or 1)
        place = ctypes.cast(output, ctypes.c_char_p)
        message = Message(MODES.index(mode), direction, 2, iv, data, place, len(data))
        status = self.call("process", ctypes.byref(message))
        return status, output.raw[: len(data)]


@pytest.fixture
def accelerator(tmp_path: Path) -> Iterator[Accelerator]:
    library = tmp_path / "driver.so"
    sources = find_home() / "firmware" / "drivers" / "accel"
    header = find_home() / "hw" / "accel" / "include"
    subprocess.run(
        ["cc", *STRICT, "-shared", "-fPIC", f"-I{header}", "-o", library, sources / "accel.c"],
        check=True,
    )
    made = Accelerator(ctypes.CDLL(str(ensure_model("aes-serial"))), ctypes.CDLL(str(library)))
    yield made
    made.model.ciphermill_model_close(made.handle)


def test_the_driver_processes_the_published_messages(accelerator: Accelerator) -> None:
    assert accelerator.call("open") == OK
    for vector in (one for one in AES.vectors if one.mode):
        assert accelerator.set_key(vector.key) == OK
        pairs = ((vector.given, vector.answer), (vector.answer, vector.given))
        for direction, (given, wanted) in enumerate(pairs):
            done = accelerator.process(vector.mode, direction, vector.iv, given)
            assert done == (OK, wanted), vector.source
    assert accelerator.call("cycles") > 0
    assert accelerator.process("ecb", 0, None, b"") == (OK, b"")


def test_a_message_goes_on_in_pieces(accelerator: Accelerator) -> None:
    (vector,) = AES.messages(256, "cbc")
    assert accelerator.set_key(vector.key) == OK
    first = accelerator.process("cbc", 0, vector.iv, vector.given[:32])
    second = accelerator.process("cbc", 0, None, vector.given[32:])
    assert (first[0], second[0]) == (OK, OK)
    assert first[1] + second[1] == vector.answer
    iv = ctypes.create_string_buffer(16)
    accelerator.driver.accel_read_iv(ctypes.byref(accelerator.device), iv)
    assert iv.raw == vector.answer[-16:]


def test_refusals_failures_and_zeroise_leave_it_ready(accelerator: Accelerator) -> None:
    (vector,) = AES.messages(128, "ecb")
    assert accelerator.process("ecb", 0, None, vector.given)[0] == REFUSED
    assert accelerator.call("error") == NO_KEY
    assert accelerator.process("ecb", 0, None, b"half")[0] == INVALID
    assert accelerator.set_key(vector.key) == OK
    accelerator.broken_after = 20
    assert accelerator.process("ecb", 0, None, vector.given)[0] == TRANSFER
    accelerator.broken_after = None
    assert accelerator.process("ecb", 0, None, vector.given) == (OK, vector.answer)
    assert accelerator.call("zeroise") == OK
    assert accelerator.process("ecb", 0, None, vector.given)[0] == REFUSED
