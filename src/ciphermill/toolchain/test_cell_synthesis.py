# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Mapping to cells: a library of five cells, so that results can be counted by hand."""

import json
from pathlib import Path

import pytest

from .cell_synthesis import MappedNetlist, Strategy, larger_modules, synthesise_cells
from .errors import ToolError
from .rtl import RtlSource

_TABLE = 'values ("0.1, 0.2", "0.15, 0.3");'


def _gate(name: str, area: float, function: str, inputs: str) -> str:
    pins = "".join(f"pin({pin}) {{ direction : input; capacitance : 0.002; }}" for pin in inputs)
    arcs = "".join(
        f'timing() {{ related_pin : "{pin}"; timing_sense : negative_unate;'
        f" cell_rise(t) {{ {_TABLE} }} cell_fall(t) {{ {_TABLE} }}"
        f" rise_transition(t) {{ {_TABLE} }} fall_transition(t) {{ {_TABLE} }} }}"
        for pin in inputs
    )
    return (
        f"cell({name}) {{ area : {area}; {pins}"
        f"pin(Y) {{ direction : output; max_capacitance : 0.1;"
        f' function : "{function}"; {arcs} }} }}'
    )


LIBRARY = f"""
library(five) {{
  delay_model : table_lookup; time_unit : "1ns"; voltage_unit : "1V"; current_unit : "1mA";
  leakage_power_unit : "1nW"; capacitive_load_unit(1, pf); nom_voltage : 1.0;
  lu_table_template(t) {{ variable_1 : input_net_transition;
    variable_2 : total_output_net_capacitance; index_1("0.01, 0.1"); index_2("0.001, 0.1"); }}
  {_gate("NAND", 2.0, "(A*B)'", "AB")}
  {_gate("NOR", 2.5, "(A+B)'", "AB")}
  {_gate("INV", 1.0, "A'", "A")}
  {_gate("BUF", 1.5, "A", "A").replace("negative_unate", "positive_unate")}
  cell(FLOP) {{ area : 8.0; ff(IQ, IQN) {{ next_state : "D"; clocked_on : "C"; }}
    pin(D) {{ direction : input; capacitance : 0.002; }}
    pin(C) {{ direction : input; capacitance : 0.002; clock : true; }}
    pin(Q) {{ direction : output; function : "IQ"; max_capacitance : 0.1; }} }}
}}
"""

SOURCE = """
module leaf (input logic clk_i, input logic [1:0] a_i, output logic y_o);
  always_ff @(posedge clk_i) y_o <= ~(a_i[0] & a_i[1]);
endmodule
(* keep_hierarchy *)
module tiny #(parameter int unsigned Width = 2) (
  input logic clk_i, input logic [1:0][Width-1:0] a_i, output logic [Width-1:0] y_o
);
  for (genvar i = 0; i < Width; i++) begin : gen_bit
    leaf u_leaf (.clk_i, .a_i({a_i[1][i], a_i[0][i]}), .y_o(y_o[i]));
  end
endmodule
"""


@pytest.fixture
def files(tool_folder: Path) -> tuple[Path, Path]:
    """Source and library."""
    source, library = tool_folder / "tiny.sv", tool_folder / "five.lib"
    source.write_text(SOURCE, encoding="utf-8")
    library.write_text(LIBRARY, encoding="utf-8")
    return source, library


def _map(
    files: tuple[Path, Path], width: int, *, by_module: bool = False, clock_gates: bool = False
) -> MappedNetlist:
    return synthesise_cells(
        RtlSource("tiny", [files[0]], {"Width": width}),
        files[1],
        clock_mhz=100,
        strategy=Strategy.AREA,
        by_module=by_module,
        clock_gates=clock_gates,
    )


def test_larger_modules_count_all_their_instances() -> None:
    statistics = {
        "modules": {
            "\\top": {"num_cells_by_type": {"box": 2, "$_AND_": 10, "rare": 1}},
            "\\box": {"num_cells_by_type": {"\\round": 4, "$_XOR_": 5}},
            "\\round": {"num_cells_by_type": {"$_AND_": 100}},
            "\\rare": {"num_cells_by_type": {"$_AND_": 8}},
            "\\unused": {"num_cells_by_type": {"$_AND_": 9999}},
        }
    }
    # top has 10 + 2 * 405 + 8 = 828 cells: 1 % is between 8 and 9.
    assert larger_modules(statistics, "top") == ["box", "round"]
    with pytest.raises(ToolError, match="no statistics of other"):
        larger_modules(statistics, "other")


@pytest.mark.synthesis
def test_area_is_that_of_the_cells(files: tuple[Path, Path]) -> None:
    mapped = _map(files, 3)
    assert mapped.cells == {"FLOP": 3, "NAND": 3}
    assert mapped.area_um2 == pytest.approx(3 * (8 + 2))
    assert mapped.sequential_um2 == pytest.approx(3 * 8)
    assert mapped.gate_equivalents == pytest.approx(3 * (8 + 2) / 2)
    assert mapped.load_ff == pytest.approx(4 * 2)


@pytest.mark.synthesis
def test_instances_know_their_module(files: tuple[Path, Path]) -> None:
    cells = json.loads(_map(files, 2, by_module=True).json.read_text())["modules"]["tiny"]["cells"]
    paths = sorted(name.rpartition(".")[0] for name in cells)
    assert paths == ["gen_bit[0].u_leaf"] * 2 + ["gen_bit[1].u_leaf"] * 2


@pytest.mark.synthesis
def test_small_modules_with_many_instances_are_kept_apart(files: tuple[Path, Path]) -> None:
    """Each is 1/128 of the cells; the reader writes a module for each instance."""
    mapped = _map(files, 128, by_module=True)
    cells = json.loads(mapped.json.read_text())["modules"]["tiny"]["cells"]
    paths = {name.rpartition(".")[0] for name in cells}
    assert paths == {f"gen_bit[{k}].u_leaf" for k in range(128)}


@pytest.mark.synthesis
def test_what_cannot_be_is_said(files: tuple[Path, Path]) -> None:
    with pytest.raises(ToolError, match="library five has no clock gates"):
        _map(files, 2, clock_gates=True)
    files[0].write_text(SOURCE.replace("leaf u_leaf", "missing u_leaf"), encoding="utf-8")
    with pytest.raises(ToolError, match="synthesis of tiny failed") as caught:
        _map(files, 2)
    assert "unknown module 'missing'" in str(caught.value)
