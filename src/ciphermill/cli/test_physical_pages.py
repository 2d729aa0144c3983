# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill physical`` writes its pages."""

from pathlib import Path

import pytest

from ciphermill.cli import failures
from ciphermill.cli.main import cli


@pytest.mark.synthesis
def test_a_page_and_a_comparison_are_written(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store = ["--store", str(tmp_path / "store.sqlite")]
    page, compared = tmp_path / "page.html", tmp_path / "compared.html"
    arguments = ["physical", "present-minimal", "--target", "xc7", "--report", str(page), "--json"]
    assert failures.run(cli, [*arguments, *store]) == 0
    assert f"Report: {page}" in capfd.readouterr().err
    assert "<h1>present-minimal: area, timing, power, energy</h1>" in page.read_text(
        encoding="utf-8"
    )
    assert failures.run(cli, ["physical", "--compare", str(compared), *store]) == 0
    shown = capfd.readouterr()
    assert shown.out == ""
    assert f"Comparison: {compared}" in shown.err
    text = compared.read_text(encoding="utf-8")
    assert "1 design on 1 target," in text
    assert "present-minimal" in text


def test_comparison_of_an_empty_store_says_what_to_do(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "compared.html"
    store = ["--store", str(tmp_path / "store.sqlite")]
    assert failures.run(cli, ["physical", "--compare", str(page), *store]) == 1
    assert "run ciphermill physical DESIGN first" in capfd.readouterr().err
    assert not page.exists()


def test_a_page_that_cannot_be_written_is_refused_before_the_work(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    page = tmp_path / "file" / "page.html"
    arguments = ["physical", "present-minimal", "--target", "xc7", "--report", str(page)]
    assert failures.run(cli, [*arguments, "--store", str(tmp_path / "s")]) == 1
    shown = capfd.readouterr().err
    assert "page.html" in shown
    assert "present-minimal on xc7" not in shown
