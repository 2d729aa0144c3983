# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Designs of four kinds; the field ``kind`` of a file names its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from .accelerator import Accelerator
from .core import Core
from .system import System
from .table import NAME_PATTERN, AlgorithmName, Table


class Software(Table):
    """A software device of the engine."""

    kind: Literal["software"] = "software"
    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    description: str = ""
    algorithm: AlgorithmName = "aes"
    device: Annotated[str, Field(min_length=1)]
    """The engine's name of the device: ``cpu``, ``software``, ``software+``."""


Design = Core | Accelerator | System | Software
"""A design: a core, an accelerator, a system or software."""

DESIGNS: Mapping[str, type[Design]] = {
    "core": Core,
    "accelerator": Accelerator,
    "system": System,
    "software": Software,
}
"""Kinds of designs."""
