# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Arrays in a device's own memory; CUDA's driver is simulated (engine/devices/cuda/tests)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ciphermill

ROOT = Path(__file__).parent.parent
LIBRARY = ROOT / "build/library-test/libciphermill_c.so"
KEY = bytes(range(16))

PROGRAM = """
import ctypes, os
import ciphermill

driver = ctypes.CDLL("libcuda.so")
context, address = ctypes.c_void_p(), ctypes.c_uint64()
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
driver.cuCtxSetCurrent(context)
plaintext = os.urandom(100_007)
driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(len(plaintext)))
# The simulated device's memory is the host's.
ctypes.memmove(address.value, plaintext, len(plaintext))


class Array:
    __cuda_array_interface__ = {
        "data": (address.value, False), "shape": (len(plaintext),), "typestr": "|u1",
        "strides": None, "version": 3,
    }


key, iv = os.urandom(16), os.urandom(60)
asked = dict(mode="gcm", key=key, iv=iv, associated_data=b"header", device="cuda:0,group_items=2")
tag, timing = ciphermill.run_in_memory("encrypt", Array(), **asked)
ciphertext = ctypes.string_at(address.value, len(plaintext))
expected, _ = ciphermill.run(
    "encrypt", plaintext, algorithm="aes", mode="gcm", key=key, iv=iv, associated_data=b"header"
)
assert ciphertext + tag == expected
assert timing.processing_s > 0
assert ciphermill.run_in_memory("decrypt", Array(), tag=tag, **asked)[0] is None
assert ctypes.string_at(address.value, len(plaintext)) == plaintext
try:
    ciphermill.run_in_memory("decrypt", Array(), tag=tag, **asked)
except ciphermill.AuthenticationError:
    pass
assert ctypes.string_at(address.value, len(plaintext)) == bytes(len(plaintext))

class Longer:
    __cuda_array_interface__ = {**Array.__cuda_array_interface__, "shape": (len(plaintext) + 1,)}


try:
    ciphermill.run_in_memory("encrypt", Longer(), **asked)
    raise AssertionError
except ciphermill.InvalidError as error:
    assert "allocate them on cuda:0" in str(error)
current = ctypes.c_void_p()
driver.cuCtxGetCurrent(ctypes.byref(current))
assert current.value == context.value
print("done")
"""

C_PROGRAM = """
import ctypes, os
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from tests.test_c_library import Request

driver, library = ctypes.CDLL("libcuda.so"), ctypes.CDLL(os.environ["LIBRARY"])
context, address, device = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p()
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
driver.cuCtxSetCurrent(context)
assert library.ciphermill_open(b"cuda:0,group_items=2", None, ctypes.byref(device)) == 0
size = 4096 + 16
driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size + 1))
key, iv = os.urandom(32), os.urandom(16)
tag = ctypes.create_string_buffer(16)


def run(mode, decrypts, place, data):
    request = Request(mode, decrypts, key, len(key), iv, None, 0, None)
    ctypes.memmove(place, data, len(data))
    asked = (device, ctypes.byref(request), ctypes.c_uint64(place), ctypes.c_size_t(len(data)))
    return library.ciphermill_run_in_memory(*asked, tag), ctypes.string_at(place, len(data))


# The second one at an odd address.
for place in (address.value, address.value + 1):
    for mode, ours in ((0, modes.ECB()), (1, modes.CBC(iv)), (2, modes.CTR(iv)),
                       (3, modes.GCM(iv[:12]))):
        text = os.urandom(size)
        encryptor = Cipher(algorithms.AES(key), ours).encryptor()
        sealed = encryptor.update(text) + encryptor.finalize()
        if mode != 1:
            assert run(mode, 0, place, text) == (0, sealed)
        if mode == 3:
            assert tag.raw == encryptor.tag
        assert run(mode, 1, place, sealed) == (0, text)
    # A tag that does not match: the data are zeroised.
    tag[3] = tag.raw[3] ^ 1
    assert run(3, 1, place, sealed) == (4, bytes(size))
    assert run(1, 0, place, text)[0] == 2
request = Request(2, 0, key, len(key), iv, None, 0, None)
elsewhere = (device, ctypes.byref(request), ctypes.c_uint64(4096), ctypes.c_size_t(16), tag)
assert library.ciphermill_run_in_memory(*elsewhere) == 1
library.ciphermill_close(device)
print("done")
"""


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with CUDA's driver and compiler, simulated."""
    if shutil.which("g++") is None:
        pytest.skip("g++, which compiles the simulated driver, is missing")
    folder = tmp_path_factory.mktemp("cuda")
    build = ROOT / "engine/devices/cuda/tests/simulated/build.sh"
    subprocess.run(["sh", build, folder], check=True)
    return folder


def run(program: str, simulated: Path) -> None:
    """Run a program that ends with ``done`` on the simulated driver, which is the process's own."""
    none = {"LD_LIBRARY_PATH": str(simulated), "SIMULATED_CUDA": "none", "LIBRARY": str(LIBRARY)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **none},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


def test_an_array_of_cuda_is_encrypted_where_it_is(simulated: Path) -> None:
    run(PROGRAM, simulated)


@pytest.mark.skipif(not LIBRARY.exists(), reason="no C library built: make test-python")
def test_the_c_library_encrypts_where_the_data_are(simulated: Path) -> None:
    run(C_PROGRAM, simulated)


class Array:
    """Says of itself what it is told to."""

    def __init__(self, **interface: Any) -> None:
        whole = {"data": (4096, False), "shape": (4, 8), "typestr": "<u2", "version": 3}
        self.__cuda_array_interface__ = {**whole, **interface}


@pytest.mark.parametrize(
    ("array", "error", "text"),
    [
        (Array(), ciphermill.UnsupportedError, "choose cuda"),
        (Array(strides=(16, 2)), ciphermill.UnsupportedError, "choose cuda"),
        (Array(strides=(32, 2)), ciphermill.InvalidError, "contiguous"),
        (Array(data=(4096, True)), ciphermill.InvalidError, "read-only"),
        (Array(shape=(1 << 62, 8)), ciphermill.InvalidError, "longer"),
        (b"bytes", TypeError, "__cuda_array_interface__"),
    ],
)
def test_what_is_no_array_of_this_device_is_refused(
    array: object, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        ciphermill.run_in_memory("encrypt", array, mode="ecb", key=KEY, device="cpu")


def test_only_a_decryption_with_gcm_takes_a_tag() -> None:
    with pytest.raises(ciphermill.InvalidError, match="tag"):
        ciphermill.run_in_memory(
            "encrypt", Array(), mode="ctr", key=KEY, iv=KEY, tag=KEY, device="cpu"
        )
