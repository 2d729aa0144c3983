# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""How much of a front each search finds with a third of the dear measurements.

The space has been explored with a grid, which is in the store. Each search is made again with
the figures of the grid, so that nothing is measured and many seeds take seconds. Run from
the repository's root, with the same commit as the grid:

    ciphermill explore lightweight-ciphers --search grid --store grid.sqlite
    python bench/search.py lightweight-ciphers --store grid.sqlite
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from ciphermill.campaign.exploration import Candidate, Exploration, State
from ciphermill.campaign.explore.explore import BATCH, Explorer, Settings
from ciphermill.campaign.explore.front import Points, points_of, share
from ciphermill.campaign.explore.job import Result
from ciphermill.campaign.explore.plan import Plan, Step, Work, plan_of_space
from ciphermill.campaign.explore.workers import threads
from ciphermill.campaign.store import Store
from ciphermill.design import CannotBeError, DesignError, load_space
from ciphermill.design.combinations import Combination


@dataclass(frozen=True)
class Outcome:
    """What a search has found."""

    search: str
    seed: int
    dear: int
    """Candidates with dear measurements."""
    front: int
    """Candidates of the grid's front among them."""
    hypervolume: float
    """As a share of the grid's."""
    logarithmic: float
    """The same where objectives count by their logarithms."""


def full_grid(store: Path, name: str) -> Exploration:
    """Return the newest grid of a space that has ended, with its candidates.

    Raises:
        CannotBeError: There is none.
    """
    with Store(store) as opened:
        for one in opened.explorations():
            if (one.name, one.search, one.ended) == (name, "grid", True):
                return opened.exploration(one.number)
    raise CannotBeError(
        f"{store} has no grid of {name} that has ended: "
        f"ciphermill explore {name} --search grid --store {store}"
    )


def replayed(plan: Plan, grid: Exploration) -> Plan:
    """Return a plan whose steps give the figures of a grid.

    Raises:
        CannotBeError: The grid has other candidates.
    """
    known = {one.digest: one for one in grid.candidates}
    missing = [one for one in plan.candidates if one.digest not in known]
    if missing:
        raise CannotBeError(f"the grid has not the candidate {dict(missing[0].fields)}")
    steps = [Step(one.record, partial(_work, known, one.record.name)) for one in plan.steps]
    return replace(plan, steps=steps)


def _work(known: Mapping[str, Candidate], step: str, one: Combination) -> Work:
    return Work(partial(_result, known[one.digest], step))


def _result(kept: Candidate, step: str) -> Result:
    if step in kept.steps:
        return Result(kept.steps[step])
    return Result(reason=kept.reason or "not measured")


def outcome(grid: Exploration, found: Exploration) -> Outcome:
    """Compare a search with the grid."""
    front = {one.digest for one in grid.front()}
    points, full = losses(found), losses(grid)
    return Outcome(
        found.search,
        found.seed,
        sum(is_dear(found, one) for one in found.candidates),
        sum(one.digest in front for one in found.good()),
        share(points, full),
        share(*map(logarithms, (points, full))),
    )


def is_dear(found: Exploration, one: Candidate) -> bool:
    """Whether a candidate got dear measurements; one that failed in these did."""
    dear = [step.name for step in found.steps if step.dear]
    failed = one.state is State.FAILED and one.reason.startswith(tuple(f"{n}: " for n in dear))
    return failed or any(name in one.steps for name in dear)


def losses(found: Exploration) -> Points:
    """Return the objectives of the good candidates, each to be small."""
    return points_of([found.losses_of(one) for one in found.good()], len(found.objectives))


def logarithms(points: Points) -> Points:
    """Return the logarithm of each value, with its sign; zeros are not expected."""
    return np.sign(points) * np.log(np.abs(points))


def measure(name: str, store: Path, seeds: int, searches: list[str], batch: int) -> list[Outcome]:
    """Make each search; those that depend on the seed with several seeds.

    Raises:
        CannotBeError: There is no such grid.
        DesignError: The space is malformed.
    """
    space = load_space(name)
    grid = full_grid(store, space.name)
    plan = replayed(plan_of_space(space), grid)
    found = []
    for search in searches:
        for seed in range(1 if search == "guided" else seeds):
            with threads(1) as workers:
                settings = Settings(search, seed, batch=batch)
                explored = Explorer(plan, settings).go(workers)
            found.append(outcome(grid, explored))
            print(f"bench: {search} with seed {seed}", file=sys.stderr)
    return found


def table_of(found: list[Outcome], grid: Exploration) -> Table:
    """Return the medians and the worst of each search."""
    good, front = len(grid.good()), len(grid.front())
    measured = sum(one.state is not State.REFUSED for one in grid.candidates)
    shown = Table(title=f"{grid.name}: {measured} candidates, {good} good, {front} in the front")
    for heading in ("search", "seeds", "dear", "of the front", "hypervolume", "by logarithms"):
        shown.add_column(heading, justify="left" if heading == "search" else "right")
    for search in dict.fromkeys(one.search for one in found):
        own = [one for one in found if one.search == search]
        shown.add_row(
            search,
            str(len(own)),
            str(max(one.dear for one in own)),
            _of([one.front for one in own], "{:.0f}"),
            _of([100 * one.hypervolume for one in own], "{:.2f} %"),
            _of([100 * one.logarithmic for one in own], "{:.2f} %"),
        )
    return shown


def _of(values: list[float] | list[int], form: str) -> str:
    """Return the median of several values, and the worst."""
    middle = form.format(statistics.median(values))
    worst = form.format(math.floor(100 * min(values)) / 100)
    return middle if len(values) == 1 else f"{middle}, worst {worst}"


def main() -> int:
    """Print how the searches compare; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("space", help="name or path of the space")
    parser.add_argument("--store", type=Path, required=True, help="SQLite file with its grid")
    parser.add_argument("--seeds", type=int, default=20, help="of random searches (20)")
    parser.add_argument("--batch", type=int, default=BATCH, help=f"candidates at once ({BATCH})")
    parser.add_argument(
        "--search", action="append", choices=["random", "tpe", "guided"], help="only this search"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    searches = asked.search or ["random", "tpe", "guided"]
    try:
        found = measure(asked.space, asked.store, asked.seeds, searches, asked.batch)
    except (CannotBeError, DesignError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    if asked.json:
        print(json.dumps([asdict(one) for one in found], indent=1))
        return 0
    grid = full_grid(asked.store, load_space(asked.space).name)
    Console().print(table_of(found, grid))
    return 0


if __name__ == "__main__":
    sys.exit(main())
