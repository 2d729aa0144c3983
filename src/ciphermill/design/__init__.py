# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The models of designs, platforms, workloads and measurements.

A ``Design`` is what is built, a ``Platform`` what it is built on, a ``Workload`` the task,
a ``Measurement`` the result.
"""

from .accelerator import Accelerator, Architecture, Clock, Interface, KeyStorage, SBox
from .combinations import Combination, combinations
from .core import Core, OnBoard
from .design import DESIGNS, Design, Software
from .errors import CannotBeError, ContradictionError, DesignError, UnknownNameError
from .home import build_folder, find_home, models_folder
from .load import design_names, load_design, load_platform, platform_names
from .measurement import DOTTED_KEYS, Measurement, Method, Provenance
from .platform import (
    PLATFORMS,
    Board,
    CellLibrary,
    Fpga,
    Memory,
    MemoryEnergy,
    Platform,
    Processor,
    Rtl,
)
from .runs import Run, Runs, check_run, load_runs, make_run, make_runs, run_file_names
from .search_space import SearchSpace, load_space, space_names
from .space import Refusal, Space, expand, load_designs, load_platforms
from .streaming_platform import StreamingPlatform
from .system import (
    PARTITIONS,
    BusInterface,
    Optimisation,
    Partition,
    SoftCore,
    System,
    Variant,
)
from .table import AlgorithmName, Direction, Operation
from .workload import Workload
