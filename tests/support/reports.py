# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Invented figures and checks of tables, for the tests of several reports."""

from rich.console import Console, RenderableType

from ciphermill.design import Memory, Run, load_platform
from ciphermill.evaluate.chip.cells.power import Energy
from ciphermill.evaluate.chip.drivers.bus_recording import Accesses
from ciphermill.evaluate.chip.system_energy import PartEnergy, SystemEnergy
from ciphermill.evaluate.chip.system_parts import Kind
from ciphermill.evaluate.system.image import Result
from ciphermill.evaluate.system.run import CosimResult
from ciphermill.report.table import Table
from ciphermill.toolchain.cells import CellTarget


def invented_system(one: Run, cycles: int, accelerator_mw: float) -> SystemEnergy:
    """Return the energy of a run at 50 MHz.

    The processor takes 1 mW that works and 1 mW that leaks, memory leaks 2 mW.

    Args:
        one: System and workload.
        cycles: Of the measured region.
        accelerator_mw: What the accelerator takes; 0 for none.
    """
    blocks = one.workload.bytes * one.workload.messages // one.system.block_bytes
    counters = Result(0, cycles, cycles, 0, 0, 9, 9, cycles // blocks, 0, 0, 0)
    result = CosimResult(one.system, one.workload, counters, 1000, None, 0.1)
    per_mw = cycles * 20_000.0
    parts = [
        PartEnergy("processor", Kind.PROCESSOR, Energy(per_mw, 0, per_mw), Energy(), None),
        PartEnergy("memory", Kind.MEMORY, Energy(0, 0, 2 * per_mw), None, None),
    ]
    if accelerator_mw:
        energy = Energy(accelerator_mw * per_mw, 0, 0)
        parts.insert(1, PartEnergy("accelerator", Kind.ACCELERATOR, energy, Energy(), None))
    memory = load_platform("sram-45nm", Memory)
    return SystemEnergy(result, CellTarget.NANGATE45, 50.0, tuple(parts), Accesses(9, 9, 9), memory)


def printed(part: RenderableType, width: int) -> str:
    """Return the output on a terminal of this many columns, without colours."""
    console = Console(width=width, no_color=True, highlight=False)
    with console.capture() as capture:
        console.print(part)
    return capture.get()


def cut_off(table: Table, width: int) -> list[str]:
    """Return the words that a terminal of this width cuts; none should be.

    Each figure and each word must be there; only a word that is longer than a line
    may be in two pieces.
    """
    lines = printed(table, width).splitlines()
    found = [line for line in lines if len(line) > width or "…" in line]
    whole = " ".join(" ".join(lines).split())
    words = set(whole.split())
    for column in table.columns:
        for cell in (text.plain for text in column.cells):
            if column.figures and cell not in whole:
                found.append(f"{column.name}: {cell}")
            found += [
                f"{column.name}: {word}"
                for word in cell.split()
                if word not in words and len(word) <= width - 8
            ]
    return found
