# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The results store in a real PostgreSQL server, whose connections are cut."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.postgresql import PASSWORD, PostgreSQLServer, Unavailable, server
from support.proxy import Proxy

from ciphermill import environment
from ciphermill.campaign.exploration import Activity, Candidate, Exploration, Objective, State
from ciphermill.campaign.explore.function import explore
from ciphermill.campaign.explore.study import storage_of
from ciphermill.campaign.store import Location, Store, StoreError, StoreUnavailable
from ciphermill.campaign.store.migrations import SCHEMA_VERSION
from ciphermill.campaign.store.postgresql import PostgreSQL
from ciphermill.design import Measurement
from ciphermill.design.measurement import Method

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")

SEEN = Measurement(device="cpu", mode="ctr", time_total_s=0.1, method=Method.MEASURED)
OTHER = Measurement(design="aes", cycles_total=7, method=Method.SIMULATED)
EXPLORATION = Exploration(
    number=0,
    name="aes",
    started="2026-01-02T03:04:05+00:00",
    ended=False,
    command="explore aes",
    objectives=(Objective("area.lut"),),
    constraints=("area.lut < 4000",),
    steps=(),
    search="grid",
    seed=7,
    total=12,
)


def candidate(place: int) -> Candidate:
    return Candidate(
        *(f"d{place}", place, {"design.core": "ibex"}, State.MEASURED),
        figures={"area.lut": 0.1 + 0.2},
        log="a\0b\N{SNOWMAN}\udc80",
        measurements=(OTHER, SEEN),
    )


@pytest.fixture(scope="module")
def running() -> Iterator[PostgreSQLServer]:
    try:
        with server() as found:
            yield found
    except Unavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def url(running: PostgreSQLServer) -> str:
    return running.new_schema()


def test_runs_and_explorations_come_back_as_they_went_in(url: str) -> None:
    with Store(url) as store:
        assert store.add_run([SEEN, OTHER], command="weigh") == 1
        run = store.add_run([], command="campaign", key="k")
        store.extend_run(run, [OTHER])
        store.extend_run(run, [SEEN], ("digest", 0))
        with pytest.raises(StoreError, match="foreign key"):
            store.extend_run(run + 1, [SEEN])
        number = store.add_exploration(EXPLORATION, key="k")
    with Store(url) as store:
        assert [one.measurement for one in store.records()] == [SEEN, OTHER, SEEN, OTHER]
        assert [one.measurement for one in store.records(device="cpu", last=2)] == [SEEN]
        assert store.held("run") == ["1", "2"]
        assert store.unfinished("k") == (number, {})
        store.keep_candidate(number, candidate(1))
        store.keep_candidates(number, [candidate(0), candidate(1)])
        assert store.unfinished_exploration("k") == number
        store.end_exploration(number)
        assert store.unfinished_exploration("k") is None
        there = replace(EXPLORATION, number=number, ended=True)
        assert store.explorations() == [there]
        assert store.exploration(number).candidates == (candidate(0), candidate(1))
        assert len(store.records(run=number)) == 4


def test_a_cut_connection_costs_and_doubles_nothing(running: PostgreSQLServer, url: str) -> None:
    with Store(url) as store:
        number = store.add_exploration(EXPLORATION, key="k")
        for place in range(6):
            if place % 2:
                running.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                )
            store.keep_candidate(number, candidate(place))
        assert [one.place for one in store.exploration(number).candidates] == list(range(6))
        assert len(store.records(run=number)) == 12


def test_an_exploration_whose_connection_is_cut_is_whole(
    running: PostgreSQLServer, url: str
) -> None:
    calls: list[int] = []

    def measure(fields: Mapping[str, Any]) -> dict[str, float]:
        calls.append(fields["width"])
        if len(calls) % 7 == 0:
            running.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
        return {"area": fields["width"] ** 2}

    widths = {"width": {"from": 1, "to": 20}}
    explore(widths, measure, minimise=["area"], search="random", budget=20, store=url)
    with Store(url) as store:
        (found,) = store.explorations()
        candidates = store.exploration(found.number).candidates
    assert found.ended
    assert sorted(calls) == list(range(1, 21))
    assert sorted(one.figures["area"] for one in candidates) == [n * n for n in range(1, 21)]


def test_a_commit_whose_answer_was_lost_is_not_repeated(
    running: PostgreSQLServer,
) -> None:
    """The proxy cuts the connection when the server answers ``COMMIT``."""
    with Proxy(running.port) as proxy, Store(running.new_schema(port=proxy.port)) as store:
        proxy.cut_after(b"COMMIT\0")
        assert store.add_run([SEEN], command="one") == 1
        assert proxy.cuts == 1
        assert store.add_run([OTHER], command="two") == 2
        assert [one.run for one in store.records()] == [1, 2]


def test_a_restarted_server_is_waited_for(running: PostgreSQLServer, url: str) -> None:
    with Store(url) as store:
        number = store.add_exploration(EXPLORATION, key="k")
        with store.claim("k"):
            running.stop()
            starting = threading.Timer(0.5, running.start)
            starting.start()
            store.keep_candidate(number, candidate(0))
            starting.join()
            with Store(url) as other, other.claim("k") as free:
                assert not free, "the claim is renewed with the connection"
        assert store.exploration(number).candidates == (candidate(0),)


def test_what_was_not_written_while_the_server_was_away_is_written_later(
    running: PostgreSQLServer, url: str
) -> None:
    with Store(url, patience_s=0.3) as store:
        number = store.add_exploration(EXPLORATION, key="k")
        running.stop()
        try:
            with pytest.raises(StoreUnavailable, match=r"not answered for 0 s.*; see that") as told:
                store.keep_candidate(number, candidate(0))
        finally:
            running.start()
        store.keep_candidate(number, candidate(1))
        assert store.exploration(number).candidates == (candidate(0), candidate(1))
    assert PASSWORD not in str(told.value)


def test_two_processes_share_one_database(url: str) -> None:
    with Store(url) as store, Store(url) as other:
        with store.alone() as first, other.alone() as second:
            assert (first, second) == (True, False)
        with other.alone() as now:
            assert now
        with store.claim("k") as mine, other.claim("k") as theirs, other.claim("l") as free:
            assert (mine, theirs, free) == (True, False, True)
        with other.claim("k") as free:
            assert free


def test_who_holds_a_claim_is_asked_without_taking_it(url: str) -> None:
    with Store(url) as store, Store(url) as other:
        number = store.add_exploration(EXPLORATION, key="k")
        with store.claim("k"), store.claim("another"):
            assert other.activity(number) is Activity.RUNNING
        with store.claim("another"):
            assert other.activity(number) is Activity.INTERRUPTED
        with store.claim("k") as mine:
            assert mine
        store.end_exploration(number)
        assert other.activity(number) is Activity.ENDED


def test_connections_of_optuna_are_given_up_as_soon_as_those_of_the_store(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[dict[str, str]] = []
    connect = psycopg.connect

    def noted(*given: Any, **named: Any) -> Any:
        connection = connect(*given, **named)
        opened.append(connection.info.get_parameters())
        return connection

    monkeypatch.setattr(psycopg, "connect", noted)
    with Store(f"{url}&connect_timeout=7") as store:
        storage_of(store.location).engine.dispose()
    own, *of_optuna = opened
    assert own["connect_timeout"] == "7"
    assert {"keepalives_idle", "keepalives_count", "tcp_user_timeout"} < own.keys()
    assert of_optuna
    assert all(one == own for one in of_optuna)


def test_a_newer_schema_is_refused(running: PostgreSQLServer, url: str) -> None:
    with Store(url):
        pass
    running.execute(f"UPDATE ciphermill_schema SET version = {SCHEMA_VERSION + 1}", url)
    with pytest.raises(StoreError, match="newer ciphermill") as told:
        Store(url)
    assert PASSWORD not in str(told.value)


def test_no_message_has_the_password(running: PostgreSQLServer, url: str) -> None:
    assert PASSWORD not in repr(Location.of(url)) + str(Location.of(url))
    for wrong in (running.url("nowhere"), running.url(port=1), url.replace("127.0.0.1", "[")):
        with pytest.raises(StoreError, match="cannot open the results store") as told:
            Store(wrong)
        assert PASSWORD not in str(told.value)


def test_a_program_with_more_rights_opens_no_database(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "is_privileged", lambda: True)
    with pytest.raises(StoreError, match="more rights than its user"):
        PostgreSQL(url)


def test_other_urls_are_refused() -> None:
    with pytest.raises(StoreError, match=r"mysql://ann:\*\*\*@host/db: a results store is"):
        Location.of("mysql://ann:secret@host/db")
    assert Location.of("sqlite:////a/b").file == Path("/a/b")
    assert Location.of("a/b").beside("x.html") == Path("a/x.html")
    assert Location.of("postgres://ann@host/db").beside("x.html") == Path("x.html")
