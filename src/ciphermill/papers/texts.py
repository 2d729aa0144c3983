# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The texts of a paper's report, from the ``report.toml`` in its folder.

Conclusions, tables and misprints are rows there, with ``{words}`` that the paper's code fills.
A word is formatted as in Python, with these differences: a float without a format has three
significant digits, a whole number has its thousands apart, and the format ``x`` is a factor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, Field

from ciphermill.design.load import load_model
from ciphermill.design.table import Table
from ciphermill.papers.paper import Conclusion, Evidence, Misprint
from ciphermill.papers.published import paper_file
from ciphermill.report import format as human
from ciphermill.report.section import Section

View = TypeVar("View")
Text = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]
"""A text; how its lines are broken in the file says nothing."""


class _Words(Formatter):
    def format_field(self, value: Any, format_spec: str) -> Any:
        if isinstance(value, Evidence):
            value = value.value
        if format_spec == "x":
            return human.ratio(value)
        if not format_spec and isinstance(value, int | float):
            return human.significant(value) if isinstance(value, float) else human.count(value)
        return super().format_field(value, format_spec)


def fill(text: str, /, *values: object, **words: object) -> str:
    """Return a text with its words filled in.

    >>> fill("{name}: {0:x} of {most}, {part:.0%}", 2.5, name="AES", most=1234, part=0.123)
    'AES: 2.50x of 1,234, 12%'
    """
    return _Words().vformat(text, values, words)


def each(text: str, rows: Mapping[Any, object] | Iterable[Sequence[Any]], by: str = ", ") -> str:
    """Return a text filled for each row, joined.

    Args:
        text: With the words ``{0}``, ``{1}`` and so on.
        rows: The words of each, or a mapping of the first to the second.
        by: Stands between.

    >>> each("{0} {1:.0%}", {"AES": 0.5, "PRESENT": 0.25})
    'AES 50%, PRESENT 25%'
    """
    return by.join(
        fill(text, *row) for row in (rows.items() if isinstance(rows, Mapping) else rows)
    )


@dataclass(frozen=True)
class Finding:
    """The finding from measured figures for a conclusion."""

    holds: bool | None
    """None where what would tell was not run."""
    evidence: tuple[Evidence, ...]
    """The figures that the rule looks at."""
    words: Mapping[str, object]
    """For the texts of the conclusion."""
    row: str = ""
    """Another row whose texts stand in place of the conclusion's own."""


def found(
    holds: bool | None,
    evidence: Mapping[str, float] | Iterable[Evidence],
    unit: str = "",
    *,
    row: str = "",
    **words: object,
) -> Finding:
    """Return a finding; evidence by names is simulated or synthesised, of one unit."""
    if isinstance(evidence, Mapping):
        evidence = [Evidence(what, value, unit) for what, value in evidence.items()]
    return Finding(holds, tuple(evidence), words, row)


Judge = Callable[[View, float], Finding | str]
"""Looks at a view of the figures and the conclusion's limit; a text says why it cannot tell."""


@dataclass(frozen=True)
class Judges(Generic[View]):
    """The functions that judge a paper's conclusions, in its order, by their names."""

    judges: tuple[Judge[View], ...]

    def __call__(self, view: View, texts: Texts) -> Iterator[Conclusion]:
        """Yield each conclusion with what the figures of a view say to it."""
        for judge in self.judges:
            name = judge.__name__.lstrip("_")
            yield texts.concluded(name, judge(view, texts.conclusion[name].limit))


class ConclusionText(Table):
    """A conclusion of the paper, with the texts about it."""

    statement: Text
    source: Text
    """The place in the paper."""
    limit: float = 0.0
    """The threshold or tolerance of its rule."""
    rule: Text = ""
    figures: Text = ""
    reason: Text = ""
    otherwise: Text | None = None
    """The reason where it does not hold, if that is another."""
    own: tuple[str, ...] = ()
    """The printed figures that the paper draws it from, by their places."""


class SectionText(Table):
    """Title, columns and notes of a table."""

    title: Text
    columns: tuple[str, ...]
    notes: tuple[Text, ...] = ()


class MisprintText(Table):
    """A misprint: the printed text, and the value from the paper's own figures."""

    source: Text
    printed: Text
    computed: Text
    verdict: Text


class Texts(Table):
    """A paper's ``report.toml``."""

    paper: str
    conclusion: dict[str, ConclusionText] = Field(default_factory=dict)
    section: dict[str, SectionText]
    misprint: dict[str, MisprintText]
    say: dict[str, Text] = Field(default_factory=dict)
    """Sentences that stand where figures decide."""

    @classmethod
    def of(cls, paper: str) -> Texts:
        """Load the texts of a paper, by its name.

        Raises:
            DesignError: The file is missing or malformed.
        """
        return load_model(cls, paper_file(paper, "report.toml"))

    def concluded(self, name: str, finding: Finding | str) -> Conclusion:
        """Return a conclusion with a finding, or with the reason why there is none."""
        text = self.conclusion[name]
        if isinstance(finding, str):
            return Conclusion(fill(text.statement), text.source, None, finding, "")
        words = {"limit": text.limit, **finding.words}
        text = self.conclusion[finding.row or name]
        reason = text.reason
        if text.otherwise is not None and not finding.holds:
            reason = text.otherwise
        return Conclusion(
            fill(text.statement, **words),
            fill(text.source, **words),
            finding.holds,
            fill(text.figures, **words),
            fill(reason, **words),
            fill(text.rule, **words),
            finding.evidence,
            tuple(f"{self.paper}#{place}" for place in text.own),
        )

    def table(
        self, name: str, rows: Iterable[tuple[str, ...]], /, *notes: str, **words: object
    ) -> Section:
        """Return a table with its title, columns and notes, and further notes."""
        text = self.section[name]
        return Section(
            fill(text.title, **words),
            tuple(fill(column, **words) for column in text.columns),
            tuple(rows),
            (*(fill(note, **words) for note in text.notes), *notes),
        )

    def misprinted(self, name: str, /, **words: object) -> Misprint:
        """Return a misprint."""
        texts = self.misprint[name].model_dump()
        return Misprint(**{part: fill(text, **words) for part, text in texts.items()})

    def sentence(self, name: str, /, *values: object, **words: object) -> str:
        """Return a sentence."""
        return fill(self.say[name], *values, **words)
