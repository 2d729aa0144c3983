# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A full disk when results are stored: the figures are printed all the same.

A limit on the size of files stops a write in the middle, as a full disk does.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ciphermill.campaign.store import Store, StoreError
from ciphermill.campaign.store.sqlite import SQLite

from .conftest import Ciphermill

CAMPAIGN = ("campaign", "zedboard", "--cores", "own", "--largest", "64k", "--no-bench", "--json")


def full_store(path: Path) -> int:
    """Make a store; return the limit under which it has no room for more."""
    with Store(path) as store:
        store.add_run([], command="x" * 1_000_000)
    return path.stat().st_size


def test_a_full_store_tells_why_and_stays_as_it_was(
    ciphermill: Ciphermill, plain: bytes, tmp_path: Path
) -> None:
    store, report = tmp_path / "s.sqlite", tmp_path / "page.html"
    limit = full_store(store)
    outcome = ciphermill(
        *("weigh", "plain", "--device", "cpu", "--json", "--store", store, "--report", report),
        file_limit=limit,
    )
    outcome.failed(1, str(store), "failed")
    assert "rollback" not in outcome.err
    # Figures and report are still written.
    assert {seen["device"] for seen in json.loads(outcome.out)} == {"cpu"}
    assert report.read_text().startswith("<!DOCTYPE html>")
    with Store(store) as opened:
        assert opened.records() == []
    again = ciphermill("weigh", "plain", "--device", "cpu", "--store", store, "--report", report)
    assert again.code == 0, again
    assert "Stored as run 2" in again.err


def test_a_campaign_keeps_what_it_had_when_the_disk_was_full(
    ciphermill: Ciphermill, tmp_path: Path
) -> None:
    store = tmp_path / "s.sqlite"
    limit = full_store(store) + 60_000
    outcome = ciphermill(*CAMPAIGN, "--store", store, file_limit=limit)
    outcome.failed(1, str(store), "failed")
    with Store(store) as opened:
        kept = opened.records()
    assert kept, "what was done before is there"
    shown = json.loads(outcome.out)
    assert [seen.measurement.to_json() for seen in kept] == shown[: len(kept)]
    again = ciphermill(*CAMPAIGN, "--store", store)
    assert again.code == 0, again
    with Store(store) as opened:
        assert opened.records()[: len(kept)] == kept
    assert len(json.loads(again.out)) == len(shown) > len(kept), "no figure was lost"


def test_a_store_that_cannot_grow_says_why(tmp_path: Path) -> None:
    """When it has no room SQLite ends the transaction itself; the message names the full disk."""
    with Store(tmp_path / "s.sqlite") as store:
        assert isinstance(store._database, SQLite)
        store._database.connection.execute("PRAGMA max_page_count = 20")
        with pytest.raises(StoreError, match="full"):
            store.add_run([], command="x" * 1_000_000)
        assert store.add_run([], command="short") == 1
