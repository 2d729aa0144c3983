# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A titled table with notes below it, whatever shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """A table of ours beside theirs."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    """Below the table: where the figures come from, why they differ."""
