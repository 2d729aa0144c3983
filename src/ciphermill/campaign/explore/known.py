# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What an exploration knows of its candidates: figures by step, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ciphermill.campaign.exploration import Objective, StepRecord
from ciphermill.design.combinations import Combination
from ciphermill.design.expression import Expression, ExpressionError, parse
from ciphermill.design.search_space import TOLERANCE


@dataclass(frozen=True)
class Goal:
    """An objective whose expressions were read."""

    objective: Objective
    expression: Expression
    expected: Expression
    """In proportion to the objective, by cheap figures."""
    tolerance: float = TOLERANCE
    """Relative error of ``expected``."""

    @classmethod
    def of(
        cls, objective: Objective, *, expected: str | None = None, tolerance: float = TOLERANCE
    ) -> Goal:
        """Return the goal of an objective.

        Raises:
            ExpressionError: An expression is malformed.
        """
        own = parse(objective.expression)
        return cls(objective, own, parse(expected) if expected else own, tolerance)

    @property
    def sign(self) -> float:
        """The factor that makes small values good."""
        return 1.0 if self.objective.direction == "minimise" else -1.0


class Known:
    """The candidates, by their index in the space, and the figures of each."""

    def __init__(
        self,
        candidates: Sequence[Combination],
        steps: Sequence[StepRecord],
        goals: Sequence[Goal],
        constraints: Sequence[Expression],
    ) -> None:
        """Begin without any figures."""
        self.candidates = candidates
        self.steps = steps
        self.goals = goals
        self.constraints = constraints
        self.figures: list[dict[str, Mapping[str, float]]] = [{} for _ in candidates]
        """The figures of each step that is done, by candidate and step."""
        self.failed: set[int] = set()
        self.replaced: frozenset[str] | None = None
        """Figures that dear steps give. None as long as no dear step is done: whether a figure
        of a cheap step lasts is not known before. ``settle`` brings it up to date, so that it
        does not depend on the order in which measurements of a batch end."""
        self.cheap = [one.name for one in steps if not one.dear]
        self.dear = [one.name for one in steps if one.dear]

    def is_done(self, index: int) -> bool:
        """Whether a candidate has all steps."""
        return index not in self.failed and len(self.figures[index]) == len(self.steps)

    def has_cheap(self, index: int) -> bool:
        """Whether a candidate has all cheap steps."""
        return index not in self.failed and all(one in self.figures[index] for one in self.cheap)

    def settle(self) -> None:
        """Learn from the finished candidates which figures dear steps replace."""
        done = [found for i, found in enumerate(self.figures) if self.is_done(i)]
        if done and self.dear:
            self.replaced = frozenset(
                name for found in done for step in self.dear for name in found[step]
            )

    def merged(self, index: int, *, cheap: bool = False) -> dict[str, float]:
        """Return the figures of a candidate; of two steps with the same figure, the later counts.

        Args:
            index: The candidate.
            cheap: Whether only cheap steps count.
        """
        found: dict[str, float] = {}
        for step in self.cheap if cheap else [one.name for one in self.steps]:
            found.update(self.figures[index].get(step, {}))
        return found

    def values(self, index: int) -> list[float]:
        """Return the objectives of a finished candidate as they are compared: small is good.

        Raises:
            ExpressionError: A figure is missing, or an objective has no value.
        """
        figures = self.merged(index)
        return [one.objective.loss(one.expression.value(figures)) for one in self.goals]

    def holds(self, index: int) -> bool:
        """Whether a finished candidate fulfils every constraint.

        Raises:
            ExpressionError: A figure is missing, or a constraint has no value.
        """
        figures = self.merged(index)
        return all(one.value(figures) for one in self.constraints)

    def good(self) -> list[int]:
        """Return the finished candidates that fulfil every constraint."""
        return [i for i in range(len(self.candidates)) if self.is_done(i) and self.holds(i)]

    def expected(self, index: int) -> list[float | None]:
        """Return the objectives by cheap figures, as they are compared; None where unknown."""
        figures = self.merged(index, cheap=True)
        return [_loss(one, figures) for one in self.goals]

    def margins(self, index: int, *, cheap: bool) -> list[float | None]:
        """Return how far each constraint is from breaking: at most 0 where it holds."""
        figures = self.merged(index, cheap=cheap)
        found: list[float | None] = []
        for one in self.constraints:
            try:
                found.append(one.margin(figures))
            except ExpressionError:
                found.append(None)
        return found

    def lasts(self, expression: Expression) -> bool:
        """Whether an expression over cheap figures keeps its value after the dear steps."""
        return self.replaced is not None and not self.replaced & set(expression.names)

    def broken(self, index: int) -> Expression | None:
        """Return a constraint that a candidate breaks by figures that no later step replaces."""
        figures = self.merged(index)
        for one in self.constraints:
            if self.lasts(one):
                try:
                    if not one.value(figures):
                        return one
                except ExpressionError:
                    continue
        return None


def _loss(goal: Goal, figures: Mapping[str, float]) -> float | None:
    try:
        return goal.objective.loss(goal.expected.value(figures))
    except ExpressionError:
        return None
