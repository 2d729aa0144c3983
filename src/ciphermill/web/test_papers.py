# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page of papers: not run, interrupted, and what the newest complete run says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from support.pages import Client, served

from ciphermill.campaign.store import Store
from ciphermill.design import Measurement
from ciphermill.papers import PAPERS
from ciphermill.papers.paper import Conclusion, PaperPlot, PaperReport
from ciphermill.papers.published import bibliography
from ciphermill.papers.thesis_zynq_ciphers import entry

NAME = "thesis-zynq-ciphers"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture
def page(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setattr("ciphermill.web.work.offered", lambda _: [])
    with served(store=str(path)) as client:
        yield client


def no_plots() -> Iterable[PaperPlot]:
    raise AssertionError("a plot is drawn, which takes seconds")


def report(measurements: Sequence[Measurement]) -> PaperReport:
    """A report whose conclusions follow from the number of measurements."""
    if len(measurements) < 2:
        raise KeyError("it is not complete")
    conclusions = (
        Conclusion("Hardware is <faster>", "p. 1", len(measurements) > 2, "3 to 2", "It is."),
        Conclusion("Energy is less", "p. 2", None, "", "No board was measured."),
    )
    paper = bibliography(NAME)
    return PaperReport(paper, (), conclusions, (), tuple(measurements), draw=no_plots)


def add(path: Path, count: int) -> int:
    with Store(path) as store:
        seen = [Measurement.from_json({"method": "simulated", "mode": "ctr"})] * count
        return store.add_run(seen, command=f"ciphermill paper {NAME} --no-area")


def test_each_paper_is_there_with_the_command_that_runs_it(page: Client, path: Path) -> None:
    body = page("dashboard/papers").body.decode()
    for name in PAPERS:
        assert f'data-live="{page.url[page.url.index("/", 8) :]}dashboard/papers/{name}"' in body
        part = page(f"dashboard/papers/{name}").body.decode()
        assert "There is no results store" in part
        assert f"<code>ciphermill paper {name}</code>" in part
    assert page("dashboard/papers/nothing").status == 404
    assert not path.exists()


def test_the_newest_complete_run_counts(
    page: Client, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry, "ENTRY", replace(entry.ENTRY, report=report))
    add(path, 1)
    part = page(f"dashboard/papers/{NAME}").body.decode()
    assert "no complete run" in part and f"ciphermill paper {NAME}" in part
    assert page(f"dashboard/papers/{NAME}/report").status == 404
    run = add(path, 2)
    add(path, 1)  # interrupted
    part = page(f"dashboard/papers/{NAME}").body.decode()
    assert f"2 conclusions, from run {run}" in part
    assert "1 does not hold" in part and "1 cannot be tested here" in part
    assert "Hardware is &lt;faster&gt;" in part
    newer = add(path, 3)
    part = page(f"dashboard/papers/{NAME}").body.decode()
    assert f"from run {newer}" in part and "1 holds" in part


def test_reports_are_saved_and_not_shown(
    page: Client, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undrawn = lambda seen: replace(report(seen), draw=tuple)  # noqa: E731
    monkeypatch.setattr(entry, "ENTRY", replace(entry.ENTRY, report=undrawn))
    run = add(path, 3)
    for part, name in ((f"{NAME}/report", f"paper-{NAME}-{run}.html"), ("all", "papers.html")):
        answer = page(f"dashboard/papers/{part}")
        headers = {key.lower(): value for key, value in answer.headers.items()}
        assert answer.status == 200
        assert headers["content-disposition"] == f'attachment; filename="{name}"'
        assert "script-src 'self'" in headers["content-security-policy"]
