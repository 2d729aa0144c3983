# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The Python module: its examples, its errors, and what it does to other threads."""

import doctest
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Literal

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import ciphermill
from ciphermill import functions, registry

KEY = bytes(range(32))


@pytest.mark.parametrize("module", [ciphermill, functions, registry])
def test_examples(module: object) -> None:
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)  # type: ignore[arg-type]
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("mode", ["ecb", "cbc", "ctr"])
@pytest.mark.parametrize("device", ["cpu", "software", "software+"])
def test_transform_against_another_implementation(
    device: str, mode: Literal["ecb", "cbc", "ctr"], bits: int
) -> None:
    key, iv, data = KEY[: bits // 8], os.urandom(16), os.urandom(16 * 99)
    operation = {"ecb": modes.ECB(), "cbc": modes.CBC(iv), "ctr": modes.CTR(iv)}[mode]
    encryptor = Cipher[Any](algorithms.AES(key), operation).encryptor()
    expected = encryptor.update(data) + encryptor.finalize()
    there, timing = ciphermill.transform(
        data, mode=mode, direction="encrypt", key=key, iv=iv, device=device
    )
    assert there == expected
    assert timing.total_s > 0
    assert timing.cycles is None
    back, _ = ciphermill.transform(
        there, mode=mode, direction="decrypt", key=key, iv=iv, device=device
    )
    assert back == data


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_every_kind_of_bytes(kind: type) -> None:
    sealed = ciphermill.encrypt(kind(b"message"), key=kind(KEY))
    assert ciphermill.decrypt(kind(sealed), key=kind(KEY)) == b"message"


def test_a_key_may_be_used_again() -> None:
    one, other = (ciphermill.encrypt(b"message", key=KEY) for _ in range(2))
    assert one[32:64] != other[32:64]  # the salt
    assert one[-30:] != other[-30:]


REFUSED = [
    ({"key": KEY, "password": "x"}, ciphermill.InvalidError, "not both"),
    ({}, ciphermill.InvalidError, "password or a key"),
    ({"key": b"short"}, ciphermill.InvalidError, "16, 24 or 32"),
    ({"password": ""}, ciphermill.InvalidError, "empty"),
    ({"key": KEY, "mode": "ofb"}, ciphermill.InvalidError, "choose gcm"),
    ({"key": KEY, "key_bits": 512}, ciphermill.InvalidError, "128, 192 or 256"),
    ({"key": KEY, "chunk_bytes": 17}, ciphermill.InvalidError, "multiple of 16"),
    ({"key": KEY, "key_derivation": "scrypt"}, ciphermill.InvalidError, "not stretched"),
    ({"password": "x", "key_derivation": "md5"}, ciphermill.InvalidError, "argon2id"),
    ({"key": KEY, "device": "abacus"}, ciphermill.InvalidError, "no device"),
    ({"key": "text"}, TypeError, "bytes are needed"),
]


@pytest.mark.parametrize(("arguments", "error", "words"), REFUSED)
def test_what_cannot_be_is_refused(
    arguments: dict[str, object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        ciphermill.encrypt(b"message", **arguments)  # type: ignore[arg-type]


def test_errors_have_one_base() -> None:
    for name in ciphermill.__all__:
        if name.endswith("Error") and name != "Error":
            assert issubclass(getattr(ciphermill, name), ciphermill.Error)


@pytest.mark.parametrize(
    ("mode", "iv", "words"),
    [
        ("cbc", None, "16 bytes, not 0"),
        ("ctr", b"x" * 12, "not 12"),
        ("gcm", b"", "1 byte or more, not 0"),
    ],
)
def test_transform_wants_the_right_iv(mode: str, iv: bytes | None, words: str) -> None:
    with pytest.raises(ciphermill.InvalidError, match=words):
        ciphermill.transform(b"x" * 16, mode=mode, direction="encrypt", key=KEY, iv=iv)  # type: ignore[arg-type]


def test_transform_wants_whole_blocks() -> None:
    with pytest.raises(ciphermill.InvalidError, match="whole blocks"):
        ciphermill.transform(b"x" * 17, mode="ecb", direction="encrypt", key=KEY)


def test_files_and_progress(tmp_path: Path) -> None:
    plain, sealed, back = (tmp_path / name for name in ("plain", "sealed", "back"))
    plain.write_bytes(os.urandom(3_000_000))
    seen: list[tuple[int, int | None]] = []
    done = ciphermill.encrypt_file(plain, sealed, key=KEY, progress=lambda *step: seen.append(step))
    assert done["bytes_in"] == 3_000_000
    assert done["bytes_out"] == sealed.stat().st_size
    assert done["mode"] == "gcm"
    assert seen[-1] == (3_000_000, 3_000_000)
    assert ciphermill.inspect(sealed) == {
        "version": 1,
        "algorithm": "aes",
        "mode": "gcm",
        "key_bits": 256,
        "chunk_bytes": 1 << 20,
        "key_derivation": "key",
        "kdf_memory_bytes": 0,
        "kdf_limit": 1,
    }
    ciphermill.decrypt_file(sealed, back, key=KEY)
    assert back.read_bytes() == plain.read_bytes()
    with pytest.raises(ciphermill.InvalidError, match="exists"):
        ciphermill.decrypt_file(sealed, back, key=KEY)
    with pytest.raises(ciphermill.FileError, match="nowhere"):
        ciphermill.decrypt_file(tmp_path / "nowhere", back, key=KEY)


FILES_AND_THREADS = """
import os, sys
import ciphermill
threads = []
def look(done, total):
    threads.append(len(os.listdir("/proc/self/task")))
plain, sealed, back = sys.argv[1:]
key = bytes(32)
ciphermill.encrypt_file(plain, sealed, key=key, mode="ctr", chunk_bytes=4096, progress=look)
ciphermill.decrypt_file(sealed, back, key=key, progress=look)
try:
    ciphermill.encrypt_file(plain, back + "2", key=key, chunk_bytes=64, progress=lambda *_: 1 / 0)
except ZeroDivisionError:
    print(max(threads), os.path.exists(back + "2"))
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of threads here")
def test_files_where_the_system_gives_no_thread(tmp_path: Path) -> None:
    plain, sealed, back = (tmp_path / name for name in ("plain", "sealed", "back"))
    plain.write_bytes(os.urandom(20_000_000))
    script: list[str | Path] = [sys.executable, "-c", FILES_AND_THREADS, plain, sealed, back]
    # A stack that no memory holds: the system refuses each thread of the engine.
    environment = os.environ | {"RUST_MIN_STACK": str(1 << 60)}
    ran = subprocess.run(script, env=environment, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "1 False\n"
    assert back.read_bytes() == plain.read_bytes()


def test_an_exception_of_the_progress_callback_cancels_and_is_raised(tmp_path: Path) -> None:
    """The reader waits for a pipe that never ends, until the callback stops it."""

    class Enough(Exception):
        pass

    def stop(_: int, __: int | None) -> None:
        raise Enough

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    try:
        with pytest.raises(Enough):
            ciphermill.encrypt_file(pipe, tmp_path / "out", key=KEY, progress=stop)
    finally:
        os.close(writer)
    assert not (tmp_path / "out").exists()


def test_other_threads_run_meanwhile() -> None:
    """A slow key derivation does not hold the interpreter's lock."""
    beats: list[float] = []
    over = threading.Event()

    def beat() -> None:
        while not over.is_set():
            beats.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=beat)
    thread.start()
    begin = time.monotonic()
    ciphermill.encrypt(b"message", password="x")
    end = time.monotonic()
    over.set()
    thread.join()
    during = [moment for moment in beats if begin <= moment <= end]
    assert len(during) >= 5


def test_ctrl_c_raises_keyboard_interrupt(tmp_path: Path) -> None:
    code = (
        "import ciphermill, os, signal, threading\n"
        "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        f"    ciphermill.encrypt_file('-', {str(tmp_path / 'out')!r}, key=bytes(32))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    ran = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    # Its input stays open meanwhile, so that nothing but the signal ends it.
    try:
        assert ran.wait(timeout=30) == 0
    finally:
        ran.kill()
    assert ran.communicate()[0] == b"interrupted\n"
    assert not (tmp_path / "out").exists()


def test_devices_lists_what_is_here() -> None:
    names = [device.name for device in ciphermill.devices()]
    assert names[0] == "cpu"
    assert len(names) == len(set(names))


def test_an_open_device_is_used_as_it_is() -> None:
    device = ciphermill.open_device("cpu")
    assert ciphermill.open_device(device) is device
    assert repr(device) == 'Device("cpu")'
    sealed = ciphermill.encrypt(b"message", key=KEY, device=device)
    assert ciphermill.decrypt(sealed, key=KEY, device=device) == b"message"
