# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""AES-256-CBC encryption of several streams on one thread: side by side, and one of them alone.

Intel's Multi-Buffer Crypto for IPsec library (Debian's ``libipsec-mb-dev``) is compared where it is
installed.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from processor import build, flags
from rows import Row

from ciphermill.design import Measurement, Method

BYTES = 16384
"""Of a message: the longest record of TLS."""
PEER = "libipsec-mb"
NEEDED = {"AES-NI": {"aes", "avx"}, "VAES-512": {"vaes", "avx512f", "avx512bw"}}
"""The processor's instructions for each kind."""


@dataclass(frozen=True)
class Side:
    """A kind of instructions: what runs on them, and what is to be reached."""

    name: str
    device: str
    """Ours, as the throughput program names it."""
    manager: str
    """The peer's, as ``ipsec_mb.c`` names it."""
    streams: int
    target: float
    """Ratio of the streams' rate to that of one stream."""


SIDES = (
    Side("AES-NI", "cpu:aws-lc", "aes-ni", 8, 3.5),
    Side("VAES-512", "cpu:vaes-512", "best", 16, 8.0),
)


def run(rounds: int, seconds: float) -> list[Row]:
    """Measure streams, one stream and the peer in turns, so many rounds of so many seconds."""
    ours = build()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        peer = _build_peer(Path(folder))
        for side in SIDES:
            if missing := NEEDED[side.name] - flags():
                print(f"bench: no {side.name} here: {', '.join(missing)} absent", file=sys.stderr)
                continue
            runs: dict[str, Callable[[], float]] = {
                "streams": partial(_cpu, ours, side.device, side.streams, seconds),
                "one": partial(_cpu, ours, side.device, 1, seconds),
            }
            if peer is not None:
                runs["peer"] = partial(_peer, peer, side, seconds)
            seen: dict[str, list[float]] = {name: [] for name in runs}
            for number in range(rounds):
                # Who goes first changes, so that neither always finds a warm processor.
                order = list(runs) if number % 2 == 0 else list(reversed(runs))
                for name in order:
                    seen[name].append(runs[name]())
            rows += _rows(side, {name: statistics.median(rates) for name, rates in seen.items()})
    return rows


def _rows(side: Side, rates: dict[str, float]) -> list[Row]:
    what = f"{side.streams} streams, AES-256-CBC encrypt, {BYTES:,} bytes, {side.name}"
    ours = _measurement(f"{side.device}, {side.streams} streams", side.streams, rates["streams"])
    one = _measurement(f"{side.device}, one stream", 1, rates["one"])
    seen = f"cpu {rates['streams']:,.0f} MB/s"
    rows = [
        Row(
            what=what,
            seen=seen,
            beside=f"one stream {rates['one']:,.0f} MB/s",
            value=rates["streams"] / rates["one"],
            target=side.target,
            unit="",
            measurements=(ours, one),
        )
    ]
    if "peer" in rates:
        rows.append(
            Row(
                what=what,
                seen=seen,
                beside=f"{PEER} {rates['peer']:,.0f} MB/s",
                value=rates["streams"] / rates["peer"],
                target=1.0,
                unit="",
                measurements=(_measurement(PEER, side.streams, rates["peer"]),),
            )
        )
    return rows


def _measurement(device: str, messages: int, rate: float) -> Measurement:
    return Measurement(
        device=device,
        algorithm="aes",
        mode="cbc",
        operation="encrypt",
        key_bits=256,
        bytes=BYTES,
        messages=messages,
        threads=1,
        throughput_mb_s=rate,
        method=Method.MEASURED,
    )


def _cpu(program: Path, device: str, streams: int, seconds: float) -> float:
    """MB/s of so many messages in flight on one thread."""
    done = subprocess.run(
        [
            *(str(program), "--implementation", device, "--mode", "cbc"),
            *("--direction", "encrypt", "--key-bits", "256", "--bytes", str(BYTES)),
            *("--streams", str(streams), "--seconds", str(seconds)),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(json.loads(done.stdout)["throughput.mb_s"])


def _build_peer(folder: Path) -> Path | None:
    """Build the program that runs the peer; nothing where it is not installed."""
    program = folder / "ipsec_mb"
    built = subprocess.run(
        [
            *("cc", "-O2", "-Wall", "-Werror", "-o", str(program)),
            *(str(Path(__file__).parent / "ipsec_mb.c"), "-lIPSec_MB"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode != 0:
        reason = built.stderr.strip().splitlines()[0]
        print(f"bench: no {PEER} (Debian: libipsec-mb-dev): {reason}", file=sys.stderr)
        return None
    return program


def _peer(program: Path, side: Side, seconds: float) -> float:
    """MB/s of the peer, with as many streams."""
    done = subprocess.run(
        [
            *(str(program), side.manager, "256"),
            *(str(side.streams), str(BYTES), str(seconds)),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)
