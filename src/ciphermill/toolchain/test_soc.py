# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from ciphermill.design import (
    BusInterface,
    Optimisation,
    Partition,
    SBox,
    SoftCore,
    System,
    Variant,
)

from . import soc
from .errors import ToolError
from .soc import ensure_soc, hardware_partition, soc_parameters, soc_sources
from .soft_cores import find_soft_core


def test_a_system_becomes_parameters() -> None:
    system = System(
        partition=Partition.UNROLLED,
        soft_core=SoftCore.VEXRISCV,
        interface=BusInterface.AXI4_128,
        blocks_in_flight=5,
        memory_bytes=65536,
    )
    assert soc_parameters(system) == {
        "SoftCore": 1,
        "Partition": 1,
        "Interface": 2,
        "AxiWidth": 128,
        "BlocksInFlight": 5,
        "Algorithm": 0,
        "MemoryBytes": 65536,
    }
    assert soc_parameters(system.model_copy(update={"sbox": SBox.DECODER}))["SBox"] == 2
    present = System(partition=Partition.SHELL, algorithm="present", soft_core=SoftCore.IBEX)
    assert soc_parameters(present) == {
        "SoftCore": 2,
        "Partition": 8,
        "Interface": 1,
        "AxiWidth": 32,
        "Algorithm": 1,
        "MemoryBytes": 262144,
    }


def test_software_that_needs_instructions_gets_the_hardware_for_them() -> None:
    plain = System(partition=Partition.SOFTWARE)
    zkn = System(partition=Partition.SOFTWARE, variant=Variant.ZKN)
    assert hardware_partition(plain) is Partition.SOFTWARE
    assert hardware_partition(zkn) is Partition.INSTRUCTION
    assert "Algorithm" not in soc_parameters(plain)
    assert soc_parameters(zkn) == soc_parameters(System(partition=Partition.INSTRUCTION))


@pytest.mark.parametrize("partition", list(Partition))
def test_a_system_has_the_files_of_its_partition_and_core_alone(partition: Partition) -> None:
    names = {path.stem for path in soc_sources(System(partition=partition))}
    assert {"soc", "soc_pkg", "soc_core_picorv32"} <= names
    assert not {"soc_core_vexriscv", "soc_core_ibex", "prim_clock_gating"} & names
    assert ("soc_dma" in names) == (partition is Partition.DMA)
    assert ("accel" in names) == (partition is Partition.DMA)
    instructions = partition in (Partition.INSTRUCTION, Partition.STREAM)
    assert ("soc_instructions" in names) == instructions
    mapped = partition not in (Partition.SOFTWARE, Partition.DMA) and not instructions
    assert ("soc_coprocessor" in names) == mapped
    assert ("coprocessor_iterative" in names) == (mapped or instructions)


@pytest.mark.parametrize("core", list(SoftCore))
def test_soft_cores_are_found_in_the_environment(core: SoftCore) -> None:
    found = find_soft_core(core)
    assert found.version[0].isdigit()
    assert all(folder.is_dir() for folder in found.includes)


def test_a_missing_soft_core_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ToolError, match="ibex is missing: pip install pythondata-cpu-ibex"):
        find_soft_core(SoftCore.IBEX)


def test_a_soft_core_without_its_files_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spec = ModuleSpec("pythondata_cpu_picorv32", None)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: spec)
    with pytest.raises(ToolError, match=r"it has no picorv32\.v"):
        find_soft_core(SoftCore.PICORV32)


def test_what_does_not_change_the_hardware_builds_nothing_again() -> None:
    lines: list[str] = []
    first = ensure_soc(System(partition=Partition.SOFTWARE), report=lines.append)
    lines.clear()
    for system in (
        System(partition=Partition.SOFTWARE),
        System(partition=Partition.SOFTWARE, variant=Variant.TABLE, optimisation=Optimisation.O3),
        System(partition=Partition.SOFTWARE, memory_read_wait=22, key_caching=False),
        System(partition=Partition.SOFTWARE, algorithm="present"),
    ):
        assert ensure_soc(system, report=lines.append) == first
    assert lines == []


def test_waveforms_without_their_libraries_say_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(soc, "TRACE_HEADERS", {"no-such-header.h": "libnone-dev"})
    with pytest.raises(ToolError, match=r"no-such-header\.h.*: apt install libnone-dev"):
        ensure_soc(System(partition=Partition.SOFTWARE), trace=True)
