# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Updates of the OpenSSL provider beside the throughput application, memory to memory.

The OpenSSL interface is synchronous: what the device does must overlap within one update.
``EVP_CipherUpdate`` is called through ctypes in this process; the application, which has as
many pieces or messages in flight as the device holds, is ``examples/application.rs`` of the
engine in a process of its own, and waits while the provider works. On ``cpu`` wall times are
compared, on a simulated device its cycles.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint64, c_void_p
from pathlib import Path

from rows import Row

import ciphermill
from ciphermill.design import Measurement, Method
from ciphermill.toolchain.model import find_model

ENGINE = Path(__file__).resolve().parent.parent / "engine"
SIZES = (1 << 20, 4 << 20, 16 << 20)
OPERATIONS = (("ecb", "encrypt"), ("ctr", "encrypt"), ("cbc", "decrypt"), ("gcm", "encrypt"))
"""Mode and direction."""
MODEL = "model:aes-pipelined"
MODEL_BYTES = (1 << 20, 4 << 20)
TARGET = 0.95
"""Of the throughput application's rate."""
SAMPLE_BYTES = 64 << 20
"""Worked on in one timed run: a stream, but short, so that other work meets both sides."""
RUNS = 5
"""Timed runs in a round."""
KEY, IV = bytes(range(32)), bytes(range(16))
GCM_NOTE = (
    "an update is one message and must end before the next begins, while the application has "
    "several messages in flight"
)


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
        self._library = c_void_p(self._crypto.OSSL_LIB_CTX_new())
        path = str(library.parent).encode()
        self._crypto.OSSL_PROVIDER_set_default_search_path(self._library, path)
        stem = library.stem.encode()
        # Read by the provider as it loads: everything goes to the device.
        with _environment(
            CIPHERMILL_DEVICE=device,
            CIPHERMILL_THRESHOLD="1",
            CIPHERMILL_ON_FAILURE="fail",
            CIPHERMILL_CBC="yes",
        ):
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


class Throughput:
    """The throughput application on a device, in a process of its own."""

    def __init__(self, program: Path, device: str, *models: str) -> None:
        self._process = subprocess.Popen(
            [program, device, *models], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Throughput:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(self, mode: str, direction: str, size: int, messages: int) -> tuple[float, int]:
        """Seconds and cycles of so many messages, which are one stream but in GCM."""
        assert self._process.stdin and self._process.stdout  # noqa: S101 - for the type checker
        print(mode, direction, size, messages, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline().split()
        if len(answer) != 2:
            raise RuntimeError(f"the throughput application failed in {mode} {direction}")
        return float(answer[0]), int(answer[1])


def run(rounds: int) -> list[Row]:
    """Measure ``cpu`` by wall time, both alternately, and a model by its cycles."""
    provider = build()
    program = _build("ciphermill-devices", "--example", "application") / "examples" / "application"
    with Throughput(program, "cpu") as beside:
        rows = _wall(Provider(provider, "cpu"), beside, rounds)
    models = find_model(MODEL.removeprefix("model:")).parent
    with (
        _environment(CIPHERMILL_MODELS=str(models)),
        Throughput(program, MODEL, str(models)) as beside,
    ):
        return rows + _cycles(Provider(provider, MODEL), beside)


def _wall(openssl: Provider, beside: Throughput, rounds: int) -> list[Row]:
    source, target = (ctypes.create_string_buffer(max(SIZES)) for _ in range(2))
    ctypes.memset(source, 0x5A, max(SIZES))
    places = (ctypes.addressof(source), ctypes.addressof(target))
    rows = []
    for mode, direction in OPERATIONS:
        for size in SIZES:
            update = openssl.operation(mode, direction, *places, size)
            rates = _rates(update, beside, (mode, direction), size, rounds)
            rows.append(_row("cpu", mode, direction, size, rates, Method.MEASURED))
    return rows


def _rates(
    update: Callable[[], None],
    beside: Throughput,
    operation: tuple[str, str],
    size: int,
    rounds: int,
) -> tuple[float, float]:
    """MB/s of both, the medians of runs that take turns; the first round warms up."""
    ours: list[float] = []
    theirs: list[float] = []
    repeats = max(1, SAMPLE_BYTES // size)

    def updates() -> None:
        began = time.perf_counter()
        for _ in range(repeats):
            update()
        ours.append(time.perf_counter() - began)

    def application() -> None:
        theirs.append(beside.run(*operation, size, repeats)[0])

    for number in range(1 + rounds * RUNS):
        sides = (updates, application)
        for side in sides if number % 2 == 0 else reversed(sides):
            side()
    first, second = (
        repeats * size / statistics.median(taken[1:]) / 1e6 for taken in (ours, theirs)
    )
    return first, second


def _cycles(openssl: Provider, beside: Throughput) -> list[Row]:
    """The model's cycles are the same in every run."""
    device = ciphermill.open_device(MODEL)
    megahertz = device.clock_mhz
    if not megahertz:
        raise RuntimeError(f"{MODEL} has no clock")
    rows = []
    for mode, direction in OPERATIONS:
        if (mode, direction) not in device.operations:
            continue
        for size in MODEL_BYTES:
            source, target = (ctypes.create_string_buffer(size) for _ in range(2))
            update = openssl.operation(
                mode, direction, ctypes.addressof(source), ctypes.addressof(target), size
            )
            before = openssl.count("device_cycles")
            update()
            ours = openssl.count("device_cycles") - before
            _, theirs = beside.run(mode, direction, size, 1)
            if not ours or not theirs:
                raise RuntimeError(f"{MODEL} counted no cycles in {mode} {direction}")
            rates = (size * megahertz / ours, size * megahertz / theirs)
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
            algorithm="aes",
            mode=mode,
            operation=direction,
            key_bits=256,
            bytes=size,
            throughput_mb_s=rate,
            method=method,
        )
        for which, rate in zip(("provider", "application"), rates, strict=True)
    )
    return Row(
        what=f"{device}, {mode.upper()} {direction}, {size >> 20} MiB",
        seen=f"provider {rates[0]:,.0f} MB/s",
        beside=f"application {rates[1]:,.0f} MB/s",
        value=rates[0] / rates[1],
        target=TARGET,
        unit="",
        measurements=measurements,
        note=GCM_NOTE if mode == "gcm" else "",
    )


def build() -> Path:
    """Build the provider and give its path."""
    return _build("ciphermill-provider") / "libciphermill_provider.so"


def _build(package: str, *what: str) -> Path:
    """Build what is not there yet; the folder in which it is."""
    print(f"bench: building {package} ...", file=sys.stderr)
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--package", package, *what]
    subprocess.run(command, cwd=ENGINE, check=True)
    return ENGINE / "target" / "release"


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Set variables of this process, and then have them as they were."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
