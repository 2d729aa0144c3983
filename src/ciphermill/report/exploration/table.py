# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The table behind the plots: every candidate with its fields, figures, log and provenance."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text

from ciphermill.report import format as human
from ciphermill.report.exploration.expression import value_of
from ciphermill.report.exploration.origin import method_of, sources
from ciphermill.report.exploration.standing import KIND_WORDS, Kind, Ranking, Standing, shown
from ciphermill.report.exploration.text import clean
from ciphermill.report.exploration.why import choice_sentences
from ciphermill.report.table import Table

LOGS_CHARACTERS = 600_000
"""Characters of all logs together on a page; of each, the end is shown."""
LOG_CHARACTERS = 8_000
"""The most characters of one log."""
_TERMINAL_ROWS = 20


@dataclass(frozen=True)
class Row:
    """A candidate as a row of the page's table."""

    standing: Standing
    words: str
    fields: tuple[str, ...]
    goals: tuple[str, ...]
    """Objectives, and the figures that objectives and constraints name."""
    log: str

    @property
    def place(self) -> int:
        """The candidate's place, which its anchor has."""
        return self.standing.candidate.place


def table_rows(ranking: Ranking) -> list[Row]:
    """Return the rows of the page's table, the best first."""
    logs = sum(bool(one.candidate.log) for one in ranking.standings)
    most = min(LOG_CHARACTERS, LOGS_CHARACTERS // max(logs, 1))
    return [
        Row(
            one,
            KIND_WORDS[one.kind],
            tuple(shown(one.candidate.fields.get(name, "-")) for name in ranking.fields),
            tuple(figure_text(value_of(name, one.candidate.figures)) for name in ranking.goals),
            shortened(clean(one.candidate.log), most),
        )
        for one in ranking.best_first
    ]


def figure_text(value: float | None) -> str:
    """Return a figure with three significant digits, whole from a hundred on."""
    return "-" if value is None else human.any_figure(value)


def shortened(text: str, most: int) -> str:
    """Return the end of a text that is too long, where tools print their errors."""
    left_out = len(text) - most
    if left_out <= 0:
        return text
    return f"[the first {left_out:,} characters are left out]\n{text[left_out:]}"


def summary(ranking: Ranking) -> list[RenderableType]:
    """Return an exploration for a terminal: state, front, and the recommended choice."""
    count = len(ranking.front)
    rows = ranking.of(Kind.FRONT)[:_TERMINAL_ROWS]
    exploration = ranking.exploration
    parts: list[RenderableType] = [plain(f"{exploration.name}: {state_sentence(ranking)}"), ""]
    if rows:
        table = Table(
            "Front: no good candidate is better in one objective and not worse in the others",
            caption=f"and {count - len(rows)} more; the page has all" if count > len(rows) else "",
        )
        table.add_column("candidate", figures=True)
        for name in ranking.fields:
            table.add_column(clean(name))
        for name in ranking.goals:
            table.add_column(clean(name), figures=True)
        for one in rows:
            fields = (clean(shown(one.candidate.fields.get(name, "-"))) for name in ranking.fields)
            goals = (value_of(name, one.candidate.figures) for name in ranking.goals)
            table.add_row(str(one.candidate.place), *fields, *map(figure_text, goals))
        parts += [table, ""]
    return [*parts, *map(plain, choice_sentences(ranking))]


def plain(text: str) -> Text:
    """Return a text of others for a terminal: no part of it is markup or a control character."""
    return Text(clean(text))


def state_sentence(ranking: Ranking) -> str:
    """Return how many candidates of the space are in each state."""
    counts = [
        f"{human.count(len(found))} {KIND_WORDS[kind]}"
        for kind in Kind
        if (found := ranking.of(kind))
    ]
    exploration = ranking.exploration
    ended = "has ended" if exploration.ended else "is not finished"
    proposed = f"{human.count(len(ranking.standings))} of {human.count(exploration.total)}"
    counted = f": {', '.join(counts)}" if counts else ""
    return f"the {exploration.search} search {ended}; {proposed} candidates were proposed{counted}"


def methods_of(ranking: Ranking) -> list[tuple[str, str]]:
    """Return how the objectives' and constraints' figures were obtained, over all candidates."""
    methods: dict[str, dict[str, None]] = {name: {} for name in ranking.goals}
    for one in ranking.of(Kind.FRONT, Kind.GOOD, Kind.OUTSIDE):
        found = sources(one.candidate)
        for name in ranking.goals:
            methods[name][method_of(name, found)] = None
    return [(name, " or ".join(said)) for name, said in methods.items() if said]
