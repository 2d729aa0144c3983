# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""An exploration as a table to take away, CSV or Parquet: a row for each candidate.

docs/reference/exploration-report.md lists the columns.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ciphermill.campaign.exploration import Candidate
from ciphermill.report.exploration.atomic import replacing, write_whole
from ciphermill.report.exploration.expression import value_of
from ciphermill.report.exploration.origin import method_of, sources, tools_of
from ciphermill.report.exploration.standing import Kind, Ranking, is_number, shown


class MissingLibraryError(Exception):
    """A library that an export needs is not installed; the message says how to get it."""


def write_csv(ranking: Ranking, path: Path) -> None:
    """Write the candidates as CSV in UTF-8, whole or not at all; a missing value is empty.

    Raises:
        OSError: The file cannot be written.
    """
    columns = columns_of(ranking)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(
        ["" if value is None else shown(value) for value in row]
        for row in zip(*columns.values(), strict=True)
    )
    write_whole(path, text.getvalue().encode("utf-8", "replace"))


def write_parquet(ranking: Ranking, path: Path) -> None:
    """Write the candidates as Parquet, whole or not at all.

    Raises:
        MissingLibraryError: PyArrow is not installed.
        OSError: The file cannot be written.
    """
    try:
        import pyarrow  # type: ignore[import-untyped]
        import pyarrow.parquet  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        raise MissingLibraryError(
            "a Parquet file needs PyArrow: pip install pyarrow, or write CSV"
        ) from error
    types = {bool: pyarrow.bool_(), int: pyarrow.int64(), float: pyarrow.float64()}
    arrays = {}
    for name, values in columns_of(ranking).items():
        kind = _kind(values)
        told = values if kind is not str else [one and _encodable(one) for one in values]
        arrays[_encodable(name)] = pyarrow.array(told, types.get(kind, pyarrow.string()))
    with replacing(path) as temporary:
        pyarrow.parquet.write_table(pyarrow.table(arrays), temporary)


def columns_of(ranking: Ranking) -> dict[str, list[Any]]:
    """Return the columns by name, each with a value of one type, or none, for each candidate."""
    standings = ranking.standings
    candidates = [one.candidate for one in standings]
    found = [sources(one) for one in candidates]
    columns: dict[str, list[Any]] = {
        "place": [one.place for one in candidates],
        "state": [one.state.value for one in candidates],
        "good": [one.kind in (Kind.FRONT, Kind.GOOD) for one in standings],
        "front": [one.kind is Kind.FRONT for one in standings],
        "digest": [one.digest for one in candidates],
    }
    for name in ranking.fields:
        columns[f"field:{name}"] = _of_one_type([one.fields.get(name) for one in candidates])
    last = _last_columns(ranking)
    derived = [one.expression for one in ranking.objectives]
    for name in dict.fromkeys([*derived, *ranking.figures]):
        values = [value_of(name, one.figures) for one in candidates]
        given = list(zip(values, found, strict=True))
        # A function of a user's own may give its figures any names.
        column = f"figure:{name}" if name in columns or name in last else name
        columns[column] = values
        columns[f"{column}:method"] = [
            None if value is None else method_of(name, seen) for value, seen in given
        ]
        if name in ranking.figures:
            columns[f"{column}:commit"] = [
                None if value is None or name not in seen else _commit(seen[name])
                for value, seen in given
            ]
    return {**columns, **last}


def _last_columns(ranking: Ranking) -> dict[str, list[Any]]:
    """Return the columns behind the figures: provenance, and why a candidate is not good."""
    exploration = ranking.exploration
    candidates = [one.candidate for one in ranking.standings]
    count = len(candidates)
    return {
        "run": [exploration.number] * count,
        "exploration": [exploration.name] * count,
        "started": [exploration.started] * count,
        "search": [exploration.search] * count,
        "seed": [exploration.seed] * count,
        "commit": [_origins(one, "commit") for one in candidates],
        "tools": [tools_of(one.measurements) for one in candidates],
        # Figures of a user's own function have no other command.
        "command": [
            _origins(one, "command") or (exploration.command if one.figures else "")
            for one in candidates
        ],
        "processor": [_origins(one, "processor") for one in candidates],
        "system": [_origins(one, "system") for one in candidates],
        "reason": [one.reason for one in ranking.standings],
    }


def _encodable(text: str) -> str:
    """Return a text without the characters that UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()


def _commit(seen: Any) -> str | None:
    return seen.provenance.commit if seen.provenance else None


def _origins(candidate: Candidate, name: str) -> str:
    """Return what the provenance of a candidate's measurements says, each once."""
    said = [getattr(one.provenance, name) for one in candidate.measurements if one.provenance]
    return "; ".join(dict.fromkeys(one for one in said if one))


def _of_one_type(values: Sequence[Any]) -> list[Any]:
    """Return values as they are if they have one type of JSON, else as text."""
    known = [one for one in values if one is not None]
    if all(isinstance(one, bool) for one in known):
        return list(values)
    if all(map(is_number, known)):
        whole = all(isinstance(one, int) and abs(one) < 2**63 for one in known)
        return [one if one is None or whole else float(one) for one in values]
    return [None if one is None else shown(one) for one in values]


def _kind(values: Sequence[Any]) -> type:
    return next((type(one) for one in values if one is not None), str)
