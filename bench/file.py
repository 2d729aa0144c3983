# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Encrypting a file to a file beside copying it."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rows import Row

from ciphermill.design import Measurement, Method

PIECE_BYTES = 1 << 24
TARGET = 0.7
"""Of the throughput of ``cp`` and ``sync``."""


def run(rounds: int, wanted_bytes: int, folder: Path) -> list[Row]:
    """Measure ``ciphermill encrypt`` and ``cp`` followed by ``sync`` alternately."""
    folder.mkdir(parents=True, exist_ok=True)
    # The input, an output, and as much again to spare.
    size = min(wanted_bytes, shutil.disk_usage(folder).free // 4)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=folder) as name:
        source, output, key = (Path(name) / part for part in ("input", "output", "key"))
        print(f"bench: writing a file of {size:,} bytes in {folder} ...", file=sys.stderr)
        _fill(source, size)
        # With a raw key there is no password to derive one from.
        key.write_bytes(os.urandom(32))
        ciphermill = Path(sys.executable).parent / "ciphermill"
        encrypting = [
            *(str(ciphermill), "encrypt", str(source), "--output", str(output)),
            *("--key-file", str(key)),
        ]
        copying = ["cp", "--reflink=never", str(source), str(output)]
        mine: list[float] = []
        theirs: list[float] = []
        # The first round warms up: the input comes into memory, programs too.
        for number in range(rounds + 1):
            ours = _timed(output, encrypting)
            copy = _timed(output, copying, ["sync", str(output)])
            if number:
                mine.append(ours)
                theirs.append(copy)
    return [_row(size, statistics.median(mine), statistics.median(theirs))]


def _row(size: int, mine: float, theirs: float) -> Row:
    rates = [size / seconds / 1e6 for seconds in (mine, theirs)]
    measurements = tuple(
        Measurement(
            device=device,
            bytes=size,
            time_total_s=seconds,
            throughput_mb_s=rate,
            method=Method.MEASURED,
        )
        for device, seconds, rate in zip(("cpu", "cp, sync"), (mine, theirs), rates, strict=True)
    )
    return Row(
        what=f"encrypt a file of {size / (1 << 30):.3g} GiB",
        seen=f"ciphermill {rates[0]:,.0f} MB/s",
        beside=f"cp, sync {rates[1]:,.0f} MB/s",
        value=theirs / mine,
        target=TARGET,
        unit="",
        measurements=measurements,
    )


def _fill(path: Path, size: int) -> None:
    """Write so many random bytes, which no file system can compress."""
    with path.open("wb") as stream:
        for start in range(0, size, PIECE_BYTES):
            stream.write(os.urandom(min(PIECE_BYTES, size - start)))
        stream.flush()
        os.fsync(stream.fileno())


def _timed(output: Path, *commands: list[str]) -> float:
    """Seconds of commands that write the output anew; what was before is on the disk."""
    output.unlink(missing_ok=True)
    os.sync()
    start = time.perf_counter()
    for command in commands:
        subprocess.run(command, check=True)
    return time.perf_counter() - start
