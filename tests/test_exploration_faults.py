# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill explore`` in its own process, through faults: it continues, and nothing is lost.

The space has eight programs, whose cycles are estimated. What a measurement needs is compiled
first, in a build folder that is the module's, or new where a test needs time for a fault.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.postgresql import PASSWORD, PostgreSQLServer, Unavailable, server
from support.processes import descendants, has_ended
from support.ray_cluster import calls_of, ray_cluster
from support.spaces import programs

from ciphermill.campaign.exploration import Candidate
from ciphermill.campaign.store import Store

from .conftest import Ciphermill, Outcome, wait_for

SPACE = programs(
    soft_core=["picorv32", "vexriscv"], variant=["portable", "table"], optimisation=["O2", "Os"]
)
COUNT = 8
"""Candidates, each with one measurement."""

Found = list[Any]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The build folder of all explorations that need no time."""
    return tmp_path_factory.mktemp("build")


@pytest.fixture
def explore(ciphermill: Ciphermill, build: Path) -> Explore:
    return Explore(ciphermill, build)


class Explore:
    """The command for the space, in the folder of the test."""

    def __init__(self, ciphermill: Ciphermill, build: Path) -> None:
        self._run = ciphermill
        ciphermill.environment["CIPHERMILL_BUILD"] = str(build)
        (ciphermill.folder / "programs.toml").write_text(SPACE)

    def cold(self, folder: Path) -> None:
        """Compile everything again, in a folder of its own: a measurement takes time."""
        self._run.environment["CIPHERMILL_BUILD"] = str(folder)

    def __call__(self, store: Path | str, *options: str, file_limit: int | None = None) -> Outcome:
        return self._run(*_arguments(store, *options), file_limit=file_limit)

    def start(self, store: Path | str, *options: str) -> subprocess.Popen[bytes]:
        """Start it; standard output has the result."""
        return self._run.start(*_arguments(store, *options), stdout=subprocess.PIPE)


def _arguments(store: Path | str, *options: str) -> list[str]:
    return ["explore", "programs.toml", "--store", str(store), "--json", *options]


def found(printed: bytes) -> Found:
    """What an exploration found, without times and numbers of runs."""
    told = json.loads(printed)
    assert told["ended"]
    names = ("digest", "place", "state", "figures", "objectives", "good")
    return [*([one[name] for name in names] for one in told["candidates"]), told["front"]]


def candidates(store: Path | str) -> tuple[Candidate, ...]:
    """Candidates of the only exploration in a store; none if it has not begun."""
    if isinstance(store, Path) and not store.exists():
        return ()
    with Store(store) as opened:
        listed = opened.explorations()
        assert len(listed) < 2, "an exploration is continued, not begun again"
        return opened.exploration(listed[0].number).candidates if listed else ()


def times(store: Path | str) -> dict[str, Any]:
    """How long each measurement took, which tells whether it was made again."""
    return {one.digest: dict(one.seconds) for one in candidates(store) if one.steps}


def continues(explore: Explore, store: Path | str, *options: str) -> Found:
    """Run the command to its end; see that it measures nothing twice, and loses nothing."""
    before = times(store)
    outcome = explore(store, *options)
    assert outcome.code == 0, outcome
    after = times(store)
    assert after.items() >= before.items()
    assert len(after) == COUNT
    with Store(store) as opened:
        assert len(opened.records()) == COUNT
    return found(outcome.out)


def whole(explore: Explore, store: Path, *options: str) -> Found:
    """The result of an exploration to which nothing happens."""
    outcome = explore(store, *options)
    assert outcome.code == 0, outcome
    return found(outcome.out)


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_on_a_full_disk_it_says_which_file_and_continues(
    explore: Explore, tmp_path: Path, share: float
) -> None:
    """The first share of the file is that of candidates, the second that of Optuna's study."""
    options, store = ("--search", "random", "--budget", str(COUNT)), tmp_path / "full.sqlite"
    undisturbed = whole(explore, tmp_path / "whole.sqlite", *options)
    limit = int((tmp_path / "whole.sqlite").stat().st_size * share)
    explore(store, *options, file_limit=limit).failed(1, str(store), "is its disk full? Make room")
    assert times(store), "what was done before is there"
    assert continues(explore, store, *options) == undisturbed


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_an_interrupt_says_how_to_continue_and_leaves_no_process(
    number: signal.Signals, code: int, word: str, explore: Explore, tmp_path: Path
) -> None:
    undisturbed = whole(explore, tmp_path / "whole.sqlite", "--search", "grid")
    explore.cold(tmp_path / "build")
    options, store = ("--search", "grid", "--jobs", "1"), tmp_path / "s.sqlite"
    process = explore.start(store, *options)
    wait_for(lambda: len(times(store)) >= 2 and bool(descendants(process.pid)), 120)
    started = descendants(process.pid)
    process.send_signal(number)
    out, told = process.communicate(timeout=60)
    kept = len(times(store))
    assert (process.returncode, out) == (code, b"")
    assert told.decode() == (
        f"ciphermill: {word}; {kept} measurements are stored as run 1: run the same command again "
        "to continue\n"
    )
    assert 2 <= kept < COUNT
    wait_for(lambda: all(map(has_ended, started)))
    assert continues(explore, store, *options) == undisturbed


@pytest.fixture(scope="module")
def running() -> Iterator[PostgreSQLServer]:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    try:
        with server() as found:
            yield found
    except Unavailable as error:
        pytest.skip(str(error))


TABLES = ("candidate", "studies", "trials")
CUTTER = """
CREATE SEQUENCE {table}_rows;
CREATE FUNCTION cut_{table}() RETURNS trigger AS $$ BEGIN
    IF nextval('{table}_rows') % 3 = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
    RETURN NEW;
END $$ LANGUAGE plpgsql;
CREATE TRIGGER cut BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION cut_{table}();
"""
"""Ends the connection at the first row and each third after it. No sequence is rolled back."""


def test_a_connection_that_is_cut_again_and_again_changes_nothing(
    explore: Explore, running: PostgreSQLServer
) -> None:
    url = running.new_schema()
    # The first exploration makes the tables, those of Optuna among them.
    undisturbed = explore(url)
    assert undisturbed.code == 0, undisturbed
    for table in TABLES:
        running.execute(CUTTER.format(table=table), url)
    outcome = explore(url)
    assert outcome.code == 0, outcome
    assert found(outcome.out) == found(undisturbed.out)
    for table in TABLES:
        assert running.execute(f"SELECT is_called FROM {table}_rows", url) == [(True,)]
    with Store(url) as store:
        assert [len(store.records(run=number)) for number in (1, 2)] == [COUNT, COUNT]
    trials = running.execute("SELECT count(*) FROM trials GROUP BY study_id", url)
    assert trials == [(COUNT,), (COUNT,)]


def test_a_server_that_stays_away_ends_it_and_it_continues_later(
    explore: Explore, running: PostgreSQLServer, tmp_path: Path
) -> None:
    undisturbed = whole(explore, tmp_path / "whole.sqlite", "--search", "grid")
    explore.cold(tmp_path / "build")
    url, options = running.new_schema(), ("--search", "grid", "--jobs", "1")
    process = explore.start(url, *options)
    wait_for(lambda: len(times(url)) >= 2, 120)
    running.stop()
    _, told = process.communicate(timeout=300)
    running.start()
    assert process.returncode == 1
    assert "has not answered for 60 s" in told.decode()
    assert "run the same command again" in told.decode()
    assert PASSWORD not in told.decode()
    assert 2 <= len(times(url)) < COUNT
    assert continues(explore, url, *options) == undisturbed


def test_a_cluster_that_loses_a_node_and_a_worker_finds_the_same(
    explore: Explore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    undisturbed = whole(explore, tmp_path / "whole.sqlite", "--search", "grid")
    # Workers have the environment of their node.
    monkeypatch.setenv("CIPHERMILL_BUILD", str(tmp_path / "build"))
    store = tmp_path / "s.sqlite"
    with ray_cluster(head_measures=False, others=2) as cluster:
        process = explore.start(store, "--search", "grid", "--ray", cluster.address)
        lost, left = cluster.worker_nodes
        wait_for(lambda: bool(calls_of(lost)), 300)
        cluster.remove_node(lost, allow_graceful=False)
        wait_for(lambda: bool(calls_of(left)), 300)
        os.kill(calls_of(left)[0], signal.SIGKILL)
        out, told = process.communicate(timeout=300)
    assert process.returncode == 0, told
    assert found(out) == undisturbed
    assert len(times(store)) == COUNT
