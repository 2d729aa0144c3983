# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
import importlib.util
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import find_home

from . import firmware
from .elf import read_elf
from .errors import ToolError
from .firmware import (
    CUSTOM_INSTRUCTIONS,
    INSTRUCTION_CORES,
    MAINS,
    OPTIMISATIONS,
    PROGRAMS,
    SOFT_CORES,
    driver,
    ensure_firmware,
    program_name,
)

BUILDS = [
    (program, core)
    for index, program in enumerate(PROGRAMS)
    for core in (
        INSTRUCTION_CORES if program in CUSTOM_INSTRUCTIONS else [list(SOFT_CORES)[index % 4]]
    )
]


@pytest.mark.parametrize(("program", "core"), BUILDS)
def test_every_program_is_built(program: str, core: str) -> None:
    built = ensure_firmware(program, soft_core=core)
    image = built.path.read_bytes()
    assert 1000 < built.code_bytes < len(image) < built.image_end < 0x10000
    assert image[0x200:0x300] == bytes(0x100)  # the workload's and the result's place
    assert built.symbols["_start"] == 0
    assert built.symbols["main"] >= 0x300


@pytest.mark.parametrize("main", MAINS)
@pytest.mark.parametrize("core", SOFT_CORES)
def test_every_core_has_its_entries(core: str, main: str) -> None:
    others = {"run_messages": "ascon-software", "run_operations": "ecc-software"}
    program = others.get(main, "aes-iterative")
    built = ensure_firmware(program, soft_core=core, main=main)
    image = built.path.read_bytes()
    start = built.symbols["start_up"]
    if core == "sa1110":
        assert image[3] == 0xEA  # a branch, always
        return
    for entry in (0x0, 0x80):
        (jump,) = struct.unpack_from("<I", image, entry)
        assert jump & 0xFFF == 0x06F  # jal x0
        assert entry + (jump >> 21 & 0x3FF) * 2 == start
    assert struct.unpack_from("<I", image, 0x10)[0] & 0xFFF == 0x06F
    assert built.symbols["vectors"] == 0x100


def test_the_optimisation_levels_differ() -> None:
    sizes = {
        level: ensure_firmware("aes-software-portable", soft_core="ibex", optimisation=level)
        for level in OPTIMISATIONS
    }
    assert sizes["Os"].code_bytes < sizes["O2"].code_bytes < sizes["O3"].code_bytes
    assert (
        ensure_firmware("aes-software-portable", soft_core="ibex", optimisation="-O3")
        == sizes["O3"]
    )


def test_the_depth_of_the_hardware_reaches_the_driver() -> None:
    images = {
        ensure_firmware("aes-unrolled", soft_core="ibex", blocks_in_flight=depth).path.read_bytes()
        for depth in (1, 2, 5)
    }
    assert len(images) == 3


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("CIPHERMILL_BUILD", str(tmp_path))
    yield tmp_path


def test_what_is_built_is_not_built_again(elsewhere: Path) -> None:
    said: list[str] = []
    first = ensure_firmware("aes-stream", soft_core="vexriscv", report=said.append)
    assert said == ["building the firmware aes-stream for vexriscv ..."]
    assert ensure_firmware("aes-stream", soft_core="vexriscv", report=said.append) == first
    assert len(said) == 1
    assert sorted(path.suffix for path in (elsewhere / "cache/firmware").iterdir()) == [
        ".bin",
        ".elf",
    ]


def test_a_source_that_does_not_compile_is_named(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(firmware, "_FLAGS", (*firmware._FLAGS, "-DPARTITION_OK=+"))
    with pytest.raises(ToolError, match=r"compiling the firmware aes-iterative.*(\n.*)*error"):
        ensure_firmware("aes-iterative", soft_core="ibex")
    assert not list((elsewhere / "cache/firmware").glob("*.elf"))


def test_without_the_compiler_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ToolError, match="pip install ziglang"):
        ensure_firmware("aes-iterative", soft_core="ibex")


def test_what_there_is_not_is_refused_with_what_there_is() -> None:
    for wrong, message in (
        ({"program": "aes-magic"}, "no firmware aes-magic; there is: aes-software-portable"),
        ({"soft_core": "z80"}, "no soft core z80; there is: picorv32"),
        ({"optimisation": "O9"}, "no optimisation level O9; there is: O2"),
        ({"main": "x"}, "no main program x; there is: run_workload"),
        ({"program": "aes-stream"}, "ibex cannot host aes-stream: it has no port for custom"),
    ):
        arguments: dict[str, Any] = {"program": "aes-iterative", "soft_core": "ibex", **wrong}
        with pytest.raises(ToolError, match=message):
            ensure_firmware(**arguments)
    with pytest.raises(ToolError, match="no firmware present-dma"):
        program_name("present", "dma")


def test_every_partition_has_a_program_and_every_program_its_sources() -> None:
    wanted = {
        program_name(cipher, partition, variant)
        for cipher, algorithm in ALGORITHMS.items()
        for partition, split in algorithm.partitions.items()
        for variant in split.programs
    }
    assert wanted == set(PROGRAMS)
    for program, sources in PROGRAMS.items():
        for source in (driver(program), *sources):
            assert (find_home() / "firmware" / source).is_file()


def test_a_damaged_executable_is_refused() -> None:
    built = ensure_firmware("aes-iterative", soft_core="ibex")
    data = built.path.with_suffix(".elf").read_bytes()
    assert read_elf(data).image() == built.path.read_bytes()
    for damaged in (b"", data[:40], data[: len(data) // 2], b"\x7fELF\x02" + data[5:]):
        with pytest.raises(ToolError, match="not a whole ELF file"):
            read_elf(damaged)
