# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill paper --all`` reads the store and runs nothing."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ciphermill.campaign.store import Store
from ciphermill.cli.main import cli
from ciphermill.papers import PAPERS

NAME = "aes-fpga-vs-gpu"


def test_all_prints_a_list_and_writes_the_page(tmp_path: Path) -> None:
    store, page = tmp_path / "s.sqlite", tmp_path / "all.html"
    with Store(store):
        pass
    told = CliRunner().invoke(
        cli, ["paper", "--all", "--store", str(store), "--report", str(page), "--json"]
    )
    assert told.exit_code == 0
    assert {one["paper"] for one in json.loads(told.stdout)} == set(PAPERS)
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_page_does_not_overwrite_the_store(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    with Store(store):
        pass
    told = CliRunner().invoke(
        cli, ["paper", "--all", "--store", str(store), "--report", str(store)]
    )
    assert told.exit_code == 1
    assert store.read_bytes().startswith(b"SQLite format 3")


def test_all_needs_no_store_unless_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "none" / "s.sqlite"
    monkeypatch.setenv("CIPHERMILL_STORE", str(store))
    told = CliRunner().invoke(cli, ["paper", "--all"])
    assert told.exit_code == 0
    assert store.with_name("papers.html").exists()
    assert not store.exists()
    assert CliRunner().invoke(cli, ["paper", "--all", "--store", str(store)]).exit_code == 2


@pytest.mark.parametrize(
    ("asked", "message"),
    [([], "name a paper, or give --all"), (["--all", NAME], "--all takes no paper's name")],
)
def test_all_and_a_name_exclude_each_other(asked: list[str], message: str) -> None:
    told = CliRunner().invoke(cli, ["paper", *asked])
    assert told.exit_code == 2
    assert message in told.output
