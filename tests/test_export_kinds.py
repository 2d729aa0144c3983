# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""An export of every kind: lint, self-test, FuseSoC; and a broken copy, which must fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.fusesoc import Fusesoc

from ciphermill.design import Accelerator, Core, design_names
from ciphermill.export import datasheet
from ciphermill.export.hierarchy import needed_files
from ciphermill.export.self_test import has_self_test
from ciphermill.export.unit_tests import MEASURED_LATENCIES
from ciphermill.export.verilog2005 import Port
from ciphermill.toolchain.modules import Part, find_core, module_sources

from .conftest import Ciphermill
from .test_export import export, make, passed

_PORT = re.compile(r"^  (input|output)\s[^/\n]*?(\w+_n?[io]o?)\s*,?\s*(?://.*)?$", re.MULTILINE)


def declared_ports(module: Core) -> dict[str, Port]:
    """Return the ports in a top's source by name; their widths are not read."""
    top = next(path for path in module_sources(module) if path.stem == module.top)
    found = _PORT.findall(top.read_text(encoding="utf-8"))
    return {name: Port(name, way, 1) for way, name in found}


@pytest.mark.parametrize("name", design_names(Core))
def test_every_core_has_a_self_test(name: str) -> None:
    module = find_core(name)
    assert has_self_test(module, declared_ports(module))


@pytest.mark.parametrize("name", design_names(Accelerator))
def test_every_accelerator_has_a_self_test(name: str) -> None:
    module = find_core(name)
    assert has_self_test(module, declared_ports(module))
    core = find_core(name, part=Part.CORE)
    assert has_self_test(core, declared_ports(core))


BROKEN = [
    ("stream-fifo", "prim_fifo", "!= CountWidth'(Depth));", "!= CountWidth'(Depth - 1));"),
    ("ghash-serial-16", "ghash_serial", "swap_bits(block_i) ^ sum_q", "swap_bits(block_i)"),
    ("present-nibble-80-encrypt", "present_nibble", "= sum ^ key_o;", "= sum ^ ~key_o;"),
    ("ascon-iterative", "ascon_round", "{~round_i, round_i}", "{~round_i, ~round_i}"),
    ("coprocessor-iterative-aes", "coprocessor_registers", "rdata = result_i;", "rdata = '0;"),
    (
        "coprocessor-shell-present",
        "coprocessor_shell",
        "load_word = bus_wdata_i;",
        "load_word = '1;",
    ),
    ("aes-fpga-iterative", "board_lane", "= keystream ^ data;", "= keystream;"),
    ("dma", "dma_write", "({m_axi_wstrb_o, m_axi_wdata_o})", "({m_axi_wdata_o, m_axi_wstrb_o})"),
    ("ecc", "ecc_bytes", "buffer_q[RowBits-1 -: 8]", "buffer_q[RowBits-1 -: 8] ^ 8'd1"),
    ("card", "card_completion", "= queued.cookie;", "= ~queued.cookie;"),
]


@pytest.mark.synthesis
@pytest.mark.parametrize(
    ("design", "module", "good", "bad"), BROKEN, ids=[one[0] for one in BROKEN]
)
def test_an_export_passes_its_self_test_and_a_broken_copy_fails_it(
    design: str, module: str, good: str, bad: str, ciphermill: Ciphermill
) -> None:
    folder = export(ciphermill, design)
    assert "%Warning" not in (done := make(folder, "lint")).stderr, done.stderr[-3000:]
    assert passed(done) == 0
    done = make(folder, "sim-v2005")
    assert passed(done) == 1
    if design == "dma":
        compare_with_the_model((folder / "build" / "sim-v2005.log").read_text(encoding="utf-8"))
    source = folder / "rtl" / f"{module}.sv"
    text = source.read_text(encoding="utf-8")
    assert text.count(good) == 1
    source.write_text(text.replace(good, bad), encoding="utf-8")
    done = make(folder, "sim-sv")
    assert done.returncode != 0
    assert re.search(r"^FAIL: ", done.stdout, re.MULTILINE), done.stdout[-2000:]


def compare_with_the_model(log: str) -> None:
    """The datasheet's model of latency is near what the self-test of the DMA engine measures."""
    rows = re.findall(
        r"^MEASURED: memory (\d+) cycles away: (\d+) beats in (\d+)", log, re.MULTILINE
    )
    assert tuple(int(row[0]) for row in rows) == MEASURED_LATENCIES
    module = find_core("dma")
    sources = needed_files(module_sources(module), module.top)
    ports = {"m_axi_araddr_o": Port("", "output", 32), "m_axi_rdata_i": Port("", "input", 128)}
    memory = datasheet.memory_of(module, sources, ports)
    assert memory is not None
    own = datasheet.own_cycles(datasheet.measured_latencies())
    for latency, beats, cycles in rows:
        rate = int(beats) / int(cycles)
        assert memory.rate(int(latency), own) == pytest.approx(rate, abs=0.03)


@pytest.mark.synthesis
def test_fusesoc_takes_an_export(ciphermill: Ciphermill, tmp_path: Path) -> None:
    folder = export(ciphermill, "stream-fifo")
    (core,) = folder.glob("*.core")
    name = re.findall(r"^name: (\S+)$", core.read_text(encoding="utf-8"), re.MULTILINE)[0]
    fusesoc = Fusesoc(tmp_path / "work", [folder])
    for target in ("lint", "lint-verilog2005"):
        done = fusesoc("run", "--target", target, name)
        assert done.returncode == 0, done.stdout
        assert "%Warning" not in done.stdout
    done = fusesoc("run", "--setup", "--target", "synth", name)
    assert done.returncode == 0, done.stdout
    for target in ("sim", "sim-verilog2005"):
        done = fusesoc("run", "--target", target, name)
        assert done.returncode == 0, done.stdout
        assert "PASS: prim_fifo" in done.stdout
