# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Modules: every file can be read, and designs become their core or their whole."""

import re
from pathlib import Path

import pytest
from ciphermill_dv.simulate import assert_clean

from ciphermill.design import Accelerator, Core, DesignError, design_names, find_home
from ciphermill.toolchain.modules import Part, core_of, find_core, module_sources

HOME = find_home()


@pytest.mark.parametrize("name", [*design_names(Core), *design_names(Accelerator)])
def test_module_has_its_top_and_its_parameters(name: str) -> None:
    module = find_core(name)
    found = [path for path in module_sources(module) if path.stem == module.top]
    assert len(found) == 1, f"{module.top} is not in {module.folders}"
    text = found[0].read_text(encoding="utf-8")
    for parameter in module.parameters:
        assert re.search(rf"parameter\b[^;=]*\b{parameter}\s*=", text), parameter
    for port in filter(None, (module.clock, module.reset)):
        assert re.search(rf"input\b.*\b{port}\b", text), port


def test_packages_come_first() -> None:
    sources = module_sources(find_core("coprocessor-shell-aes"))
    packages = [path.stem.endswith("_pkg") for path in sources]
    assert packages == sorted(packages, reverse=True)


def test_accelerator_of_a_design_is_the_whole() -> None:
    core, whole = (find_core("aes-serial", part=part) for part in Part)
    assert (core.name, core.top) == ("aes-serial", "aes_core")
    assert (whole.name, whole.top) == ("aes-serial-accelerator", "accel")
    assert whole.parameters.items() >= core.parameters.items()
    assert core.parameters["Architecture"] == 2


@pytest.mark.parametrize(
    ("architecture", "storage", "cycles"),
    [("iterative", "stored", 14), ("iterative", "on-the-fly", 14), ("serial", "on-the-fly", 72)],
)
def test_cycles_of_a_design_are_those_of_its_core(
    architecture: str, storage: str, cycles: float
) -> None:
    values = {"name": "x", "architecture": architecture, "key_storage": storage}
    assert core_of(Accelerator.model_validate(values), Part.CORE).cycles_per_block == cycles


@pytest.mark.parametrize(
    ("name", "part"),
    [
        *((name, Part.ACCELERATOR) for name in design_names(Accelerator)),
        ("ascon-iterative-stream", Part.CORE),
    ],
)
def test_part_of_a_design_has_no_warnings(name: str, part: Part) -> None:
    module = find_core(name, part=part)
    waivers = sorted(HOME.glob("hw/*/rtl/**/*.vlt"))
    assert_clean(module.top, [*waivers, *module_sources(module)], module.parameters)


def test_quiet_accelerator_is_around_the_core_for_cells() -> None:
    quiet, cells = find_core("aes-iterative-quiet", part=Part.CORE), find_core("aes-iterative-256")
    assert quiet.parameters.items() >= (cells.parameters.items() - {("TagWidth", 1)})
    assert (quiet.key_sizes, quiet.directions) == (cells.key_sizes, cells.directions)
    assert quiet.cycles_per_block == cells.cycles_per_block


def test_a_file_of_either_kind(tmp_path: Path) -> None:
    for kind, name in (("accelerators", "aes-iterative"), ("cores", "present-minimal")):
        text = (HOME / "designs" / kind / f"{name}.toml").read_text(encoding="utf-8")
        copy = tmp_path / f"{name}.toml"
        copy.write_text(text, encoding="utf-8")
        assert find_core(str(copy)) == find_core(name)


def test_folder_is_an_ip_or_a_path(tmp_path: Path) -> None:
    file = tmp_path / "extra.sv"
    file.write_text("module extra; endmodule\n")
    module = Core(name="x", top="extra", folders=(str(tmp_path), "hw/prim/rtl"))
    sources = module_sources(module)
    assert file in sources
    assert HOME / "hw/prim/rtl/prim_fifo.sv" in sources


@pytest.mark.parametrize(
    ("name", "part", "message"),
    [
        ("aes-nothing", Part.CORE, "there are: .*aes-pipelined.*present-minimal"),
        ("present-minimal", Part.ACCELERATOR, "only an accelerator has parts"),
    ],
)
def test_refusal_says_why(name: str, part: Part, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        find_core(name, part=part)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ('folders = ["aes; rm"]', "is no folder's name"),
        ("folders = []", "at least 1 item"),
        ('top = "a b"', "should match"),
        ('protocol = ""', "should match"),
        ("[parameters]\nWidth = 1.5", "integer"),
    ],
)
def test_malformed_file_is_refused(tmp_path: Path, field: str, message: str) -> None:
    name = field.split(" ", 1)[0]
    own = {"top": 'top = "a"', "folders": 'folders = ["aes"]'}
    kept = [line for key, line in own.items() if key != name]
    path = tmp_path / "bad.toml"
    path.write_text("\n".join(['kind = "core"', 'name = "bad"', *kept, field]), encoding="utf-8")
    with pytest.raises(DesignError, match=message):
        find_core(str(path))


def test_empty_reset_is_none() -> None:
    assert find_core("present-minimal").reset is None
    assert find_core("aes-iterative-256").reset == "rst_ni"
