# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Updates of the OpenSSL provider beside the engine's own messages, memory to memory.

The OpenSSL interface is synchronous: what the device does must overlap within one update.
Both are called through ctypes in this process, from one buffer to another: OpenSSL's
``EVP_CipherUpdate`` with the provider, and the C library's ``ciphermill_run``, which is the
engine's throughput path. On ``cpu`` wall times are compared, on a simulated device its clocks.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path

from rows import Row

import ciphermill
from ciphermill.design import Measurement, Method
from ciphermill.toolchain.model import find_model

ENGINE = Path(__file__).resolve().parent.parent / "engine"
SIZES = (1 << 20, 4 << 20, 16 << 20)
OPERATIONS = (
    ("ecb", "encrypt", 0),
    ("ctr", "encrypt", 2),
    ("cbc", "decrypt", 1),
    ("gcm", "encrypt", 3),
)
"""Mode, direction, and the mode's number in the C library."""
MODEL = "model:aes-pipelined"
MODEL_BYTES = (1 << 20, 4 << 20)
TARGET = 0.95
"""Of the throughput application's rate."""
SAMPLE_BYTES = 16 << 20
"""Worked on in one timed run: short, so that other work on the machine meets both sides."""
RUNS = 5
"""Timed runs in a round."""
KEY, IV = bytes(range(32)), bytes(range(16))


class Request(ctypes.Structure):
    """``ciphermill_request`` of the C library's header."""

    _fields_ = [
        ("mode", c_uint32),
        ("direction", c_uint32),
        ("key", c_char_p),
        ("key_bytes", c_size_t),
        ("iv", c_char_p),
        ("associated_data", c_char_p),
        ("associated_bytes", c_size_t),
    ]


class Parameter(ctypes.Structure):
    """``OSSL_PARAM``."""

    _fields_ = [
        ("key", c_char_p),
        ("type", ctypes.c_uint),
        ("data", c_void_p),
        ("size", c_size_t),
        ("returned", c_size_t),
    ]


class Provider:
    """libcrypto with the provider on a device, in a library context of its own."""

    def __init__(self, library: Path, device: str) -> None:
        self._crypto = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")
        for name in ("OSSL_LIB_CTX_new", "OSSL_PROVIDER_load", "EVP_CIPHER_fetch"):
            getattr(self._crypto, name).restype = c_void_p
        self._crypto.EVP_CIPHER_CTX_new.restype = c_void_p
        # Read by the provider as it loads: everything goes to the device.
        os.environ |= {"CIPHERMILL_DEVICE": device, "CIPHERMILL_THRESHOLD": "1"}
        os.environ["CIPHERMILL_ON_FAILURE"] = "fail"
        self._library = c_void_p(self._crypto.OSSL_LIB_CTX_new())
        path = str(library.parent).encode()
        self._crypto.OSSL_PROVIDER_set_default_search_path(self._library, path)
        stem = library.stem.encode()
        self._provider = c_void_p(self._crypto.OSSL_PROVIDER_load(self._library, stem))
        if not self._provider.value:
            raise RuntimeError(f"OpenSSL does not load {library} on {device}")

    def operation(
        self, mode: str, direction: str, source: int, target: int, size: int
    ) -> Callable[[], None]:
        """One message as one update, with the context made beforehand."""
        crypto = self._crypto
        name = f"AES-256-{mode.upper()}".encode()
        cipher = c_void_p(crypto.EVP_CIPHER_fetch(self._library, name, b"provider=ciphermill"))
        context = c_void_p(crypto.EVP_CIPHER_CTX_new())
        encrypt = int(direction == "encrypt")
        if crypto.EVP_CipherInit_ex2(context, cipher, KEY, IV, encrypt, None) != 1:
            raise RuntimeError(f"the provider has no {mode} {direction}")
        crypto.EVP_CIPHER_CTX_set_padding(context, 0)
        length = c_int()

        def run() -> None:
            started = crypto.EVP_CipherInit_ex2(context, None, None, IV, encrypt, None)
            done = crypto.EVP_CipherUpdate(
                context, c_void_p(target), byref(length), c_void_p(source), c_int(size)
            )
            if (started, done, length.value) != (1, 1, size):
                raise RuntimeError(f"the update failed in {mode} {direction}")

        return run

    def count(self, name: str) -> int:
        """A counter's value."""
        value = c_uint64()
        entry = Parameter(name.encode(), 2, ctypes.addressof(value), 8, 0)
        asked = (Parameter * 2)(entry, Parameter())
        if self._crypto.OSSL_PROVIDER_get_params(self._provider, byref(asked)) != 1:
            raise RuntimeError(f"the provider has no counter {name}")
        return value.value


class Engine:
    """The C library with a device."""

    def __init__(self, library: Path, device: str) -> None:
        self._library = ctypes.CDLL(str(library))
        self._device = c_void_p()
        if self._library.ciphermill_open(device.encode(), None, byref(self._device)) != 0:
            raise RuntimeError(f"the C library does not open {device}")

    def operation(
        self, mode: int, direction: str, source: int, target: int, size: int
    ) -> Callable[[], None]:
        """One message as one call."""
        request = Request(mode, int(direction == "decrypt"), KEY, len(KEY), IV, None, 0)
        tag = ctypes.create_string_buffer(16)

        def run() -> None:
            status = self._library.ciphermill_run(
                self._device,
                byref(request),
                c_void_p(source),
                c_void_p(target),
                c_size_t(size),
                tag,
            )
            if status != 0:
                raise RuntimeError(f"the C library gave status {status}")

        return run


def run(rounds: int) -> list[Row]:
    """Measure ``cpu`` by wall time, both alternately, and a model by its clocks."""
    provider, library = build()
    return _wall(provider, library, rounds) + _clocks(provider)


def _wall(provider: Path, library: Path, rounds: int) -> list[Row]:
    openssl, engine = Provider(provider, "cpu"), Engine(library, "cpu")
    # The same memory for both: where a buffer lies makes a difference of its own.
    source, target = (ctypes.create_string_buffer(max(SIZES)) for _ in range(2))
    ctypes.memset(source, 0x5A, max(SIZES))
    places = (ctypes.addressof(source), ctypes.addressof(target))
    rows = []
    for mode, direction, number in OPERATIONS:
        for size in SIZES:
            sides = (
                openssl.operation(mode, direction, *places, size),
                engine.operation(number, direction, *places, size),
            )
            outputs = []
            for side in sides:
                side()
                outputs.append(target.raw[:size])
            if outputs[0] != outputs[1]:
                raise RuntimeError(f"provider and engine differ in {mode} {direction}")
            rates = _rates(sides, size, rounds)
            rows.append(_row("cpu", mode, direction, size, rates, Method.MEASURED))
    return rows


def _rates(sides: tuple[Callable[[], None], ...], size: int, rounds: int) -> tuple[float, float]:
    """MB/s of both, the medians of runs that take turns; the first round warms up."""
    times: tuple[list[float], list[float]] = ([], [])
    repeats = max(1, SAMPLE_BYTES // size)
    for number in range(1 + rounds * RUNS):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        for side in order:
            began = time.perf_counter()
            for _ in range(repeats):
                sides[side]()
            if number:
                times[side].append(time.perf_counter() - began)
    first, second = (repeats * size / statistics.median(taken) / 1e6 for taken in times)
    return first, second


def _clocks(provider: Path) -> list[Row]:
    """The model's clocks are the same in every run."""
    model = find_model(MODEL.removeprefix("model:"))
    os.environ["CIPHERMILL_MODELS"] = str(model.parent)
    openssl, device = Provider(provider, MODEL), ciphermill.open_device(MODEL)
    megahertz = device.clock_mhz or 0.0
    rows = []
    for mode, direction, _ in OPERATIONS:
        if (mode, direction) not in device.operations:
            continue
        for size in MODEL_BYTES:
            source, target = (ctypes.create_string_buffer(size) for _ in range(2))
            update = openssl.operation(
                mode, direction, ctypes.addressof(source), ctypes.addressof(target), size
            )
            before = openssl.count("device_clocks")
            update()
            ours = openssl.count("device_clocks") - before
            iv = b"" if mode == "ecb" else IV
            _, timing = device.transform(source.raw, mode=mode, direction=direction, key=KEY, iv=iv)
            rates = (size * megahertz / ours, size * megahertz / (timing.clocks or ours))
            rows.append(_row(MODEL, mode, direction, size, rates, Method.SIMULATED))
    return rows


def _row(
    device: str,
    mode: str,
    direction: str,
    size: int,
    rates: tuple[float, float],
    method: Method,
) -> Row:
    measurements = tuple(
        Measurement(
            device=f"{device} ({which})",
            cipher="aes",
            mode=mode,
            direction=direction,
            key_bits=256,
            bytes=size,
            throughput_mb_s=rate,
            method=method,
        )
        for which, rate in zip(("provider", "engine"), rates, strict=True)
    )
    return Row(
        what=f"{device}, {mode.upper()} {direction}, {size >> 20} MiB",
        seen=f"provider {rates[0]:,.0f} MB/s",
        beside=f"engine {rates[1]:,.0f} MB/s",
        value=rates[0] / rates[1],
        target=TARGET,
        unit="",
        measurements=measurements,
    )


def build() -> tuple[Path, Path]:
    """Build the provider and the C library and give their paths."""
    print("bench: building the provider and the C library ...", file=sys.stderr)
    packages = ("--package", "ciphermill-provider", "--package", "ciphermill-c")
    subprocess.run(
        ["cargo", "build", "--release", "--locked", "--quiet", *packages], cwd=ENGINE, check=True
    )
    built = ENGINE / "target" / "release"
    return built / "libciphermill_provider.so", built / "libciphermill_c.so"
