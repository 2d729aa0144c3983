# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The comparison with a paper: tables of figures, and its conclusions checked one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ciphermill.design import Measurement, Method
from ciphermill.design.streaming_platform import Input
from ciphermill.papers.published import Paper
from ciphermill.report import format as human
from ciphermill.report.dot_plot import Row, dot_plot
from ciphermill.report.section import Section, section_renderables, section_table

if TYPE_CHECKING:
    from rich.console import RenderableType


class Verdict(StrEnum):
    """The verdict on a conclusion; the same words in every report."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    FOLLOWS = "follows from the inputs"
    """Every figure was an input of the model: the outcome says nothing of the conclusion."""
    UNTESTED = "cannot be tested here"
    """The deciding experiment was not run, or cannot be run."""


STYLES = {
    Verdict.HOLDS: "green",
    Verdict.DOES_NOT_HOLD: "red",
    Verdict.FOLLOWS: "yellow",
    Verdict.UNTESTED: "yellow",
}
"""How a terminal shows them."""


@dataclass(frozen=True)
class Evidence:
    """A measured figure on which a verdict is based."""

    what: str
    value: float
    unit: str = ""
    inputs: tuple[Input, ...] = ()
    """Inputs of a model that decide the figure; none where it was simulated or synthesised."""

    def went_in(self, own: Collection[str]) -> bool:
        """Whether the figure only repeats an input.

        So it is if one of its inputs was taken from, or fitted to, a figure on which the
        conclusion itself is based, or if all of its inputs were fitted.

        Args:
            own: The printed figures of the conclusion: ``paper#place``, or a place above.
        """
        printed = {figure for one in self.inputs for figure in one.figures}
        if any(same_place(figure, mine) for figure in printed for mine in own):
            return True
        return bool(self.inputs) and all(one.method == "fitted" for one in self.inputs)

    def __str__(self) -> str:
        return human.significant(self.value)

    def to_json(self) -> dict[str, Any]:
        """Return the figure as an object."""
        names = dict.fromkeys(name for one in self.inputs for name in one.names)
        fitted = dict.fromkeys(
            figure for one in self.inputs if one.method == "fitted" for figure in one.figures
        )
        return {
            "figure": self.what,
            "value": self.value,
            **({"unit": self.unit} if self.unit else {}),
            "inputs": list(names),
            "fitted_to": list(fitted),
        }


def same_place(one: str, other: str) -> bool:
    """Whether two names are of one printed figure, or one of them of a table around the other.

    >>> same_place("a#result.file", "a#result.file.ctr"), same_place("a#ctr", "a#ctrl")
    (True, False)
    """
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


@dataclass(frozen=True)
class Conclusion:
    """A conclusion of the paper, and the finding from measured figures."""

    statement: str
    source: str
    """The place in the paper."""
    holds: bool | None
    """Whether our figures pass ``rule``; None where what would tell was not run."""
    figures: str
    """Ours, and theirs where they bear on it."""
    reason: str
    """Why it holds here, or does not."""
    rule: str = ""
    """The threshold from which it holds, in words."""
    evidence: tuple[Evidence, ...] = ()
    """Every figure that ``rule`` looks at."""
    own: tuple[str, ...] = ()
    """The printed figures that the paper draws it from: ``paper#place``."""

    @property
    def verdict(self) -> Verdict:
        """The finding, by the figures and by where they come from."""
        if self.holds is None:
            return Verdict.UNTESTED
        if self.evidence and all(one.went_in(self.own) for one in self.evidence):
            return Verdict.FOLLOWS
        return Verdict.HOLDS if self.holds else Verdict.DOES_NOT_HOLD

    def to_json(self) -> dict[str, Any]:
        """Return the conclusion as an object."""
        return {
            "statement": self.statement,
            "source": self.source,
            "verdict": self.verdict.value,
            "figures": self.figures,
            "reason": self.reason,
            "rule": self.rule,
            "passes": self.holds,
            "rests_on": [one.to_json() for one in self.evidence],
        }


@dataclass(frozen=True)
class Misprint:
    """A printed figure or statement that is wrong."""

    source: str
    printed: str
    computed: str
    """The value computed from the paper's own figures, with the computation."""
    verdict: str
    """The correct value."""


@dataclass(frozen=True)
class PaperPlot:
    """A plot of a report, as SVG in the colours of a page."""

    title: str
    wide: str
    narrow: str
    """The same for a telephone."""
    caption: str = ""


def beside(title: str, rows: Sequence[Row], axis: str, caption: str = "") -> PaperPlot:
    """Return a dot plot of measured and published figures."""
    name = "".join(sign if sign.isalnum() else "-" for sign in title)
    wide, narrow = (dot_plot(rows, axis, name, narrow=one) for one in (False, True))
    return PaperPlot(title, wide, narrow, caption)


@dataclass(frozen=True)
class PaperReport:
    """The full report on a paper."""

    paper: Paper
    sections: tuple[Section, ...]
    conclusions: tuple[Conclusion, ...]
    misprints: tuple[Misprint, ...]
    measurements: tuple[Measurement, ...] = field(repr=False)
    """Ours, then the paper's (method ``published``)."""
    key: Section | None = None
    """The few figures that a reader looks for first."""
    draw: Callable[[], Iterable[PaperPlot]] = field(default=tuple, repr=False)
    """Draws the plots, which takes seconds."""
    found: tuple[Measurement, ...] = field(default=(), repr=False)
    """What making the report has found besides, to be stored with the measurements."""

    @cached_property
    def plots(self) -> tuple[PaperPlot, ...]:
        """The plots, drawn when they are first asked for."""
        return tuple(self.draw())

    def to_json(self) -> dict[str, Any]:
        """Return the report as an object; the measurements are in the vocabulary's words."""
        return {
            "paper": self.paper.name,
            "citation": self.paper.citation,
            "measurements": [seen.to_json() for seen in self.measurements],
            "conclusions": [one.to_json() for one in self.conclusions],
            "misprints": [asdict(one) for one in self.misprints],
        }

    def count(self, verdict: Verdict) -> int:
        """Return how many conclusions have a verdict."""
        return sum(one.verdict is verdict for one in self.conclusions)

    def summary(self) -> Iterator[RenderableType]:
        """Yield the summary: the verdicts and the key figures."""
        from rich.markup import escape

        yield f"[bold]{escape(self.paper.citation)}[/]\n"
        for number, one in enumerate(self.conclusions, 1):
            verdict = f"[{STYLES[one.verdict]}]{one.verdict}[/]"
            yield f"{number:2}. {verdict}: {escape(one.statement)}"
        if self.conclusions:
            yield ""
        if self.key:
            yield section_table(self.key)
        if self.misprints:
            yield f"{len(self.misprints)} printed figures or statements cannot be right."

    def renderables(self) -> Iterator[RenderableType]:
        """Yield the whole report for a terminal, part by part."""
        from rich.markup import escape
        from rich.padding import Padding

        yield f"[bold]{escape(self.paper.citation)}[/]\n"
        for section in self.sections:
            yield from section_renderables(section)
        yield "[bold]Its conclusions[/]"
        for number, one in enumerate(self.conclusions, 1):
            yield (
                f"{number:2}. {escape(one.statement)} ({escape(one.source)})\n"
                f"    [{STYLES[one.verdict]}]{one.verdict}[/]: {escape(one.figures)}"
            )
            if one.rule:
                yield Padding(escape(f"Holds {one.rule}."), (0, 0, 0, 4))
            if one.reason:
                yield Padding(escape(one.reason), (0, 0, 0, 4))
        if self.misprints:
            yield "\n[bold]What is printed and cannot be right[/]"
        for misprint in self.misprints:
            yield (
                f"  - {escape(misprint.printed)} ({escape(misprint.source)}): "
                f"{escape(misprint.computed)}; {escape(misprint.verdict)}"
            )


def ratio(ours: float | None, theirs: float | None) -> str:
    """The measured figure over the published one, for a table."""
    return "-" if not ours or not theirs else human.ratio(ours / theirs)


def as_printed(paper: Paper, places: Iterable[str], **fields: Any) -> Measurement:
    """Return a printed figure as a measurement.

    Args:
        paper: Where it is printed; its platform is that of the figure unless given.
        places: Of what is printed, in its ``published.toml``.
        fields: Of the measurement.
    """
    return Measurement(
        **{"mode": "ecb", "platform": paper.platform, **fields},
        method=Method.PUBLISHED,
        inputs=tuple(f"published:{paper.name}#{place}" for place in places),
    )
