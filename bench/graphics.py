# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""AES-128 of 32 MiB by the OpenCL device, beside OpenSSL without AES instructions.

With PoCL both run on all of this processor's cores, and neither has AES instructions. Each time is
that of a call, with every copy that the device needs.
"""

from __future__ import annotations

import os
import statistics
import sys

from rows import Row

from ciphermill import Error
from ciphermill.design import Measurement, Method
from ciphermill.registry import AnyDevice, open_device

BYTES = 32 << 20
OPERATIONS = (
    ("ctr", "encrypt"),
    ("ecb", "encrypt"),
    ("ecb", "decrypt"),
    ("cbc", "decrypt"),
    ("gcm", "encrypt"),
    ("xts", "encrypt"),
)
TARGET = 1.0
"""Ratio to OpenSSL without AES instructions on the same cores."""


def run(rounds: int) -> list[Row]:
    """Measure both alternately, so many rounds; none where there is no OpenCL device."""
    try:
        ours = open_device("opencl")
    except Error as error:
        print(f"bench: {error}", file=sys.stderr)
        return []
    theirs = open_device("software")
    return [_row(ours, theirs, mode, verb, rounds) for mode, verb in OPERATIONS]


def _row(ours: AnyDevice, theirs: AnyDevice, mode: str, verb: str, rounds: int) -> Row:
    key = os.urandom(32 if mode == "xts" else 16)
    iv = None if mode == "ecb" else os.urandom(12 if mode == "gcm" else 16)
    unit_bytes = 4096 if mode == "xts" else None
    data = os.urandom(BYTES)
    seconds: dict[str, list[float]] = {ours.name: [], theirs.name: []}
    for number in range(rounds + 1):
        outputs = set()
        # Who goes first changes, so that neither always finds a warm processor.
        for device in (ours, theirs) if number % 2 == 0 else (theirs, ours):
            output, timing = device.run(
                verb,
                data,
                algorithm="aes",
                mode=mode,
                key=key,
                iv=iv,
                data_unit_bytes=unit_bytes,
            )
            outputs.add(output)
            # The first round compiles kernels and starts threads.
            if number > 0:
                seconds[device.name].append(timing.total_s)
        if len(outputs) != 1:
            raise RuntimeError(f"{ours.name} and {theirs.name} differ in {mode} {verb}")
    rates = {name: BYTES / 1e6 / statistics.median(times) for name, times in seconds.items()}
    measurements = tuple(
        Measurement(
            device=name,
            algorithm="aes",
            mode=mode,
            operation=verb,
            key_bits=128,
            bytes=BYTES,
            throughput_mb_s=rate,
            method=Method.MEASURED,
        )
        for name, rate in rates.items()
    )
    mine, other = rates[ours.name], rates[theirs.name]
    return Row(
        what=f"AES-128-{mode.upper()} {verb}, 32 MiB",
        seen=f"{ours.name} {mine:,.0f} MB/s",
        beside=f"{theirs.name} {other:,.0f} MB/s",
        value=mine / other,
        target=TARGET,
        unit="",
        measurements=measurements,
    )
