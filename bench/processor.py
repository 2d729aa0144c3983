# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""AES-256 at 1 MiB on one thread: the device ``cpu`` beside ``openssl speed``."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

from rows import Row

from ciphermill.design import Measurement, Method

BYTES = 1 << 20
ENGINE = Path(__file__).resolve().parent.parent / "engine"
TARGETS = {"ctr": (1.0,), "gcm": (1.0, 2.5)}
"""Ratios to openssl's throughput, by mode."""


def run(rounds: int, seconds: float) -> list[Row]:
    """Measure both alternately, so many rounds of so many seconds."""
    ours = build()
    rows: list[Row] = []
    for mode, targets in TARGETS.items():
        mine: list[float] = []
        theirs: list[float] = []
        for number in range(rounds):
            runs = [
                lambda mode=mode, mine=mine: mine.append(_cpu(ours, mode, seconds)),
                lambda mode=mode, theirs=theirs: theirs.append(_openssl(mode, seconds)),
            ]
            # Who goes first changes, so that neither always finds a warm processor.
            for measure in runs if number % 2 == 0 else reversed(runs):
                measure()
        rows += _rows(mode, statistics.median(mine), statistics.median(theirs), targets)
    return rows


def features() -> str:
    """The processor's instructions that AES can use.

    >>> isinstance(features(), str)
    True
    """
    names = ("aes", "pclmulqdq", "avx2", "vaes", "vpclmulqdq", "avx512f", "avx512bw")
    present = [name for name in names if name in flags()]
    absent = [name for name in names if name not in flags()]
    return f"{', '.join(present) or 'none'}; absent: {', '.join(absent) or 'none'}"


def flags() -> set[str]:
    """The processor's features, as Linux names them."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    for line in lines:
        if line.startswith("flags"):
            return set(line.partition(":")[2].split())
    return set()


def _rows(mode: str, mine: float, theirs: float, targets: tuple[float, ...]) -> list[Row]:
    measurements = tuple(
        Measurement(
            device=device,
            algorithm="aes",
            mode=mode,
            operation="encrypt",
            key_bits=256,
            bytes=BYTES,
            throughput_mb_s=value,
            method=Method.MEASURED,
        )
        for device, value in (("cpu", mine), (f"openssl speed ({_version()})", theirs))
    )
    rows = []
    for target in targets:
        note = ""
        if target > 1 and "vaes" not in flags():
            note = (
                f"{target} times the GCM of OpenSSL 3.0 needs VAES, which this processor lacks: "
                "with a block an instruction both run at the rate of its one AES unit"
            )
        rows.append(
            Row(
                what=f"AES-256-{mode.upper()}, 1 MiB, one thread",
                seen=f"cpu {mine:,.0f} MB/s",
                beside=f"openssl {theirs:,.0f} MB/s",
                value=mine / theirs,
                target=target,
                unit="",
                # Once, however many targets there are.
                measurements=measurements if target == targets[0] else (),
                note=note,
            )
        )
    return rows


def build() -> Path:
    """Build the throughput program and give its path."""
    print("bench: building the throughput program ...", file=sys.stderr)
    built = subprocess.run(
        [
            *("cargo", "build", "--release", "--locked", "--package", "ciphermill-cpu"),
            *("--example", "throughput", "--message-format=json-render-diagnostics"),
        ],
        cwd=ENGINE,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "throughput":
            return Path(message["executable"])
    raise RuntimeError("cargo built no throughput program")


def _cpu(program: Path, mode: str, seconds: float) -> float:
    """MB/s of the device ``cpu`` with one worker."""
    done = subprocess.run(
        [
            *(str(program), "--implementation", "cpu", "--mode", mode, "--direction", "encrypt"),
            *("--key-bits", "256", "--bytes", str(BYTES), "--seconds", str(seconds)),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(json.loads(done.stdout)["throughput.mb_s"])


def _openssl(mode: str, seconds: float) -> float:
    """MB/s of ``openssl speed``, by wall time as ours is."""
    done = subprocess.run(
        [
            *("openssl", "speed", "-elapsed", "-evp", f"aes-256-{mode}"),
            *("-bytes", str(BYTES), "-seconds", str(max(1, round(seconds)))),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    # The last line: the cipher's name, then thousands of bytes a second.
    figure = done.stdout.split()[-1]
    if not figure.endswith("k"):
        raise RuntimeError(f"openssl speed ended with {figure!r}")
    return float(figure.removesuffix("k")) / 1000


def _version() -> str:
    done = subprocess.run(["openssl", "version"], capture_output=True, text=True, check=True)
    return " ".join(done.stdout.split()[:2])
