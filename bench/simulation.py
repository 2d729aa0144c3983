# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""How fast the models run on this machine, and a whole weighing."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rows import Row

import ciphermill
from ciphermill.design import Measurement, Method

ITERATIVE_BYTES = 1 << 20
PIPELINED_BYTES = 1 << 24
WEIGHED_BYTES = 1_000_000
MEGA = 1e6


def run(rounds: int) -> list[Row]:
    """Measure both default models and ``ciphermill weigh`` by wall time."""
    cycles_s, iterative = _model("model:aes-iterative", ITERATIVE_BYTES, rounds)
    _, pipelined = _model("model:aes-pipelined", PIPELINED_BYTES, rounds)
    seconds, weighing = _weigh()
    rate = pipelined.throughput_mb_s or 0.0
    return [
        Row(
            what="simulate aes-iterative, AES-256-CTR",
            seen=f"{iterative.throughput_mb_s:,.2f} MB/s",
            beside="",
            value=cycles_s / MEGA,
            target=1.0,
            unit="M cycles/s",
            measurements=(iterative,),
        ),
        Row(
            what="simulate aes-pipelined, AES-256-CTR",
            seen=f"{rate:,.2f} MB/s",
            beside="",
            value=rate,
            target=3.0,
            unit="MB/s",
            measurements=(pipelined,),
        ),
        Row(
            what=f"weigh {WEIGHED_BYTES / MEGA:g} MB",
            seen=f"{seconds:.1f} s",
            beside="",
            value=seconds,
            target=30.0,
            unit="s",
            measurements=(weighing,),
            at_most=True,
        ),
    ]


def _model(name: str, size: int, rounds: int) -> tuple[float, Measurement]:
    """Simulated cycles a second of wall time, and the median run (in wall time)."""
    device = ciphermill.open_device(name)
    data = os.urandom(size)
    times: list[float] = []
    cycles = 0
    for _ in range(rounds):
        start = time.perf_counter()
        _, timing = ciphermill.transform(
            data, mode="ctr", direction="encrypt", key=bytes(32), iv=bytes(16), device=device
        )
        times.append(time.perf_counter() - start)
        cycles = timing.cycles or 0
    seconds = statistics.median(times)
    measurement = Measurement(
        device=name,
        algorithm="aes",
        mode="ctr",
        operation="encrypt",
        key_bits=256,
        bytes=size,
        cycles_total=cycles,
        time_total_s=seconds,
        throughput_mb_s=size / seconds / MEGA,
        method=Method.MEASURED,
    )
    return cycles / seconds, measurement


def _weigh() -> tuple[float, Measurement]:
    """Seconds of ``ciphermill weigh`` on a megabyte, models built."""
    program = Path(sys.executable).parent / "ciphermill"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data").write_bytes(os.urandom(WEIGHED_BYTES))
        command = [
            *(str(program), "weigh", str(folder / "data"), "--json"),
            *("--store", str(folder / "store.sqlite"), "--report", str(folder / "report.html")),
        ]
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds = time.perf_counter() - start
    return seconds, Measurement(
        device="ciphermill weigh",
        bytes=WEIGHED_BYTES,
        time_total_s=seconds,
        method=Method.MEASURED,
    )
