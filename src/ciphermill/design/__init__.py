# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The four words that everything is made of, as checked models.

A ``Design`` is what is built, a ``Platform`` what it is built on, a
``Workload`` what is asked of it, a ``Measurement`` what was seen.
"""

from .design import Architecture, Cipher, Clock, Design, Direction, Interface, KeyStorage, SBox
from .errors import DesignError
from .home import build_folder, find_home, models_folder
from .load import design_names, load_design, load_platform
from .measurement import DOTTED_KEYS, Measurement, Method, Provenance
from .platform import Platform
from .workload import Mode, Output, Workload

__all__ = [
    "DOTTED_KEYS",
    "Architecture",
    "Cipher",
    "Clock",
    "Design",
    "DesignError",
    "Direction",
    "Interface",
    "KeyStorage",
    "Measurement",
    "Method",
    "Mode",
    "Output",
    "Platform",
    "Provenance",
    "SBox",
    "Workload",
    "build_folder",
    "design_names",
    "find_home",
    "load_design",
    "load_platform",
    "models_folder",
]
