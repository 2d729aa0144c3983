# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill explore``: refusals, and a real exploration of two programs by estimates."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from support.spaces import programs

from ciphermill.cli import failures
from ciphermill.cli.main import cli

SPACE = programs(variant=["portable", "table", "column"])


@pytest.fixture
def space(tmp_path: Path) -> Path:
    path = tmp_path / "programs.toml"
    path.write_text(SPACE)
    return path


def explore(path: Path, *arguments: str) -> int:
    store = path.with_name("store.sqlite")
    return failures.run(cli, ["explore", str(path), "--store", str(store), *arguments])


def test_an_exploration_shows_the_front_and_is_stored(
    space: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explore(space, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    states = sorted(one["state"] for one in told["candidates"])
    assert states == ["measured", "measured", "refused"]
    best = {one["digest"]: one for one in told["candidates"] if one["state"] == "measured"}
    fastest = min(best.values(), key=lambda one: one["figures"]["cycles.per_block"])
    assert fastest["fields"]["design.variant"] == "table"
    assert fastest["place"] in told["front"]
    assert fastest["measurements"][0]["method"] == "estimated"
    assert fastest["measurements"][0]["provenance"]["command"]
    assert explore(space, "--search", "grid") == 0
    shown = capsys.readouterr()
    words = " ".join(shown.out.split())
    assert "the grid search has ended; 3 of 3 candidates were proposed" in words
    assert "refused (1): " in words
    assert "Stored as run 2" in shown.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--objective", "cycles.per_blok"], 2, "did you mean cycles.per_block?"),
        (["--constraint", "area.lut <"], 2, "is not an expression"),
        (["--search", "gird"], 2, "did you mean grid?"),
        (["--budget", "0"], 2, "--budget"),
        (["--report", "/proc/none/page.html"], 1, "cannot write /proc/none/page.html"),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(
    space: Path,
    arguments: list[str],
    code: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert explore(space, *arguments) == code
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        ('name = "estimate"', 'name = "estimat"', 2, "did you mean estimate?"),
        ('name = "estimate"', 'name = "estimate"\nspeed = 1', 3, "speed: is not a field here"),
        ('"software"', '"softwar"', 3, "did you mean software?"),
    ],
)
def test_a_wrong_file_is_refused_before_anything_is_measured(
    space: Path, old: str, new: str, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    space.write_text(SPACE.replace(old, new))
    assert explore(space) == code
    assert message in capsys.readouterr().err


def test_the_store_is_not_overwritten_by_the_page(
    space: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = space.with_name("store.sqlite")
    assert explore(space, "--report", str(store)) == 1
    assert "is the results store: name another file" in capsys.readouterr().err
    assert store.read_bytes().startswith(b"SQLite format 3")


def test_the_matrices_of_the_search_have_one_thread_unless_told_otherwise(
    space: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert explore(space.with_name("none.toml")) == 2
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    assert explore(space.with_name("none.toml")) == 2
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"


def test_no_good_candidate_is_a_failure_that_says_so(
    space: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explore(space, "--constraint", "cycles.per_block < 1") == 1
    assert "no measured candidate fulfils cycles.per_block < 1" in capsys.readouterr().err


def test_a_full_disk_of_the_build_folder_fails_no_candidate(
    space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CIPHERMILL_BUILD", str(tmp_path / "build"))
    full = shutil.disk_usage(tmp_path)._replace(free=0)
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "disk_usage", lambda _: full)
        assert explore(space, "--json") == 1
    assert f"no space left on the disk of {tmp_path}/build/cache" in capsys.readouterr().err
    assert explore(space, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    states = sorted(one["state"] for one in told["candidates"])
    assert (told["number"], states) == (1, ["measured", "measured", "refused"])
