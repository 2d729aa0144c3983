# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""AES-256-CBC, CMAC and SHA-2 of streams on one thread: side by side, and one of them alone.

Intel's Multi-Buffer Crypto for IPsec library (Debian's ``libipsec-mb-dev``) is compared where it is
installed.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from processor import build, flags
from rows import Row, unmeasured

from ciphermill.design import Measurement, Method

BYTES = 16384
"""Of a message: the longest record of TLS."""
PEER = "libipsec-mb"
PEER_TARGET = 1.0
"""Ratio to the peer's rate."""
NEEDED = {
    "AES-NI": {"aes", "avx"},
    "VAES-256": {"vaes", "avx2"},
    "VAES-512": {"vaes", "avx512f", "avx512bw"},
    "AVX-512": {"vaes", "avx512f", "avx512bw"},
}
"""The processor's instructions for each kind."""


@dataclass(frozen=True)
class Side:
    """A kind of instructions: what runs on them, and what is to be reached."""

    name: str
    device: str
    """Ours, as the throughput program names it."""
    manager: str
    """The peer's, as ``ipsec_mb.c`` names it."""
    mode: str
    """``cbc``, ``cmac``, or a hash."""
    streams: int
    keys: int
    """Keys that the streams take turns with."""
    target: float | None
    """Ratio of the streams' rate to that of one stream; none where nothing sets one."""

    @property
    def what(self) -> str:
        """What is measured, in words."""
        keys = "one key" if self.keys == 1 else "a key each"
        mode = self.mode.upper()
        mode = mode if self.is_hash else f"{keys}, AES-256-{mode}"
        return f"{self.streams} streams, {mode}, {BYTES:,} bytes, {self.name}"

    @property
    def is_hash(self) -> bool:
        """Whether there are digests instead of a cipher with a key."""
        return self.mode.startswith("sha-")


SIDES = (
    Side("AES-NI", "cpu:aws-lc", "aes-ni", "cbc", 8, 1, 3.5),
    Side("AES-NI", "cpu:aws-lc", "aes-ni", "cbc", 8, 8, 3.5),
    Side("VAES-256", "cpu:vaes-256", "avx2", "cbc", 16, 1, None),
    Side("VAES-256", "cpu:vaes-256", "avx2", "cbc", 16, 16, None),
    Side("VAES-512", "cpu:vaes-512", "best", "cbc", 16, 1, 8.0),
    Side("VAES-512", "cpu:vaes-512", "best", "cbc", 16, 16, 8.0),
    Side("VAES-512", "cpu:vaes-512", "best", "cbc", 32, 1, 8.0),
    Side("VAES-512", "cpu:vaes-512", "best", "cbc", 32, 32, 8.0),
    Side("AES-NI", "cpu:aws-lc", "aes-ni", "cmac", 8, 1, 3.5),
    Side("VAES-512", "cpu:vaes-512", "best", "cmac", 16, 1, 8.0),
    Side("VAES-512", "cpu:vaes-512", "best", "cmac", 32, 1, 8.0),
    Side("AVX-512", "cpu:vaes-512", "best", "sha-256", 16, 1, 1.2),
    Side("AVX-512", "cpu:vaes-512", "best", "sha-512", 8, 1, 1.2),
)


def run(rounds: int, seconds: float) -> list[Row]:
    """Measure streams, one stream and the peer in turns, so many rounds of so many seconds."""
    ours = build()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        peer = _build_peer(Path(folder))
        for side in SIDES:
            if missing := NEEDED[side.name] - flags():
                why = f"this processor has no {', '.join(sorted(missing))}"
                rows += [
                    unmeasured(side.what, side.target, why),
                    unmeasured(_beside_peer(side), PEER_TARGET, why),
                ]
                continue
            runs: dict[str, Callable[[], float]] = {
                "streams": partial(_cpu, ours, side, side.streams, side.keys, seconds),
                "one": partial(_cpu, ours, side, 1, 1, seconds),
            }
            if isinstance(peer, Path):
                runs["peer"] = partial(_peer, peer, side, seconds)
            seen: dict[str, list[float]] = {name: [] for name in runs}
            for number in range(rounds):
                # Who goes first changes, so that neither always finds a warm processor.
                order = list(runs) if number % 2 == 0 else list(reversed(runs))
                for name in order:
                    seen[name].append(runs[name]())
            rows += _rows(side, {name: statistics.median(rates) for name, rates in seen.items()})
            if isinstance(peer, str):
                rows.append(unmeasured(_beside_peer(side), PEER_TARGET, peer))
    return rows


def _beside_peer(side: Side) -> str:
    return f"{side.what}, beside {PEER}"


def _rows(side: Side, rates: dict[str, float]) -> list[Row]:
    ours = _measurement(
        f"{side.device}, {side.streams} streams", side, side.streams, rates["streams"]
    )
    one = _measurement(f"{side.device}, one stream", side, 1, rates["one"])
    seen = f"cpu {rates['streams']:,.0f} MB/s"
    rows = [
        Row(
            what=side.what,
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
                what=_beside_peer(side),
                seen=seen,
                beside=f"{PEER} {rates['peer']:,.0f} MB/s",
                value=rates["streams"] / rates["peer"],
                target=PEER_TARGET,
                unit="",
                measurements=(_measurement(PEER, side, side.streams, rates["peer"]),),
            )
        )
    return rows


def _measurement(device: str, side: Side, messages: int, rate: float) -> Measurement:
    return Measurement(
        device=device,
        algorithm={"cbc": "aes", "cmac": "aes-cmac"}.get(side.mode, side.mode),
        mode="cbc" if side.mode == "cbc" else None,
        operation={"cbc": "encrypt", "cmac": "authenticate"}.get(side.mode, "digest"),
        key_bits=None if side.is_hash else 256,
        bytes=BYTES,
        messages=messages,
        threads=1,
        throughput_mb_s=rate,
        method=Method.MEASURED,
    )


def _cpu(program: Path, side: Side, streams: int, keys: int, seconds: float) -> float:
    """MB/s of so many messages in flight on one thread."""
    done = subprocess.run(
        [
            *(str(program), "--implementation", side.device, "--mode", side.mode),
            *("--direction", "encrypt", "--key-bits", "256", "--bytes", str(BYTES)),
            *("--streams", str(streams), "--keys", str(keys), "--seconds", str(seconds)),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(json.loads(done.stdout)["throughput.mb_s"])


def _build_peer(folder: Path) -> Path | str:
    """Build the program that runs the peer; why not, where it is not installed."""
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
        return f"no {PEER} (Debian: libipsec-mb-dev): {reason}"
    return program


def _peer(program: Path, side: Side, seconds: float) -> float:
    """MB/s of the peer, with as many streams."""
    done = subprocess.run(
        [
            *(str(program), side.manager, side.mode, "256"),
            *(str(side.streams), str(side.keys), str(BYTES), str(seconds)),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)
