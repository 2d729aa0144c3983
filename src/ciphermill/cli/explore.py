# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill explore``: the designs of a space that are worth building."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ciphermill.cli import options, progress, running
from ciphermill.cli.failures import ExitCode, Failure, Terminated

if TYPE_CHECKING:
    from ciphermill.campaign.exploration import Exploration
    from ciphermill.campaign.explore.explore import Explorer

_EXAMPLES = """\b
Examples:
  ciphermill explore --list
  ciphermill explore aes-256-soft-core --report aes.html
  ciphermill explore my-space.toml --search grid
  ciphermill explore my-space.toml --budget 40 --seed 7 --constraint "area.lut < 4000"
  ciphermill explore my-space.toml --objective cycles.per_block --objective "max: clock.mhz"
  ciphermill explore my-space.toml --store postgresql://USER@HOST/NAME --json
  ciphermill explore my-space.toml --ray 10.0.0.1:6379 --batch 64
"""
_SHOWN_REASONS = 3
"""Reasons of refused and failed candidates that are printed."""


@click.command("explore", epilog=_EXAMPLES)
@click.argument("space", required=False)
@click.option(
    "--search",
    type=click.Choice(["grid", "random", "tpe", "guided"]),
    default="guided",
    show_default=True,
    help="grid: every candidate; random: a sample; tpe: the sample of Optuna's estimator, with all "
    "measurements; guided: dear measurements where they are expected to improve the front most.",
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    help="The most candidates that get dear measurements.  [default: grid: all; others: a third]",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Equal seeds give equal candidates."
)
@click.option(
    "--batch",
    type=click.IntRange(1, 1000),
    default=8,
    show_default=True,
    help="The most candidates that the search proposes at once; it determines which they are.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Measurements that run in parallel.  [default: the number of processors]",
)
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Measure on a Ray cluster, HOST:PORT of its head or auto, instead of this machine.",
)
@click.option(
    "--objective",
    "objectives",
    multiple=True,
    metavar="EXPR",
    help='An expression over figures to minimise, or to maximise after "max:", instead of those '
    "of the space; may be repeated.",
)
@click.option(
    "--constraint",
    "constraints",
    multiple=True,
    metavar="EXPR",
    help="An expression that a good candidate fulfils, beside those of the space; may be repeated.",
)
@click.option(
    "--retry-failed",
    is_flag=True,
    help="Measure again what failed in an exploration that is continued.",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the HTML page of the exploration, as `ciphermill report` does later.",
)
@click.option("--list", "list_spaces", is_flag=True, help="List the spaces, and exit.")
@options.json_of("one object")
@running.store_option
def command(
    space: str | None,
    search: str,
    budget: int | None,
    seed: int,
    batch: int,
    jobs: int | None,
    ray: str | None,
    objectives: tuple[str, ...],
    constraints: tuple[str, ...],
    retry_failed: bool,
    report: Path | None,
    list_spaces: bool,
    as_json: bool,
    store: str | None,
) -> None:
    """Find the designs of SPACE that are worth building.

    SPACE is the name of a file in designs/spaces/, or the path of a TOML file: designs, platforms
    and workloads whose fields may be lists, the steps of measurement, objectives and constraints.
    Cheap steps come first; dear ones are made only for candidates that are still in the race.

    Every result is stored as soon as it is there. After an interrupt, the same command continues:
    nothing is measured twice.
    """
    if list_spaces:
        _list()
        return
    if space is None:
        raise click.UsageError("name a SPACE; --list shows which there are")
    if ray and jobs:
        raise click.UsageError("--jobs is of this machine: omit it with --ray")
    # NumPy reads this when it is imported. The matrices of the search are small, and threads that
    # share one wait for each other on a busy machine.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ciphermill.campaign.explore.explore import Explorer, Settings
    from ciphermill.campaign.explore.plan import plan_of_space
    from ciphermill.campaign.explore.workers import threads
    from ciphermill.campaign.ray_workers import ray_workers
    from ciphermill.design import load_space
    from ciphermill.design.expression import ExpressionError
    from ciphermill.report.exploration.as_json import to_json
    from ciphermill.report.exploration.standing import rank
    from ciphermill.report.exploration.table import plain, summary

    loaded = load_space(space)
    try:
        plan = plan_of_space(loaded, objectives=objectives, constraints=constraints)
    except ExpressionError as error:
        raise click.UsageError(str(error)) from error
    settings = Settings(search, seed, budget, batch, retry_failed)
    with running.open_store(store) as opened, progress.of_exploration(silent=as_json) as told:
        if report:
            running.check_outputs(opened, str(report))
        explorer = Explorer(plan, settings, store=opened, origin=running.origin(), told=told)
        measuring = ray_workers(ray) if ray else threads(jobs)
        with _how_to_continue(explorer), measuring as workers:
            found = explorer.go(workers)
    ranking = rank(found)
    if as_json:
        options.print_json(to_json(ranking))
    else:
        running.print_parts([*summary(ranking), *map(plain, _reasons(found))])
    progress.say(f"Stored as run {found.number} in {opened.location}")
    if report:
        from ciphermill.report.exploration.page import write_exploration_page

        write_exploration_page(found, report)
        progress.say(f"Report: {report}")
    if not found.front():
        raise Failure(_why_nothing(found), ExitCode.FAILED)


@contextlib.contextmanager
def _how_to_continue(explorer: Explorer) -> Iterator[None]:
    """End as a failure that says, after an interrupt, how the exploration is continued."""
    try:
        yield
    except (KeyboardInterrupt, Terminated) as stopped:
        if not explorer.number:
            raise
        terminated = isinstance(stopped, Terminated)
        raise Failure(
            f"{'terminated' if terminated else 'interrupted'}; {explorer.there} measurements are "
            f"stored as run {explorer.number}: run the same command again to continue",
            ExitCode.TERMINATED if terminated else ExitCode.INTERRUPTED,
        ) from stopped


def _list() -> None:
    from ciphermill.design import load_space, space_names

    for name in space_names():
        click.echo(f"{name:32} {load_space(name).description}")


def _reasons(found: Exploration) -> Iterator[str]:
    """Yield the commonest reasons of refused and failed candidates."""
    from ciphermill.campaign.exploration import State

    for state in (State.REFUSED, State.FAILED):
        reasons = Counter(one.reason for one in found.candidates if one.state is state)
        for reason, count in reasons.most_common(_SHOWN_REASONS):
            yield f"{state.value} ({count}): {reason}"
        if len(reasons) > _SHOWN_REASONS:
            left = len(reasons) - _SHOWN_REASONS
            yield f"{state.value}: {left} other reasons; see --json"


def _why_nothing(found: Exploration) -> str:
    from ciphermill.campaign.exploration import State

    if not any(one.state is State.MEASURED for one in found.candidates):
        reasons = Counter(one.reason for one in found.candidates if one.state is State.FAILED)
        first = f": {reasons.most_common(1)[0][0]}" if reasons else ""
        return f"{found.name}: no candidate was measured completely{first}"
    limits = " and ".join(found.constraints)
    return f"{found.name}: no measured candidate fulfils {limits}"
