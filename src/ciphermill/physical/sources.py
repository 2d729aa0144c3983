# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Which of this program's sources a result that is kept depends on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ciphermill.toolchain import liberty
from ciphermill.toolchain.cache import code_key

ANALYSIS = ("clock_network.py", "netlist.py", "timing.py")
"""What times a netlist, besides the reader of libraries."""
SIMULATOR = (
    *ANALYSIS,
    "activity.py",
    "block_ciphers.py",
    "bus_drivers.py",
    "circuit.py",
    "driver.py",
    "drivers.py",
    "gate_engine.py",
    "gate_simulation.py",
    "simulation.py",
    "workloads.py",
)
"""What runs a workload on cells with their delays, besides ``gates/``."""
_FOLDER = Path(__file__).resolve().parent
_LIBRARIES = Path(liberty.__file__).resolve().parent


def analysis_key() -> str:
    """Return the hash of the sources that a netlist's timing depends on."""
    return _key(ANALYSIS)


def simulator_key() -> str:
    """Return the hash of the sources that an activity depends on."""
    return _key(SIMULATOR, *(_FOLDER / "gates").iterdir())


def _key(names: Sequence[str], *more: Path) -> str:
    files = [*(_FOLDER / name for name in names), *more, *_LIBRARIES.glob("liberty*.py")]
    return code_key(*files)
