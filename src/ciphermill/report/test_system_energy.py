# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The table of a system's energy, from made-up figures."""

from dataclasses import replace

from rich.console import Console

from ciphermill.design import Memory, load_platform, make_run
from ciphermill.evaluate.chip.cells.power import Energy
from ciphermill.evaluate.chip.drivers.bus_recording import Accesses
from ciphermill.evaluate.chip.system_energy import CACHES, PartEnergy, SystemEnergy
from ciphermill.evaluate.chip.system_parts import Kind
from ciphermill.evaluate.system.image import Result
from ciphermill.evaluate.system.run import CosimResult
from ciphermill.report.system_energy import energy_lines, energy_table, part_rows
from ciphermill.toolchain.cells import CellTarget


def system() -> SystemEnergy:
    """Four blocks of AES in 500 cycles at 50 MHz: 10 us, 40 nJ."""
    one = make_run({"partition": "iterative", "soft_core": "vexriscv", "bytes": 64}, "test")
    counters = Result(0, 500, 400, 50, 50, 300, 40, 500, 0, 0, 0)
    result = CosimResult(one.system, one.workload, counters, 1000, None, 0.1)
    parts = (
        PartEnergy("processor", Kind.PROCESSOR, Energy(8e6, 2e6, 10e6), Energy(), None),
        PartEnergy("processor" + CACHES, Kind.PROCESSOR, Energy(0, 2e6, 2e6), None, None),
        PartEnergy("bridge", Kind.BUS, Energy(1e6, 0, 0), Energy(), None),
        PartEnergy("front", Kind.BUS, Energy(0, 0, 1e6), Energy(), None),
        PartEnergy("memory", Kind.MEMORY, Energy(0, 4e6, 10e6), None, None),
    )
    memory = load_platform("sram-45nm", Memory)
    return SystemEnergy(result, CellTarget.NANGATE45, 50.0, parts, Accesses(1200, 30, 20), memory)


def test_kinds_are_summed_and_caches_stand_by_themselves() -> None:
    rows = {row[0]: row[1:] for row in part_rows(system().measurements())}
    assert list(rows) == ["processor", "caches", "bus", "memory", "all"]
    assert rows["processor"] == ("-", "10.0", "10.0", "2.00", "50.0%")
    assert rows["bus"] == ("-", "1.00", "1.00", "0.200", "5.0%")
    assert rows["all"] == ("-", "17.0", "23.0", "4.00", "100.0%")


def test_what_is_said_of_it() -> None:
    console = Console(width=120, no_color=True)
    with console.capture() as capture:
        console.print(energy_table(system().measurements()))
    assert "iterative, axi-lite, vexriscv" in capture.get()
    assert "500 cycles at 50 MHz" in capture.get()
    figures, memory = energy_lines(system().measurements()[0])
    assert figures.startswith("10.0 nJ a block, 0.625 nJ a byte; 57% of it static.")
    assert "1,200 fetches, 30 reads and 20 writes" in memory
    without = energy_lines(replace(system(), memory=None).measurements()[0])[1]
    assert without.startswith("Memory is not included")
