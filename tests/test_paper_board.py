# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill paper aes-fpga-vs-gpu``, end to end with a short message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ciphermill.design import DOTTED_KEYS
from ciphermill.papers.aes_fpga_vs_gpu.conclusions import CONCLUSIONS

from .conftest import Ciphermill

COMMAND = ("paper", "aes-fpga-vs-gpu")
SHORT = (*COMMAND, "--no-area", "--kib", "16", "--device", "cpu")


def test_its_tables_and_conclusions_beside_ours(ciphermill: Ciphermill, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    outcome = ciphermill(*SHORT, "--json", "--report", page, "--core-mhz", "35")
    assert outcome.code == 0, outcome
    told = json.loads(outcome.out)
    assert len(told["conclusions"]) == len(CONCLUSIONS.judges)
    verdicts = {one["statement"]: one["verdict"] for one in told["conclusions"]}
    assert len(verdicts) == len(CONCLUSIONS.judges)
    assert "holds" in verdicts.values()
    # No GPU was named: nothing is said of one.
    assert verdicts["GPUs are the preferable accelerators in a PC"] == "cannot be tested here"
    ours = [one for one in told["measurements"] if one["method"] != "published"]
    for one in ours:
        assert set(one) <= set(DOTTED_KEYS)
        assert one["correct"] is True
        assert one["bytes"] in (16 << 10, 64 << 10) or one["mode"] != "ctr"
    assert {one["method"] for one in ours} == {"simulated", "modelled", "measured"}
    whole = [one for one in ours if one["bytes"] == 16 << 10 and "design" in one]
    assert {one["clock.mhz"] for one in whole} == {35.0}
    assert {one["clock.memory_mhz"] for one in whole} == {33.0}
    text = page.read_text(encoding="utf-8")
    for table in ("Table 4", "Table 5", "Table 6", "Table 7", "Table 8"):
        assert table in text
    for statement in verdicts:
        assert statement in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--core-mhz", "0"), "--core-mhz"),
        (("--memory-mhz", "fast"), "--memory-mhz"),
        (("--kib", "8193"), "--kib"),
        (("--device", "abacus"), "abacus"),
        (("--trace", "x"), "--trace"),
    ],
)
def test_what_it_does_not_take(words: tuple[str, str], said: str, ciphermill: Ciphermill) -> None:
    ciphermill(*COMMAND, "--no-area", *words).failed(2, said)
    assert ciphermill.files() == []


def test_a_page_that_cannot_be_written_is_said_before_the_work(
    ciphermill: Ciphermill, plain: bytes
) -> None:
    assert plain
    outcome = ciphermill(*SHORT, "--report", "plain/page.html")
    outcome.failed(1, "plain")
    assert "MHz" not in outcome.err
