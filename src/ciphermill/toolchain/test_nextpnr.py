# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The harness holds every bit of a core, and takes exactly its own area away."""

from pathlib import Path

import pytest

from .errors import ToolError
from .harness import data_widths, read_portlist, wires, wrap
from .nextpnr import Family, place_and_route, routed_clock
from .rtl import RtlSource

PORTS = """module tiny
input [0:0] clk_i
input [0:0] rst_ni
input [3:0] a_i
input [1:0] b_i
output [6:0] y_o
output [0:0] z_o
endmodule
"""
SOURCE = """
module tiny (
  input logic clk_i, input logic rst_ni, input logic [3:0] a_i, input logic [1:0] b_i,
  output logic [6:0] y_o, output logic z_o
);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) y_o <= '0;
    else y_o <= {a_i ^ {b_i, b_i}, &a_i, b_i};
  end
  assign z_o = ^y_o;
endmodule
"""


def test_every_bit_is_connected_once() -> None:
    ports = read_portlist(PORTS, "tiny")
    assert data_widths(ports, "clk_i", "rst_ni", "tiny") == (6, 8)
    text = wrap(ports, "tiny", "clk_i", "rst_ni")
    for connection in (
        ".\\clk_i (clk)",
        ".\\rst_ni (rst_n)",
        ".\\a_i (in_q[3:0])",
        ".\\b_i (in_q[5:4])",
        ".\\y_o (out[6:0])",
        ".\\z_o (out[7:7])",
    ):
        assert text.count(connection) == 1, connection
    assert "reg [7:0] in_q" in text, "the chain is as long as the longer side"
    assert "assign out = in[7:0]" in wires(6, 8)


@pytest.mark.parametrize(
    ("text", "clock", "message"),
    [
        ("module a\nendmodule", "clk_i", "no ports of tiny"),
        ("inout [0:0] pad", "clk_i", "pad goes both ways"),
        (PORTS, "clock", "tiny has no input clock"),
        ("input [0:0] clk_i\ninput [0:0] rst_ni\noutput [0:0] y", "clk_i", "no data inputs"),
    ],
)
def test_what_no_harness_can_hold(text: str, clock: str, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        data_widths(read_portlist(text, "tiny"), clock, "rst_ni", "tiny")


def test_clock_is_that_after_routing() -> None:
    placed = "Info: Max frequency for clock '$glbnet$clk': 150.20 MHz (FAIL at 200.00 MHz)\n"
    routed = placed.replace("150.20", "131.75")
    assert routed_clock(placed + "Info: routing\n" + routed, "tiny") == 131.75
    with pytest.raises(ToolError, match="no clock of tiny"):
        routed_clock("Info: nothing\n", "tiny")


def test_no_clock_is_chosen_among_several() -> None:
    line = "Info: Max frequency for clock '{}': 131.75 MHz (FAIL at 200.00 MHz)\n"
    log = "".join(line.format(name) for name in ("$glbnet$clk", "in_q[3]", "$glbnet$clk"))
    with pytest.raises(ToolError, match=r"tiny has 2 clocks \(\$glbnet\$clk, in_q\[3\]\)"):
        routed_clock(log, "tiny")


@pytest.mark.synthesis
def test_harness_is_taken_away(tool_folder: Path) -> None:
    source = tool_folder / "tiny.sv"
    source.write_text(SOURCE, encoding="utf-8")
    found = place_and_route(RtlSource("tiny", [source], {}), Family.ICE40)
    assert found.ff == 7
    # Four XORs and the AND share their cells with flip-flops, of which b_i needs two more;
    # the parity of seven bits takes two or three cells.
    assert 7 <= found.lut <= 10
    assert (found.block_ram, found.dsp) == (0, 0)
    assert 50 < found.clock_mhz < 600
