# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A measurement of one step of one candidate, which a worker makes.

Jobs and results can be pickled, since a worker may be another process or another machine.
"""

from __future__ import annotations

import copy
import math
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

from ciphermill._engine import Error as DeviceError
from ciphermill.campaign.run import Point
from ciphermill.design import DesignError, Measurement
from ciphermill.design.expression import figures_of
from ciphermill.evaluate.evaluate import evaluate, find_evaluator
from ciphermill.evaluate.evaluator import Progress
from ciphermill.evaluate.stream.kernel import SimulationError, WrongStreamError
from ciphermill.evaluate.system.errors import CosimError
from ciphermill.toolchain.errors import DiskFull, ToolError

Measure = Callable[[Mapping[str, Any]], Mapping[str, float]]
"""A function of the user's own: from the fields of a candidate to its figures."""

_FAILURES = (ToolError, CosimError, DesignError, DeviceError, SimulationError, WrongStreamError)
"""Errors of a candidate, after which the others go on."""


@dataclass(frozen=True)
class Result:
    """What became of a job."""

    figures: Mapping[str, float] = field(default_factory=dict)
    measurements: tuple[Measurement, ...] = ()
    seconds: float = 0.0
    """Wall time."""
    reason: str = ""
    """Why it failed: a sentence; empty if it did not."""
    log: str = ""
    """All that the tool or the function printed about it."""


def measure_point(point: Point) -> Result:
    """Evaluate a point; an error of the candidate is a result, not an exception.

    Raises:
        Exception: An error that is not the candidate's, such as a full disk.
    """
    start = time.monotonic()
    asked = (point.design, point.platform, point.workload)
    try:
        prepare = find_evaluator(*asked).prepare
        if prepare is not None:
            prepare(*asked, Progress())
        seen = evaluate(*asked)
    except DiskFull:
        raise
    except (*_FAILURES, LookupError) as error:
        return failure(error, time.monotonic() - start)
    seconds = time.monotonic() - start
    for one in seen:
        if one.correct is False:
            where = "" if one.wrong_byte is None else f", first at byte {one.wrong_byte}"
            reason = f"the output is not the known answer{where}"
            return Result(measurements=tuple(seen), seconds=seconds, reason=reason, log=reason)
    return Result(merged(seen), tuple(seen), seconds)


def measure_fields(measure: Measure, fields: Mapping[str, Any]) -> Result:
    """Call a function of the user's own; an exception of it is a result, but a full disk is not.

    The function gets a copy of the fields, which it may change. Names of figures are normalised
    (NFKC) as Python's names are, and so those of expressions.

    Raises:
        DiskFull: Nothing can be built for the function.
    """
    start = time.monotonic()
    try:
        told = measure(copy.deepcopy(dict(fields)))
        if not isinstance(told, Mapping):
            raise TypeError(f"the function returned {type(told).__name__}, not a dict of figures")
        found = {normalize("NFKC", str(name)): float(value) for name, value in told.items()}
        wrong = [name for name, value in found.items() if not math.isfinite(value)]
        if wrong:
            raise ValueError(f"{wrong[0]} is {found[wrong[0]]}, not a finite number")
    except DiskFull:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        log = traceback.format_exc()
        return Result(seconds=time.monotonic() - start, reason=reason, log=log)
    return Result(found, seconds=time.monotonic() - start)


def failure(error: Exception, seconds: float = 0.0) -> Result:
    """Return the result of a measurement that ended in an error of the candidate."""
    text = str(error) or type(error).__name__
    return Result(seconds=seconds, reason=_sentence(text), log=text)


def _sentence(text: str) -> str:
    """Return the first line of an error, with the next one if it ends in a colon."""
    first, *others = text.splitlines()
    return f"{first} {others[0].strip()}" if first.endswith(":") and others else first


def merged(seen: Sequence[Measurement]) -> dict[str, float]:
    """Return the figures of a step's measurements of the whole design.

    Parts and phases do not count. Of two measurements with the same figure the first counts:
    of cells that is the netlist for the clock that was asked for.
    """
    found: dict[str, float] = {}
    for one in seen:
        if one.breakdown is None and one.scope is None:
            found = {**figures_of(one), **found}
    return found
