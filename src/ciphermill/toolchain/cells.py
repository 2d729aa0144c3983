# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Standard-cell libraries: their names and the places of their files.

This project contains no library. Files are searched in the folders that
``CIPHERMILL_PDK_PATH`` names, in those of Debian's package ``qflow-tech-osu018``, and in
the folder of files that the Python package ``lambdapdk`` has fetched, in this order.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from ciphermill import environment

from .cache import artefact
from .errors import ToolError
from .liberty import read_liberty

PATH_VARIABLE = "CIPHERMILL_PDK_PATH"
"""Folders that hold libraries, separated as in ``PATH``."""
_SYSTEM_FOLDERS = (Path("/usr/share/qflow/tech/osu018"), Path("/usr/share/qflow/tech"))
_FETCHED = Path("~/.sc/cache")
"""The folder in which ``lambdapdk`` keeps fetched files, for every environment."""
_FETCH = (
    "pip install lambdapdk && python -c "
    "\"from lambdapdk.{module} import {name} as L; L().get_file(fileset='{files}')\""
)
"""``lambdapdk`` itself contains no files; this call fetches all of its library."""


class CellTarget(StrEnum):
    """A standard-cell library."""

    NANGATE45 = "nangate45"
    SKY130 = "sky130"
    OSU018 = "osu018"


@dataclass(frozen=True)
class CellFacts:
    """Properties of a library that its liberty file does not contain."""

    title: str
    files: tuple[str, ...]
    """Names of the liberty file at the typical corner."""
    remedy: str
    """How a user gets it."""
    wire_ff_per_fanout: float
    """The wire-load model: wire capacitance for each pin that a net drives, fF.

    It assumes a wire as long as two rows of cells (2.8, 5.4 and 20 µm at 1.4, 2.72 and 10
    µm a row) for each pin, at 0.2 fF a micrometre, about that of a middle metal layer in
    all three processes. It is an estimate before placement, the same for every design of a
    library, and two to three times the value of the libraries' own models (``wire_load``,
    in two of them) for a net with one pin.
    """


CELLS: Mapping[CellTarget, CellFacts] = {
    CellTarget.NANGATE45: CellFacts(
        "Nangate 45 nm Open Cell Library, typical, 1.1 V, 25 °C",
        ("nangate45_typ.lib", "NangateOpenCellLibrary_typical.lib"),
        _FETCH.format(
            module="freepdk45.libs.nangate45", name="Nangate45", files="models.timing.nldm"
        ),
        0.6,
    ),
    CellTarget.SKY130: CellFacts(
        "SkyWater 130 nm high density, typical, 1.8 V, 25 °C",
        ("sky130hd_tt.lib", "sky130_fd_sc_hd__tt_025C_1v80.lib"),
        _FETCH.format(
            module="sky130.libs.sky130sc",
            name="Sky130_SCHDLibrary",
            files="models.timing.typical.nldm",
        ),
        1.1,
    ),
    CellTarget.OSU018: CellFacts(
        "Oklahoma State University 180 nm, typical, 1.8 V, 25 °C",
        ("osu018_stdcells.lib",),
        "apt install qflow-tech-osu018",
        4.0,
    ),
}


def find_library(target: CellTarget) -> Path:
    """Return the path of a library's liberty file, which may be gzipped.

    Raises:
        ToolError: It was not found; the message is one line that says how to get it.
    """
    facts = CELLS[target]
    names = tuple(name + suffix for name in facts.files for suffix in ("", ".gz"))
    for folder in library_folders():
        for name in names:
            if (folder / name).is_file():
                return folder / name
    found = _in_package(_FETCHED.expanduser(), names)
    if found is not None:
        return found
    raise ToolError(
        f"no cell library {target}: {facts.remedy}, or put {facts.files[0]} "
        f"into a folder that {PATH_VARIABLE} names"
    )


def first_library() -> CellTarget:
    """Return the first cell library that is found.

    Raises:
        ToolError: None is found; the message says how to get the first one.
    """
    problems = []
    for target in CellTarget:
        try:
            find_library(target)
        except ToolError as error:
            problems.append(error)
        else:
            return target
    raise problems[0]


def liberty_file(target: CellTarget) -> Path:
    """Return a library's liberty file, unpacked, in the build folder.

    Yosys is given paths in the source tree and cannot read gzip files.

    Raises:
        ToolError: As ``find_library``, or the file cannot be read.
    """
    source = find_library(target)

    def unpack(folder: Path) -> Path:
        plain = folder / "cells.lib"
        plain.write_bytes(read_liberty(source))
        return plain

    facts = {"target": target.value}
    return artefact("cells", ".lib", [source], facts, unpack, relative_to=source.parent)


def library_folders() -> Iterator[Path]:
    """Folders that are searched for cell libraries, the user's first."""
    for name in environment.variable(PATH_VARIABLE).split(os.pathsep):
        if name:
            yield Path(name).expanduser()
    yield from _SYSTEM_FOLDERS


@cache
def _in_package(folder: Path, names: tuple[str, ...]) -> Path | None:
    """Return a library's file among those that ``lambdapdk`` has fetched; cached."""
    found = [
        Path(place) / name
        for place, _, files in os.walk(folder)
        for name in set(names).intersection(files)
    ]
    return min(found, key=lambda path: (names.index(path.name), path), default=None)
