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

DRIVER = Path(__file__).parent.parent / "engine/devices/cuda/tests/simulated/driver.cc"
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
print("done")
"""


def test_an_array_of_cuda_is_encrypted_where_it_is(tmp_path: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("g++, which compiles the simulated driver, is missing")
    driver = tmp_path / "libcuda.so"
    compiler = ["g++", "-std=c++17", "-O1", "-fPIC", "-shared", "-o", str(driver), str(DRIVER)]
    subprocess.run([*compiler, "-ldl"], check=True)
    (tmp_path / "libnvrtc.so").symlink_to(driver)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


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
