# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""AES-128 of 32 MiB by the OpenCL device, beside OpenSSL; AES-128 in a CUDA device's memory.

From pinned memory of the host, AES-128 stands beside the copies alone.

OpenSSL has no AES instructions here. Both kernels take part. With PoCL all run on all of this
processor's cores. Each time is that of a call, with every copy that the device needs.
"""

from __future__ import annotations

import os
import statistics
import sys
from typing import Literal

import cuda_memory
from rows import Row

from ciphermill import Error, Timing, run_in_memory
from ciphermill.design import Measurement, Method
from ciphermill.registry import AnyDevice, open_device
from ciphermill.software import SoftwareTiming

BYTES = 32 << 20
OPERATIONS = (
    ("ctr", "encrypt"),
    ("ecb", "encrypt"),
    ("ecb", "decrypt"),
    ("cbc", "decrypt"),
    ("gcm", "encrypt"),
    ("gcm", "decrypt"),
    ("xts", "encrypt"),
    ("xts", "decrypt"),
)
RESIDENT_BYTES = 1 << 30
RESIDENT_TARGETS: dict[Literal["ctr", "gcm", "xts"], float] = {"ctr": 3.0, "gcm": 0.0, "xts": 0.0}
"""Tb/s with data in the memory of an H100 or H200; GCM and XTS have no goal."""
KERNELS = ("bitsliced", "tables")
PINNED_BYTES = 256 << 20
PINNED_TARGET = 90.0
"""Percent of the rate of copies one way."""
FASTEST_COPY_MB_S = 1e6
"""No link copies faster: such a device maps the host's memory and copies nothing."""
TARGET = 1.0
"""Ratio to OpenSSL without AES instructions on the same cores."""
NOTE = (
    "tables are for graphics processors, whose shared memory reads 32 words at once; OpenSSL "
    "computes in bit slices too"
)


def run(rounds: int) -> list[Row]:
    """Measure all in turns, so many rounds; without a device its rows say why."""
    return [
        *_opencl(rounds),
        *(_resident(kernel, mode, rounds) for kernel in KERNELS for mode in RESIDENT_TARGETS),
        *(_pinned(name, rounds) for name in ("cuda", "opencl")),
    ]


def _opencl(rounds: int) -> list[Row]:
    try:
        ours = [open_device(f"opencl,kernel={kernel}") for kernel in KERNELS]
    except Error as error:
        return [
            _unmeasured(f"AES-128-{mode.upper()} {verb}, {kernel}", TARGET, "", str(error))
            for mode, verb in OPERATIONS
            for kernel in KERNELS
        ]
    theirs = open_device("software")
    rows: list[Row] = []
    for mode, verb in OPERATIONS:
        rows += _rows(ours, theirs, mode, verb, rounds)
    return rows


def _rows(ours: list[AnyDevice], theirs: AnyDevice, mode: str, verb: str, rounds: int) -> list[Row]:
    key = os.urandom(32 if mode == "xts" else 16)
    iv = None if mode == "ecb" else os.urandom(12 if mode == "gcm" else 16)
    unit_bytes = 4096 if mode == "xts" else None

    def go(device: AnyDevice, verb: str, data: bytes) -> tuple[bytes, float]:
        output, timing = device.run(
            verb, data, algorithm="aes", mode=mode, key=key, iv=iv, data_unit_bytes=unit_bytes
        )
        return output, timing.total_s

    data = os.urandom(BYTES)
    if (mode, verb) == ("gcm", "decrypt"):
        data = go(theirs, "encrypt", data)[0]
    devices = [*ours, theirs]
    seconds: dict[str, list[float]] = {device.name: [] for device in devices}
    for number in range(rounds + 1):
        outputs = set()
        # Who goes first changes, so that nobody always finds a warm processor.
        for device in devices if number % 2 == 0 else reversed(devices):
            output, elapsed_s = go(device, verb, data)
            outputs.add(output)
            # The first round compiles kernels and starts threads.
            if number > 0:
                seconds[device.name].append(elapsed_s)
        if len(outputs) != 1:
            raise RuntimeError(f"the devices differ in {mode} {verb}")
    rates = {name: BYTES / 1e6 / statistics.median(times) for name, times in seconds.items()}
    return [
        _row(kernel, device.name, theirs.name, rates, mode, verb)
        for kernel, device in zip(KERNELS, ours, strict=True)
    ]


def _row(kernel: str, ours: str, theirs: str, rates: dict[str, float], mode: str, verb: str) -> Row:
    measurements = tuple(
        Measurement(
            device=name,
            algorithm="aes",
            mode=mode,
            operation=verb,
            key_bits=128,
            bytes=BYTES,
            throughput_mb_s=rates[name],
            method=Method.MEASURED,
        )
        for name in (ours, theirs)
    )
    return Row(
        what=f"AES-128-{mode.upper()} {verb}, {kernel}",
        seen=f"{ours} {rates[ours]:,.0f} MB/s",
        beside=f"{theirs} {rates[theirs]:,.0f} MB/s",
        value=rates[ours] / rates[theirs],
        target=TARGET,
        unit="",
        measurements=measurements,
        note=NOTE if kernel == "tables" else "",
    )


def _resident(kernel: str, mode: Literal["ctr", "gcm", "xts"], rounds: int) -> Row:
    """Random data in the memory of the CUDA device; the output is compared with that of cpu."""
    what = f"AES-128-{mode.upper()}, {kernel}, 1 GiB on the device"
    try:
        device = open_device(f"cuda,kernel={kernel},chunk_bytes={256 << 20}")
        memory = cuda_memory.Memory(RESIDENT_BYTES)
    except (Error, OSError) as error:
        return _unmeasured(what, RESIDENT_TARGETS[mode], "Tb/s", str(error))
    key = os.urandom(32 if mode == "xts" else 16)
    iv = os.urandom(12 if mode == "gcm" else 16)
    unit_bytes = 4096 if mode == "xts" else None
    # Random bytes, repeated: nobody needs a gigabyte of them.
    data = os.urandom(1 << 20) * (RESIDENT_BYTES >> 20)
    seconds: list[float] = []
    for number in range(rounds + 1):
        memory.put(data)
        tag, timing = run_in_memory(
            "encrypt", memory, mode=mode, key=key, iv=iv, data_unit_bytes=unit_bytes, device=device
        )
        if number == 0:
            expected, _ = open_device("cpu").run(
                "encrypt",
                data,
                algorithm="aes",
                mode=mode,
                key=key,
                iv=iv,
                data_unit_bytes=unit_bytes,
            )
        else:
            seconds.append(timing.total_s)
        if memory.get() + (tag or b"") != expected:
            raise RuntimeError(f"{device.name} and cpu differ in {mode}")
    rate = RESIDENT_BYTES / 1e6 / statistics.median(seconds)
    return Row(
        what=what,
        seen=f"{device.name} {rate:,.0f} MB/s",
        beside="",
        value=rate * 8 / 1e6,
        target=RESIDENT_TARGETS[mode],
        unit="Tb/s",
        measurements=(
            Measurement(
                device=device.name,
                algorithm="aes",
                mode=mode,
                operation="encrypt",
                key_bits=128,
                bytes=RESIDENT_BYTES,
                throughput_mb_s=rate,
                method=Method.MEASURED,
            ),
        ),
    )


def _pinned(name: str, rounds: int) -> Row:
    """End to end beside the copies alone: a device of one queue copies and computes in turns."""
    what = f"AES-128-CTR, {name}, {PINNED_BYTES >> 20} MiB from pinned memory"
    key, iv = os.urandom(16), os.urandom(16)
    data = os.urandom(1 << 16) * (PINNED_BYTES >> 16)

    def encrypt(device: AnyDevice) -> tuple[bytes, Timing | SoftwareTiming]:
        return device.run("encrypt", data, algorithm="aes", mode="ctr", key=key, iv=iv)

    try:
        ours, in_turns = open_device(name), open_device(f"{name},queues=1")
        expected, _ = encrypt(open_device("cpu"))
        totals, copies = [], []
        for number in range(rounds + 1):
            for device in (ours, in_turns):
                output, timing = encrypt(device)
                if output != expected:
                    raise RuntimeError(f"{device.name} and cpu differ in ctr")
                if number > 0 and device is ours:
                    totals.append(timing.total_s)
                elif number > 0:
                    copies.append(timing.transfer_s)
    except Error as error:
        return _unmeasured(what, PINNED_TARGET, "%", str(error))
    rate = PINNED_BYTES / 1e6 / statistics.median(totals)
    # In turns, all bytes go both ways, one way at a time.
    copy_s = statistics.median(copies)
    if copy_s * FASTEST_COPY_MB_S < 2 * PINNED_BYTES / 1e6:
        why = f"{ours.name} works in the host's memory, as PoCL does, so there are no copies"
        return _unmeasured(what, PINNED_TARGET, "%", f"{why} to compare {rate:,.0f} MB/s with")
    copied = 2 * PINNED_BYTES / 1e6 / copy_s
    return Row(
        what=what,
        seen=f"{ours.name} {rate:,.0f} MB/s",
        beside=f"copies one way {copied:,.0f} MB/s",
        value=100 * rate / copied,
        target=PINNED_TARGET,
        unit="%",
        measurements=(
            Measurement(
                device=ours.name,
                algorithm="aes",
                mode="ctr",
                operation="encrypt",
                key_bits=128,
                bytes=PINNED_BYTES,
                throughput_mb_s=rate,
                method=Method.MEASURED,
            ),
        ),
    )


def _unmeasured(what: str, target: float, unit: str, why: str) -> Row:
    print(f"bench: {why}", file=sys.stderr)
    return Row(
        what=what,
        seen="unmeasured",
        beside="",
        value=None,
        target=target,
        unit=unit,
        measurements=(),
        note=f"unmeasured: {why}",
    )
