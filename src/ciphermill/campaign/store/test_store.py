# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The results store keeps what it was given, and refuses what it cannot keep."""

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ciphermill.campaign.store import (
    SCHEMA_VERSION,
    Location,
    Store,
    StoreError,
    default_location,
)
from ciphermill.campaign.store.migrations import SQLITE
from ciphermill.design import Measurement
from ciphermill.design.measurement import Method, Provenance

SOFTWARE = Measurement(
    device="software", mode="ctr", operation="encrypt", time_total_s=0.5, method=Method.MEASURED
)
MODEL = Measurement(
    device="model:aes-serial",
    mode="cbc",
    operation="decrypt",
    cycles_total=7,
    method=Method.SIMULATED,
    provenance=Provenance(commit="abc", tools={"python": "3"}, command="weigh x"),
)
SYSTEM = Measurement(
    algorithm="aes",
    partition="dma",
    soft_core="ibex",
    cycles_total=70,
    memory_read_wait=0,
    bus_transactions=9,
    method=Method.SIMULATED,
)


def test_measurements_come_back_as_they_went_in(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "store.sqlite"
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    with Store(path) as store:
        assert store.add_run([SOFTWARE, MODEL], command="weigh", started=moment) == 1
    with Store(path) as store:
        records = store.records()
    assert [record.measurement for record in records] == [SOFTWARE, MODEL]
    assert {record.started for record in records} == {"2026-01-02T03:04:05+00:00"}


def test_selection(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        store.add_run([SOFTWARE], command="a")
        store.add_run([MODEL, SOFTWARE], command="b")
        assert [r.measurement for r in store.records(device="software")] == [SOFTWARE, SOFTWARE]
        assert [r.measurement for r in store.records(mode="cbc")] == [MODEL]
        assert [r.measurement for r in store.records(run=1)] == [SOFTWARE]
        assert [r.measurement for r in store.records(last=1)] == [MODEL, SOFTWARE]
        assert store.records(run=3) == []


def test_records_are_selected_by_known_fields_alone(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store, pytest.raises(ValueError, match="colour is no field"):
        store.records(device="cpu", colour="red")


def test_a_run_is_stored_whole_or_not_at_all(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        with pytest.raises(AttributeError):
            store.add_run([SOFTWARE, "not a measurement"], command="a")  # type: ignore[list-item]
        assert store.records() == []
        assert store.add_run([SOFTWARE], command="b") == 1


def _of_old(fields: str) -> str:
    """Return a measurement as the first version wrote it."""
    return fields.replace('"algorithm"', '"cipher"').replace('"operation"', '"direction"')


def test_an_older_store_is_brought_up_to_date_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s"
    connection = sqlite3.connect(path)
    for statement in filter(str.strip, SQLITE[0].split(";")):
        connection.execute(statement)
    connection.execute("INSERT INTO run VALUES (1, '2026-01-02T03:04:05+00:00', 'weigh x')")
    aes = MODEL.model_copy(update={"algorithm": "aes"})
    with connection:
        connection.execute(
            "INSERT INTO measurement (run, device, fields) VALUES (1, ?, ?)",
            (aes.device, _of_old(json.dumps(aes.to_json()))),
        )
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    with Store(path) as store:
        assert store.add_run([SYSTEM], command="cosim") == 2
        assert [r.measurement for r in store.records()] == [aes, SYSTEM]
        assert [r.measurement for r in store.records(algorithm="aes")] == [aes, SYSTEM]
        assert [r.measurement for r in store.records(partition="dma")] == [SYSTEM]
        assert store.records(soft_core="ibex", partition="stream") == []


def test_streams_that_a_model_gave_are_no_longer_called_published(tmp_path: Path) -> None:
    path = tmp_path / "s"
    stream = SOFTWARE.model_copy(
        update={"method": Method.PUBLISHED, "application": "openssl", "platform": "zedboard"}
    )
    printed = stream.model_copy(update={"time_total_s": None})
    connection = sqlite3.connect(path)
    for statement in ";".join(SQLITE[:4]).split(";"):
        connection.execute(statement)
    connection.execute("INSERT INTO run (started, command) VALUES ('2026-01-02', 'campaign')")
    with connection:
        for seen in (stream, printed, SOFTWARE):
            fields = json.dumps(seen.to_json()).replace('"operation"', '"direction"')
            connection.execute("INSERT INTO measurement (run, fields) VALUES (1, ?)", (fields,))
        connection.execute("PRAGMA user_version = 4")
    connection.close()
    with Store(path) as store:
        methods = [record.measurement.method for record in store.records()]
        rested = SOFTWARE.model_copy(update={"inputs": ("assumed:zedboard.host.wake_us",)})
        store.add_run([rested], command="campaign")
        assert store.records(run=2)[0].measurement == rested
    assert methods == [Method.MODELLED, Method.PUBLISHED, Method.MEASURED]


def test_a_direction_of_an_earlier_store_is_an_operation(tmp_path: Path) -> None:
    path = tmp_path / "s"
    connection = sqlite3.connect(path)
    for statement in ";".join(SQLITE[:7]).split(";"):
        connection.execute(statement)
    connection.execute("INSERT INTO run (started, command) VALUES ('2026-01-02', 'cosim')")
    own = {"design_fields": {"directions": ["encrypt"], "direction": "x"}, "clock_mhz": 0.1}
    digest = SYSTEM.model_copy(update={"operation": "digest", **own})
    with connection:
        for seen in (digest, SOFTWARE, SYSTEM):
            fields = json.dumps(seen.to_json()).replace('"operation"', '"direction"')
            connection.execute("INSERT INTO measurement (run, fields) VALUES (1, ?)", (fields,))
        connection.execute("PRAGMA user_version = 7")
    connection.close()
    with Store(path) as store:
        assert [record.measurement for record in store.records()] == [digest, SOFTWARE, SYSTEM]


def test_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer ciphermill"):
        Store(path)
    assert path.read_bytes() == before


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(b"this is no database" * 100)
    with pytest.raises(StoreError, match="not a usable results store"):
        Store(path)
    assert path.read_bytes() == b"this is no database" * 100
    with pytest.raises(StoreError, match="cannot open"):
        Store(path / "below")


def test_default_path_follows_the_environment() -> None:
    assert default_location({"CIPHERMILL_STORE": "/a/b"}) == Location(Path("/a/b"))
    data = default_location({"XDG_DATA_HOME": "/d"})
    assert data.file == Path("/d/ciphermill/measurements.sqlite")
    share = Path.home() / ".local" / "share" / "ciphermill" / "measurements.sqlite"
    assert default_location({}).file == share
    assert default_location({"XDG_DATA_HOME": "relative"}).file == share


def test_a_measurement_of_another_vocabulary_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path) as store:
        store.add_run([SOFTWARE], command="a")
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE measurement SET fields = '{\"flux\": 1}'")
    connection.close()
    with Store(path) as store, pytest.raises(StoreError, match="does not understand"):
        store.records()


def test_a_run_can_grow_while_it_goes_on(tmp_path: Path) -> None:
    stream = MODEL.model_copy(update={"platform": "zedboard"})
    with Store(tmp_path / "s") as store:
        run = store.add_run([], command="campaign")
        store.extend_run(run, [SOFTWARE])
        store.extend_run(run, [stream])
        assert [r.measurement for r in store.records(run=run)] == [SOFTWARE, stream]
        assert [r.measurement for r in store.records(platform="zedboard")] == [stream]
        with pytest.raises(StoreError):
            store.extend_run(run + 1, [SOFTWARE])


def test_what_is_of_no_point_comes_last(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        run = store.add_run([], command="paper", key="k")
        store.extend_run(run, [SOFTWARE])
        store.extend_run(run, [MODEL], ("digest", 0))
        assert [r.measurement for r in store.records()] == [MODEL, SOFTWARE]
