# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Stored runs are shown again, those of earlier versions included."""

import gzip
import json
import sqlite3
from pathlib import Path

import pytest

from .conftest import Ciphermill

OLD = Path(__file__).parent / "stores" / "schema-5.sqlite.gz"
"""Written by the program of commit 491e380, the last with schema 5."""
SHOWN = {
    1: ("aes-iterative", "A message, weighed"),
    2: ("Xilinx 7-series", "present-minimal"),
    3: ("software table, picorv32", "estimated"),
    4: ("iterative, axi-lite, picorv32", "Cycles over length"),
    5: ("Nangate 45 nm", "present-minimal"),
}
"""Words that the page of each run contains."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.sqlite"
    path.write_bytes(gzip.decompress(OLD.read_bytes()))
    return path


def test_every_measurement_of_an_old_store_is_read(ciphermill: Ciphermill, old: Path) -> None:
    rows = sqlite3.connect(old).execute("SELECT fields FROM measurement ORDER BY id").fetchall()
    # Three names have changed since then.
    names = {
        "cipher": "algorithm",
        "direction": "operation",
        "merit.clocks_x_lut": "merit.cycles_x_lut",
    }
    before = [
        {names.get(name, name): value for name, value in json.loads(fields).items()}
        for (fields,) in rows
    ]
    listed = ciphermill("results", "--store", old, "--json")
    assert json.loads(listed.out) == before


@pytest.mark.parametrize("run", SHOWN)
def test_a_run_of_an_old_store_is_shown_again(ciphermill: Ciphermill, old: Path, run: int) -> None:
    outcome = ciphermill("report", str(run), "--store", old)
    assert outcome.code == 0, outcome.err
    page = old.with_name(f"run-{run}.html")
    assert f"Report: {page}" in outcome.out.decode()
    text = page.read_text(encoding="utf-8")
    for word in SHOWN[run]:
        assert word in text


def test_the_last_run_is_shown_unless_one_is_named(ciphermill: Ciphermill, old: Path) -> None:
    shown = ciphermill("report", "--store", old, "--json", "--report", old.with_name("p.html"))
    assert [one["target"] for one in json.loads(shown.out)] == ["nangate45"] * 3


def test_what_cannot_be_shown_is_a_usage_error(
    ciphermill: Ciphermill, old: Path, tmp_path: Path
) -> None:
    ciphermill("report", "9", "--store", old).failed(2, "has no run 9")
    ciphermill("report", "--store", tmp_path / "none").failed(2, "there is no results store")
    ciphermill("report", "1", "2", "--report", "p.html", "--store", old).failed(2, "single run")
    ciphermill("report", "2", "--plot", "p.svg", "--store", old).failed(2, "has no plot")
