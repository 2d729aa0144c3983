# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A user of FuseSoC depends on the cores of this repository without an export."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from support.fusesoc import Fusesoc

ROOT = Path(__file__).resolve().parents[1]
CORES = sorted((ROOT / "hw").glob("*/*.core"))

TOP = """\
module my_top (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         start_i,
  input  logic [127:0] block_i,
  output logic         valid_o,
  output logic [127:0] block_o
);
  logic key_ready, block_ready, idle, busy;
  logic [0:0] tag;
  aes_core #(
    .KeySizes (aes_pkg::KeySizes128)
  ) u_core (
    .clk_i, .rst_ni,
    .key_valid_i (start_i), .key_ready_o (key_ready),
    .key_size_i (aes_pkg::KeySize128), .key_i ({128'd0, block_i}),
    .block_valid_i (start_i & key_ready), .block_ready_o (block_ready),
    .block_direction_i (aes_pkg::DirectionEncrypt), .block_i, .block_tag_i ('0),
    .block_valid_o (valid_o), .block_ready_i (1'b1), .block_o, .block_tag_o (tag),
    .idle_o (idle), .zeroise_i (1'b0), .busy_o (busy)
  );
endmodule
"""

CORE = """\
CAPI=2:
name: me:mine:top:1.0
filesets:
  rtl:
    file_type: systemVerilogSource
    files: [{file}]
    depend: [{depend}]
targets:
  default: &default
    filesets: [rtl]
    toplevel: {top}
  lint:
    <<: *default
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [{options}]
"""

PICORV32 = """\
CAPI=2:
name: ::picorv32:0-r1
filesets:
  rtl:
    file_type: verilogSource
    files: [picorv32.v]
targets:
  default:
    filesets: [rtl]
"""


@pytest.fixture
def fusesoc(tmp_path: Path) -> Fusesoc:
    return Fusesoc(tmp_path / "work", [ROOT / "hw"])


def write_core(folder: Path, text: str, **values: str) -> Path:
    """Write a user's library: a core that depends on ours, and its module."""
    folder.mkdir()
    (folder / "my_top.sv").write_text(text, encoding="utf-8")
    core = CORE.format(file="my_top.sv", **values)
    (folder / "top.core").write_text(core, encoding="utf-8")
    return folder


def test_a_users_top_that_depends_on_a_core_elaborates(fusesoc: Fusesoc, tmp_path: Path) -> None:
    values = {"depend": "ciphermill:ip:aes", "top": "my_top", "options": "-Wno-lint, -Wno-style"}
    fusesoc.libraries.append(write_core(tmp_path / "mine", TOP, **values))
    done = fusesoc("run", "--target", "lint", "me:mine:top")
    assert done.returncode == 0, done.stdout
    # The core is really there: a port that it lacks is an error.
    bad = TOP.replace(".zeroise_i (", ".no_such_port (")
    (tmp_path / "mine" / "my_top.sv").write_text(bad, encoding="utf-8")
    done = fusesoc("run", "--target", "lint", "me:mine:top")
    assert done.returncode != 0
    assert "no_such_port" in done.stdout


def test_every_core_resolves_and_is_set_up(fusesoc: Fusesoc, tmp_path: Path) -> None:
    depend = ", ".join(f"ciphermill:ip:{path.stem}" for path in CORES)
    values = {"depend": depend, "top": "my_top", "options": "-Wall"}
    fusesoc.libraries.append(write_core(tmp_path / "mine", TOP, **values))
    done = fusesoc("run", "--setup", "--target", "lint", "me:mine:top")
    assert done.returncode == 0, done.stdout
    (script,) = fusesoc.folder.rglob("*.vc")
    read = re.findall(r"(\w+)\.sv$", script.read_text(encoding="utf-8"), re.MULTILINE)
    choices = {"picorv32", "vexriscv", "ibex", "cva6"}
    there = {
        path.stem
        for path in (ROOT / "hw").glob("*/rtl/**/*.sv")
        if not choices & set(path.relative_to(ROOT).parts)
    }
    assert sorted(read) == sorted({*there, "my_top"})
    # A package stands before each file that uses it.
    for number, name in enumerate(read):
        for path in (ROOT / "hw").glob(f"*/rtl/**/{name}.sv"):
            used = set(re.findall(r"\b(\w+_pkg)::", path.read_text(encoding="utf-8")))
            assert used <= {*read[:number], name}, name


@pytest.mark.parametrize(
    "core", [path for path in CORES if path.stem != "soc"], ids=lambda p: p.stem
)
def test_each_core_lints(core: Path, fusesoc: Fusesoc) -> None:
    targets = re.findall(r"^  (lint\S*):$", core.read_text(encoding="utf-8"), re.MULTILINE)
    assert targets
    for target in targets:
        done = fusesoc("run", "--target", target, f"ciphermill:ip:{core.stem}")
        assert done.returncode == 0, done.stdout
        assert "%Warning" not in done.stdout


def test_the_system_elaborates_with_a_soft_core(fusesoc: Fusesoc, tmp_path: Path) -> None:
    specification = importlib.util.find_spec("pythondata_cpu_picorv32")
    if specification is None or specification.origin is None:
        pytest.skip("pythondata-cpu-picorv32 is not here")
    theirs = tmp_path / "picorv32"
    theirs.mkdir()
    source = Path(specification.origin).parent / "verilog" / "picorv32.v"
    (theirs / "picorv32.v").write_bytes(source.read_bytes())
    # FuseSoC 2.4 refuses the core file that comes with it.
    (theirs / "picorv32.core").write_text(PICORV32, encoding="utf-8")
    fusesoc.libraries.append(theirs)
    values = {"depend": "ciphermill:ip:soc", "top": "soc"}
    values["options"] = "-Wno-lint, -Wno-style, -Wno-TIMESCALEMOD"
    fusesoc.libraries.append(write_core(tmp_path / "mine", "", **values))
    done = fusesoc("run", "--flag", "picorv32", "--target", "lint", "me:mine:top")
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = ROOT / "scripts" / "generate_fusesoc_cores.py"
    specification = importlib.util.spec_from_file_location("generate_fusesoc_cores", path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


def test_the_core_files_follow_from_the_folders(script: ModuleType) -> None:
    assert {path: path.read_text(encoding="utf-8") for path in CORES} == dict(script.generated())


def test_a_new_file_and_a_new_folder_are_not_forgotten(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in [*CORES, *(ROOT / "hw").glob("*/rtl/**/*.sv"), ROOT / "engine" / "Cargo.toml"]:
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(script, "ROOT", tmp_path)
    new = tmp_path / "hw" / "ghash" / "rtl" / "ghash_new.sv"
    new.write_text("module ghash_new; prim_fifo u_fifo (); endmodule\n", encoding="utf-8")
    text = dict(script.generated())[tmp_path / "hw" / "ghash" / "ghash.core"]
    assert "      - rtl/ghash_new.sv\n" in text
    assert "      - ciphermill:ip:prim:" in text
    (tmp_path / "hw" / "new" / "rtl").mkdir(parents=True)
    with pytest.raises(ValueError, match="differ: new"):
        dict(script.generated())
