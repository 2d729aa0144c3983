# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Rows of runs and of their measurements."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ciphermill.design import Measurement

from .database import Rows
from .errors import StoreError

_COLUMNS = (
    *("device", "mode", "operation", "key_bits", "algorithm", "partition", "soft_core"),
    *("design", "target", "platform"),
)
"""Fields of a measurement that have a column of their own."""

SELECTED = ("run", *(name for name in _COLUMNS if name not in ("operation", "key_bits")))
"""Fields that records are selected by."""

_INSERTED = ("run", *_COLUMNS, "point", "place", "fields")
_INSERT = (
    f"INSERT INTO measurement ({', '.join(_INSERTED)})"  # noqa: S608 - names that stand above
    f" VALUES ({', '.join(f':{name}' for name in _INSERTED)})"
)


@dataclass(frozen=True)
class Record:
    """A stored measurement and the run that it belongs to."""

    run: int
    started: str
    """When the run started, UTC, ISO 8601."""
    measurement: Measurement


def add(rows: Rows, *, started: str, command: str, key: str | None, ended: bool) -> int:
    """Insert a run and return its number."""
    ((number,),) = rows.execute(
        "INSERT INTO run (started, command, key, ended)"
        " VALUES (:started, :command, :key, :ended) RETURNING id",
        {"started": started, "command": command, "key": key, "ended": int(ended)},
    )
    return int(number)


def end(rows: Rows, run: int) -> None:
    """Mark a run as ended."""
    rows.execute("UPDATE run SET ended = 1 WHERE id = :run", {"run": run})


def insert(
    rows: Rows, run: int, measurements: Sequence[Measurement], point: tuple[str, int] | None
) -> None:
    """Insert measurements of a run; ``point`` is the digest and the index of their point."""
    digest, place = point or (None, None)
    rows.execute_each(
        _INSERT,
        [
            {
                **{name: getattr(seen, name) for name in _COLUMNS},
                **{"run": run, "point": digest, "place": place},
                "fields": json.dumps(seen.to_json()),
            }
            for seen in measurements
        ],
    )


def key_and_end(rows: Rows, run: int) -> tuple[str | None, bool]:
    """Return the key of a run, and whether it has ended.

    Raises:
        StoreError: There is no such run.
    """
    found = rows.execute("SELECT key, ended FROM run WHERE id = :run", {"run": run})
    if not found:
        raise StoreError(f"the store has no run {run}")
    ((key, ended),) = found
    return key, bool(ended)


def unfinished(rows: Rows, key: str) -> int | None:
    """Return the number of the last run with a key that has not ended."""
    ((found,),) = rows.execute(
        "SELECT max(id) FROM run WHERE key = :key AND ended = 0", {"key": key}
    )
    return found if found is None else int(found)


def of_points(rows: Rows, run: int) -> dict[str, list[Measurement]]:
    """Return a run's measurements by the digest of their point."""
    found = rows.execute(
        "SELECT point, fields FROM measurement WHERE run = :run ORDER BY id", {"run": run}
    )
    points: dict[str, list[Measurement]] = {}
    for point, fields in found:
        points.setdefault(point, []).append(Measurement.from_json(json.loads(fields)))
    return points


def records(rows: Rows, last: int | None, selected: Mapping[str, Any]) -> list[Record]:
    """Return measurements by the values of some fields; see ``Store.records``."""
    conditions = [f"measurement.{name} = :{name}" for name in selected]
    values: dict[str, Any] = {**selected}
    if last is not None:
        conditions.append("measurement.run IN (SELECT id FROM run ORDER BY id DESC LIMIT :last)")
        values["last"] = last
    found = rows.execute(
        "SELECT run.id, run.started, measurement.fields"  # noqa: S608 - names that are checked
        " FROM measurement JOIN run ON run.id = measurement.run"
        f" WHERE {' AND '.join(conditions) or '1 = 1'}"
        " ORDER BY run.id, measurement.place NULLS LAST, measurement.id",
        values,
    )
    return [
        Record(number, started, Measurement.from_json(json.loads(fields)))
        for number, started, fields in found
    ]


def held(rows: Rows, name: str) -> list[str]:
    """Return the values of a field, sorted; see ``Store.held``."""
    found = rows.execute(
        f"SELECT DISTINCT {name} FROM measurement"  # noqa: S608 - a name that is checked
        f" WHERE {name} IS NOT NULL"
    )
    # Sorted here, since databases sort letters differently.
    return [str(value) for value in sorted(value for (value,) in found)]


def commands(rows: Rows) -> dict[int, str]:
    """Return the command line of each run, by the run's number."""
    return dict(rows.execute("SELECT id, command FROM run ORDER BY id"))
