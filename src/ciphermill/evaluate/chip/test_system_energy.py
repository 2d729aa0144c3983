# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Energy of a system: from recordings and figures made up, and once from end to end."""

import re
from collections import defaultdict
from dataclasses import replace
from typing import cast

import pytest

from ciphermill.design import DesignError, Measurement, Memory, Method, load_platform, make_run
from ciphermill.evaluate.chip import system_energy as module
from ciphermill.evaluate.chip.cells.power import Energy
from ciphermill.evaluate.chip.drivers.bus_recording import (
    Accesses,
    count_accesses,
    measured_region,
)
from ciphermill.evaluate.chip.implement import Attempt
from ciphermill.evaluate.chip.memory_energy import memory_energy
from ciphermill.evaluate.chip.system_energy import PartEnergy, SystemEnergy, system_energy
from ciphermill.evaluate.chip.system_parts import Kind, system_parts
from ciphermill.evaluate.system.errors import WrongOutput
from ciphermill.evaluate.system.image import Result
from ciphermill.evaluate.system.run import CosimResult
from ciphermill.registers import soc, soc_system
from ciphermill.toolchain.cell_synthesis import MappedNetlist, Strategy
from ciphermill.toolchain.cells import CellTarget, find_library
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.soc_recording import Recording

READY, NOTHING = 1 << 32, 0


def request(address: int, *, write: bool = False, wdata: int = 0) -> int:
    return 1 << 70 | write << 69 | address << 36 | wdata << 4


def measure(value: int) -> int:
    return request(soc.SYSTEM + soc_system.MEASURE, write=True, wdata=value)


def processor(*cycles: tuple[int, int, int, int]) -> Recording:
    """Fetch and its answer, data and its answer, by clock."""
    names = ("fetch_o", "fetch_i", "data_o", "data_i")
    return Recording(
        "processor", dict(zip(names, map(list, zip(*cycles, strict=True)), strict=True))
    )


QUIET = (NOTHING, NOTHING, NOTHING, NOTHING)
RECORDED = processor(
    QUIET,
    (NOTHING, NOTHING, measure(1), NOTHING),  # not taken yet
    (NOTHING, NOTHING, measure(1), READY),
    (request(0x100), READY, NOTHING, NOTHING),
    (request(0x104), NOTHING, NOTHING, NOTHING),  # memory waits
    (request(0x104), READY, request(0x2000), READY),
    (NOTHING, NOTHING, request(0x2004, write=True), READY),
    (NOTHING, NOTHING, request(soc.COPROCESSOR, write=True), READY),  # no memory
    (request(0x108), READY, measure(0), READY),
    (request(0x10C), READY, NOTHING, NOTHING),
)


def test_the_measured_region_is_between_the_two_writes() -> None:
    assert measured_region(RECORDED) == (3, 6)
    with pytest.raises(ToolError, match="no measured region"):
        measured_region(processor(QUIET, (NOTHING, NOTHING, measure(1), READY), QUIET))


def test_accesses_are_counted_when_memory_answers() -> None:
    assert count_accesses(RECORDED, 3, 6, memory_bytes=65536) == Accesses(3, 1, 1)
    assert count_accesses(RECORDED, 3, 2, memory_bytes=65536) == Accesses(1, 0, 0)


def test_memory_is_accesses_and_leakage() -> None:
    platform = load_platform("sram-45nm", Memory)
    found = memory_energy(platform, Accesses(3, 1, 1), 2.0)
    assert found.internal_fj == pytest.approx(5 * 7130)
    # 65,536 bits of 24.3 nW for 2 us.
    assert found.leakage_fj == pytest.approx(65536 * 24.3e-9 * 2e-6 * 1e15)
    with pytest.raises(ToolError, match="on-chip does not say"):
        memory_energy(load_platform("on-chip", Memory), Accesses(1, 1, 1), 1.0)


def made_up() -> SystemEnergy:
    """Two blocks of PRESENT in 100 cycles at 50 MHz: 2 us."""
    one = make_run(
        {
            "algorithm": "present",
            "partition": "shell",
            "bytes": 8,
            "messages": 2,
            "fresh_key": True,
        },
        "test",
    )
    counters = Result(0, 100, 70, 10, 20, 50, 20, 50, 0, 0, 0)
    result = CosimResult(one.system, one.workload, counters, 1000, None, 0.1)
    parts = (
        PartEnergy("processor", Kind.PROCESSOR, Energy(3e5, 4e5, 1e5), Energy(2e5, 4e5, 1e5), None),
        PartEnergy("bridge", Kind.BUS, Energy(1e4, 0, 0), Energy(1e4, 0, 0), None),
        PartEnergy("front", Kind.BUS, Energy(0, 3e4, 0), Energy(0, 3e4, 0), None),
        PartEnergy("memory", Kind.MEMORY, Energy(0, 6e4, 1e5), None, None),
    )
    memory = load_platform("sram-45nm", Memory)
    return SystemEnergy(result, CellTarget.NANGATE45, 50.0, parts, Accesses(1, 1, 1), memory)


def test_the_figures_of_a_system() -> None:
    energy = made_up()
    assert energy.time_us == 2.0
    # 1,000,000 fJ in 2 us, for two blocks of 8 bytes.
    whole, *parts = energy.measurements()
    assert whole.power_mw == pytest.approx(0.5)
    assert whole.energy_uj_per_op == pytest.approx(0.5e-3)
    assert whole.energy_pj_per_byte == pytest.approx(62.5)
    assert whole.power_leakage_mw == pytest.approx(0.2 * 0.5)
    assert by_kind(parts)[Kind.BUS] == pytest.approx(0.02)


def by_kind(parts: list[Measurement]) -> dict[str, float]:
    """Return the power of the parts of each kind, mW."""
    found: dict[str, float] = defaultdict(float)
    for part in parts:
        found[part.kind or ""] += part.power_mw or 0.0
    return found


def test_measurements_say_what_is_a_model() -> None:
    whole, *parts = made_up().measurements()
    assert whole.power_mw == pytest.approx(0.5)
    assert whole.energy_pj_per_byte == pytest.approx(62.5)
    assert whole.energy_uj_per_op == pytest.approx(0.0005)
    assert [one.scope for one in parts] == ["processor", "bridge", "front", "memory"]
    assert sum(one.power_mw or 0 for one in parts) == pytest.approx(0.5)
    assert (whole.method, parts[-1].method) == (Method.MODELLED, Method.MODELLED)
    for one in (whole, *parts):
        assert Measurement.from_json(one.to_json()) == one


def test_output_that_is_not_the_known_answer_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = replace(made_up().run, wrong_byte=3)
    monkeypatch.setattr(module, "system_parts", lambda *_: [])
    monkeypatch.setattr(module, "build", lambda *_, **__: None)
    monkeypatch.setattr(module, "run", lambda *_, **__: wrong)
    with pytest.raises(WrongOutput, match=r"shell, axi-lite, .* at byte 3"):
        system_energy(wrong.system, wrong.workload, CellTarget.NANGATE45, clock_mhz=50)


def test_a_part_that_misses_the_clock_says_what_it_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Attempt(cast(MappedNetlist, None), Strategy.SPEED, 40_000.0, 0.0, 20_000.0)
    monkeypatch.setattr(module, "smallest_cells", lambda *_, **__: slow)
    system = made_up().run
    with pytest.raises(ToolError, match="reaches 25 MHz, not 50"):
        system_energy(system.system, system.workload, CellTarget.NANGATE45, clock_mhz=50)


def test_what_is_not_there_is_said() -> None:
    one = make_run({"partition": "dma", "bytes": 64}, "test")
    with pytest.raises(DesignError, match="partition dma: the energy of a system"):
        system_parts(one.system, one.workload)
    one = make_run({"partition": "shell", "key_bits": 128, "soft_core": "ibex", "bytes": 64}, "")
    with pytest.raises(DesignError, match="soft_core ibex: the energy of a system"):
        system_parts(one.system, one.workload)


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"partition": "software"}, ["processor", "local_bus"]),
        ({"partition": "stream"}, ["processor", "local_bus", "accelerator"]),
        (
            {"partition": "iterative", "interface": "local"},
            ["processor", "local_bus", "accelerator"],
        ),
        (
            {"partition": "unrolled"},
            ["processor", "local_bus", "bridge", "front", "accelerator"],
        ),
        (
            {"partition": "linear-layer"},
            ["processor", "local_bus", "bridge", "front", "accelerator"],
        ),
        (
            {"partition": "round", "interface": "axi4-64"},
            ["processor", "local_bus", "bridge", "front", "accelerator"],
        ),
    ],
)
def test_the_parts_of_a_system(fields: dict[str, str], names: list[str]) -> None:
    one = make_run({**fields, "bytes": 64}, "test")
    parts = system_parts(one.system, one.workload)
    assert [part.name for part in parts] == names
    for part in parts:
        text = "".join(path.read_text() for path in part.source.files)
        assert re.search(rf"\bmodule {part.source.top}\b", text)
        for name in part.source.parameters:
            assert re.search(rf"\bparameter [^=]*\b{name}\b", text)


@pytest.mark.synthesis
@pytest.mark.timeout(1800)
def test_a_system_from_end_to_end() -> None:
    try:
        find_library(CellTarget.NANGATE45)
    except ToolError as error:
        pytest.skip(str(error))
    fields = {
        "algorithm": "present",
        "partition": "shell",
        "key_bits": 80,
        "bytes": 8,
        "messages": 4,
        "fresh_key": True,
    }
    one = make_run(fields, "test")
    memory = load_platform("sram-45nm", Memory)
    found = system_energy(
        one.system, one.workload, CellTarget.NANGATE45, clock_mhz=50, memory=memory
    )
    assert [part.name for part in found.parts] == [
        "processor", "local_bus", "bridge", "front", "accelerator", "memory",
    ]  # fmt: skip
    assert all(part.compared_bits for part in found.parts if part.mapped)
    # A small core on 45 nm takes milliwatts at 50 MHz; the same core and memory throughout.
    whole, *parts = found.measurements()
    assert 1 < (whole.power_mw or 0.0) < 10
    kinds = by_kind(parts)
    assert kinds[Kind.BUS] < kinds[Kind.ACCELERATOR] < kinds[Kind.PROCESSOR]
    assert found.accesses.fetches < found.cycles
    for part in found.parts:
        if part.settled:
            assert part.settled.switching_fj < part.energy.switching_fj
            assert part.settled.leakage_fj == pytest.approx(part.energy.leakage_fj, rel=0.1)
