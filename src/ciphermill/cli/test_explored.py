# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill report`` shows an exploration of the store again, and takes its figures away."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.explorations import exploration, grid

from ciphermill.campaign.store import Store
from ciphermill.cli import failures
from ciphermill.cli.main import cli
from ciphermill.design import Measurement, Method


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A store with an exploration in progress as run 1, and a run of measurements as run 2."""
    monkeypatch.setenv("CIPHERMILL_STORE", str(tmp_path / "store.sqlite"))
    with Store(tmp_path / "store.sqlite") as store:
        begun = replace(exploration(candidates=grid()), ended=False)
        assert store.add_exploration(begun, key="k") == 1
        weighed = Measurement(
            device="cpu", mode="ctr", operation="encrypt", bytes=16, method=Method.MEASURED,
            time_total_s=1.0, throughput_mb_s=1.0, correct=True,
        )  # fmt: skip
        assert store.add_run([weighed], command="ciphermill weigh") == 2
    return tmp_path


def report(*arguments: str) -> int:
    return failures.run(cli, ["report", *arguments])


def test_an_exploration_is_shown_with_all_its_files(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    files = ("--csv", f"{folder}/c.csv", "--parquet", f"{folder}/c.parquet")
    assert report("1", "--svg", f"{folder}/plots", "--png", f"{folder}/plots", *files) == 0
    shown = " ".join(capfd.readouterr().out.split())
    assert "the guided search is not finished; 35 of 36 candidates" in shown
    assert "build candidate 35 (design.partition iterative" in shown
    page = (folder / "run-1.html").read_text(encoding="utf-8")
    assert "<strong>So far: </strong>For the least cycles.per_block" in page
    assert sorted(path.name for path in (folder / "plots").iterdir()) == [
        "front-1-2-area.lut-over-cycles.per_block.png",
        "front-1-2-area.lut-over-cycles.per_block.svg",
        "parallel-coordinates.png",
        "parallel-coordinates.svg",
    ]
    assert (folder / "plots/parallel-coordinates.png").read_bytes()[:4] == b"\x89PNG"
    assert (folder / "c.parquet").read_bytes()[:4] == b"PAR1"


def test_one_that_has_not_ended_runs_or_has_the_command_that_continues_it(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with Store(folder / "store.sqlite") as store, store.claim("k"):
        assert report("1", "--json") == 0
        assert "A process works on this exploration now" in capfd.readouterr().err
    assert report("1") == 0
    told = "Interrupted; the same command continues: ciphermill explore aes-on-a-soft-core"
    assert told in " ".join(capfd.readouterr().err.split())
    with Store(folder / "store.sqlite") as store:
        store.end_exploration(1)
    assert report("1") == 0
    assert "nterrupted" not in capfd.readouterr().err


def test_an_option_of_explorations_chooses_the_newest_one(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert report("--csv", f"{folder}/c.csv", "--json") == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["number"], told["recommended"], told["knee"]) == (1, 35, 17)
    assert told["candidates"][24 - 1]["state"] == "failed"
    assert len((folder / "c.csv").read_text().splitlines()) == 1 + len(told["candidates"])
    assert report() == 0, "the last run, which is none"
    assert "cpu" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("2 --csv c.csv", "--csv is of explorations, and run 2 is none"),
        ("1 2", "run 1 is an exploration: name it alone"),
        ("1 --plot p.svg", "give --svg FOLDER"),
        ("3", "has no run 3; the last is 2"),
    ],
)
def test_what_does_not_go_together_is_a_usage_error(
    arguments: str, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert report(*arguments.split()) == 2
    assert words in capfd.readouterr().err


def test_parquet_without_its_library_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    assert report("1", "--parquet", f"{folder}/c.parquet") == 1
    assert "pip install pyarrow" in capfd.readouterr().err
    assert not (folder / "c.parquet").exists()


def test_a_file_that_cannot_be_written_is_an_error(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "c.csv").mkdir()
    assert report("1", "--csv", f"{folder}/c.csv") == 1
    assert f"cannot write {folder}/c.csv" in capfd.readouterr().err
    assert not list(folder.glob(".ciphermill-*"))
