# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Buffers, keys and IVs at any address: through the C library and the provider.

The DMA engine takes words at any alignment and refuses other addresses; hw/dma/dv tries that.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint32, c_void_p
from pathlib import Path

import pytest
from support.openssl import OpenSsl, needs_provider

ROOT = Path(__file__).parent.parent
LIBRARY = ROOT / "build/library-test/libciphermill_c.so"
MODES = ("ecb", "cbc", "ctr", "gcm")
OFFSETS = ((0, 1), (1, 0), (3, 15), (8, 4), (15, 15))
"""Offsets of input and output, beyond a multiple of 64."""
LENGTHS = (16, 4096, 100_000)
KEY, IV = bytes(range(32)), bytes(range(100, 116))


class Request(ctypes.Structure):
    """``ciphermill_request`` of ciphermill.h."""

    _fields_ = (
        ("mode", c_uint32),
        ("direction", c_uint32),
        ("key", c_void_p),
        ("key_bytes", c_size_t),
        ("iv", c_void_p),
        ("associated_data", c_void_p),
        ("associated_bytes", c_size_t),
        ("algorithm", c_void_p),
    )


class Place:
    """Memory at a chosen distance beyond a multiple of 64, with guards about it."""

    def __init__(self, size: int, offset: int, data: bytes = b"") -> None:
        self.room = (ctypes.c_char * (size + 256))()
        start = ctypes.addressof(self.room)
        self.address, self.size = start + 64 + (-start) % 64 + offset, size
        ctypes.memset(start, 0xA5, size + 256)
        ctypes.memmove(self.address, data, len(data))

    def contents(self) -> bytes:
        """Return the contents, after a check that nothing was written beside them."""
        guards = (
            ctypes.string_at(self.address - 32, 32),
            ctypes.string_at(self.address + self.size, 32),
        )
        assert guards == (b"\xa5" * 32,) * 2
        return ctypes.string_at(self.address, self.size)


def _cases() -> Iterator[tuple[str, int, int, int]]:
    for mode, (source, target), length in itertools.product(MODES, OFFSETS, LENGTHS):
        yield mode, length - length % 16, source, target


@pytest.mark.skipif(not LIBRARY.exists(), reason="no C library built: make test-python")
@pytest.mark.parametrize("name", ["cpu", "software+"])
def test_c_library(name: str) -> None:
    library = ctypes.CDLL(str(LIBRARY))
    opening, run = library.ciphermill_open, library.ciphermill_run
    opening.argtypes = [c_char_p, c_char_p, POINTER(c_void_p)]
    run.argtypes = [c_void_p, POINTER(Request), c_void_p, c_void_p, c_size_t, c_void_p]
    library.ciphermill_close.argtypes = [c_void_p]
    device = c_void_p()
    assert opening(name.encode(), None, ctypes.byref(device)) == 0
    try:
        for mode, length, source, target in _cases():
            iv = IV[:12] if mode == "gcm" else IV
            plain = os.urandom(length)
            outputs = []
            for at, to in ((0, 0), (source, target)):
                key, start = Place(32, at + 1, KEY), Place(len(iv), to + 3, iv)
                tag = Place(16, at + 5) if mode == "gcm" else None
                given, taken = Place(length, at, plain), Place(length, to)
                request = Request(MODES.index(mode), 0, key.address, 32, start.address, None, 0)
                # Away, and back in place.
                for direction, (one, other) in enumerate(((given, taken), (taken, taken))):
                    request.direction = direction
                    place = tag.address if tag else None
                    status = run(
                        device, ctypes.byref(request), one.address, other.address, length, place
                    )
                    assert status == 0, (mode, length, at, to)
                    outputs.append(taken.contents() + (tag.contents() if tag else b""))
                assert outputs[-1][:length] == plain
                assert given.contents() == plain
            assert outputs[0] == outputs[2], (mode, length, source, target)
    finally:
        library.ciphermill_close(device)


@needs_provider
@pytest.mark.parametrize("threshold", ["1", "never"])
def test_provider_at_any_address(threshold: str, tmp_path: Path) -> None:
    openssl = OpenSsl(tmp_path)
    ran = subprocess.run(
        [sys.executable, "-m", "tests.test_alignment"],
        cwd=ROOT,
        env={**openssl.configure(threshold=threshold), "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    counted = json.loads(ran.stdout)
    assert counted["device_failures"] == 0
    assert (counted["device_bytes"] > 0) == (threshold == "1")


def _through_libcrypto() -> None:
    """Compare the provider, at odd addresses, with the default one; in a process of its own."""
    from . import provider_client as client

    for mode, length, source, target in _cases():
        iv = IV[:12] if mode == "gcm" else IV
        plain, outputs = os.urandom(length), []
        for which, at, to in ((client.THEIRS, 0, 0), (client.OURS, source, target)):
            cipher = client.Cipher(f"AES-256-{mode.upper()}", which)
            key, start = Place(33, at + 1, KEY + b"\0"), Place(len(iv) + 1, to + 3, iv + b"\0")
            given, taken = Place(length, at, plain), Place(length + 16, to)
            init = client.CRYPTO["EVP_CipherInit_ex2"]
            init.argtypes = [c_void_p] * 4 + [c_int, c_void_p]
            assert init(cipher.context, None, key.address, start.address, 1, None) == 1
            client.padding(cipher.context, 0)
            written = c_int()
            assert client.update(
                cipher.context, taken.address, ctypes.byref(written), given.address, length
            )
            assert (written.value, cipher.final()) == (length, b"")
            tag = cipher.tag() if mode == "gcm" else b""
            outputs.append(taken.contents()[:length] + tag)
        assert outputs[0] == outputs[1], (mode, length, source, target)
    print(json.dumps(client.counters()))


if __name__ == "__main__":
    _through_libcrypto()
