# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What was measured here is shown again on another machine, from the store alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ciphermill as package

from .conftest import Ciphermill

REPEATED = ("--seconds", "0.002")
SMALLEST = ("--no-area", "--soft-core", "ibex")
"""The system that tests/test_cosim.py builds too."""
MEASURED = {
    "weigh": ("weigh", "plain", "--device", "cpu"),
    "cosim": ("cosim", "--partition", "software", "--bytes", "32", "--estimate", "picorv32"),
    "physical": ("physical", "present-minimal", "--target", "xc7"),
    "campaign": ("campaign", "zedboard", "--largest", "64k", "--no-bench"),
    "sweep": ("campaign", "zedboard", "--sweep", "fifo"),
    "bench": ("bench", "--device", "cpu", "--mode", "ctr", "--bytes", "1k", "--runs", "2"),
    "speed": ("speed", "--algorithm", "sha-256", "--bytes", "64", *REPEATED, "--threads", "2"),
    "paper-crypto-suite-sw-vs-hw": ("paper", "crypto-suite-sw-vs-hw", *REPEATED, *SMALLEST),
}
"""A run of each command that stores; its page is called after the key."""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make another machine: the package without a source tree, and an empty home."""
    machine = tmp_path_factory.mktemp("machine")
    there = machine / "site" / "ciphermill"
    shutil.copytree(Path(package.__file__).parent, there, ignore=shutil.ignore_patterns("__pyc*"))
    (machine / "home").mkdir()
    return machine


def report(machine: Path, *arguments: str | Path) -> str:
    """Run ``ciphermill report`` on the other machine; return what it prints."""
    code = "from ciphermill.cli.main import main; main()"
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    ran = subprocess.run(
        [sys.executable, "-c", code, "report", *arguments],
        cwd=machine / "home",
        env={
            **kept,
            "HOME": str(machine / "home"),
            "PYTHONPATH": str(machine / "site"),
            "COLUMNS": "100",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_other_machine_has_no_source_tree(elsewhere: Path) -> None:
    code = "from ciphermill.design import find_home; find_home()"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=elsewhere / "home",
        env={"HOME": str(elsewhere / "home"), "PYTHONPATH": str(elsewhere / "site")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "no Ciphermill source tree here" in ran.stderr


@pytest.mark.parametrize("name", MEASURED)
def test_a_stored_run_is_shown_on_another_machine(
    name: str, ciphermill: Ciphermill, plain: bytes, tmp_path: Path, elsewhere: Path
) -> None:
    here = tmp_path / "here.sqlite"
    measured = ciphermill(*MEASURED[name], "--store", here)
    assert measured.code == 0, measured
    there = elsewhere / "home" / f"{name}.sqlite"
    shutil.copy(here, there)
    printed = report(elsewhere, "1", "--store", there)
    page = there.with_name("run-1.html").read_text(encoding="utf-8")
    if name == "campaign":
        # The command itself writes no page, and its notes tell what is not stored.
        assert "zedboard: 0.0625 MiB, MB/s" in printed
        assert "Throughput end to end, encrypt, zedboard" in page
        return
    assert printed.partition("Report:")[0] == measured.out.decode().partition("Report:")[0]
    assert page == (tmp_path / f"{name}-1.html").read_text(encoding="utf-8")
