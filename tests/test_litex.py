# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""LiteX takes an export into a SoC: it lints, and the self-test passes through its bus."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.run_time import COMPILE_ONCE

from ciphermill.toolchain.verilator import find_verilator

from .conftest import Ciphermill

SOC = Path(__file__).with_name("support") / "litex_soc.py"

ADAPTER = """\
// The SoC behind the ports of the wrapper for Vivado, which the self-test knows.
module accel_vivado #(parameter WIDTH = 128) (
  input aclk, input aresetn,
  input [7:0] s_axi_awaddr, input [2:0] s_axi_awprot, input s_axi_awvalid, output s_axi_awready,
  input [31:0] s_axi_wdata, input [3:0] s_axi_wstrb, input s_axi_wvalid, output s_axi_wready,
  output [1:0] s_axi_bresp, output s_axi_bvalid, input s_axi_bready,
  input [7:0] s_axi_araddr, input [2:0] s_axi_arprot, input s_axi_arvalid, output s_axi_arready,
  output [31:0] s_axi_rdata, output [1:0] s_axi_rresp, output s_axi_rvalid, input s_axi_rready,
  output irq,
  input [WIDTH-1:0] s_axis_tdata, input [WIDTH/8-1:0] s_axis_tkeep, input s_axis_tlast,
  input s_axis_tvalid, output s_axis_tready,
  output [WIDTH-1:0] m_axis_tdata, output [WIDTH/8-1:0] m_axis_tkeep, output m_axis_tlast,
  output m_axis_tvalid, input m_axis_tready
);
  
  litex_soc soc (
    .sys_clk(aclk), .sys_rst(!aresetn), .interrupt(irq),
    .host_awaddr({24'h300000, s_axi_awaddr}), .host_awprot(s_axi_awprot),
    .host_awvalid(s_axi_awvalid), .host_awready(s_axi_awready),
    .host_wdata(s_axi_wdata), .host_wstrb(s_axi_wstrb),
    .host_wvalid(s_axi_wvalid), .host_wready(s_axi_wready),
    .host_bresp(s_axi_bresp), .host_bvalid(s_axi_bvalid), .host_bready(s_axi_bready),
    .host_araddr({24'h300000, s_axi_araddr}), .host_arprot(s_axi_arprot),
    .host_arvalid(s_axi_arvalid), .host_arready(s_axi_arready),
    .host_rdata(s_axi_rdata), .host_rresp(s_axi_rresp),
    .host_rvalid(s_axi_rvalid), .host_rready(s_axi_rready),
    .into_tdata(s_axis_tdata), .into_tkeep(s_axis_tkeep), .into_tlast(s_axis_tlast),
    .into_tvalid(s_axis_tvalid), .into_tready(s_axis_tready),
    .out_tdata(m_axis_tdata), .out_tkeep(m_axis_tkeep), .out_tlast(m_axis_tlast),
    .out_tvalid(m_axis_tvalid), .out_tready(m_axis_tready)
  );
endmodule
"""


def in_soc(ciphermill: Ciphermill, design: str, name: str) -> tuple[Path, Path]:
    """Export a design and write a SoC around it; return both folders."""
    made = ciphermill("export", design, "-o", "out")
    assert made.code == 0, made
    export, soc = ciphermill.folder / "out", ciphermill.folder / "soc"
    done = subprocess.run(
        [sys.executable, SOC, export, name, soc],
        cwd=ciphermill.folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return export, soc


def verilate(soc: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    verilator = find_verilator()
    return subprocess.run(
        # LiteX's own code is its matter; what is connected wrongly is an error.
        [verilator.program, "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Werror-PINMISSING",
         "-Werror-WIDTH", "-f", "soc.f", *arguments],
        cwd=soc,
        env={**verilator.environment(), **COMPILE_ONCE},
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("design", "name"),
    [("aes-serial", "AesSerialAccelerator"), ("dma", "Dma"), ("card", "Card")],
)
def test_an_export_in_a_soc_lints(ciphermill: Ciphermill, design: str, name: str) -> None:
    _, soc = in_soc(ciphermill, design, name)
    done = verilate(soc, "--lint-only", "--top-module", "litex_soc")
    assert done.returncode == 0, done.stderr[-3000:]
    # The wrapper's part of the Verilog: every port is connected, at its width.
    text = (soc / "litex_soc.v").read_text(encoding="utf-8")
    assert re.search(r"\.s_axil_rvalid_o\s*\(", text)


@pytest.mark.synthesis
def test_the_self_test_passes_through_the_bus_of_a_soc(ciphermill: Ciphermill) -> None:
    export, soc = in_soc(ciphermill, "aes-serial", "AesSerialAccelerator")
    (soc / "adapter.v").write_text(ADAPTER, encoding="utf-8")
    done = verilate(
        soc, "adapter.v", export / "test" / "self_test.v", "-DVIVADO", "--binary", "--timing",
        "-CFLAGS", "-std=c++20 -O0", "-MAKEFLAGS", "VM_PARALLEL_BUILDS=0", "-j", "1",
        "--top-module", "self_test", "-o", "self_test",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    ran = subprocess.run(
        [soc / "obj_dir" / "self_test"], cwd=soc, capture_output=True, text=True, check=False
    )
    assert re.search(r"^PASS: accel, \d+ messages", ran.stdout, re.MULTILINE), ran.stdout[-2000:]
