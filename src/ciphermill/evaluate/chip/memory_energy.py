# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Energy of memory, by a formula with the figures of a platform.

The platform states an energy for each access of a 32-bit word, and a leakage power per bit.
"""

from __future__ import annotations

from collections.abc import Sequence

from ciphermill.design import Memory, MemoryEnergy
from ciphermill.evaluate.chip.activity.array_model import ArrayModel
from ciphermill.evaluate.chip.cells.power import Energy
from ciphermill.evaluate.chip.drivers.bus_recording import Accesses
from ciphermill.toolchain.errors import ToolError


def memory_energy(platform: Memory, accesses: Accesses, time_us: float) -> Energy:
    """Return memory's energy: accesses by the platform's figures, leakage by the bit.

    Raises:
        ToolError: The platform does not state the energy of an access.
    """
    figures = _figures(platform)
    reads = accesses.fetches + accesses.reads
    access_pj = reads * figures.read_pj + accesses.writes * figures.write_pj
    return _memory(figures, access_pj, 8 * figures.bytes, time_us)


def array_energy(platform: Memory, arrays: Sequence[ArrayModel], time_us: float) -> Energy:
    """Return the energy of memories inside a part, such as caches, by the same figures.

    The energy of an access is that of a word, scaled by its bits over 32.
    """
    figures = _figures(platform)
    access_pj = sum(
        (one.reads * figures.read_pj + one.writes * figures.write_pj) * one.array.width / 32
        for one in arrays
    )
    return _memory(figures, access_pj, sum(one.array.bits for one in arrays), time_us)


def _figures(platform: Memory) -> MemoryEnergy:
    if platform.memory_energy is None:
        raise ToolError(
            f"platform {platform.name} does not say what energy an access of memory takes: "
            "give its file a [memory_energy]"
        )
    return platform.memory_energy


def _memory(figures: MemoryEnergy, access_pj: float, bits: int, time_us: float) -> Energy:
    leakage_mw = figures.leakage_nw_per_bit * bits * 1e-6
    return Energy(internal_fj=1e3 * access_pj, leakage_fj=leakage_mw * time_us * 1e6)
