# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path
from typing import Any

import pytest
from support.netlists import hand_library, ten_cells

from ciphermill.evaluate.chip.activity.activity import Activity, read_saif, write_saif
from ciphermill.evaluate.chip.cells.netlist import CONST0, CONST1, PinReference, read_netlist
from ciphermill.evaluate.chip.cells.verilog import port_bits, to_verilog
from ciphermill.toolchain.errors import ToolError

YOSYS: dict[str, Any] = {
    "modules": {
        "leaf": {"attributes": {}, "ports": {}, "cells": {}, "netnames": {}},
        "top": {
            "attributes": {"top": "00000000000000000000000000000001"},
            "ports": {
                "clk_i": {"direction": "input", "bits": [2]},
                "a_i": {"direction": "input", "bits": [3, 4]},
                "y_o": {"direction": "output", "bits": [5, "1", "x", 3]},
            },
            "cells": {
                "$flatten\\u_a.\\u_b.$abc$1": {
                    "type": "NAND",
                    "attributes": {},
                    "connections": {"A": [3], "B": ["1"], "Y": [7]},
                },
                "u_c.u_flop": {
                    "type": "DFF",
                    "attributes": {"hdlname": "u_c u_flop"},
                    "connections": {"CK": [2], "D": [7], "Q": [5], "QN": []},
                },
                "$abc$2": {"type": "INV", "connections": {"A": [4], "Y": [9]}},
                "u_c": {"type": "$scopeinfo", "connections": {}},
            },
            "netnames": {
                "$abc$9": {"hide_name": 1, "bits": [7]},
                "clk_i": {"hide_name": 0, "bits": [2]},
                "a_i": {"hide_name": 0, "bits": [3, 4]},
                "u_c.state": {"hide_name": 0, "bits": [5]},
                "state": {"hide_name": 0, "bits": [5]},
                "word": {"hide_name": 0, "bits": [8, 7], "offset": 4},
                "split[6]": {"hide_name": 0, "bits": [9], "offset": 6},
            },
        },
    }
}


def read(tmp_path: Path, data: object) -> Any:
    path = tmp_path / "netlist.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return read_netlist(path, hand_library())


def changed(*path: str, to: object) -> Any:
    data = json.loads(json.dumps(YOSYS))
    place = data["modules"]["top"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return data


def test_a_netlist_of_yosys(tmp_path: Path) -> None:
    netlist = read(tmp_path, YOSYS)
    assert netlist.top == "top"
    assert [(i.name, i.cell, i.module) for i in netlist.instances] == [
        ("$flatten\\u_a.\\u_b.$abc$1", "NAND", "u_a.u_b"),
        ("u_c.u_flop", "DFF", "u_c"),
        ("$abc$2", "INV", ""),
    ]
    nand, flop, inverter = netlist.instances
    assert netlist.inputs["a_i"] == [nand.pins["A"], inverter.pins["A"]]
    assert nand.pins["B"] == CONST1
    assert netlist.outputs["y_o"] == [flop.pins["Q"], CONST1, CONST0, nand.pins["A"]]
    assert "QN" not in flop.pins
    assert nand.pins["Y"] == flop.pins["D"]
    names = netlist.net_names
    assert names[:2] == ["0", "1"]
    assert names[flop.pins["Q"]] == "state"
    assert names[nand.pins["Y"]] == "word[5]"
    assert names[nand.pins["A"]] == "a_i[0]"
    assert names[inverter.pins["Y"]] == "split[6]"
    assert netlist.drivers[flop.pins["D"]] == PinReference(0, "Y")
    assert netlist.loads[flop.pins["D"]] == [PinReference(1, "D")]
    assert netlist.area_um2 == 1.5 + 6 + 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (changed("cells", "$abc$2", "type", to="LUT"), r"is a LUT, which is not in by_hand"),
        (changed("cells", "$abc$2", "connections", "Z", to=[4]), r"has no pin Z"),
        (changed("cells", "$abc$2", "connections", "A", to=[]), r"input A .* is not connected"),
        (changed("cells", "$abc$2", "connections", "A", to=[3, 4]), r"is 2 bits wide"),
        (changed("cells", "$abc$2", "connections", "A", to=["z"]), r"a bit that is 'z'"),
        (changed("cells", "$abc$2", "connections", "Y", to=[7]), r"word\[5\] is driven by .* and"),
        (changed("cells", "$abc$2", "connections", "Y", to=[3]), r"driven by .* and by a port"),
        (changed("ports", "a_i", "direction", to="inout"), r"port a_i is inout"),
        (changed("attributes", to={}), r"0 top modules among 2"),
        (changed("ports", to=[]), r"not a netlist of yosys"),
        ({"modules": 3}, r"not a netlist of yosys"),
        ([], r"not a netlist of yosys"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, data: object, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        read(tmp_path, data)


def test_a_file_that_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "netlist.json"
    with pytest.raises(ToolError, match="No such file"):
        read_netlist(path, hand_library())
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ToolError, match=r"netlist\.json"):
        read_netlist(path, hand_library())


def test_as_verilog_every_port_is_a_bit_and_every_name_plain(tmp_path: Path) -> None:
    netlist = read(tmp_path, YOSYS)
    bits = port_bits(netlist)
    assert bits["a_i", 1] == "p2"
    lines = [line.strip() for line in to_verilog(netlist).splitlines()]
    assert lines == [
        "module top(p0, p1, p2, p3, p4, p5, p6);",
        *(f"input p{k};" for k in range(3)),
        *(f"output p{k};" for k in range(3, 7)),
        "wire n6;",
        "wire n7;",
        "NAND u0 (.A(p1), .B(1'b1), .Y(n6));",
        "DFF u1 (.CK(p0), .D(n6), .Q(p3));",
        "INV u2 (.A(p2), .Y(n7));",
        "assign p4 = 1'b1;",
        "assign p5 = 1'b0;",
        "assign p6 = p1;",
        "endmodule",
    ]
    assert to_verilog(ten_cells()).count("\n  DFF u") == 2


def test_verilog_has_the_names_of_the_activity(tmp_path: Path) -> None:
    netlist = read(tmp_path, YOSYS)
    nets = len(netlist.net_names)
    saif = tmp_path / "activity.saif"
    write_saif(saif, Activity(100.0, [0] * nets, [0.0] * nets), netlist.net_names, top="top")
    text = to_verilog(netlist, own_names=True)
    for name in read_saif(saif).nets:
        scope, _, net = name.rpartition("/")
        assert scope == "top"
        if net not in ("0", "1"):
            assert f"\\{net} " in text, net
    ports, *lines = (" ".join(line.split()) for line in text.splitlines())
    names = ["clk_i", "a_i[0]", "a_i[1]", "y_o[0]", "y_o[1]", "y_o[2]", "y_o[3]"]
    assert ports == f"module \\top ({', '.join(f'{chr(92)}{name} ' for name in names)});"
    assert lines == [
        *(f"input \\{name} ;" for name in ("clk_i", "a_i[0]", "a_i[1]")),
        *(f"output \\y_o[{k}] ;" for k in range(4)),
        *(f"wire \\{name} ;" for name in ("state", "word[5]", "split[6]")),
        "NAND \\$flatten\\u_a.\\u_b.$abc$1 (.A(\\a_i[0] ), .B(1'b1), .Y(\\word[5] ));",
        "DFF \\u_c.u_flop (.CK(\\clk_i ), .D(\\word[5] ), .Q(\\state ));",
        "INV \\$abc$2 (.A(\\a_i[1] ), .Y(\\split[6] ));",
        "assign \\y_o[0] = \\state ;",
        "assign \\y_o[1] = 1'b1;",
        "assign \\y_o[2] = 1'b0;",
        "assign \\y_o[3] = \\a_i[0] ;",
        "endmodule",
    ]
