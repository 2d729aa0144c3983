# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Explorations come back from the store as they went in."""

import math
import os
import signal
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from ciphermill.campaign.exploration import (
    Activity,
    Candidate,
    Exploration,
    Objective,
    State,
    StepRecord,
)
from ciphermill.campaign.store import Store, StoreError, StoreUnavailable
from ciphermill.campaign.store.sqlite import SQLite
from ciphermill.design import Measurement
from ciphermill.design.measurement import Method

AREA = Measurement(design="aes", cycles_total=7, method=Method.SIMULATED)
SPEED = Measurement(design="aes", time_total_s=0.1, method=Method.MEASURED)
EXPLORATION = Exploration(
    number=0,
    name="aes",
    started="2026-01-02T03:04:05+00:00",
    ended=False,
    command="explore aes",
    objectives=(Objective("area.lut"), Objective("throughput.mb_s", "maximise")),
    constraints=("area.lut < 4000",),
    steps=(StepRecord("area"), StepRecord("run", dear=True)),
    search="guided",
    seed=7,
    total=12,
    definition={"space": {"design": ["a", "b"]}},
)
FIRST = Candidate("d1", 1, {"design.core": "ibex", "design.width": 32})
SECOND = Candidate(
    *("d2", 0, {"design.core": "cva6"}, State.FAILED),
    figures={"area.lut": 0.1 + 0.2, "energy": math.inf},
    step="area",
    seconds={"area": 1.5},
    reason="yosys ended with 1",
    log="a\0b\N{SNOWMAN}\udc80",
    measurements=(AREA,),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s"


def test_an_exploration_comes_back_as_it_went_in(path: Path) -> None:
    with Store(path) as store:
        store.add_run([SPEED], command="weigh")
        number = store.add_exploration(EXPLORATION, key="k")
        store.keep_candidate(number, FIRST)
        store.keep_candidate(number, SECOND)
        there = replace(EXPLORATION, number=number)
        assert store.exploration(number) == replace(there, candidates=(SECOND, FIRST))
        newer = store.add_exploration(replace(EXPLORATION, candidates=(SECOND,)), key="l")
        assert store.explorations() == [replace(there, number=newer), there]
        assert store.exploration(newer).candidates == (SECOND,)
        with pytest.raises(StoreError, match=rf"no exploration 9; .*\[{newer}, {number}\]"):
            store.exploration(9)
        with pytest.raises(StoreError, match="no exploration 1"):
            store.exploration(1)


def test_a_candidate_and_its_measurements_replace_those_of_before(path: Path) -> None:
    with Store(path) as store:
        number = store.add_exploration(EXPLORATION, key="k")
        other = store.add_exploration(EXPLORATION, key="k")
        for one in (number, other):
            store.keep_candidate(one, SECOND)
        done = replace(SECOND, state=State.MEASURED, measurements=(AREA, SPEED))
        store.keep_candidate(number, done)
        assert store.exploration(number).candidates == (done,)
        assert store.exploration(other).candidates == (SECOND,)
        records = [one.measurement for one in store.records(run=number)]
        assert records == [AREA, SPEED]


def test_only_an_exploration_that_has_not_ended_is_continued(path: Path) -> None:
    with Store(path) as store:
        store.add_run([], command="weigh", key="k")
        assert store.unfinished_exploration("k") is None
        number = store.add_exploration(EXPLORATION, key="k")
        assert store.unfinished_exploration("other") is None
        assert store.unfinished_exploration("k") == number
        store.end_exploration(number)
        assert store.unfinished_exploration("k") is None
        assert store.exploration(number).ended


def test_a_candidate_of_no_exploration_is_refused_and_keeps_no_other_out(path: Path) -> None:
    with Store(path) as store:
        number = store.add_exploration(EXPLORATION, key="k")
        with pytest.raises(StoreError):
            store.keep_candidate(number + 1, FIRST)
        store.keep_candidate(number, SECOND)
        assert store.exploration(number).candidates == (SECOND,)


def test_what_a_full_disk_kept_out_is_written_when_there_is_room(path: Path) -> None:
    long = replace(FIRST, log="x" * 500_000)
    with Store(path) as store:
        number = store.add_exploration(EXPLORATION, key="k")
        assert isinstance(store._database, SQLite)
        store._database.connection.execute("PRAGMA max_page_count = 40")
        with pytest.raises(StoreUnavailable, match="disk is full: make room"):
            store.keep_candidate(number, long)
        assert store.exploration(number).candidates == ()
        assert store.unfinished_exploration("k") == number
        store._database.connection.execute("PRAGMA max_page_count = 4000")
        store.keep_candidate(number, SECOND)
        assert store.exploration(number).candidates == (SECOND, long)


def _write(path: Path, number: int, first: int) -> None:
    with Store(path) as store:
        for place in range(first, first + 20):
            store.keep_candidate(number, replace(SECOND, digest=f"d{place}", place=place))


def test_several_processes_write_one_exploration(path: Path) -> None:
    with Store(path) as store:
        number = store.add_exploration(EXPLORATION, key="k")
    context = get_context("fork")
    writers = [context.Process(target=_write, args=(path, number, 15 * n)) for n in range(3)]
    for one in writers:
        one.start()
    for one in writers:
        one.join(60)
    with Store(path) as store:
        found = store.exploration(number).candidates
    assert [one.place for one in found] == list(range(50))
    assert all(one.measurements == (AREA,) for one in found)


def test_a_key_is_held_by_one_process(path: Path) -> None:
    with Store(path) as store, Store(path) as other:
        with store.claim("k") as mine, other.claim("k") as theirs, other.claim("l") as free:
            assert (mine, theirs, free) == (True, False, True)
        with other.claim("k") as now:
            assert now
    assert [one.name for one in path.parent.iterdir()] == ["s"]


def _explore(path: Path, key: str, begun: Connection) -> None:
    with Store(path) as store, store.claim(key):
        begun.send(True)
        signal.pause()


def test_one_that_was_killed_is_interrupted(path: Path) -> None:
    with Store(path) as store:
        number = store.add_exploration(EXPLORATION, key="k")
        assert store.activity(number) is Activity.INTERRUPTED
        here, there = get_context("fork").Pipe()
        explorer = get_context("fork").Process(target=_explore, args=(path, "k", there))
        explorer.start()
        try:
            assert here.poll(60) and here.recv()
            assert store.activity(number) is Activity.RUNNING
        finally:
            explorer.kill()
            explorer.join(60)
        assert store.activity(number) is Activity.INTERRUPTED
        store.end_exploration(number)
        assert store.activity(number) is Activity.ENDED
        with pytest.raises(StoreError, match="no run 99"):
            store.activity(99)


def test_a_question_takes_no_claim(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process that begins to explore at any moment of the question gets the claim."""
    with Store(path) as store, Store(path) as other:
        number = store.add_exploration(EXPLORATION, key="k")
        # A process that was killed leaves the file, and nobody locks it.
        SQLite(path)._claim_of("k").touch()
        claimed = []
        closed = os.close

        def begin(file: int) -> None:
            monkeypatch.undo()
            with other.claim("k") as mine:
                claimed.append(mine)
            closed(file)

        monkeypatch.setattr("ciphermill.campaign.store.sqlite.os.close", begin)
        assert store.activity(number) is Activity.INTERRUPTED
        assert claimed == [True]
