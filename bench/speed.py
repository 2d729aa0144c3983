# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``openssl speed`` through the provider with ``cpu`` beside OpenSSL's default provider."""

from __future__ import annotations

import os
import statistics
import subprocess
from dataclasses import replace

from provider import build
from rows import Row

from ciphermill.design import Measurement, Method

RUNS = (
    ("ctr", "encrypt"),
    ("ecb", "encrypt"),
    ("ecb", "decrypt"),
    ("cbc", "encrypt"),
    ("cbc", "decrypt"),
    ("gcm", "encrypt"),
    ("gcm", "decrypt"),
)
TARGETS = {16: 0.80, 256: 0.95, 16384: 1.0}
"""Ratio to the default provider's rate, by bytes an update."""
NOTE = (
    "on a processor without VAES both sides run the same AES instructions, so that parity is "
    "the bound; other work on the machine moves single figures by some per cent"
)


def run(rounds: int, seconds: float) -> list[Row]:
    """Measure both alternately, so many rounds."""
    library = build()
    ours = [
        *("-provider-path", str(library.parent), "-provider", library.stem),
        *("-provider", "default", "-propquery", "?provider=ciphermill"),
    ]
    rows = []
    for mode, direction in RUNS:
        for size, target in TARGETS.items():
            mine: list[float] = []
            theirs: list[float] = []
            for number in range(rounds):
                sides = [(ours, mine), ([], theirs)]
                for options, seen in sides if number % 2 == 0 else reversed(sides):
                    seen.append(_speed(options, mode, direction, size, seconds))
            rates = (statistics.median(mine), statistics.median(theirs))
            rows.append(_row(mode, direction, size, rates, target))
    # Once is enough: of the first that does not meet its target.
    for number, row in enumerate(rows):
        if not row.met:
            rows[number] = replace(row, note=NOTE)
            break
    return rows


def _speed(options: list[str], mode: str, direction: str, size: int, seconds: float) -> float:
    """MB/s, by the processor's time as ``openssl speed`` has it unless told otherwise."""
    decrypt = ["-decrypt"] if direction == "decrypt" else []
    # The provider's options come before -evp, which fetches the cipher.
    done = subprocess.run(
        [
            *("openssl", "speed", *options, "-seconds", str(max(1, round(seconds)))),
            *("-bytes", str(size), *decrypt, "-evp", f"aes-256-{mode}"),
        ],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ
        | {"CIPHERMILL_DEVICE": "cpu", "CIPHERMILL_THRESHOLD": "auto", "CIPHERMILL_CBC": "yes"},
    )
    figure = done.stdout.split()[-1]
    if not figure.endswith("k"):
        raise RuntimeError(f"openssl speed ended with {figure!r}")
    return float(figure.removesuffix("k")) / 1000


def _row(mode: str, direction: str, size: int, rates: tuple[float, float], target: float) -> Row:
    measurements = tuple(
        Measurement(
            device=device,
            algorithm="aes",
            mode=mode,
            operation=direction,
            key_bits=256,
            bytes=size,
            throughput_mb_s=rate,
            method=Method.MEASURED,
        )
        for device, rate in zip(("cpu (provider)", "openssl (default)"), rates, strict=True)
    )
    return Row(
        what=f"openssl speed, {mode.upper()} {direction}, {size:,} bytes",
        seen=f"provider {rates[0]:,.0f} MB/s",
        beside=f"default {rates[1]:,.0f} MB/s",
        value=rates[0] / rates[1],
        target=target,
        unit="",
        measurements=measurements,
    )
