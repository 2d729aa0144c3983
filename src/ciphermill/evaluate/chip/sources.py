# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The source files that are part of the keys of cached results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ciphermill.toolchain import liberty
from ciphermill.toolchain.cache import code_key

ANALYSIS = ("cells/clock_network.py", "cells/netlist.py", "cells/timing.py")
"""Sources of the timing analysis, without the reader of libraries."""
SIMULATOR = (
    *ANALYSIS,
    "activity/activity.py",
    "drivers/bus_drivers.py",
    "cells/circuit.py",
    "drivers/driver.py",
    "drivers/drivers.py",
    "cells/gate_engine.py",
    "cells/gate_simulation.py",
    "activity/simulation.py",
    "signature.py",
    "workloads.py",
)
"""Sources that run a workload on cells with their delays, without ``cells/gates/``."""
_FOLDER = Path(__file__).resolve().parent
_LIBRARIES = Path(liberty.__file__).resolve().parent


def analysis_key() -> str:
    """Return the hash of the sources that a netlist's timing depends on."""
    return _key(ANALYSIS)


def simulator_key() -> str:
    """Return the hash of the sources that an activity depends on."""
    return _key(SIMULATOR, *(_FOLDER / "cells/gates").iterdir())


def _key(names: Sequence[str], *more: Path) -> str:
    files = [*(_FOLDER / name for name in names), *more, *_LIBRARIES.glob("liberty*.py")]
    return code_key(*files)
