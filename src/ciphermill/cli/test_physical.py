# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill physical``: refusals without a tool, and one run on a small core."""

import json
from pathlib import Path

import pytest

from ciphermill.cli import failures
from ciphermill.cli.main import cli
from ciphermill.cli.physical import TARGETS, WORKLOADS
from ciphermill.design import Core, Fpga, Measurement
from ciphermill.evaluate.chip.measures import describe
from ciphermill.toolchain import cells as libraries
from ciphermill.toolchain.errors import ToolError

RELATIVE = ("--target", "ecp5", "--relative-to")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "name a DESIGN"),
        (["aes-serial", "--target", "tsmc7"], 2, "no platform is called 'tsmc7'"),
        (["aes-serial", "--target", "zedboard"], 2, "zedboard: is of kind streaming"),
        (["aes-serial", "--target", "xc7", "--all-targets"], 2, "not both"),
        (["present-minimal", "--key-bits", "128"], 2, "keys of 80 bits, not 128"),
        (["present-minimal", "--direction", "decrypt"], 2, "cannot decrypt"),
        (["stream-fifo", "--target", "rtl"], 2, "no driver for stream-fifo"),
        (["present-minimal", "--target", "rtl", "--workload", "idle"], 2, "has no blocks"),
        (["present-minimal", *RELATIVE, "aes-serial", "--workload", "idle"], 2, "has no blocks"),
        (["present-minimal", *RELATIVE, "stream-fifo"], 2, "no driver for stream-fifo"),
        (["stream-fifo", *RELATIVE, "present-minimal"], 2, "no driver for stream-fifo"),
        (["present-minimal", *RELATIVE, "aes-serial", "--key-bits", "80"], 2, "bits, not 80"),
        (["stream-fifo", "--strategy", "energy"], 2, "no driver for stream-fifo"),
        (["present-minimal", "--strategy", "energy", "--no-power"], 2, "needs --power"),
        (["present-minimal", "--relative-to", "aes-serial"], 2, "does nothing on xc7: it is for r"),
        (["present-minimal", "--power"], 2, "--power does nothing on xc7: it is for standard"),
        (
            ["present-minimal", "--no-search", "--target", "ecp5"],
            2,
            "--no-search does nothing",
        ),
        (["present-minimal", "--path", "--target", "ice40"], 2, "--path does nothing on ice40"),
        (["present-minimal", "--keep", "x"], 2, "--keep does nothing on xc7"),
        (["present-minimal", "--workload", "keys"], 2, "no workload runs there"),
        (["present-minimal", "--target", "nangate45", "--no-power", "--key-bits", "80"], 2, "no w"),
        (["present-minimal", "--compare", "page.html"], 2, "DESIGN does not go with --compare"),
        (["--list", "--all-targets"], 2, "--all-targets has no effect with --list"),
        (["present-minimal", "--path", "--json"], 2, "--path does not go with --json"),
        (["nothing"], 2, "no design is called 'nothing'; there are: aes-"),
        (["present-minimal", "--part", "accelerator"], 2, "only an accelerator has parts"),
        (["present-minimal", "--core-apart"], 2, "contains no core of an accelerator"),
        (["aes-serial", "--part", "core", "--core-apart"], 2, "contains no core of"),
        (["aes-serial", "--target", "ecp5", "--core-apart"], 2, "it is for xc7"),
    ],
)
def test_refusal_is_one_line(
    arguments: list[str],
    code: int,
    message: str,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    store = ["--store", str(tmp_path / "store.sqlite")]
    assert failures.run(cli, ["physical", *arguments, *store]) == code
    shown = capfd.readouterr()
    assert shown.out == ""
    assert message in shown.err
    assert shown.err.count("\n") == 1


def test_missing_library_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv(libraries.PATH_VARIABLE, str(tmp_path))
    monkeypatch.setattr(libraries, "_SYSTEM_FOLDERS", ())
    monkeypatch.setattr(libraries, "_FETCHED", tmp_path / "none")
    arguments = ["physical", "present-minimal", "--target", "nangate45"]
    assert failures.run(cli, [*arguments, "--store", str(tmp_path / "s")]) == 1
    shown = capfd.readouterr()
    assert "nangate45: no cell library nangate45: " in shown.err
    assert "CIPHERMILL_PDK_PATH" in shown.err


def test_options_offer_what_there_is() -> None:
    from ciphermill.design import CellLibrary, Fpga, Rtl, platform_names
    from ciphermill.evaluate.chip import workloads
    from ciphermill.papers import register_workloads

    register_workloads()
    assert sorted(TARGETS) == platform_names(Rtl, Fpga, CellLibrary)
    assert tuple(workloads.WORKLOADS) == WORKLOADS


@pytest.mark.synthesis
def test_json_is_a_list_of_measurements(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = str(tmp_path / "store.sqlite")
    arguments = ["physical", "present-minimal", "--target", "xc7", "--json", "--store", store]
    assert failures.run(cli, arguments) == 0
    (seen,) = json.loads(capfd.readouterr().out)
    assert seen["design"] == "present-minimal"
    assert seen["area.ff"] == 64 + 80 + 5
    assert seen["merit.cycles_x_lut"] == 32 * seen["area.lut"]
    assert "clock.mhz" not in seen, "nothing was placed"
    assert failures.run(cli, ["results", "--store", store, "--target", "xc7", "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == [seen]


@pytest.mark.synthesis
def test_breakdown_adds_up(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from ciphermill.toolchain.cells import CellTarget, find_library
    from ciphermill.toolchain.errors import ToolError

    try:
        find_library(CellTarget.OSU018)
    except ToolError as error:
        pytest.skip(str(error))
    arguments = ["physical", "present-nibble-80-encrypt", "--target", "osu018", "--breakdown"]
    arguments += ["--no-search", "--workload", "stand-alone", "--keep", str(tmp_path / "kept")]
    assert failures.run(cli, [*arguments, "--store", str(tmp_path / "s"), "--json"]) == 0
    cells, energy, *parts = json.loads(capfd.readouterr().out)
    assert cells["method"] == "estimated"
    assert energy["method"] == "simulated"
    assert energy["energy.pj_per_bit"] > energy["energy.pj_per_bit_zero_delay"] > 0
    assert energy["clock.mhz"] == pytest.approx(20)
    assert parts
    assert all(part["scope"].startswith("present_nibble") for part in parts)
    # Kept apart it is larger, if at all.
    assert sum(part["area.um2"] for part in parts) >= 0.95 * cells["area.um2"]
    name = "present-nibble-80-encrypt-osu018"
    netlist, saif = (tmp_path / "kept" / f"{name}{end}" for end in (".v", "-stand-alone.saif"))
    assert "module \\present_nibble " in netlist.read_text(encoding="utf-8")
    assert "TC" in saif.read_text(encoding="utf-8")


SPACE = """
kind = "core"
name = "serial"
algorithm = "aes"
architecture = "serial"
top = "aes_core"
folders = ["prim", "aes"]
cycles_per_block = [100, 200]
"""


def test_a_file_of_several_designs_is_weighed_and_compared(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def on_target(core: Core, platform: Fpga, *_: object) -> list[Measurement]:
        if platform.family == "ice40" and core.cycles_per_block == 200:
            raise ToolError("too large")
        return [describe(core).model_copy(update={"target": platform.name, "area_lut": 7})]

    monkeypatch.setattr("ciphermill.evaluate.chip.evaluator.on_target", on_target)
    space, page = tmp_path / "space.toml", tmp_path / "page.html"
    space.write_text(SPACE, encoding="utf-8")
    arguments = ["physical", str(space), "--target", "xc7", "--target", "ice40", "--json"]
    where = ["--store", str(tmp_path / "s"), "--report", str(page)]
    assert failures.run(cli, [*arguments, *where]) == 1
    shown = capfd.readouterr()
    assert "serial-2, ice40: too large" in shown.err
    seen = [Measurement.from_json(one) for one in json.loads(shown.out)]
    assert [(one.design, one.target) for one in seen] == [
        ("serial-1", "xc7"),
        ("serial-1", "ice40"),
        ("serial-2", "xc7"),
    ]
    assert len({one.design_digest for one in seen}) == 2
    assert [(one.design_fields or {})["cycles_per_block"] for one in seen] == [100, 100, 200]
    assert "2 designs on 2 targets" in page.read_text(encoding="utf-8")
