# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The energy experiments of the AES and PRESENT paper: toggles, cores alone, systems.

Toggles need no technology. The rest is in cells of a library, where the paper had
an FPGA; where no library is found, it is left out and the reason is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Measurement, Partition, Provenance, SoftCore, make_run
from ciphermill.evaluate.chip.energy import CellEnergy, measure_energy
from ciphermill.evaluate.chip.implement import implement_cells
from ciphermill.evaluate.chip.measures import of_energy
from ciphermill.evaluate.chip.system_energy import (
    SystemEnergy,
    memory_of,
    soft_core_with_energy,
    system_energy,
)
from ciphermill.evaluate.chip.toggles import ToggleCount, count_toggles
from ciphermill.evaluate.chip.workloads import WORKLOADS
from ciphermill.papers.aes_present_coprocessors.published import Cipher, CoprocessorsPaper
from ciphermill.toolchain.cells import CellTarget, first_library
from ciphermill.toolchain.errors import ClockMissed, ToolError
from ciphermill.toolchain.model import Report, say
from ciphermill.toolchain.modules import find_core

CORES: Mapping[Cipher, str] = {
    Cipher.AES: "aes-iterative-128-encrypt",
    Cipher.PRESENT: "present-iterative-80-encrypt",
}
"""Modules that are like the paper's cores: one round a cycle, encryption only, round
keys made on the way."""
KEY_BITS: Mapping[Cipher, int] = {Cipher.AES: 128, Cipher.PRESENT: 80}

WORKLOAD = "stand-alone"
"""Of ``evaluate.chip.workloads``: the paper's ten encryptions at 20 MHz."""


@dataclass(frozen=True)
class CoprocessorsEnergy:
    """What the energy experiments gave."""

    soft_core: SoftCore
    """Of the systems."""
    toggles: Mapping[Cipher, ToggleCount]
    target: CellTarget | None
    """The cell library; None where there is none."""
    standalone: Mapping[Cipher, CellEnergy]
    """Cores alone; of both ciphers, or empty."""
    system: Mapping[Cipher, SystemEnergy]
    """Whole systems; of both ciphers, or empty."""
    missing: str | None
    """Why there is nothing of cells, or not all: what the rest failed of."""
    measurements: tuple[Measurement, ...]


def count_core_toggles(*, report: Report = say) -> dict[Cipher, ToggleCount]:
    """Return toggles and cycles of both cores alone: ten encryptions, each with its own key.

    Raises:
        ToolError: A tool is missing or failed.
        SimulationError: A core's output is wrong.
    """
    found = {}
    for cipher, name in CORES.items():
        report(f"toggles of {name} ...")
        found[cipher] = count_toggles(find_core(name), WORKLOADS[WORKLOAD])
    return found


def run_coprocessors_energy(
    paper: CoprocessorsPaper,
    soft_core: SoftCore,
    toggles: Mapping[Cipher, ToggleCount],
    *,
    target: CellTarget | None = None,
    provenance: Provenance | None = None,
    report: Report = say,
) -> CoprocessorsEnergy:
    """Run the experiments.

    Args:
        paper: What is printed: it says how many encryptions, and the cycles.
        soft_core: What our firmware runs on.
        toggles: Of the cores alone.
        target: The cell library; the first that is found unless given.
        provenance: What every measurement says of its origin.
        report: Is given a line before each step that takes long.

    Cores and systems of which one misses its clock are left out, and ``missing`` says
    so.

    Raises:
        ToolError: A tool failed, or the library that was asked for is not there.
        SimulationError: The cells of a part do not what its RTL did.
        WrongOutput: A system's output is not the known answer.
        CosimError: A run gave no result.
    """
    modules = {cipher: find_core(name) for cipher, name in CORES.items()}
    workload = WORKLOADS[WORKLOAD]
    soft_core = soft_core_with_energy(soft_core)
    measurements: list[Measurement] = []
    try:
        target = target or first_library()
    except ToolError as error:
        return CoprocessorsEnergy(soft_core, toggles, None, {}, {}, str(error), tuple(measurements))
    standalone: dict[Cipher, CellEnergy] = {}
    system: dict[Cipher, SystemEnergy] = {}
    missing = None
    try:
        for cipher, module in modules.items():
            printed = paper.energy_of("standalone", cipher)
            report(f"energy of {module.name} in {target} ...")
            made = implement_cells(module, target, printed.clock_mhz, report=report)
            standalone[cipher] = measure_energy(made, workload)
            measurements.append(of_energy(standalone[cipher], provenance))
        for cipher in modules:
            system[cipher] = _system(paper, soft_core, cipher, target, report)
            measurements += system[cipher].measurements(provenance)
    except ClockMissed as error:
        missing = str(error)
    return CoprocessorsEnergy(
        soft_core,
        toggles,
        target,
        standalone if len(standalone) == len(modules) else {},
        system if len(system) == len(modules) else {},
        missing,
        tuple(measurements),
    )


def _system(
    paper: CoprocessorsPaper,
    soft_core: SoftCore,
    cipher: Cipher,
    target: CellTarget,
    report: Report,
) -> SystemEnergy:
    printed = paper.energy_of("system", cipher)
    fields = {
        "algorithm": cipher,
        "partition": Partition.SHELL,
        "soft_core": soft_core,
        "key_bits": KEY_BITS[cipher],
        "bytes": ALGORITHMS[cipher].block_bytes,
        "messages": printed.encryptions,
        "fresh_key": True,
    }
    one = make_run(fields, "the AES and PRESENT paper's energy experiment")
    report(f"energy of a system with {cipher} in {target} ...")
    return system_energy(
        one.system,
        one.workload,
        target,
        clock_mhz=printed.clock_mhz,
        memory=memory_of(target),
        report=report,
    )
