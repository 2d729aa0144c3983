# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A malformed register map is refused with the reason, and nothing is written."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ACCEL, DMA = Path("hw/accel/accel.rdl"), Path("hw/dma/dma.rdl")
SCRIPT = Path("scripts/generate_registers.py")


@pytest.mark.parametrize(
    ("source", "right", "wrong", "said"),
    [
        (ACCEL, "} GEOMETRY @ 0x00C;", "} GEOMETRY @ 0x00C", "accel.rdl"),
        (ACCEL, "GEOMETRY @ 0x00C", "GEOMETRY @ 0x000", "overlap"),
        (ACCEL, "sbox[9:8]", "sbox[8:7]", "overlap"),
        (ACCEL, "} CHANNELS @ 0x0A8;", "} CHANNELS @ 0x0AA;", "align"),
        (DMA, "} CHAIN @ 0x034;", "} CHAIN @ 0x030;", "overlap"),
        (DMA, "} STATUS @ `HEADER_STATUS;", "} STATUS @ 0x038;", "STATUS is not where"),
    ],
    ids=[
        "syntax",
        "two-registers-at-one-address",
        "two-fields-in-one-place",
        "unaligned",
        "the-second-map",
        "a-header-of-its-own",
    ],
)
def test_malformed_register_map(
    source: Path, right: str, wrong: str, said: str, tmp_path: Path
) -> None:
    text = (ROOT / source).read_text(encoding="utf-8")
    assert text.count(right) == 1
    given = {SCRIPT, *(path.relative_to(ROOT) for path in ROOT.glob("hw/*/*.rdl"))}
    for path in given:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    (tmp_path / source).write_text(text.replace(right, wrong), encoding="utf-8")

    done = subprocess.run(
        [sys.executable, tmp_path / SCRIPT], capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    files = {path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert files == {tmp_path / path for path in given}
