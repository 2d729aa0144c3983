# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What an export takes of the source tree: files, tables, registers."""

from pathlib import Path

import pytest
from systemrdl.compiler import RDLCompiler

from ciphermill.design import Accelerator, Core, design_names, find_home
from ciphermill.export.constant_tables import as_functions
from ciphermill.export.hierarchy import needed_files, needed_waivers
from ciphermill.export.registers import register_map, verilog_constants
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.modules import find_core, module_sources

NAME = "\\$auto$memory_bmux2rom.cc:63:execute$1 "
TABLE = f"""  wire [1:0] a;
  reg [7:0] {NAME} [2:0];
  initial begin
    {NAME}[0] = 8'h1c;
    {NAME}[1] = 8'h41;
    {NAME}[2] = 8'h1a;
  end
"""


def test_files_follow_the_hierarchy(tmp_path: Path) -> None:
    texts = {
        "one_pkg": "package one_pkg; endpackage",
        "two_pkg": "package two_pkg; endpackage",
        "leaf": "module leaf import one_pkg::*; (); endmodule",
        "branch": "module branch; if (0) begin leaf u_leaf (); end endmodule",
        # Comments and strings are no use of a module.
        "top": 'module top; branch u_b (); // other\n /* two_pkg */ initial $display("other"); ',
        "other": "module other; endmodule",
    }
    files = [tmp_path / f"{name}.sv" for name in texts]
    for path, text in zip(files, texts.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    needed = needed_files(files, "top")
    assert [path.stem for path in needed] == ["one_pkg", "leaf", "branch", "top"]
    (tmp_path / "leaf.vlt").touch()
    (tmp_path / "other.vlt").touch()
    assert needed_waivers(needed) == [tmp_path / "leaf.vlt"]
    with pytest.raises(ToolError, match="named after the module nothing"):
        needed_files(files, "nothing")
    with pytest.raises(ToolError, match="two source files have the same name"):
        needed_files([*files, tmp_path / "elsewhere" / "leaf.sv"], "top")


@pytest.mark.parametrize(
    ("design", "own", "others"),
    [
        ("aes-iterative", "aes", {"ascon"}),
        ("ascon-iterative-stream", "ascon", {"aes", "ghash"}),
    ],
)
def test_an_accelerator_has_no_file_of_another_algorithm(
    design: str, own: str, others: set[str]
) -> None:
    module = find_core(design)
    rtl = find_home() / "hw"
    files = needed_files(module_sources(module), module.top)
    folders = {path.relative_to(rtl).parts[0] for path in files}
    assert own in folders
    assert not folders & others


def test_a_table_becomes_a_function() -> None:
    text = as_functions(f"{TABLE}  assign b = {NAME}[a[1:0]] ^ {NAME}[c];\n")
    assert "initial" not in text
    assert "\\$" not in text
    assert "  assign b = lookup(a[1:0]) ^ lookup(c);\n" in text
    assert "      2'd1: lookup = 8'h41;\n" in text
    # Three rows of four: the case needs a default.
    assert "      default: lookup = 8'h0;\n" in text


def test_rows_of_32_bits_are_decimal_numbers_beside_unknown_ones() -> None:
    table = TABLE.replace("8'h1c", "32'd1234").replace("8'h41", "32'hxxxxxxxx")
    text = as_functions(f"{table.replace('8', '32')}  assign b = {NAME}[a];\n")
    assert "      2'd0: lookup = 32'd1234;\n" in text
    assert "      2'd1: lookup = 32'hxxxxxxxx;\n" in text


def test_a_row_in_an_unknown_form_is_refused() -> None:
    with pytest.raises(ToolError, match="has a row in a form that is not known"):
        as_functions(f"{TABLE.replace(chr(39) + 'h41', '*3')}  assign b = {NAME}[a];\n")


@pytest.mark.parametrize(
    "use",
    [
        "  always @(posedge clk) {}[a] <= 8'h00;\n",
        "  assign b = {}[a][3];\n",
    ],
    ids=["written", "part-selected"],
)
def test_what_is_no_mere_table_stays_a_memory(use: str) -> None:
    text = TABLE + use.format(NAME)
    assert as_functions(text) == text


def test_a_memory_of_the_source_stays_one() -> None:
    text = TABLE.replace(NAME, "rom ") + "  assign b = rom[a];\n"
    assert as_functions(text) == text


def test_constants_of_registers() -> None:
    constants = verilog_constants()
    assert constants["Identification"] == "8'h00"
    assert constants["IdentificationMagicValue"] == "32'h4c494d43"
    assert constants["IvBlocksHigh"] == "8'h64"
    assert constants["ConfigurationKeySizeLsb"] == "4"
    assert "Field" not in constants


MAPS = {
    "accel": "the accelerator",
    "card": "the card",
    "coprocessor_iterative": "the block coprocessors",
    "coprocessor_shell": "the coprocessor shell",
    "dma": "the DMA engine",
}
"""What the registers of a top module are of."""


@pytest.mark.parametrize("design", design_names(Core, Accelerator))
def test_a_design_with_registers_has_its_own_map(design: str, tmp_path: Path) -> None:
    module = find_core(design)
    sources = needed_files(module_sources(module), module.top)
    found = register_map(sources, module.top)
    assert (found is not None) == (module.top in MAPS)
    if found is None:
        return
    page = found.page.read_text(encoding="utf-8")
    assert f"# Registers of {MAPS[module.top]}\n" in page
    assert found.header.is_file()
    # The SystemRDL stands alone: what it includes comes with it.
    for name, text in found.sources.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    compiler = RDLCompiler()
    compiler.compile_file(str(tmp_path / f"{found.name}.rdl"))
    assert compiler.elaborate(found.name).top.inst_name == found.name
