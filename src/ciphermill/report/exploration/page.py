# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page of an exploration, complete in itself: plots that answer, reasons, and the table."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Container
from functools import cache, partial
from importlib import resources
from pathlib import Path

from ciphermill.campaign.exploration import Exploration
from ciphermill.report import format as human
from ciphermill.report.exploration.atomic import write_whole
from ciphermill.report.exploration.details import details_of
from ciphermill.report.exploration.plot_data import as_script, axes_of, left_out, plot_data
from ciphermill.report.exploration.standing import Kind, Ranking, Standing, rank, shown
from ciphermill.report.exploration.table import (
    figure_text,
    methods_of,
    state_sentence,
    table_rows,
)
from ciphermill.report.exploration.why import (
    KNEE_RULE,
    choice_sentences,
    knee,
    neighbours_of,
    recommended,
)
from ciphermill.report.html_page import moment, render

MOST_EXPLAINED = 100
"""The most candidates of the front whose neighbours the page lists."""
_SCRIPTS = ("exploration.js", "exploration_front.js", "exploration_axes.js", "exploration_table.js")


def write_exploration_page(exploration: Exploration, path: Path) -> None:
    """Write the page of an exploration, whole or not at all.

    Raises:
        OSError: The file cannot be written.
    """
    write_whole(path, exploration_page(exploration).encode("utf-8", "replace"))


def exploration_page(exploration: Exploration) -> str:
    """Return the page of an exploration, finished or not, as HTML text."""
    ranking = rank(exploration)
    explained = ranking.front[:MOST_EXPLAINED]
    figures = [one.name for one in axes_of(ranking) if one.role != "field"]
    details = details_of(ranking, figures)
    return render(
        "exploration.html.j2",
        title=exploration.name,
        subtitle=f"Exploration {exploration.number}, started {moment(exploration.started)}",
        wide=True,
        ranking=ranking,
        exploration=exploration,
        state=state_sentence(ranking),
        waits=not exploration.ended,
        none_good="" if ranking.front else _why_none(ranking),
        choices=choice_sentences(ranking),
        named=_named(ranking),
        lacking=left_out(ranking, axes_of(ranking)),
        knee_rule=KNEE_RULE,
        explained=[
            {
                "one": one,
                "fields": _fields(one),
                "values": [figure_text(value) for value in one.values],
                "marks": _marks(ranking, one),
                "neighbours": neighbours,
            }
            for one, neighbours in zip(explained, neighbours_of(ranking, explained), strict=True)
        ],
        unexplained=len(ranking.front) - len(explained),
        rows=table_rows(ranking),
        origins=details.origins,
        methods=methods_of(ranking),
        data=as_script({**plot_data(ranking), "details": details.data}),
        script=script(),
        policy=content_policy(),
        linked=partial(_linked, {one.candidate.place for one in ranking.standings}),
        ratio=lambda value: "-" if value is None else human.ratio(value),
        provenance=[
            ("Command", exploration.command),
            ("Search", f"{exploration.search}, seed {exploration.seed}"),
            ("Steps", ", ".join(f"{s.name}{' (dear)' * s.dear}" for s in exploration.steps)),
        ],
    )


@cache
def script() -> str:
    """Return the page's script."""
    folder = resources.files("ciphermill.report") / "templates"
    parts = [(folder / name).read_text(encoding="utf-8") for name in _SCRIPTS]
    return '"use strict";\n' + "\n".join(parts)


def content_policy() -> str:
    """Return the content security policy of the page: its own script and styles, and nothing else.

    A server that gives this page out may send it as a header too.
    """
    digest = base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )


def _fields(one: Standing) -> str:
    return ", ".join(f"{name} {shown(value)}" for name, value in one.candidate.fields.items())


def _linked(places: Container[int], text: str) -> str:
    """Return a text as HTML, in which each candidate's number leads to its row."""

    def link(word: re.Match[str]) -> str:
        return (
            f'<a href="#candidate-{word[0]}">{word[0]}</a>' if int(word[0]) in places else word[0]
        )

    return re.sub(r"(?<=[Cc]andidate )\d{1,9}\b", link, html.escape(text))


def _named(ranking: Ranking) -> list[int]:
    """Return the candidates that the page names first, by their places."""
    first = [one for one in (recommended(ranking), knee(ranking)) if one]
    return list(dict.fromkeys(one.candidate.place for one in first))


def _marks(ranking: Ranking, one: Standing) -> list[str]:
    marks = {"recommended": recommended(ranking), "knee point": knee(ranking)}
    return [name for name, marked in marks.items() if marked is one]


def _why_none(ranking: Ranking) -> str:
    """Return why there is no front, as a sentence."""
    if not ranking.standings:
        return "No candidate was proposed yet."
    if ranking.of(Kind.OUTSIDE):
        return "Every measured candidate breaks a constraint: the table says which."
    waiting = ranking.of(Kind.WAITING)
    if waiting:
        return "No candidate has all of its measurements yet."
    if len(ranking.of(Kind.FAILED)) == len(ranking.standings):
        return "Every candidate failed: the table has the reasons and the logs."
    return "No candidate was measured: the table has the reasons."
