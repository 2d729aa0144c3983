# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Names and descriptions of designs in files of other languages."""

from __future__ import annotations

import ast
import doctest
import shutil
import subprocess
from pathlib import Path

import pytest

from ciphermill.design import Core
from ciphermill.export import templates
from ciphermill.export.litex import litex_file
from ciphermill.export.verilog2005 import Port


def test_examples() -> None:
    assert doctest.testmod(templates).failed == 0


@pytest.mark.parametrize("name", ["aes-2.0", "3des", "a.b+c-d_e"])
def test_the_module_of_litex_can_be_imported_whatever_the_design_is_called(name: str) -> None:
    core = Core(name=name, top="accel", folders=("hw/accel/rtl",))
    ports = [Port("s_axil_awaddr_i", "input", 8), Port("interrupt_o", "output", 1)]
    path, text = litex_file(core, ports, ["clk_i"])
    assert Path(path).stem.isidentifier()
    [made] = [one for one in ast.parse(text).body if isinstance(one, ast.ClassDef)]
    assert made.name.isidentifier()


@pytest.mark.parametrize("text", ["a } [exit 3] {", "end\\", 'a "quoted" $word; x', "two\nlines"])
def test_a_text_is_one_word_of_tcl(text: str, tmp_path: Path) -> None:
    if (tclsh := shutil.which("tclsh")) is None:
        pytest.skip("tclsh is not here")
    script = tmp_path / "say.tcl"
    script.write_text(f"puts {templates.tcl_word(text)}\n", encoding="utf-8")
    done = subprocess.run([tclsh, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout == " ".join(text.split()) + "\n"
