# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a recorder is told, and what it wrote."""

from pathlib import Path

import pytest
from ciphermill_dv.simulate import assert_clean

from ciphermill.design import find_home

from .errors import ToolError
from .soc_recording import Tap, _bind, read_recording

TAP = Tap("part", "module", (("a_i", "a_i"), ("b_o", "{b[0], b[1]}"), ("c_o", "c_o")))
WIDTHS = {"a_i": 1, "b_o": 8, "c_o": 3}


def record(folder: Path, *lines: str) -> Path:
    (folder / "part.ports").write_text("\n".join(lines) + "\n")
    return folder


def test_lines_are_cut_into_ports(tmp_path: Path) -> None:
    # 12 bits, the first port in the highest.
    found = read_recording(TAP, record(tmp_path, "800", "7fd", "d0a"), WIDTHS)
    assert found.ports == {"a_i": [1, 0, 1], "b_o": [0, 0xFF, 0xA1], "c_o": [0, 5, 2]}
    assert found.cycles == 3


@pytest.mark.parametrize(
    ("lines", "message"),
    [(("80",), "not one of 12 bits"), ((), "not one of 12"), (("8xx",), "invalid literal")],
)
def test_what_is_no_recording(tmp_path: Path, lines: tuple[str, ...], message: str) -> None:
    with pytest.raises(ToolError, match=message):
        read_recording(TAP, record(tmp_path, *lines), WIDTHS)


def test_a_recording_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="the recording of part"):
        read_recording(TAP, tmp_path, WIDTHS)


def test_a_recorder_binds_to_a_module(tmp_path: Path) -> None:
    module = tmp_path / "module.sv"
    module.write_text(
        "module part_under_test (input logic clk_i, a_i, output logic [3:0] b [2], "
        "output logic c_o);\n"
        "  assign {b[0], b[1], c_o} = {8'h5a, a_i ^ clk_i};\nendmodule\n"
    )
    tap = Tap("part", "part_under_test", TAP.ports)
    (tmp_path / "taps.sv").write_text(_bind(tap) + "\n")
    recorder = find_home() / "hw" / "soc" / "record" / "soc_recorder.sv"
    waiver = tmp_path / "waiver.vlt"
    waiver.write_text("`verilator_config\nlint_off -rule DECLFILENAME\n")
    assert_clean("part_under_test", [waiver, recorder, module, tmp_path / "taps.sv"])
