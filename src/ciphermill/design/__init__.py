# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The four words that everything is made of, as checked models.

A ``Design`` is what is built, a ``Platform`` what it is built on, a
``Workload`` what is asked of it, a ``Measurement`` what was seen.
"""

from .design import (
    AlgorithmName,
    Architecture,
    Clock,
    Design,
    Direction,
    Interface,
    KeyStorage,
    SBox,
)
from .errors import CannotBeError, DesignError, UnknownNameError
from .home import build_folder, find_home, models_folder
from .load import design_names, load_design, load_module, load_platform, module_names
from .measurement import DOTTED_KEYS, Measurement, Method, Provenance
from .module import Module
from .platform import MemoryEnergy, Platform
from .runs import Run, check_run, load_runs, make_run, run_file_names
from .system import (
    PARTITIONS,
    BusInterface,
    Optimisation,
    Partition,
    SoftCore,
    System,
    Variant,
)
from .workload import Output, Workload

__all__ = [
    "DOTTED_KEYS",
    "PARTITIONS",
    "AlgorithmName",
    "Architecture",
    "BusInterface",
    "CannotBeError",
    "Clock",
    "Design",
    "DesignError",
    "Direction",
    "Interface",
    "KeyStorage",
    "Measurement",
    "MemoryEnergy",
    "Method",
    "Module",
    "Optimisation",
    "Output",
    "Partition",
    "Platform",
    "Provenance",
    "Run",
    "SBox",
    "SoftCore",
    "System",
    "UnknownNameError",
    "Variant",
    "Workload",
    "build_folder",
    "check_run",
    "design_names",
    "find_home",
    "load_design",
    "load_module",
    "load_platform",
    "load_runs",
    "make_run",
    "models_folder",
    "module_names",
    "run_file_names",
]
