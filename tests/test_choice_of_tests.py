# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The list of tests that `make test` leaves out (conftest.py)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_line_that_names_no_test_is_said(workers: str, tmp_path: Path) -> None:
    shutil.copy(HOME / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = tests\nmarkers = verify\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text("def test_one() -> None: pass\n")
    (tmp_path / "tests" / "durations.json").write_text("{}")
    lines = tmp_path / "tests" / "verify.txt"

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pytest", "--numprocesses", workers],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(HOME / "hw" / "dv"), "PYTEST_ADDOPTS": ""},
            capture_output=True,
            text=True,
            check=False,
        )

    lines.write_text("tests/test_it.py::test_one\ntests/test_it.py::test_two\n")
    done = run()
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done
    said = "tests/verify.txt names tests that do not exist: tests/test_it.py::test_two; correct"
    assert said in done.stderr
    assert "INTERNALERROR" not in done.stdout + done.stderr
    lines.write_text("tests/test_it.py::test_one\n")
    assert run().returncode == 0
