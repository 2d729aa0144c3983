# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A datasheet's figures come from the design, its RTL and what was measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ciphermill.design import Core, Measurement, Provenance
from ciphermill.export import datasheet
from ciphermill.export.hierarchy import needed_files
from ciphermill.export.verilog2005 import Port
from ciphermill.toolchain.modules import find_core, module_sources

MEMORY = [Port("m_axi_araddr_o", "output", 32), Port("m_axi_rdata_i", "input", 128)]


def sources_of(module: Core) -> list[Path]:
    return needed_files(module_sources(module), module.top)


def sheet(name: str, *ports: Port, measured: tuple[Measurement, ...] = ()) -> str:
    module = find_core(name)
    return datasheet.datasheet(
        module, sources_of(module), ports, ["clk_i"], measured, version="1", self_test=True
    )


def test_bursts_follow_from_the_parameters_and_the_rtl() -> None:
    module = find_core("dma")
    by_name = {port.name: port for port in MEMORY}
    found = datasheet.memory_of(module, sources_of(module), by_name)
    assert found == datasheet.Memory(128, 32, 16, 128, 8, 8)
    shorter = module.model_copy(update={"parameters": {"BurstBeats": 4, "FifoBeats": 64}})
    found = datasheet.memory_of(shorter, sources_of(module), by_name)
    assert found is not None
    assert found.beats_on_the_way == 8 * 4, "eight bursts of four beats, though the FIFO has more"


def test_a_design_without_a_memory_bus_has_no_bursts() -> None:
    assert "bursts outstanding" not in sheet("aes-serial")


def test_the_model_of_latency_is_near_what_was_simulated() -> None:
    measured = datasheet.measured_latencies()
    assert len(measured) >= 4
    own = datasheet.own_cycles(measured)
    for beats, latency, rate in measured:
        of_it = datasheet.Memory(128, 32, 16, beats, 8, 8)
        assert of_it.rate(latency, own) == pytest.approx(rate, abs=0.03)


def test_cycles_are_those_of_the_algorithm_by_key_and_direction() -> None:
    rows = datasheet.cycles(find_core("aes-serial"))
    assert ("128 bits", "encrypt", 44.0) in rows
    assert ("256 bits", "decrypt", 60.0) in rows
    assert datasheet.cycles(find_core("ghash-serial-16")) == [("-", "-", 9.0)]
    assert datasheet.cycles(find_core("dma")) == []


def test_a_figure_has_its_provenance() -> None:
    where = Provenance(commit="abcdef", tools={"yosys": "0.70"}, command="ciphermill physical x")
    seen = Measurement(
        design="dma", area_lut=2584.0, method="estimated", target="xc7", provenance=where
    )
    text = sheet("dma", *MEMORY, measured=(seen,))
    (row,) = re.findall(r"^.*2,584 LUTs.*$", text, re.MULTILINE)
    assert "`ciphermill physical x`; commit abcdef; yosys 0.70" in row
    assert "Not measured" in sheet("dma", *MEMORY)


def test_timing_limits_and_in_place_are_those_of_the_units() -> None:
    curves = sheet("ecc")
    assert "`verify`, which selects entries of tables by public digits" in curves
    assert "Timing does not depend on key or data" in sheet("aes-serial")
    card = sheet("card", *MEMORY, Port("interrupt_o", "output", 1))
    assert "A source may be its own destination, at the same address" in card
    assert "high for one cycle" in card
