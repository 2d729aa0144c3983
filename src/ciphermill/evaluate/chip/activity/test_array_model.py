# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Memories that were taken out of a module: what they answer, and that nothing else changed."""

import random
from collections.abc import Mapping
from typing import Any, cast

import pytest

from ciphermill.design import build_folder
from ciphermill.evaluate.chip.activity.array_model import ArrayModel
from ciphermill.evaluate.chip.activity.rtl_simulation import RtlSimulation
from ciphermill.evaluate.chip.activity.simulation import Simulation
from ciphermill.evaluate.chip.cells.gate_simulation import GateSimulation
from ciphermill.evaluate.chip.cells.netlist import read_netlist
from ciphermill.toolchain.arrays import MemoryArray, split, take_arrays_out
from ciphermill.toolchain.cell_synthesis import synthesise_cells
from ciphermill.toolchain.cells import CellTarget, liberty_file
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.liberty import read_library
from ciphermill.toolchain.rtl import RtlSource

PINS = ("RD_ADDR", "RD_EN", "RD_DATA", "WR_ADDR", "WR_EN", "WR_DATA")
RTL = """
module scratch (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        write_i,
  input  logic        read_i,
  input  logic [6:0]  address_i,
  input  logic [31:0] data_i,
  output logic [31:0] data_o,
  output logic [7:0]  writes_o
);
  logic [31:0] words [128];
  logic [31:0] data_q;
  logic [7:0]  writes_q;

  always_ff @(posedge clk_i) begin
    if (write_i) words[address_i] <= data_i ^ {4{writes_q}};
  end

  always_ff @(posedge clk_i) begin
    if (read_i) data_q <= words[address_i];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) writes_q <= '0;
    else if (write_i) writes_q <= writes_q + 8'd1;
  end

  assign data_o   = ~data_q;
  assign writes_o = writes_q;
endmodule
"""


class Ports:
    """Stands in for a simulation: holds what is poked, and what is asked for."""

    def __init__(self) -> None:
        self.values = dict.fromkeys(PINS, 0)

    def poke(self, port: str, value: int) -> None:
        self.values[port] = value

    def peek(self, port: str) -> int:
        return self.values[port]


def model(offset: int = 0) -> tuple[ArrayModel, Ports]:
    ports = Ports()
    array = MemoryArray("m", 4, 8, offset, {pin: pin for pin in PINS})
    return ArrayModel(array, cast(Simulation, ports)), ports


def clock(memory: ArrayModel, ports: Ports, **values: int) -> int:
    """Ask for something in a cycle; return what is there in the next."""
    ports.values |= {"RD_EN": 0, "WR_EN": 0, **values}
    memory.before_clock()
    memory.after_clock()
    return ports.values["RD_DATA"]


def test_a_word_is_there_a_clock_later_until_the_next_read() -> None:
    memory, ports = model()
    clock(memory, ports, WR_EN=0xFF, WR_ADDR=2, WR_DATA=0xA5)
    assert clock(memory, ports, RD_EN=1, RD_ADDR=2) == 0xA5
    assert clock(memory, ports, RD_ADDR=1) == 0xA5
    assert clock(memory, ports, RD_EN=1, RD_ADDR=1) == 0
    assert (memory.reads, memory.writes) == (2, 1)
    memory.clear_counts()
    assert (memory.reads, memory.writes) == (0, 0)


def test_bits_that_are_not_enabled_stay() -> None:
    memory, ports = model()
    clock(memory, ports, WR_EN=0xFF, WR_DATA=0xFF)
    clock(memory, ports, WR_EN=0x0F, WR_DATA=0xA0)
    assert clock(memory, ports, RD_EN=1) == 0xF0


def test_a_read_does_not_see_the_write_of_its_clock() -> None:
    memory, ports = model()
    clock(memory, ports, WR_EN=0xFF, WR_ADDR=3, WR_DATA=1)
    assert clock(memory, ports, WR_EN=0xFF, WR_ADDR=3, WR_DATA=2, RD_EN=1, RD_ADDR=3) == 1
    assert clock(memory, ports, RD_EN=1, RD_ADDR=3) == 2


def test_addresses_begin_at_the_offset_and_end() -> None:
    memory, ports = model(offset=4)
    clock(memory, ports, WR_EN=0xFF, WR_ADDR=4, WR_DATA=7)
    clock(memory, ports, WR_EN=0xFF, WR_ADDR=3, WR_DATA=9)
    assert clock(memory, ports, RD_EN=1, RD_ADDR=4) == 7
    assert clock(memory, ports, RD_EN=1, RD_ADDR=8) == 0


def words(**changes: Any) -> dict[str, Any]:
    """A module with one memory, as yosys writes it."""
    parameters: Mapping[str, Any] = {
        "SIZE": "1000000",
        "WIDTH": "100000",
        "OFFSET": "0",
        "RD_PORTS": "1",
        "WR_PORTS": "1",
        "RD_CLK_ENABLE": "1",
        "RD_CLK_POLARITY": "1",
        "WR_CLK_ENABLE": "1",
        "WR_CLK_POLARITY": "1",
        "RD_TRANSPARENCY_MASK": "0",
        "RD_WIDE_CONTINUATION": "0",
    }
    pins = {
        **{pin: [number] for number, pin in enumerate(PINS, 10)},
        "RD_CLK": [2],
        "WR_CLK": [2],
        "RD_ARST": ["0"],
        "RD_SRST": ["0"],
    }
    cell = {
        "type": "$mem_v2",
        "parameters": {**parameters, **{k: v for k, v in changes.items() if k in parameters}},
        "connections": {**pins, **{k: v for k, v in changes.items() if k in pins}},
    }
    ports = {"clk_i": {"direction": "input", "bits": [2]}}
    return {"modules": {"top": {"ports": ports, "cells": {"m": cell}, "netnames": {}}}}


def test_a_memory_becomes_ports() -> None:
    data = words()
    (array,) = split(data, "top")
    assert (array.words, array.width, array.bits) == (64, 32, 2048)
    module = data["modules"]["top"]
    assert not module["cells"]
    assert module["ports"]["array0_rd_data"] == {"direction": "input", "bits": [12]}
    assert module["ports"]["array0_wr_en"] == {"direction": "output", "bits": [14]}


def test_small_memories_stay() -> None:
    data = words(SIZE="100000")
    assert split(data, "top") == []
    assert data["modules"]["top"]["cells"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"RD_PORTS": "10"}, "2 read and 1 write ports"),
        ({"RD_CLK_ENABLE": "0"}, "rising edge"),
        ({"WR_CLK_POLARITY": "0"}, "rising edge"),
        ({"WR_CLK": [3]}, "another clock"),
        ({"RD_SRST": [7]}, "reset"),
        ({"RD_TRANSPARENCY_MASK": "1"}, "sees the write"),
    ],
)
def test_memories_of_other_kinds_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolError, match=message):
        split(words(**changes), "top")


@pytest.mark.synthesis
def test_cells_and_memory_do_what_the_rtl_does() -> None:
    try:
        liberty = liberty_file(CellTarget.NANGATE45)
    except ToolError as error:
        pytest.skip(str(error))
    folder = build_folder() / "test-arrays"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "scratch.sv"
    source.write_text(RTL)
    left = take_arrays_out(RtlSource("scratch", (source,), {}))
    assert [array.bits for array in left.arrays] == [4096]
    mapped = synthesise_cells(RtlSource("scratch", (left.verilog,), {}), liberty, clock_mhz=50)
    assert mapped.sequential_um2 < 20 * 10  # the counter's flip-flops, not 4,096
    gates = GateSimulation(read_netlist(mapped.json, read_library(liberty)))
    rtl = RtlSimulation(RtlSource("scratch", (source,), {}))
    memory = ArrayModel(left.arrays[0], gates)
    same(gates, memory, rtl)
    assert memory.reads > 100
    assert memory.writes > 100


def same(gates: GateSimulation, memory: ArrayModel, rtl: RtlSimulation) -> None:
    """Run both on random inputs; they must agree in each cycle."""
    source = random.Random(1)
    written: set[int] = set()
    known = False
    for number in range(500):
        address = source.randrange(16)
        write = source.random() < 0.5
        read = address in written and source.random() < 0.5
        values = {
            "rst_ni": int(number > 1),
            "write_i": int(write),
            "read_i": int(read),
            "address_i": address,
            "data_i": source.getrandbits(32),
        }
        for port, value in values.items():
            gates.poke(port, value)
            rtl.poke(port, value)
        if known:
            assert gates.peek("data_o") == rtl.peek("data_o")
        assert gates.peek("writes_o") == rtl.peek("writes_o")
        memory.before_clock()
        gates.clock()
        rtl.clock()
        memory.after_clock()
        known = known or read
        if write:
            written.add(address)
