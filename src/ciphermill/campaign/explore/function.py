# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Explores from Python: a space of the project, or any table with any function."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ciphermill.campaign.exploration import Exploration, Objective
from ciphermill.campaign.explore.explore import BATCH, Explorer, Settings, Status
from ciphermill.campaign.explore.job import Measure
from ciphermill.campaign.explore.plan import Plan, plan_of_function, plan_of_space
from ciphermill.campaign.explore.workers import threads
from ciphermill.campaign.store import Location, Store
from ciphermill.design import CannotBeError, Provenance, SearchSpace, load_space
from ciphermill.design.load import make_model
from ciphermill.toolchain.provenance import provenance


def explore(
    space: str | Path | Mapping[str, Any],
    measure: Measure | None = None,
    *,
    minimise: str | Sequence[str] = (),
    maximise: str | Sequence[str] = (),
    constraints: str | Sequence[str] = (),
    search: str = "guided",
    seed: int = 0,
    budget: int | None = None,
    batch: int = BATCH,
    jobs: int | None = None,
    store: str | Path | None = None,
    name: str = "python",
    retry_failed: bool = False,
    told: Callable[[Status], None] = lambda _: None,
) -> Exploration:
    """Explore a space; return every candidate with its figures.

    >>> from ciphermill import explore
    >>> found = explore(
    ...     {"width": [1, 2, 4, 8], "depth": {"from": 1, "to": 4}},
    ...     lambda fields: {
    ...         "area": fields["width"] * fields["depth"], "time": 64 / fields["width"]
    ...     },
    ...     minimise=["area", "time"],
    ...     search="grid",
    ... )
    >>> [(one.fields["width"], one.fields["depth"]) for one in found.front()]
    [(1, 1), (2, 1), (4, 1), (8, 1)]

    Args:
        space: The name or path of a space, the same as a table (``kind = "space"``), or a table of
            any fields, each with a value, a list of values, or a range, also of Python.
        measure: Returns the figures of a candidate from its fields; an exception is a failed
            candidate. Without it, the steps of the space are made.
        minimise: Expressions to make small, or one.
        maximise: Expressions to make large, or one.
        constraints: Expressions that a good candidate fulfils, or one.
        search: ``grid``, ``random``, ``tpe`` or ``guided``.
        seed: Equal seeds give equal candidates.
        budget: The most candidates that are measured; by default all of a grid, else a third.
        batch: The most candidates that the search proposes at once.
        jobs: Calls at once, in threads. By default one with a function of your own, and one for
            each processor otherwise.
        store: An SQLite file or a PostgreSQL URL where results are kept; the same call continues
            an exploration that was interrupted. Nothing is kept unless it is given.
        name: The name of the exploration, with a function of your own.
        retry_failed: Whether what failed is measured again in an exploration that is continued.
        told: Is given the status after each measurement.

    Raises:
        DesignError: The space or an expression is malformed.
        CannotBeError: There is nothing to minimise or to maximise, no combination is possible,
            there is no such search, or a number is too small.
        StoreError: The store cannot be used.
    """
    if jobs is not None and jobs < 1:
        raise CannotBeError(f"jobs is {jobs}; it is 1 or more")
    goals = [Objective(text) for text in _listed(minimise)]
    goals += [Objective(text, "maximise") for text in _listed(maximise)]
    plan = _plan(space, measure, goals, _listed(constraints), name)
    settings = Settings(search, seed, budget, batch, retry_failed)
    if store is None:
        return _go(plan, settings, None, None, jobs or (1 if measure else None), told)
    # The program that calls. Its arguments may be secrets, so they are not stored.
    script = sys.argv[0] if sys.argv else ""
    origin = provenance(["python", script] if Path(script).is_file() else ["python"])
    with Store(Location.of(store)) as opened:
        return _go(plan, settings, opened, origin, jobs or (1 if measure else None), told)


def _go(
    plan: Plan,
    settings: Settings,
    store: Store | None,
    origin: Provenance | None,
    jobs: int | None,
    told: Callable[[Status], None],
) -> Exploration:
    explorer = Explorer(plan, settings, store=store, origin=origin, told=told)
    with threads(jobs) as workers:
        return explorer.go(workers)


def _plan(
    space: str | Path | Mapping[str, Any],
    measure: Measure | None,
    goals: Sequence[Objective],
    constraints: Sequence[str],
    name: str,
) -> Plan:
    table: SearchSpace | Mapping[str, Any]
    if not isinstance(space, Mapping):
        table = load_space(space)
    elif space.get("kind") == "space":
        table = make_model(SearchSpace, space, "space")
    else:
        table = space
    if measure is None:
        if not isinstance(table, SearchSpace):
            raise CannotBeError("a table without steps needs a function that measures")
        texts = [f"{'min' if g.direction == 'minimise' else 'max'}:{g.expression}" for g in goals]
        return plan_of_space(table, objectives=texts, constraints=constraints)
    if not goals and isinstance(table, SearchSpace):
        goals = [Objective(one.text, one.direction) for one in table.objective]
    if not goals:
        raise CannotBeError("name an expression to minimise or to maximise")
    limits = [*(table.constraints if isinstance(table, SearchSpace) else ()), *constraints]
    return plan_of_function(
        table,
        measure,
        name=table.name if isinstance(table, SearchSpace) else name,
        code=_code_of(measure),
        objectives=goals,
        constraints=limits,
    )


def _listed(texts: str | Sequence[str]) -> Sequence[str]:
    return [texts] if isinstance(texts, str) else texts


def _code_of(measure: Measure) -> str:
    """Return a digest of a function's source, or of its name if there is no source."""
    return hashlib.sha256(_source_of(measure).encode()).hexdigest()[:16]


def _source_of(measure: Any) -> str:
    """Return the source of a function, or that of the class of an object that is called.

    Arguments that ``functools.partial`` has bound count too.
    """
    if isinstance(measure, partial):
        bound = (measure.args, sorted(measure.keywords.items()))
        return f"{_source_of(measure.func)}{bound!r}"
    for one in (measure, type(measure)):
        with contextlib.suppress(OSError, TypeError):
            return inspect.getsource(one)
    return f"{type(measure).__module__}.{getattr(measure, '__qualname__', '')}"
