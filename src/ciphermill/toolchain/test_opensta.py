# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
import os
import shutil
import time
from pathlib import Path

import pytest
from support.opensta import power_of_log, sta_timing, timing_of_log
from support.processes import has_ended

from .errors import ToolError
from .opensta import opensta_version, path_log, with_wire_load
from .processes import tool_threads

TIMING = """\
Startpoint: p1 (input port clocked by clock)
Endpoint: u9 (recovery check against rising-edge clock clock)
Path Group: **async_default**
Path Type: max

 900.000000  900.000000 ^ u9/S (DFFSR)
             900.000000   data arrival time
             100.015625   slack (MET)


Startpoint: u1 (rising edge-triggered flip-flop clocked by clock)
Endpoint: u3 (falling edge-triggered flip-flop clocked by clock)
Path Group: clock
Path Type: max

      Delay        Time   Description
-----------------------------------------------------------------
   0.000000    0.000000   clock clock (rise edge)
   0.000000    0.000000   clock network delay (ideal)
   0.000000    0.000000 ^ u1/CLK (DFFSR)
   0.231105    0.231105 ^ u1/Q (DFFSR)
   2.867167    3.098272 v u2/Y (OR2X1)
   0.000000    3.098272 v u3/D (DFFNEGX1)
               3.098272   data arrival time

 500.000000  500.000000   clock clock (fall edge)
   0.000000  500.000000   clock network delay (ideal)
             500.000000 v u3/CLK (DFFNEGX1)
  -0.327003  499.672997   library setup time
             499.672997   data required time
-----------------------------------------------------------------
             496.574725   slack (MET)
"""

POWER = """\
Group                    Internal    Switching      Leakage        Total
                            Power        Power        Power        Power
------------------------------------------------------------------------
Sequential           1.337001e-02 5.991791e-04 8.992971e-08 1.396928e-02  43.1%
Total                3.010242e-02 2.277712e-03 2.867028e-07 3.238042e-02 100.0%
                            93.0%         7.0%         0.0%
"""

BY_INSTANCE = """\
     Internal    Switching      Leakage        Total
        Power        Power        Power        Power
----------------------------------------------------
 2.374691e-05 1.510579e-07 1.607250e-10 2.389813e-05 u3
-3.266009e-07 0.000000e+00 2.217410e-11 3.266231e-07 u4
"""


def test_a_path_of_half_a_period_asks_for_twice_its_time() -> None:
    timing = timing_of_log(TIMING, 1e6)
    assert timing.setup_ps == pytest.approx(327.003)
    assert timing.clock_period_ps == pytest.approx(2 * (3098.272 + 327.003))
    assert [(s.pin, s.cell, s.edge) for s in timing.path] == [
        ("u1/CLK", "DFFSR", "rise"),
        ("u1/Q", "DFFSR", "rise"),
        ("u2/Y", "OR2X1", "fall"),
        ("u3/D", "DFFNEGX1", "fall"),
    ]
    assert timing.path[2].delay_ps == pytest.approx(2867.167)
    assert timing.path[2].arrival_ps == pytest.approx(3098.272)


def test_power_by_group_and_by_instance() -> None:
    groups = power_of_log(POWER)
    assert groups.keys() == {"Sequential", "Total"}
    assert groups["Sequential"].internal_mw == pytest.approx(13.37001)
    assert groups["Sequential"].switching_mw == pytest.approx(0.5991791)
    assert groups["Sequential"].leakage_mw == pytest.approx(8.992971e-05)
    instances = power_of_log(BY_INSTANCE, by_instance=True)
    assert instances.keys() == {"u3", "u4"}
    assert instances["u4"].internal_mw == pytest.approx(-3.266009e-04)


@pytest.mark.parametrize("log", ["", "No paths found.\n", TIMING[: TIMING.index("Startpoint: u1")]])
def test_a_log_without_a_result_is_an_error(log: str) -> None:
    with pytest.raises(ToolError, match="no path"):
        timing_of_log(log, 1e6)
    with pytest.raises(ToolError, match="no power"):
        power_of_log(log)
    with pytest.raises(ToolError, match="no power"):
        power_of_log(log, by_instance=True)


def test_the_wire_load_model_of_a_library_gives_way_to_ours() -> None:
    text = (
        'library (x) { time_unit : "1ns"; default_wire_load : "big" ;\n'
        "capacitive_load_unit (1, pf);\n default_wire_load_mode : enclosed;\n cell (A) { } }"
    )
    changed = with_wire_load(text, 2.5)
    assert "big" not in changed and "enclosed" not in changed
    assert "capacitance : 0.0025;" in changed
    assert changed.index("capacitive_load_unit") < changed.index("wire_load (fanout)")
    with pytest.raises(ToolError, match="capacitive_load_unit"):
        with_wire_load("library (x) { }", 1)


def test_an_error_in_the_log_is_ours(tmp_path: Path) -> None:
    if shutil.which("sta") is None:
        pytest.skip("OpenSTA is missing: apt install opensta")
    assert opensta_version()
    liberty = tmp_path / "x.lib"
    thresholds = "".join(
        f"{kind}_{edge} : {value}; "
        for edge in ("rise", "fall")
        for kind, value in (
            ("input_threshold_pct", 50),
            ("output_threshold_pct", 50),
            ("slew_lower_threshold_pct", 20),
            ("slew_upper_threshold_pct", 80),
        )
    )
    liberty.write_text(
        'library (x) { time_unit : "1ns"; capacitive_load_unit (1, pf); nom_voltage : 1;\n'
        f"{thresholds}\n"
        "cell (BUF) { pin (A) { direction : input; } pin (Y) { direction : output;"
        ' function : "A"; } } }',
        encoding="utf-8",
    )
    folder = tmp_path / "a folder"
    folder.mkdir()
    verilog = folder / "x.v"
    verilog.write_text("module top(c, a, y); input c; input a; output y; NONE u(.A(a), .Y(y));\n")
    with pytest.raises(ToolError, match="OpenSTA failed"):
        sta_timing(liberty, verilog, "top", "c")
    verilog.write_text("module top(c, a, y); input c, a; output y; NO u(.A(a), .Y(y)); endmodule\n")
    with pytest.raises(ToolError, match="black box"):
        sta_timing(liberty, verilog, "top", "c")
    verilog.write_text(
        "module top(c, a, y); input c, a; output y; BUF u(.A(a), .Y(y)); endmodule\n"
    )
    with pytest.raises(ToolError, match="no path that a clock bounds"):
        sta_timing(liberty, verilog, "top", "c")
    with pytest.raises(ToolError, match="cannot hold the name"):
        sta_timing(liberty, verilog, "top; exit", "c")


def test_an_interrupt_stops_opensta_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    liberty, begun = tmp_path / "x.lib", tmp_path / "begun"
    liberty.write_text("library (x) { capacitive_load_unit (1, pf); }")
    program = tmp_path / "sta"
    begins = f"echo $$ > {begun}.tmp; mv {begun}.tmp {begun}"
    program.write_text(f"#!/bin/sh\n{begins}; exec sleep 20\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt), tool_threads(1) as pool:
        future = pool.submit(path_log, liberty, liberty, "top", "c")
        while not begun.exists():
            time.sleep(0.01)
        raise KeyboardInterrupt
    assert time.monotonic() - start < 15
    assert str(future.exception(timeout=0)) == "OpenSTA was stopped"
    assert has_ended(int(begun.read_text()))


def test_without_opensta_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolError, match="apt install opensta"):
        opensta_version()
