# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The tops, constraints and scripts of boards: what can be checked without Vivado and a board."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from ciphermill_dv.simulate import REPOSITORY, assert_clean, lint, rtl_sources

BOARDS = REPOSITORY / "hw" / "boards"
VENDOR = sorted((BOARDS / "dv" / "vendor").glob("*.v*"))
ACCEL = ("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel")
TOPS = {
    "ulx3s": (BOARDS / "ulx3s" / "ulx3s.v", (*ACCEL, "boards")),
    "kc705": (BOARDS / "kc705" / "kc705.v", (*ACCEL, "boards")),
    "zedboard_card": (BOARDS / "zedboard" / "zedboard_card.v", (*ACCEL, "dma", "card")),
}
CONSTRAINTS = {"ulx3s": "ulx3s/ulx3s.lpf", "kc705": "kc705/kc705.xdc"}
SCRIPTS = ("zedboard/build.tcl", "kc705/build.tcl")
needs_tclsh = pytest.mark.skipif(shutil.which("tclsh") is None, reason="there is no tclsh here")
needs_dtc = pytest.mark.skipif(shutil.which("dtc") is None, reason="there is no dtc here")

# Vivado's commands are not here. Each is printed with its arguments and answers 1, so that the
# script itself runs: its syntax, its variables, its branches and its files.
VIVADO = """
proc unknown {args} { puts [list command {*}$args]; return 1 }
proc get_property {name args} {
    return [dict get [list PROGRESS 100% SLACK [lindex $::argv 1]] $name]
}
if {[catch {source [lindex $argv 0]} message]} { puts stderr $message; exit 1 }
"""


def sources(top: str) -> list[Path]:
    file, folders = TOPS[top]
    waivers = sorted((REPOSITORY / "hw").glob("*/rtl/**/*.vlt"))
    return [*waivers, *VENDOR, *rtl_sources(*folders), file]


@pytest.mark.parametrize("top", TOPS)
def test_tops_are_clean(top: str) -> None:
    assert_clean(top, sources(top))


def test_a_wrong_port_of_a_primitive_is_found(tmp_path: Path) -> None:
    file, folders = TOPS["kc705"]
    wrong = tmp_path / file.name
    wrong.write_text(file.read_text().replace(".CLKFBIN ", ".CLKFBIM "))
    done = lint("kc705", [*VENDOR, *rtl_sources(*folders), wrong])
    assert done.returncode != 0
    assert "CLKFBIM" in done.stdout


def ports(top: str) -> set[str]:
    """Return the ports of a top, each bit of a vector by itself."""
    text = re.sub(r"//.*", "", TOPS[top][0].read_text())
    found = re.findall(r"\b(?:input|output)\s+wire\s+(?:\[(\d+):0\])?\s*(\w+)", text)
    names = ((name, range(int(high) + 1) if high else ()) for high, name in found)
    return {f"{name}[{bit}]" for name, bits in names for bit in bits} | {
        name for high, name in found if not high
    }


@pytest.mark.parametrize("top", CONSTRAINTS)
def test_each_port_has_a_pin_of_its_own(top: str) -> None:
    lines = (BOARDS / CONSTRAINTS[top]).read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#"))
    if CONSTRAINTS[top].endswith(".lpf"):
        placed = re.findall(r'LOCATE COMP "(\S+)" SITE "(\S+)"', text)
        standards = re.findall(r'IOBUF PORT "(\S+)" .*IO_TYPE=', text)
    else:
        rows = re.findall(r"PACKAGE_PIN (\S+) IOSTANDARD \S+\} \[get_ports \{?(\S+?)\}?\]\n", text)
        placed = [(port, pin) for pin, port in rows]
        standards = [port for port, _ in placed]
    assert {port for port, _ in placed} == ports(top)
    assert sorted(standards) == sorted(ports(top))
    assert len({pin for _, pin in placed}) == len(placed)


def run_script(script: str, slack_ns: str = "0.1") -> list[str]:
    """Run a script for Vivado without it; return the commands that it gives."""
    done = subprocess.run(
        ["tclsh", "/dev/stdin", str(BOARDS / script), slack_ns],
        input=VIVADO,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return re.findall(r"^command (.*)$", done.stdout, re.MULTILINE)


@needs_tclsh
@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_run_and_name_every_source(script: str) -> None:
    commands = "\n".join(run_script(script))
    top = "zedboard_card" if script.startswith("zedboard") else "kc705"
    files = {Path(name) for name in re.findall(r"/[^\s{}]+\.(?:sv|v|xdc)\b", commands)}
    assert all(path.is_file() for path in files)
    file, folders = TOPS[top]
    assert {file, *rtl_sources(*folders)} <= files
    assert {path for path in files if path.suffix == ".xdc"} == set(file.parent.glob("*.xdc"))


@needs_tclsh
@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_fail_where_timing_is_not_met(script: str) -> None:
    with pytest.raises(AssertionError, match=r"timing is not met: -0\.1 ns"):
        run_script(script, "-0.1")


@needs_tclsh
def test_a_broken_script_is_found(tmp_path: Path) -> None:
    script = tmp_path / "build.tcl"
    script.write_text((BOARDS / "kc705/build.tcl").read_text().replace("set modules {}", ""))
    broken = script.read_text().replace("$modules\n", "$module\n")
    script.write_text(broken)
    with pytest.raises(AssertionError, match='can\'t read "module"'):
        run_script(str(script))


@needs_dtc
def test_device_tree(tmp_path: Path) -> None:
    """It compiles, and names what driver, block design and card have."""
    snippet = BOARDS / "zedboard" / "card.dtso"
    blob = tmp_path / "card.dtbo"
    done = subprocess.run(
        ["dtc", "-@", "-I", "dts", "-O", "dtb", "-o", str(blob), str(snippet)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    text = subprocess.run(
        ["dtc", "-I", "dtb", "-O", "dts", str(blob)], capture_output=True, text=True, check=True
    ).stdout
    driver = (REPOSITORY / "linux/driver/platform.c").read_text()
    compatible = re.search(r'\.compatible = "(\S+)"', driver)
    assert compatible and f'compatible = "{compatible[1]}";' in text
    start, size = (int(word, 16) for word in re.search(r"reg = <(\S+) (\S+)>", text).groups())
    top = (BOARDS / "zedboard/zedboard_card.v").read_text()
    high = int(re.search(r"\[(\d+):0\]\s+s_axi_awaddr", top)[1])
    assert size == 1 << high + 1
    design = (BOARDS / "zedboard/block_design.tcl").read_text()
    assert f"-offset 0x{start:08X} -range {size // 1024}K" in design
    rings = int(re.search(r"\.Rings\s+\((\d+)\)", top)[1])
    interrupts = re.search(r"interrupts = <(.*)>;", text)[1].split()
    rising = [("0x00", f"0x{29 + ring:02x}", "0x01") for ring in range(rings)]
    assert [tuple(interrupts[n : n + 3]) for n in range(0, len(interrupts), 3)] == rising
