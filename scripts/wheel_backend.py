# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The build backend of the Python package (PEP 517): maturin's, and the source tree in the wheel.

maturin puts the package and the engine into a wheel. What the package reads beside them
(designs, platforms, RTL, firmware) lies outside ``src/``; this adds it as
``ciphermill/source_tree/``, where ``ciphermill.design.find_home`` looks for it.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import maturin  # type: ignore[import-untyped]  # it has no types
from maturin import (  # what pip calls, unchanged
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).resolve().parent.parent
TARGET = "ciphermill/source_tree"
FOLDERS = ("designs", "firmware", "hw", "platforms")
"""Folders of the source tree that the package reads."""
FILES = (
    "LICENSE",
    "docs/reference/card-registers.md",
    "docs/reference/dma-registers.md",
    "docs/reference/registers.md",
)
"""Files beside them, which exports contain."""
SUFFIXES = frozenset(
    [
        *[".S", ".asm", ".c", ".core", ".cpp", ".h", ".ld", ".map", ".md", ".py", ".rdl", ".sv"],
        *[".toml", ".v", ".vlt"],
        *[".dtso", ".lpf", ".tcl", ".xdc"],  # of boards
    ]
)
"""Files that are sources which the package reads: nothing built, no editor's copy."""
APART = frozenset(["dv", "formal", "tests"])
"""Folders of tests and proofs, which need the checkout."""
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The one date of the files added, so that equal sources give equal wheels."""


def build_wheel(
    wheel_directory: str,
    config_settings: Mapping[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build the wheel; return its file name."""
    os.environ.setdefault("MATURIN_NO_MISSING_BUILD_BACKEND_WARNING", "1")
    name: str = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    add_sources(Path(wheel_directory) / name, ROOT)
    return name


def source_files(root: Path) -> Iterator[Path]:
    """Yield the files of the source tree that go into the wheel."""
    for name in FILES:
        yield root / name
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            below = path.relative_to(root).parts
            if path.is_file() and path.suffix in SUFFIXES and APART.isdisjoint(below):
                yield path


def add_sources(wheel: Path, root: Path) -> None:
    """Add the source tree to a wheel and to the record in it.

    Raises:
        RuntimeError: The wheel has not one record, or has the tree already.
    """
    changed = wheel.with_suffix(".part")
    with (
        zipfile.ZipFile(wheel) as old,
        zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        records = [name for name in old.namelist() if name.endswith(".dist-info/RECORD")]
        if len(records) != 1 or any(name.startswith(TARGET) for name in old.namelist()):
            raise RuntimeError(f"{wheel} is not as maturin builds it")
        for item in old.infolist():
            if item.filename != records[0]:
                new.writestr(item, old.read(item))
        rows = list(csv.reader(io.StringIO(old.read(records[0]).decode())))
        for path in source_files(root):
            name, data = f"{TARGET}/{path.relative_to(root).as_posix()}", path.read_bytes()
            new.writestr(_entry(name), data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
            rows.append([name, f"sha256={digest.decode()}", str(len(data))])
        # The record comes last, and has no digest of itself.
        rows.sort(key=lambda row: row[0] == records[0])
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        new.writestr(_entry(records[0]), text.getvalue())
    changed.replace(wheel)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EARLIEST)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o100644 << 16
    return entry
