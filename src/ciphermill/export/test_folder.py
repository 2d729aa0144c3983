# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Writing an export: all or nothing, and nothing of others touched."""

import json
from pathlib import Path

import pytest

from ciphermill.design import Measurement
from ciphermill.export.bundle import MANIFEST
from ciphermill.export.figures import latest, of_module, table
from ciphermill.export.folder import (
    FolderTaken,
    check_folder,
    removed_on_failure,
    write_export,
)
from ciphermill.export.verilog2005 import Port, port_list


def manifest(*names: str) -> str:
    return json.dumps({"files": dict.fromkeys(names, "")})


def test_a_failed_write_leaves_nothing_in_a_fresh_folder(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with pytest.raises(OSError):
        # A file cannot be a folder too.
        write_export({"a/b": "1", "c": "2", "c/d": "3"}, folder, force=False)
    assert list(folder.iterdir()) == []


def test_an_older_export_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_export({"a/b": "1", "c": "2", MANIFEST: manifest("a/b", "c")}, folder, force=False)
    (folder / "mine").write_text("mine")
    with pytest.raises(FolderTaken):
        write_export({"c": "3"}, folder, force=False)
    write_export({"c": "3", MANIFEST: manifest("c")}, folder, force=True)
    assert not (folder / "a").exists()
    assert (folder / "c").read_text() == "3"
    assert (folder / "mine").read_text() == "mine"


def test_a_manifest_cannot_name_files_elsewhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("dear")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / MANIFEST).write_text(manifest("../outside", str(outside), "x/../../outside"))
    write_export({"c": "3"}, folder, force=True)
    assert outside.read_text() == "dear"


def test_a_manifest_that_is_none_is_ignored(tmp_path: Path) -> None:
    for text in ("nonsense", "[]", '{"files": 3}', '{"files": [1]}'):
        (tmp_path / MANIFEST).write_text(text)
        write_export({"c": text}, tmp_path, force=True)
        assert (tmp_path / "c").read_text() == text


def test_figures() -> None:
    old = Measurement(design="d", platform="xc7", area_lut=10, method="estimated")
    new = Measurement(design="d", platform="xc7", area_lut=9, method="estimated")
    fast = Measurement(device="model:d", mode="cbc", cycles_per_block=14.0, method="simulated")
    other = Measurement(design="e", area_lut=5, method="estimated")
    paper = Measurement(design="d", area_lut=1, method="published")
    mine = of_module([old, other, paper, fast, new], {"d"}, {"model:d"})
    assert mine == [old, fast, new]
    assert latest(mine) == [fast, new]
    columns, rows = table(latest(mine))
    assert columns == ["what", "area", "speed", "method"], "nothing has a clock or takes energy"
    assert rows == [
        ["the accelerator, cycle by cycle, CBC", "-", "14 cycles a block", "simulated"],
        ["xc7", "9 LUTs", "-", "estimated"],
    ]
    assert table([]) == ([], [])
    part = new.model_copy(update={"scope": "u_core"})
    assert table([part]) == ([], []), "a breakdown is in the JSON file alone"


def test_area_clock_and_energy_are_one_table_with_units() -> None:
    common = {"design": "d", "algorithm": "aes", "key_bits": 256, "target": "nangate45"}
    made = {**common, "area.ge": 38_700.0, "area.um2": 30_882.6, "clock.mhz": 623.7}
    ran = {
        **common,
        "area.ge": 38_700.0,
        "clock.mhz": 300.0,
        "workload": "stream",
        "operation": "encrypt",
        "energy.pj_per_bit": 3.412,
        "power.mw": 9.36,
    }
    seen = [Measurement.from_json({**one, "method": "estimated"}) for one in (made, ran)]
    columns, rows = table(seen)
    assert columns == ["what", "area", "clock", "power and energy", "method"]
    assert rows == [
        [
            "Nangate 45 nm cells, AES-256",
            "38,700 gate equivalents, 30,883 µm²",
            "624 MHz",
            "-",
            "estimated",
        ],
        [
            "Nangate 45 nm cells, workload stream, AES-256 encrypt",
            "-",
            "300 MHz",
            "3.41 pJ a bit, 9.36 mW",
            "estimated",
        ],
    ]


def test_ports_with_directions_and_widths() -> None:
    text = (
        "module other(a);\n  input a;\nendmodule\n"
        "module top(clk_i, data_i, \n  data_o);\n  input clk_i;\n  wire clk_i;\n"
        "  input [31:0] data_i;\n  output [0:7] data_o;\n  wire [7:0] inner;\nendmodule\n"
    )
    assert port_list(text, "top") == [
        Port("clk_i", "input", 1),
        Port("data_i", "input", 32),
        Port("data_o", "output", 8),
    ]
    assert port_list(text, "none") == []


def test_a_folder_made_for_an_export_that_fails_is_not_left(tmp_path: Path) -> None:
    made, there = tmp_path / "made", tmp_path / "there"
    there.mkdir()
    for folder in (made, there):
        with pytest.raises(RuntimeError), removed_on_failure(folder):
            check_folder(folder, force=False)
            raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    with removed_on_failure(made):
        write_export({"a": "b"}, made, force=False)
    with pytest.raises(RuntimeError), removed_on_failure(made):
        raise RuntimeError
    assert (made / "a").is_file()
