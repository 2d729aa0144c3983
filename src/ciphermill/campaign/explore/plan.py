# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is to be explored: candidates, steps, objectives, and how to search."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ciphermill.campaign.exploration import Objective, StepRecord
from ciphermill.campaign.explore.job import Measure, Result, failure, measure_fields, measure_point
from ciphermill.campaign.explore.known import Goal
from ciphermill.campaign.explore.steps import STEPS, StepKind, StepOptions
from ciphermill.campaign.run import Point
from ciphermill.design import (
    CannotBeError,
    Design,
    DesignError,
    Platform,
    UnknownNameError,
    find_home,
)
from ciphermill.design.combinations import (
    Combination,
    combinations,
    plain_table,
    table_combinations,
    workload_of,
)
from ciphermill.design.errors import ContradictionError
from ciphermill.design.expression import Expression, known_figures, parse
from ciphermill.design.load import load_platform, make_model
from ciphermill.design.measurement import digest
from ciphermill.design.runs import WORKLOAD_FIELDS
from ciphermill.design.search_space import SearchSpace, StepTable
from ciphermill.evaluate.evaluate import find_evaluator
from ciphermill.toolchain.cache import content_key


@dataclass(frozen=True)
class Work:
    """The measurement of a step of a candidate."""

    measure: Callable[[], Result]
    """It can be pickled, for a worker in another process."""
    same: str = ""
    """Equal for works that give the same result, which is measured once; empty if none is known."""
    build: str = ""
    """Equal for works with the same long build, which the first of them makes and keeps for the
    others; empty if none is known."""
    alone: bool = False
    """Whether nothing else may run beside it."""


@dataclass(frozen=True)
class Step:
    """A step, and the work that it is for a candidate."""

    record: StepRecord
    work: Callable[[Combination], Work | None]
    """None: there is nothing to measure."""


@dataclass(frozen=True)
class Plan:
    """An exploration that has not begun."""

    name: str
    candidates: Sequence[Combination]
    """Those that are possible."""
    refused: Sequence[Combination]
    steps: Sequence[Step]
    goals: Sequence[Goal]
    constraints: Sequence[Expression]
    code: str
    """A digest of the code that measures: other code does not continue an exploration."""
    definition: Mapping[str, Any] = field(default_factory=dict)


def plan_of_space(
    space: SearchSpace,
    *,
    objectives: Sequence[str] = (),
    constraints: Sequence[str] = (),
    kinds: Mapping[str, StepKind] = STEPS,
) -> Plan:
    """Return the plan of a space.

    Args:
        space: The space.
        objectives: Expressions to minimise, or to maximise after ``max:``, instead of the
            space's own.
        constraints: Expressions, beside the space's own.
        kinds: The kinds of steps.

    Raises:
        DesignError: The space or an expression is malformed, or no combination is possible.
    """
    found = combinations(space)
    possible = _possible(found, space.name)
    steps = [_step(space, one, kinds, possible[0]) for one in space.step]
    goals = [
        Goal.of(Objective(one.text, one.direction), expected=one.expected, tolerance=one.tolerance)
        for one in space.objective
    ]
    own = {(one.objective.expression, one.objective.direction): one for one in goals}
    if objectives:
        asked = [objective_of(text, known_figures()) for text in objectives]
        goals = [own.get((one.expression, one.direction)) or Goal.of(one) for one in asked]
    limits = dict.fromkeys([*space.constraints, *constraints])
    return Plan(
        space.name,
        possible,
        [one for one in found if one.refused],
        steps,
        goals,
        [parse(text, known_figures()) for text in limits],
        code_of_measurements(),
        space.model_dump(mode="json", exclude_defaults=True),
    )


def plan_of_function(
    table: Mapping[str, Any] | SearchSpace,
    measure: Measure,
    *,
    name: str,
    code: str,
    objectives: Sequence[Objective],
    constraints: Sequence[str] = (),
) -> Plan:
    """Return the plan of a table of any fields, or of a space, that a function measures.

    Raises:
        DesignError: The table, the space or an expression is malformed, or no combination is
            possible.
    """
    if isinstance(table, SearchSpace):
        definition, found = table.model_dump(mode="json"), combinations(table)
    else:
        definition = plain_table(table)
        found = table_combinations(definition)
    step = Step(StepRecord("measure", dear=True), partial(_of_function, measure))
    return Plan(
        name,
        _possible(found, name),
        [one for one in found if one.refused],
        [step],
        [Goal.of(one) for one in objectives],
        [parse(text) for text in constraints],
        code,
        definition,
    )


def objective_of(text: str, known: Sequence[str] | None = None) -> Objective:
    """Return the objective that a text describes: an expression, with ``max:`` to maximise it.

    Raises:
        ExpressionError: It is malformed.
    """
    before, colon, rest = text.partition(":")
    if colon and before.strip() in ("max", "min"):
        parse(rest, known)
        return Objective(rest.strip(), "maximise" if before.strip() == "max" else "minimise")
    parse(text, known)
    return Objective(text.strip())


def code_of_measurements() -> str:
    """Return a digest of the code and data that figures depend on: of RTL, firmware and tools.

    Raises:
        DesignError: There is no source tree.
    """
    home = find_home()
    package = Path(__file__).resolve().parents[2]
    files = [one for one in package.rglob("*.py") if not one.name.startswith("test_")]
    for folder in ("hw", "firmware", "platforms", "designs"):
        files += [
            one
            for one in (home / folder).rglob("*")
            if one.suffix in _SOURCES and "dv" not in one.parts and one.is_file()
        ]
    return content_key(files, {}, relative_to=home)[:16]


_SOURCES = (".sv", ".svh", ".v", ".c", ".h", ".cpp", ".S", ".ld", ".toml", ".lib")


def _possible(found: Sequence[Combination], name: str) -> list[Combination]:
    possible = [one for one in found if not one.refused]
    if not possible:
        reason = found[0].refused if found else "it has no combination"
        raise CannotBeError(f"{name}: no combination can be: {reason}")
    return possible


def _of_function(measure: Measure, candidate: Combination) -> Work:
    return Work(partial(measure_fields, measure, candidate.fields))


def _step(
    space: SearchSpace, table: StepTable, kinds: Mapping[str, StepKind], first: Combination
) -> Step:
    kind = kinds.get(table.name)
    if kind is None:
        raise UnknownNameError("step", table.name, list(kinds))
    unknown = [name for name in table.options if name not in (*kind.options, *WORKLOAD_FIELDS)]
    if unknown:
        listed = ", ".join(("name", "dear", "platform", *kind.options, *WORKLOAD_FIELDS))
        raise DesignError(
            f"{space.name}: step {table.name}: {unknown[0]}: is not a field here; the fields are "
            f"{listed}"
        )
    source = f"{space.name}: step {table.name}"
    asked = {name: value for name, value in table.options.items() if name in kind.options}
    options = make_model(StepOptions, asked, source).model_dump(exclude_unset=True)
    platform = load_platform(table.platform) if table.platform else None
    point = partial(_point, table, kind, platform, options)
    # An error of every candidate is told before anything is measured.
    with contextlib.suppress(ContradictionError):
        point(first)
    build = partial(kind.build, options)
    return Step(StepRecord(table.name, table.dear), partial(_of_point, table.name, point, build))


def _of_point(
    step: str,
    point: Callable[[Combination], Point | None],
    build: Callable[[Design], str],
    candidate: Combination,
) -> Work | None:
    try:
        found = point(candidate)
    except DesignError as error:
        return Work(partial(failure, error))
    if found is None:
        return None
    same = f"{step} {found.digest}"
    built = build(candidate.design) if candidate.design else ""
    return Work(partial(measure_point, found), same, built, alone=_is_alone(found))


def _is_alone(point: Point) -> bool:
    # The measurement itself has these errors too, and tells them.
    with contextlib.suppress(DesignError, LookupError):
        evaluator = find_evaluator(point.design, point.platform, point.workload)
        return evaluator.alone(point.design)
    return False


def _point(
    table: StepTable,
    kind: StepKind,
    own_platform: Platform | None,
    options: Mapping[str, Any],
    candidate: Combination,
) -> Point | None:
    """Return the point of a step with the step's own platform and fields of the workload.

    Raises:
        ContradictionError: The candidate's design cannot run the step's workload.
        DesignError: A field of the step's workload is wrong.
    """
    platform = own_platform or candidate.platform
    own = {name: value for name, value in table.options.items() if name in WORKLOAD_FIELDS}
    workload = candidate.workload
    design = candidate.design
    if design is None:
        return None
    if own:
        fields = workload.model_dump(exclude_unset=True) if workload else {}
        fields.pop("algorithm", None)
        if "operation" in own and own["operation"] != fields.get("operation"):
            fields.pop("bytes", None)
        fields = {name: value for name, value in fields.items() if name in WORKLOAD_FIELDS}
        workload = workload_of(design, {**fields, **own}, f"step {table.name}")
    return kind.point(design, platform, workload, options)


def key_of(plan: Plan, **how: Any) -> str:
    """Return a digest that is equal if another exploration is the same as this one.

    Args:
        plan: The exploration.
        how: How it is searched: the search, the seed, the budget, the size of batches.
    """
    return digest(
        plan.name,
        plan.code,
        [one.digest for one in plan.candidates],
        [[one.record.name, one.record.dear] for one in plan.steps],
        [[one.objective, one.expected.text, one.tolerance] for one in plan.goals],
        [one.text for one in plan.constraints],
        plan.definition,
        how,
    )
