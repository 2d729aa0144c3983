# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The files for Vivado and Linux: attributes against ports, Tcl, device tree."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from ciphermill.export.crossings import clocking
from ciphermill.export.hierarchy import needed_files
from ciphermill.export.verilog2005 import Port, port_list, verilog_2005
from ciphermill.export.vivado import has_wrapper, vivado_files
from ciphermill.toolchain.modules import find_core, module_source, module_sources

pytestmark = pytest.mark.synthesis

DESIGNS = ("aes-serial", "aes-iterative-two-clocks", "aes-pipelined-channels")
"""One clock, two clocks, six channels."""
WRAPPER = "vivado/accel_vivado.v"
DECLARED = re.compile(
    r'^  \(\* X_INTERFACE_INFO = "([^"]+)" \*\)\n'
    r'(?:  \(\* X_INTERFACE_PARAMETER = "([^"]+)" \*\)\n)?'
    r"  (input|output) wire (?:\[(\d+):0\] )?(\w+),?$",
    re.MULTILINE,
)
AXI4_LITE = {
    *("AWADDR", "AWPROT", "AWVALID", "AWREADY", "WDATA", "WSTRB", "WVALID", "WREADY"),
    *("BRESP", "BVALID", "BREADY", "ARADDR", "ARPROT", "ARVALID", "ARREADY"),
    *("RDATA", "RRESP", "RVALID", "RREADY"),
}
"""IHI 0022, B1.1.1."""
AXI4_STREAM = {"TDATA", "TKEEP", "TLAST", "TVALID", "TREADY"}
FROM_SENDER = {"TDATA", "TKEEP", "TLAST", "TVALID"}
TREE = """/dts-v1/;
/ {
	#address-cells = <1>;
	#size-cells = <1>;
	amba: axi {
		compatible = "simple-bus";
		#address-cells = <1>;
		#size-cells = <1>;
		ranges;
		intc: interrupt-controller@f8f01000 {
			#address-cells = <0>;
			#interrupt-cells = <3>;
			interrupt-controller;
			reg = <0xf8f01000 0x1000>;
		};
		clkc: clkc@f8000100 {
			#clock-cells = <1>;
			reg = <0xf8000100 0x100>;
		};
	};
};
/include/ "accelerator.dtsi"
"""


@cache
def ports_of(design: str) -> tuple[Port, ...]:
    module = find_core(design)
    sources = needed_files(module_sources(module), module.top)
    return tuple(port_list(verilog_2005(sources, module.top, module.parameters, ""), module.top))


@cache
def files(design: str) -> dict[str, str]:
    module = find_core(design)
    clocks = clocking(module_source(module)).clocks
    return vivado_files(module, ports_of(design), ["rtl/accel.sv"], clocks)


def interfaces(design: str) -> dict[str, dict[str, tuple[str, int, str]]]:
    """Return direction, bits and name of the port of each signal of each interface."""
    found: dict[str, dict[str, tuple[str, int, str]]] = {}
    for info, _, direction, high, name in DECLARED.findall(files(design)[WRAPPER]):
        _, interface, signal = info.split(" ")
        assert signal not in found.setdefault(interface, {}), "two ports are one signal"
        found[interface][signal] = (direction, int(high or 0) + 1, name)
    return found


def parameters(design: str) -> dict[str, dict[str, str]]:
    """Return the parameters of each interface."""
    found = {}
    for _, about, *_ in DECLARED.findall(files(design)[WRAPPER]):
        if about:
            rows = dict(row.split(" ", 1) for row in about.split(", "))
            found[rows.pop("XIL_INTERFACENAME")] = rows
    return found


@pytest.mark.parametrize("design", DESIGNS)
def test_every_port_of_the_wrapper_is_a_signal_of_an_interface(design: str) -> None:
    header = files(design)[WRAPPER].partition("module accel_vivado (")[2].partition(");")[0]
    declared = re.findall(r"^  (?:input|output) .*?(\w+),?$", header, re.MULTILINE)
    named = [name for signals in interfaces(design).values() for _, _, name in signals.values()]
    assert sorted(named) == sorted(declared)
    assert parameters(design).keys() == interfaces(design).keys()


@pytest.mark.parametrize("design", DESIGNS)
def test_interfaces_have_the_signals_and_widths_of_the_accelerator(design: str) -> None:
    found, wide = interfaces(design), {port.name: port.bits for port in ports_of(design)}
    channels = wide["interrupt_o"]
    assert found["S_AXI"].keys() == AXI4_LITE
    for signal, (direction, bits, _) in found["S_AXI"].items():
        way = {"input": "i", "output": "o"}[direction]
        assert bits == wide[f"s_axil_{signal.lower()}_{way}"]
    streams = [name for name in found if "AXIS" in name]
    assert len(streams) == 2 * channels
    for name in streams:
        assert found[name].keys() == AXI4_STREAM
        for signal, (direction, bits, _) in found[name].items():
            inward = (signal in FROM_SENDER) == name.startswith("S_")
            assert direction == ("input" if inward else "output")
            side = name[0].lower()
            assert bits == wide[f"{side}_axis_{signal.lower()}_{'i' if inward else 'o'}"] / channels
        data = found[name]["TDATA"][1]
        assert parameters(design)[name]["TDATA_NUM_BYTES"] == str(data // 8)
    assert parameters(design)["S_AXI"]["PROTOCOL"] == "AXI4LITE"
    assert parameters(design)["S_AXI"]["ADDR_WIDTH"] == str(wide["s_axil_awaddr_i"])


@pytest.mark.parametrize("design", DESIGNS)
def test_clocks_name_their_buses_and_resets_and_interrupts_are_levels(design: str) -> None:
    found, about = interfaces(design), parameters(design)
    clocks = [name for name, signals in found.items() if "CLK" in signals]
    two = design == "aes-iterative-two-clocks"
    assert clocks == (["ACLK", "CORE_ACLK"] if two else ["ACLK"])
    buses = [name for name in found if "AXI" in name]
    assert about["ACLK"]["ASSOCIATED_BUSIF"].split(":") == buses
    for clock in clocks:
        reset = about[clock]["ASSOCIATED_RESET"]
        assert found[reset.upper()]["RST"] == ("input", 1, reset)
        assert about[reset.upper()] == {"POLARITY": "ACTIVE_LOW"}
    lines = [name for name, signals in found.items() if "INTERRUPT" in signals]
    assert len(lines) == (6 if design == "aes-pipelined-channels" else 1)
    assert all(about[name] == {"SENSITIVITY": "LEVEL_HIGH"} for name in lines)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_wrapper_connects_every_port_of_the_accelerator_once(design: str) -> None:
    text = files(design)[WRAPPER]
    connected = re.findall(r"^    \.([a-z]\w+) \(", text, re.MULTILINE)
    assert sorted(connected) == sorted(port.name for port in ports_of(design))


def test_channel_n_is_element_n_of_each_vector() -> None:
    text = files("aes-pipelined-channels")[WRAPPER]
    (wires,) = re.findall(r"\.s_axis_tlast_i \(\{(.*)\}\)", text)
    assert wires.split(", ") == [f"s_axis_{n}_tlast" for n in range(5, -1, -1)]


def test_only_an_accelerator_has_a_wrapper() -> None:
    ports = {port.name for port in ports_of("aes-serial")}
    module = find_core("aes-serial")
    assert has_wrapper(module, ports)
    assert not has_wrapper(module, ports - {"interrupt_o"})
    assert not has_wrapper(module.model_copy(update={"protocol": "block-core"}), ports)


def tcl_is_complete(text: str, folder: Path) -> bool:
    """Whether Tcl takes a text for whole commands; skips the test where there is no Tcl."""
    try:
        import tkinter
    except ImportError:
        pass
    else:
        return bool(tkinter.Tcl().call("info", "complete", text))
    if (tclsh := shutil.which("tclsh")) is None:
        pytest.skip("neither tkinter nor tclsh is here")
    (folder / "text").write_text(text, encoding="utf-8")
    script = folder / "check.tcl"
    script.write_text(
        f"set file [open {{{folder / 'text'}}}]\nputs [info complete [read $file]]\n",
        encoding="utf-8",
    )
    done = subprocess.run([tclsh, str(script)], capture_output=True, text=True, check=True)
    return done.stdout.strip() == "1"


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", ["package_ip", "block_design"])
def test_the_tcl_is_complete(design: str, name: str, tmp_path: Path) -> None:
    text = files(design)[f"vivado/{name}.tcl"]
    assert tcl_is_complete(text, tmp_path)
    assert not tcl_is_complete(text.rpartition("]")[0], tmp_path), "Tcl sees no difference"


STUBS = """\
set argc 0
set argv {}
proc unknown {args} { puts [join $args " "]; return [lindex $args end] }
foreach name {get_bd_pins get_bd_intf_pins get_bd_cells get_bd_addr_spaces} {
  proc $name {args} { return [lindex $args end] }
}
proc bgerror {message} { puts stderr $message; exit 1 }
source [lindex {SCRIPT} 0]
"""
"""Every command of Vivado prints itself and returns its last argument."""


@pytest.mark.parametrize("design", DESIGNS)
def test_the_tcl_runs_and_connects_each_pin_of_the_accelerator_once(
    design: str, tmp_path: Path
) -> None:
    if (tclsh := shutil.which("tclsh")) is None:
        pytest.skip("tclsh is not here")
    printed = {}
    for name in ("package_ip", "block_design"):
        script = tmp_path / f"{name}.tcl"
        script.write_text(files(design)[f"vivado/{name}.tcl"], encoding="utf-8")
        stubs = tmp_path / "stubs.tcl"
        stubs.write_text(STUBS.replace("SCRIPT", str(script)), encoding="utf-8")
        done = subprocess.run([tclsh, str(stubs)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        printed[name] = done.stdout
    joined = re.findall(r"^connect_bd_(?:intf_)?net (\S+) (\S+)$", printed["block_design"], re.M)
    ends = [end for pair in joined for end in pair if end.startswith("accelerator/")]
    assert len(ends) == len(set(ends))
    found = interfaces(design)
    dmas = printed["block_design"].count("xilinx.com:ip:axi_dma:7.1")
    assert dmas == min(5, len([name for name in found if name.startswith("M_AXIS")]))
    buses = {name for name in found if "AXI" in name and not name.endswith("_5")}
    assert {end for end in ends if end[12].isupper()} == {f"accelerator/{bus}" for bus in buses}
    pins = {name for signals in found.values() for _, _, name in signals.values()}
    clocks = {pin for pin in pins if re.match("(core_)?a(clk|resetn)$|irq", pin)}
    assert {end for end in ends if end[12].islower()} == {f"accelerator/{pin}" for pin in clocks}
    constrained = "crossings.xdc" in printed["package_ip"]
    assert constrained == (design == "aes-iterative-two-clocks")


@pytest.mark.parametrize("design", DESIGNS)
def test_the_block_design_connects_pins_that_the_wrapper_has(design: str) -> None:
    text = files(design)["vivado/block_design.tcl"]
    found = interfaces(design)
    suffixes = re.findall(r'"([^"]*)"', re.findall(r"^set suffixes (.*)$", text, re.M)[0])
    for name in re.findall(r"accelerator/([A-Z]+_AXIS?)(\$suffix)?", text):
        for suffix in suffixes if name[1] else [""]:
            assert f"{name[0]}{suffix}" in found
    pins = set(re.findall(r"accelerator/([a-z]\w*)", text))
    ports = {name for signals in found.values() for _, _, name in signals.values()}
    assert {"aclk", "aresetn"} <= pins <= ports
    assert len([pin for pin in pins if pin.startswith("irq")]) >= 1


@pytest.mark.parametrize("design", DESIGNS)
def test_the_device_tree_has_the_addresses_and_interrupts_of_the_block_design(
    design: str, tmp_path: Path
) -> None:
    if (dtc := shutil.which("dtc")) is None:
        pytest.skip("dtc is not here")
    made = files(design)
    (tmp_path / "accelerator.dtsi").write_text(made["linux/accelerator.dtsi"], encoding="utf-8")
    (tmp_path / "board.dts").write_text(TREE, encoding="utf-8")
    done = subprocess.run(
        [dtc, "-I", "dts", "-O", "dts", "board.dts"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    design_text = made["vivado/block_design.tcl"]
    assigned = [int(at, 16) for at in re.findall(r"-offset (0x[0-9A-F]+)", design_text)]
    nodes = re.findall(
        r"^\t\t(?:ciphermill\w*: )?(?:crypto|dma-controller)@(\w+)", done.stdout, re.M
    )
    assert sorted(int(node, 16) for node in nodes) == sorted(assigned)
    numbers = re.findall(r"<0 (\d+) 4>", made["linux/accelerator.dtsi"])
    assert len(numbers) == len(set(numbers)) <= 16
    first = [*range(29, 37), *range(52, 60)]
    assert [int(number) for number in numbers] == first[: len(numbers)]
