# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .cells import CELLS, CellTarget, find_library
from .errors import ToolError
from .liberty import parse_library, read_library
from .liberty_expression import parse_expression
from .liberty_model import Library, Storage

TINY = r"""
/* A library of two cells,
   in units of its own. */
library (tiny) {
  time_unit : "10ps"; voltage_unit : "100mV"; leakage_power_unit : "1pW";
  capacitive_load_unit (0.5, pf);
  nom_voltage : 12.0;   // 1.2 V
  default_input_pin_cap : 0.25;
  define(drive, cell, float);
  lu_table_template (delays) {
    variable_1 : total_output_net_capacitance;
    variable_2 : input_net_transition;
    index_1 ("1, 2"); index_2 ("10, 20, 30");
  }
  power_lut_template (hidden) { variable_1 : input_transition_time; index_1 ("10, 20"); }
  lu_table_template (setups) {
    variable_1 : related_pin_transition; variable_2 : constrained_pin_transition;
    index_1 ("1, 2"); index_2 ("1, 2");
  }
  cell (NAND) {
    area : 2.5
    drive : 1;
    leakage_power () { when : "A & B"; value : 4000; }
    leakage_power () { value : 3000; }
    pin (A B) {
      direction : input;
      rise_capacitance : 0.5;
      internal_power () {
        when : "!Z";
        power (hidden) { values ("1, 3"); }
      }
    }
    pin (Z) {
      direction : output; function : "(A B)'"; max_capacitance : 3;
      timing () {
        related_pin : "A B"; timing_sense : negative_unate;
        cell_rise (delays) { values ("1, 2, 3", \
                                     "4, 5, 6"); }
        cell_fall (scalar) { values ("7"); }
      }
    }
  }
  cell (DFF) {
    area : 8; dont_use : true;
    ff (IQ, IQN) { next_state : "D"; clocked_on : "!CK"; clear : "R'"; clear_preset_var1 : L; }
    pin (CK) { direction : input; clock : true; }
    pin (R) { direction : input; }
    pin (D) {
      direction : input;
      timing () {
        related_pin : CK; timing_type : setup_falling;
        rise_constraint (setups) { values ("1, 2", "3, 4"); }
      }
    }
    pin (Q) { direction : output; function : "IQ"; }
  }
}
"""


def parsed(text: str) -> Library:
    return parse_library(text, Path("tiny.lib"))


def library_or_skip(target: CellTarget) -> Library:
    try:
        return read_library(find_library(target))
    except ToolError as error:
        pytest.skip(str(error))


def test_units_become_ours() -> None:
    library = parsed(TINY)
    nand = library.cells["NAND"]
    assert library.voltage_v == pytest.approx(1.2)
    assert nand.area_um2 == 2.5
    assert nand.leakage_nw == pytest.approx(3.0)
    ((when, value),) = nand.leakage_states
    assert when.text == "A & B"
    assert value == pytest.approx(4.0)
    pin = nand.pins["B"]
    assert pin.capacitance_ff == pytest.approx(125)
    assert pin.rise_capacitance_ff == pytest.approx(250)
    assert pin.fall_capacitance_ff == pytest.approx(125)
    # 0.5 pF times (0.1 V)² is 5 fJ.
    (power,) = pin.internal_power
    assert power.rise == power.fall
    assert power.rise is not None
    assert power.rise.look_up(150) == pytest.approx(2 * 5)
    assert power.when is not None and power.when.text == "!Z"


def test_tables_are_by_slew_then_load_and_go_on_beyond_their_ends() -> None:
    arc = parsed(TINY).cells["NAND"].pins["Z"].arcs[1]
    assert arc.related_pin == "B"
    assert arc.sense == "negative_unate"
    table = arc.cell_rise
    assert table is not None and arc.cell_fall is not None
    assert table.rows == pytest.approx((100, 200, 300))
    assert table.columns == pytest.approx((500, 1000))
    assert table.look_up(200, 1000) == pytest.approx(50)
    assert table.look_up(150, 750) == pytest.approx(30)
    assert table.look_up(0, 500) == pytest.approx(0)
    assert table.look_up(400, 1500) == pytest.approx(100)
    assert arc.cell_fall.look_up(123, 456) == pytest.approx(70)
    setup = parsed(TINY).cells["DFF"].pins["D"].arcs[0].rise_constraint
    assert setup is not None
    # Rows are the slew of the constrained pin, which is the table's second index.
    assert setup.look_up(20, 10) == pytest.approx(20)
    assert setup.look_up(10, 20) == pytest.approx(30)


def test_functions_and_states() -> None:
    library = parsed(TINY)
    assert library.cells["NAND"].inputs == ("A", "B")
    assert library.cells["NAND"].truth_table("Z") == 0b0111
    assert library.nand2_area_um2 == 2.5
    dff = library.cells["DFF"]
    state = dff.sequential
    assert isinstance(state, Storage)
    assert not state.is_latch
    assert state.trigger
    assert (state.state, state.inverted_state, state.clear_preset) == ("IQ", "IQN", "L")
    assert state.trigger.truth_table(("CK",)) == 0b01
    assert state.clear is not None and state.clear.truth_table(("R",)) == 0b01
    assert dff.dont_use and not dff.is_combinational
    with pytest.raises(ValueError, match="IQ"):
        dff.truth_table("Q")


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("A", 0b10101010),
        ("!A", 0b01010101),
        ("A'", 0b01010101),
        ("!A'", 0b10101010),
        ("A B", 0b10001000),
        ("A*B", 0b10001000),
        ("A & B | C", 0b11111000),
        ("A + B & C", 0b11101010),
        ("A ^ B & C", 0b01100000),
        ("A & B ^ C", 0b00101000),
        ("(A | B)' ^ C", 0b11100001),
        ("!(A B) C", 0b01110000),
        ("1", 0xFF),
        ("A & 0", 0),
    ],
)
def test_an_expression(text: str, table: int) -> None:
    assert parse_expression(text).truth_table(("A", "B", "C")) == table


def names(depth: int = 3) -> st.SearchStrategy[str]:
    leaf = st.sampled_from("ABCD")
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.builds("!({})".format, inner),
            st.builds("({})'".format, inner),
            st.builds("({}{}{})".format, inner, st.sampled_from([" ", "*", "&"]), inner),
            st.builds("({}^{})".format, inner, inner),
            st.builds("({}{}{})".format, inner, st.sampled_from("+|"), inner),
        ),
        max_leaves=12,
    )


@given(names())
def test_an_expression_says_what_python_says(text: str) -> None:
    python = text.replace(" ", "&").replace("*", "&").replace("+", "|")
    while "'" in python:
        end = python.index("'")
        depth, start = 0, end - 1
        while True:
            depth += {")": 1, "(": -1}.get(python[start], 0)
            if depth == 0:
                break
            start -= 1
        python = f"{python[:start]}(~{python[start:end]}){python[end + 1 :]}"
    python = python.replace("!", "~")
    expected = 0
    for row in range(16):
        values = {name: -(row >> k & 1) for k, name in enumerate("ABCD")}
        expected |= (eval(python, {}, values) & 1) << row
    assert parse_expression(text).truth_table("ABCD") == expected


@pytest.mark.parametrize(
    "text", ["", "A &", "(A", "A)", "A B)", "& A", "A ! ", "3", "A'(", "A ? B"]
)
def test_an_expression_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="unexpected"):
        parse_expression(text)


@pytest.mark.parametrize(
    ("change", "to", "message"),
    [
        ("area : 2.5", "area : wide", r"tiny.lib:20: area 'wide' is no number"),
        ('"1, 2, 3"', '"1, 2"', r"tiny.lib:37: cell_rise has 5 values for 6 points"),
        ("(A B)'", "(A B", r"tiny.lib:33: function: unexpected 'end'"),
        ('"(A B)', '"(A C)', r"tiny.lib:20: function of NAND/Z uses C"),
        ("1pW", "1parsec", r"leakage_power_unit '1parsec' is no unit"),
        ("nom_voltage : 12.0;", "", r"no nom_voltage"),
        ("cell_rise (delays)", "cell_rise (other)", r"tiny.lib:37: no table template 'other'"),
        ('index_2 ("10, 20, 30")', 'index_2 ("10, 30, 20")', r"does not rise"),
        ("  }\n}\n", "  }\n", r"group 'library' of line 4 never ends"),
        ("  }\n}\n", "  }\n}\n}\n", r"'}' without a group"),
        ("direction : output; function", "function", r"no direction"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(change: str, to: str, message: str) -> None:
    assert change in TINY
    with pytest.raises(ToolError, match=message):
        parsed(
            TINY.replace(change, to, 1)
            if change[0] != " "
            else TINY[::-1].replace(change[::-1], to[::-1], 1)[::-1]
        )


def test_a_gzipped_file_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "tiny.lib.gz"
    path.write_bytes(gzip.compress(TINY.encode()))
    assert read_library(path).cells == parsed(TINY).cells
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ToolError, match=r"tiny\.lib\.gz"):
        read_library(path)
    with pytest.raises(ToolError, match=r"none\.lib"):
        read_library(tmp_path / "none.lib")


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_broken_file_is_an_error_of_ours_or_a_library(data: st.DataObject) -> None:
    text = TINY
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 40))
        middle = data.draw(st.text('(){}:;,"\\\n/*ab1.-e &!', max_size=8) | st.text(max_size=3))
        text = text[:start] + middle + text[start + length :]
    try:
        library = parsed(text)
    except ToolError as error:
        assert str(error).startswith("tiny.lib:")
    else:
        assert library.nand2_area_um2 is None or library.nand2_area_um2 > 0


@given(st.text('(){}:;,"\\\n/*lib', max_size=200))
def test_noise_is_an_error_of_ours(text: str) -> None:
    with pytest.raises(ToolError, match=r"tiny\.lib:"):
        parsed(text)


def test_deep_nesting_is_read_without_recursion() -> None:
    deep = "a () {" * 5000 + "}" * 5000
    assert parsed(TINY.replace("cell (NAND)", deep + " cell (NAND)")).cells.keys() == {
        "NAND",
        "DFF",
    }


@pytest.mark.parametrize(
    ("target", "voltage", "cells", "nand2"),
    [
        (CellTarget.NANGATE45, 1.1, 134, 0.798),
        (CellTarget.SKY130, 1.8, 428, 3.7536),
        (CellTarget.OSU018, 1.8, 32, 24.0),
    ],
)
def test_a_real_library(target: CellTarget, voltage: float, cells: int, nand2: float) -> None:
    library = library_or_skip(target)
    assert library.voltage_v == voltage
    assert len(library.cells) == cells
    assert library.nand2_area_um2 == pytest.approx(nand2)
    kinds = {
        isinstance(state, Storage) and state.is_latch
        for state in (cell.sequential for cell in library.cells.values())
    }
    assert kinds == {True, False}
    assert library.has_clock_gates == (target is not CellTarget.OSU018)
    for cell in library.cells.values():
        if cell.is_combinational:
            for output in cell.outputs:
                cell.truth_table(output)


def test_a_missing_library_is_one_line_that_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CIPHERMILL_PDK_PATH", str(tmp_path))
    monkeypatch.setattr("ciphermill.toolchain.cells._SYSTEM_FOLDERS", ())
    monkeypatch.setattr("ciphermill.toolchain.cells._FETCHED", tmp_path / "none")
    for target, facts in CELLS.items():
        with pytest.raises(ToolError) as caught:
            find_library(target)
        assert facts.remedy in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1
    path = tmp_path / "osu018_stdcells.lib.gz"
    path.touch()
    assert find_library(CellTarget.OSU018) == path


def test_what_a_package_has_fetched_is_found_in_any_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CIPHERMILL_PDK_PATH", "")
    monkeypatch.setattr("ciphermill.toolchain.cells._SYSTEM_FOLDERS", ())
    monkeypatch.setattr("ciphermill.toolchain.cells._FETCHED", tmp_path)
    folder = tmp_path / "dataroot" / "lambdapdk-1" / "libs"
    folder.mkdir(parents=True)
    path = folder / "sky130_fd_sc_hd__tt_025C_1v80.lib.gz"
    path.touch()
    assert find_library(CellTarget.SKY130) == path
    with pytest.raises(ToolError, match="no cell library nangate45"):
        find_library(CellTarget.NANGATE45)
