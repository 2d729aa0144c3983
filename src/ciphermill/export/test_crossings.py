# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Every path between two clocks has exactly one constraint, or the export fails.

The pairs of registers are found here once more, by a plain search that knows no primitive and
takes every output of a cell to depend on every input.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ciphermill.design import build_folder
from ciphermill.export.constraints import SDC, XDC, constraint_files
from ciphermill.export.crossings import Clocking, Kind, clocking
from ciphermill.export.verilog2005 import verilog_2005
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.modules import Part, find_core, module_source
from ciphermill.toolchain.opensta import run_sta
from ciphermill.toolchain.rtl import RtlSource
from ciphermill.toolchain.run_yosys import read_slang, relative, run_yosys

pytestmark = pytest.mark.synthesis

FLATTEN = ["setattr -mod -unset keep_hierarchy *", "proc -noopt", "flatten", "opt_clean"]
MAX_DELAY = re.compile(
    r'^set_max_delay (?:-quiet )?-datapath_only -from \[get_cells [^"]*"([^"]*)"\}\] '
    r'-to (?:\[get_cells [^"]*"([^"]*)"\}\]|\$(\w+)) \$(\w+)$',
    re.MULTILINE,
)
BUS_SKEW = re.compile(
    r'^set_bus_skew -from \[get_cells [^"]*"([^"]*)"\}\] -to \[get_cells [^"]*"([^"]*)"\}\] \$\w+$',
    re.MULTILINE,
)
SDC_DELAY = re.compile(
    r"^set_max_delay -ignore_clock_latency -from \[get_clocks \$(\w+)_name\] "
    r"-to \[get_clocks \$(\w+)_name\] \$(\w+)$",
    re.MULTILINE,
)


def two_clocks(**parameters: int) -> RtlSource:
    source = module_source(find_core("aes-iterative", part=Part.ACCELERATOR))
    return replace(source, parameters={**source.parameters, "Asynchronous": 1, **parameters})


BUILDS = {"default": {}, "stages": {"SyncStages": 3, "BlockRamFifos": 1, "Channels": 2}}


@cache
def constraints(build: str = "default") -> tuple[Clocking, dict[str, str]]:
    found = clocking(two_clocks(**BUILDS[build]))
    return found, constraint_files("accel", found)


# ------------------------------------------------------------ the plain search


@dataclass(frozen=True)
class Pair:
    """Two registers, each by all names of its net as Vivado writes them, and their clocks."""

    start: frozenset[str]
    start_clock: str
    end: frozenset[str]
    end_clock: str


def flat(read: str, top: str) -> dict[str, Any]:
    """Return the flat netlist of a module in yosys's JSON."""
    with tempfile.TemporaryDirectory(dir=build_folder()) as folder:
        result = Path(folder) / "netlist.json"
        write = f"write_json {relative(result)}"
        run_yosys([read, f"hierarchy -top {top}", *FLATTEN, write], [result], what=top)
        return dict(json.loads(result.read_text())["modules"][top])


def scopes(module: dict[str, Any]) -> set[str]:
    return {
        name.lstrip("\\")
        for name, cell in module["cells"].items()
        if cell["type"] == "$scopeinfo" and cell["parameters"]["TYPE"] == "module"
    }


def cell_name(path: str, instances: set[str]) -> str:
    """Return what Vivado calls the cells of a register: a slash behind each instance."""
    dots = [n for n, character in enumerate(path) if character == "." and path[:n] in instances]
    return "".join("/" if n in dots else character for n, character in enumerate(path)) + "_reg"


def pairs(module: dict[str, Any]) -> Iterator[Pair]:
    """Yield every pair of a register and one of another clock that depends on it."""
    instances = scopes(module)
    names: dict[Any, set[str]] = {}
    for name, net in module["netnames"].items():
        for bit in net["bits"]:
            names.setdefault(bit, set()).add(cell_name(name, instances))
    below: dict[Any, list[Any]] = {}
    nodes = []  # names, clock, outputs, inputs
    for cell in module["cells"].values():
        wires = cell["connections"]
        kind = cell["type"]
        inputs = [b for p, d in cell["port_directions"].items() if d == "input" for b in wires[p]]
        outputs = [b for p, d in cell["port_directions"].items() if d == "output" for b in wires[p]]
        if kind.startswith("$mem"):
            memory = cell["parameters"]["MEMID"].lstrip("\\")
            if kind.startswith("$memwr"):
                own = frozenset({cell_name(memory, instances)})
                nodes.append((own, wires["CLK"][0], [memory], inputs))
                continue
            inputs.append(memory)
        if kind.startswith("$memrd") and not int(cell["parameters"]["CLK_ENABLE"], 2):
            inputs = [*wires["ADDR"], inputs[-1]]
        elif "CLK" in wires:
            own = frozenset(name for bit in outputs for name in names.get(bit, ()))
            nodes.append((own, wires["CLK"][0], outputs, inputs))
            continue
        for bit in outputs:
            below.setdefault(bit, []).extend(inputs)
    owner = {bit: node for node in nodes for bit in node[2]}
    ports = {
        bit: name
        for name, port in module["ports"].items()
        if port["direction"] == "input"
        for bit in port["bits"]
    }
    for own, clock, _, inputs in nodes:
        seen = {bit for bit in inputs if bit != clock}
        stack = list(seen)
        met = set()
        while stack:
            bit = stack.pop()
            if bit in owner:
                start, start_clock, *_ = owner[bit]
                if start_clock != clock:
                    met.add((start, start_clock))
                continue
            more = set(below.get(bit, ())) - seen
            seen |= more
            stack += more
        for start, start_clock in met:
            yield Pair(start, ports[start_clock], own, ports[clock])


def matches(pattern: str, names: frozenset[str]) -> bool:
    return any(re.fullmatch(pattern, name) for name in names)


def constrained(pair: Pair, xdc: str) -> int:
    """Return how many set_max_delay of an XDC file hold for a pair."""
    return sum(
        matches(start, pair.start)
        and (matches(end, pair.end) if end else f"{clock}_i" == pair.end_clock)
        for start, end, clock, _ in MAX_DELAY.findall(xdc)
    )


@cache
def accelerator(build: str = "default") -> tuple[Pair, ...]:
    source = two_clocks(**BUILDS[build])
    return tuple(pairs(flat(read_slang(source), source.top)))


# ------------------------------------------------------------ completeness


@pytest.mark.parametrize("build", BUILDS)
def test_every_pair_of_registers_of_two_clocks_has_exactly_one_constraint(build: str) -> None:
    xdc, found = constraints(build)[1][XDC], accelerator(build)
    assert len(found) >= 40
    wrong = [(constrained(pair, xdc), pair) for pair in found if constrained(pair, xdc) != 1]
    assert not wrong, wrong[:3]


def test_every_pair_has_exactly_one_constraint_in_sdc() -> None:
    rows = SDC_DELAY.findall(constraints()[1][SDC])
    for pair in accelerator():
        clocks = [(f"{start}_i", f"{end}_i") for start, end, _ in rows]
        assert clocks.count((pair.start_clock, pair.end_clock)) == 1
    assert {delay for *_, delay in rows} == {"shorter_period"}


def test_every_constraint_between_registers_is_of_a_pair() -> None:
    """The words and memories that are read behind a port of the module have none here."""
    rows = MAX_DELAY.findall(constraints()[1][XDC])
    assert len(rows) >= 27
    for start, end, _, _ in rows:
        if end:
            assert any(
                matches(start, pair.start) and matches(end, pair.end) for pair in accelerator()
            ), (start, end)


def test_delays_are_those_of_the_sending_clock_or_the_shorter_one() -> None:
    found, files = constraints()
    rows = MAX_DELAY.findall(files[XDC])
    assert len(rows) == len(found.crossings)
    for crossing, (_, end, _, delay) in zip(found.crossings, rows, strict=True):
        if end:
            assert delay == f"{crossing.start_clock.removesuffix('_i')}_period"
        else:
            assert delay == "shorter_period"
            assert crossing.kind in (Kind.WORD, Kind.MEMORY)


def test_gray_codes_and_nothing_else_have_a_bound_of_their_skew() -> None:
    skews = BUS_SKEW.findall(constraints()[1][XDC])
    assert len(skews) == len(set(skews)) == 4
    skewed = [
        pair
        for pair in accelerator()
        if any(matches(start, pair.start) and matches(end, pair.end) for start, end in skews)
    ]
    assert len(skewed) == 4
    for pair in skewed:
        assert any(name.endswith("gray_q_reg") for name in pair.start)


def test_false_paths_go_to_reset_synchronisers_only() -> None:
    found, files = constraints()
    rows = re.findall(r'^set_false_path -to .*"([^"]*)"\}\]\]$', files[XDC], re.MULTILINE)
    assert len(rows) == files[XDC].count("\nset_false_path") == 2
    cells = {
        f"{name.replace('.u_release', '/u_release')}/{register}_reg"
        for name in found.reset_synchronisers
        for register in ("meta_q", "data_q")
    }
    assert len(cells) == 4
    assert all(any(re.fullmatch(row, cell) for row in rows) for cell in cells)


@pytest.mark.parametrize("build", BUILDS)
def test_every_synchroniser_is_marked(build: str) -> None:
    xdc = constraints(build)[1][XDC]
    rows = re.findall(r'^set_property ASYNC_REG .*"([^"]*)"\}\]$', xdc, re.M)
    source = two_clocks(**BUILDS[build])
    module = flat(read_slang(source), source.top)
    stages = {
        cell_name(name, scopes(module))
        for name, net in module["netnames"].items()
        if "ASYNC_REG" in net["attributes"]
    }
    assert len(stages) >= 40
    assert all(sum(matches(row, frozenset({stage})) for row in rows) == 1 for stage in stages)


def test_the_constraints_fit_the_names_of_the_verilog_2005_form() -> None:
    source = two_clocks()
    text = verilog_2005(source.files, source.top, source.parameters, "")
    with tempfile.TemporaryDirectory(dir=build_folder()) as folder:
        path = Path(folder) / "accel.v"
        path.write_text(text, encoding="utf-8")
        found = tuple(pairs(flat(f"read_verilog {relative(path)}", source.top)))
    assert len(found) >= 40
    xdc = constraints()[1][XDC]
    assert [pair for pair in found if constrained(pair, xdc) != 1] == []


# ------------------------------------------------------------ what must fail

SEEN = "clear_q && !out_busy && bus_cleared_seen;"


def without_a_synchroniser(folder: Path) -> RtlSource:
    """Return the accelerator with one register that another clock reads directly."""
    source = two_clocks()
    (streams,) = (path for path in source.files if path.stem == "accel_streams")
    text = streams.read_text(encoding="utf-8")
    assert text.count(SEEN) == 1
    broken = folder / streams.name
    broken.write_text(text.replace(SEEN, SEEN.replace("seen", "q")), encoding="utf-8")
    return replace(source, files=[broken if path == streams else path for path in source.files])


def test_a_crossing_without_a_synchroniser_stops_the_export() -> None:
    with tempfile.TemporaryDirectory(dir=build_folder()) as folder:
        source = without_a_synchroniser(Path(folder))
        with pytest.raises(ToolError, match=r"bus_cleared_q \(clk_i\) without a synchroniser"):
            clocking(source)
        # The plain search finds it too: nothing constrains it.
        found = pairs(flat(read_slang(source), source.top))
        xdc = constraints()[1][XDC]
        bad = [pair for pair in found if constrained(pair, xdc) != 1]
    assert bad
    assert all(any("bus_cleared_q_reg" in name for name in pair.start) for pair in bad)


TWO = """
module two (
  input logic a_i, b_i, rst_ni, data_i, output logic data_o
);
  logic data_q, reset_q, seen, rst_n;
  always_ff @(posedge a_i) begin
    data_q  <= data_i;
    reset_q <= rst_ni;
  end
  prim_reset_synchroniser u_reset (.clk_i (b_i), .rst_ni (rst_ni), .rst_no (rst_n));
  prim_synchroniser u_data (.clk_i (b_i), .rst_ni (RESET), .data_i (DATA), .data_o (seen));
  assign data_o = seen;
endmodule
"""


@pytest.mark.parametrize(
    ("reset", "data", "said"),
    [
        ("rst_n", "data_q", ""),
        ("rst_n", "data_q ^ reset_q", "logic is between data_q and the synchroniser"),
        ("reset_q", "data_q", r"is reset by reset_q \(a_i\)"),
        ("rst_ni", "data_q", "the reset rst_ni needs prim_reset_synchroniser"),
    ],
)
def test_logic_before_a_synchroniser_and_foreign_resets_stop_the_export(
    reset: str, data: str, said: str
) -> None:
    prim = [path for path in two_clocks().files if path.stem.startswith("prim_")]
    with tempfile.TemporaryDirectory(dir=build_folder()) as folder:
        path = Path(folder) / "two.sv"
        path.write_text(TWO.replace("RESET", reset).replace("DATA", data), encoding="utf-8")
        source = RtlSource("two", [*prim, path], {}, "a_i")
        if said:
            with pytest.raises(ToolError, match=said):
                clocking(source)
        else:
            found = clocking(source)
            assert found.clocks == ("a_i", "b_i")
            assert [c.start for c in found.crossings] == ["data_q"]
            assert found.reset_ports == ("rst_ni",)


def test_a_module_with_one_clock_has_no_constraints_of_crossings() -> None:
    found = clocking(two_clocks(Asynchronous=0))
    assert found.clocks == ("clk_i",)
    assert constraint_files("accel", found) == {}


def test_a_channel_is_not_taken_for_another_one() -> None:
    found = Clocking(
        ("a_i", "b_i"),
        clocking(two_clocks()).crossings,
        ("gen_channel[1].u_one", "gen_channel[11].u_one"),
        (),
        (),
        ("gen_channel[1].u_one", "gen_channel[11].u_one"),
        {},
    )
    text = constraint_files("accel", replace(found, clocks=("clk_i", "core_clk_i")))[XDC]
    one, eleven = re.findall(r'^set_property ASYNC_REG .*"([^"]*)"\}\]$', text, re.MULTILINE)
    for name in ("gen_channel[1].u_one/meta_q_reg", "x/gen_channel_1_u_one/data_q_reg[0]"):
        assert re.fullmatch(one, name)
        assert not re.fullmatch(eleven, name)
    assert not re.fullmatch(one, "gen_channel_11_u_one/meta_q_reg")


# ------------------------------------------------------------ OpenSTA


def test_opensta_takes_the_sdc_and_bounds_the_crossings_alone() -> None:
    if shutil.which("sta") is None:
        pytest.skip("OpenSTA is not here")
    library = Path(os.environ.get("CIPHERMILL_PDK_PATH", "")) / "nangate45_typ.lib.gz"
    if not library.is_file():
        pytest.skip("there is no library of cells")
    prim = [path for path in two_clocks().files if path.stem.startswith("prim_")]
    with tempfile.TemporaryDirectory(dir=build_folder()) as folder:
        cells, netlist = Path(folder) / "cells.lib", Path(folder) / "netlist.v"
        cells.write_bytes(gzip.decompress(library.read_bytes()))
        harness = Path(folder) / "words.sv"
        harness.write_text(WORDS, encoding="utf-8")
        source = RtlSource("words", [*prim, harness], {}, "a_i")
        commands = [
            *(read_slang(source), "synth -flatten -top words"),
            f"dfflibmap -liberty {relative(cells)}",
            *(f"abc -liberty {relative(cells)}", "splitnets -ports", "opt_clean -purge"),
            f"write_verilog -noattr {relative(netlist)}",
        ]
        run_yosys(commands, [netlist], what="cells")
        sdc = constraint_files("words", clocking(source))[SDC]
        clocks = "".join(
            f"set {name}_name {name}\nset {name}_period {period}\n"
            f"create_clock -name {name} -period {period} [get_ports {name}_i]\n"
            for name, period in (("a", "7.0"), ("b", "4.0"))
        )
        report = "report_checks -path_delay max -from [get_clocks {}] -to [get_clocks {}]\n"
        script = f"link_design words\n{clocks}{sdc}" + "".join(
            report.format(*pair) for pair in ("ab", "ba", "aa")
        )
        log = run_sta(library, netlist, 1.0, script)
    assert "Warning" not in log
    across, back, *within = log.split("Startpoint: ")[1:]
    assert "clocked by a)" in across and "clocked by b)" in across
    for path in (across, back):
        assert re.search(r"^\s+4\.00\s+4\.00\s+max_delay$", path, re.MULTILINE), path
    assert within
    assert not any("max_delay" in path for path in within)


WORDS = """
module words (
  input  logic a_i, b_i, rst_ni, valid_i, ready_i,
  input  logic [3:0] data_i,
  output logic ready_o, valid_o,
  output logic [3:0] data_o
);
  logic a_rst_n, b_rst_n, valid, ready_q;
  logic [3:0] data;
  prim_reset_synchroniser u_a (.clk_i (a_i), .rst_ni (rst_ni), .rst_no (a_rst_n));
  prim_reset_synchroniser u_b (.clk_i (b_i), .rst_ni (rst_ni), .rst_no (b_rst_n));
  prim_handshake_crossing #(.Width (4)) u_word (
    .src_clk_i (a_i), .src_rst_ni (a_rst_n), .src_valid_i (valid_i), .src_ready_o (ready_o),
    .src_data_i (data_i), .dst_clk_i (b_i), .dst_rst_ni (b_rst_n), .dst_valid_o (valid),
    .dst_ready_i (ready_q), .dst_data_o (data)
  );
  always_ff @(posedge b_i) begin
    valid_o <= valid;
    ready_q <= ready_i;
    data_o  <= data;
  end
endmodule
"""
