# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""AES-128 of 32 MiB by the OpenCL device, beside OpenSSL; AES-128 in a CUDA device's memory.

From pinned memory of the host, AES-128 stands beside the copies alone.

OpenSSL has no AES instructions here. Both kernels take part. OpenSSL and, with PoCL, the device run
on the same core, since OpenSSL has one thread for a message in GCM. Each time is that of a call,
with every copy that the device needs. Inputs are random.
"""

from __future__ import annotations

import functools
import json
import os
import statistics
import subprocess
import sys
from typing import Literal

import cuda_memory
from rows import Row, unmeasured

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
RESIDENT_TARGETS: dict[Literal["ctr", "gcm", "xts"], float | None] = {
    "ctr": 3.0,
    "gcm": None,
    "xts": None,
}
"""Tb/s with data in the memory of an H100 or H200; GCM and XTS have no goal."""
KERNELS = ("bitsliced", "tables")
MEMORY_TB_S = {"H100 80GB HBM3": 3.35, "H200": 4.8}
"""TB/s of the memory of NVIDIA's cards, by their names."""
INTEGER_T_S, LOOKUPS_T_S = 16.7, 8.36
"""Integer operations and look-ups in shared memory of both cards, 10^12 a second."""
COUNTED = {"bitsliced": (33.8, 0.0), "tables": (36.8, 10.0)}
"""Integer operations and look-ups for a byte in CTR: docs/explanation/graphics-kernels.md."""
PINNED_BYTES = 256 << 20
PINNED_TARGET = 90.0
"""Percent of the rate of copies one way."""
FASTEST_COPY_MB_S = 1e6
"""No link copies faster: such a device maps the host's memory and copies nothing."""
TARGET = 1.0
"""Ratio to OpenSSL without AES instructions on the same core."""
ONE_CORE = {"POCL_CPU_MAX_CU_COUNT": "1", "POCL_MAX_PTHREAD_COUNT": "1"}
"""Environment in which PoCL, before and from version 5, has one thread."""
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
    """Rows of a process on one core; OpenCL counts its cores when it begins."""
    core = str(min(os.sched_getaffinity(0)))
    ran = subprocess.run(
        ["taskset", "--cpu-list", core, sys.executable, __file__, str(rounds)],
        env=os.environ | ONE_CORE,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise RuntimeError(f"OpenCL beside OpenSSL ended with {ran.returncode}")
    found = json.loads(ran.stdout)
    rows = []
    for mode, verb in OPERATIONS:
        for number, kernel in enumerate(KERNELS):
            if isinstance(found, str):
                rows.append(unmeasured(_named(kernel, mode, verb), TARGET, found))
            else:
                rates = found[f"{mode} {verb}"]
                rows.append(_row(kernel, [*rates][number], [*rates][-1], rates, mode, verb))
    return rows


def _named(kernel: str, mode: str, verb: str) -> str:
    return f"AES-128-{mode.upper()} {verb}, {kernel}, {BYTES >> 20} MiB, one core"


def measure(rounds: int) -> dict[str, dict[str, float]] | str:
    """MB/s of each device by mode and operation, OpenSSL last; or why there are none."""
    try:
        ours = [open_device(f"opencl,kernel={kernel}") for kernel in KERNELS]
        theirs = open_device("software")
        return {
            f"{mode} {verb}": _rates(ours, theirs, mode, verb, rounds) for mode, verb in OPERATIONS
        }
    except Error as error:
        return str(error)


def _rates(
    ours: list[AnyDevice], theirs: AnyDevice, mode: str, verb: str, rounds: int
) -> dict[str, float]:
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
    return {name: BYTES / 1e6 / statistics.median(times) for name, times in seconds.items()}


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
        what=_named(kernel, mode, verb),
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
        seconds = _resident_s(device, mode, rounds)
    except (Error, OSError) as error:
        return unmeasured(what, RESIDENT_TARGETS[mode], str(error), "Tb/s")
    rate = RESIDENT_BYTES / 1e6 / statistics.median(seconds)
    return Row(
        what=what,
        seen=f"{device.name} {rate:,.0f} MB/s",
        beside=reached(device.description, kernel, mode, rate),
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


def reached(card: str, kernel: str, mode: str, mb_s: float) -> str:
    """Which share of a card's limits a rate is; empty of a card that is not known.

    >>> reached("NVIDIA H100 80GB HBM3 (CUDA)", "tables", "ctr", 400_000)
    'of memory 24 %, of integer operations 88 %, of look-ups 48 %'
    >>> reached("NVIDIA H200 (CUDA)", "bitsliced", "gcm", 400_000)
    'of memory 17 %'
    """
    memory_tb_s = next((rate for name, rate in MEMORY_TB_S.items() if name in card), None)
    if memory_tb_s is None:
        return ""
    # Each byte is read once and written once.
    shares = {"memory": 2 * mb_s / 1e6 / memory_tb_s}
    if mode == "ctr":
        integer, lookups = COUNTED[kernel]
        shares["integer operations"] = integer * mb_s / 1e6 / INTEGER_T_S
        shares["look-ups"] = lookups * mb_s / 1e6 / LOOKUPS_T_S
    return ", ".join(f"of {name} {100 * share:.0f} %" for name, share in shares.items() if share)


@functools.lru_cache(maxsize=1)
def _random(count: int) -> bytes:
    return os.urandom(count)


def _resident_s(device: AnyDevice, mode: Literal["ctr", "gcm", "xts"], rounds: int) -> list[float]:
    memory = cuda_memory.Memory(RESIDENT_BYTES)
    key = os.urandom(32 if mode == "xts" else 16)
    iv = os.urandom(12 if mode == "gcm" else 16)
    unit_bytes = 4096 if mode == "xts" else None
    data = _random(RESIDENT_BYTES)
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
    return seconds


def _pinned(name: str, rounds: int) -> Row:
    """End to end beside the copies alone: a device of one queue copies and computes in turns."""
    what = f"AES-128-CTR, {name}, {PINNED_BYTES >> 20} MiB from pinned memory"
    key, iv = os.urandom(16), os.urandom(16)

    def encrypt(device: AnyDevice) -> tuple[bytes, Timing | SoftwareTiming]:
        data = _random(PINNED_BYTES)
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
        return unmeasured(what, PINNED_TARGET, str(error), "%")
    rate = PINNED_BYTES / 1e6 / statistics.median(totals)
    # In turns, all bytes go both ways, one way at a time.
    copy_s = statistics.median(copies)
    if copy_s * FASTEST_COPY_MB_S < 2 * PINNED_BYTES / 1e6:
        why = f"{ours.name} works in the host's memory, as PoCL does, so there are no copies"
        return unmeasured(what, PINNED_TARGET, f"{why} to compare {rate:,.0f} MB/s with", "%")
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


if __name__ == "__main__":
    json.dump(measure(int(sys.argv[1])), sys.stdout)
