# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page on the architecture names every folder and every evaluator."""

from __future__ import annotations

from pathlib import Path

from ciphermill.evaluate.evaluate import EVALUATORS

ROOT = Path(__file__).resolve().parent.parent
ARCHITECTURE = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")


def test_it_names_every_folder() -> None:
    places = [
        *(ROOT / "src/ciphermill").glob("*/__init__.py"),
        *(ROOT / "hw").glob("*/README.md"),
        *(ROOT / "engine").glob("*/Cargo.toml"),
    ]
    folders = {str(place.parent.relative_to(ROOT)) for place in places}
    assert len(folders) > 20
    assert {folder for folder in folders if f"`{folder}`" not in ARCHITECTURE} == set()


def test_it_names_every_evaluator() -> None:
    assert {one.name for one in EVALUATORS if f"| `{one.name}` |" not in ARCHITECTURE} == set()
