# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Devices that are missing or vanish: one line of error, and no partial output."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from .conftest import Ciphermill

COMMANDS = {
    "encrypt": ("encrypt", "plain", "--key-file", "KEY"),
    "decrypt": ("decrypt", "sealed.cm", "--key-file", "KEY", "-o", "out"),
    "weigh": ("weigh", "plain", "--device", "cpu"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_name_that_no_device_has_lists_those_that_exist(
    command: str, ciphermill: Ciphermill, plain: bytes, key: Path, tmp_path: Path
) -> None:
    built = tmp_path / "models"
    built.mkdir()
    (built / "mine.so").touch()
    made = ciphermill("encrypt", "plain", "-o", "sealed.cm", "--key-file", key)
    assert made.code == 0, made
    before = ciphermill.files()
    arguments = [str(key) if word == "KEY" else word for word in COMMANDS[command]]
    outcome = ciphermill(*arguments, "--device", "abacus", CIPHERMILL_MODELS=str(built))
    names = "cpu, software, software+, cuda, opencl, model:mine, linux: and stream:"
    outcome.failed(2, "abacus", f"there are {names}")
    outcome = ciphermill(*arguments, "--device", "model:nowhere")
    outcome.failed(2, "no design is called 'nowhere'", "aes-iterative")
    outcome = ciphermill(*arguments, "--device", f"stream:{tmp_path}/nowhere")
    outcome.failed(5, f"no device files in {tmp_path}/nowhere", "ciphermill serve")
    # A file that is no model.
    outcome = ciphermill(*arguments, "--device", "model:mine", CIPHERMILL_MODELS=str(built))
    outcome.failed(5, "mine.so")
    assert ciphermill.files() == before
    assert not list((tmp_path / "data" / "ciphermill").glob("weigh*.html"))


def test_a_machine_without_opencl(ciphermill: Ciphermill, plain: bytes, key: Path) -> None:
    asked = ("encrypt", "plain", "-o", "sealed.cm", "--key-file", key, "--device", "opencl")
    before = ciphermill.files()
    outcome = ciphermill(*asked, OCL_ICD_VENDORS="/nowhere")
    outcome.failed(5, "no OpenCL device", "pocl-opencl-icd")
    assert ciphermill.files() == before


def test_a_simulator_that_is_killed_while_it_is_weighed(
    ciphermill: Ciphermill, tmp_path: Path
) -> None:
    board, store = tmp_path / "board", tmp_path / "s.sqlite"
    simulator = ciphermill.serve(board)
    (ciphermill.folder / "big").write_bytes(bytes(5_000_000))
    process = ciphermill.start(
        *("weigh", "big", "--store", store, "--report", tmp_path / "page.html"),
        *("--device", f"stream:{board}"),
        stdout=subprocess.PIPE,
    )
    simulator.said("opened")
    time.sleep(0.2)
    assert process.poll() is None
    simulator.process.kill()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 5, err
    assert err.splitlines()[-1].startswith(b"ciphermill: ") and b"Traceback" not in err
    assert out == b""
    assert not (tmp_path / "page.html").exists()
    listed = ciphermill("results", "--store", store)
    assert b"nothing is stored" in listed.out + listed.err.encode()
