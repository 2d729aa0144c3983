# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The device ``software`` in processes that are not as its own tests are.

Its second C library shares each thread's table of thread-specific data with the process's.
Which numbers the process's keys have depends on the interpreter and on what was imported
before, so each number is tried that could meet one of libcrypto's.
"""

import subprocess
import sys

import pytest

CODE = """
import ctypes, sys
process = ctypes.CDLL(None)
for _ in range(int(sys.argv[1])):
    assert process.pthread_key_create(ctypes.byref(ctypes.c_uint()), None) == 0
from ciphermill._engine import Device
device = Device("software")
asked = {"mode": "ctr", "key": bytes(32), "iv": bytes(16)}
sealed, _ = device.transform(bytes(65536), direction="encrypt", **asked)
assert bytes(device.transform(sealed, direction="decrypt", **asked)[0]) == bytes(65536)
"""


@pytest.mark.parametrize("first", range(0, 12, 4))
def test_whatever_number_the_process_s_keys_have(first: int) -> None:
    for keys in range(first, first + 4):
        ran = subprocess.run(
            [sys.executable, "-c", CODE, str(keys)], capture_output=True, text=True, timeout=60
        )
        assert ran.returncode == 0, (keys, ran.returncode, ran.stderr)
