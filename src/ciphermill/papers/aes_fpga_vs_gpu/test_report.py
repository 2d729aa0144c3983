# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The paper on AES on an FPGA and GPUs: its figures, its misprints, and what ours say to it."""

from __future__ import annotations

from typing import Any

import pytest

from ciphermill.design import Board, Core, Measurement, load_design, load_platform
from ciphermill.design.measurement import design_fields
from ciphermill.papers.aes_fpga_vs_gpu.experiment import (
    CLOCKS_MHZ,
    CORES,
    OURS,
    PAPER,
    SHORT_BYTES,
    plan,
    with_cores,
)
from ciphermill.papers.aes_fpga_vs_gpu.published import load
from ciphermill.papers.aes_fpga_vs_gpu.report import fpga_report, misprints
from ciphermill.papers.paper import PaperReport, Verdict
from ciphermill.papers.published import printed_figure
from ciphermill.report.section import Section

RC1000 = load_platform("celoxica-rc1000", Board)
LENGTH = 1 << 20


def on_board(
    mbit_s: float, *, design: str = PAPER, cores: int = 4, length: int = LENGTH, **changes: Any
) -> list[Measurement]:
    """An FPGA's message at a rate, without transfers and with them."""
    core = with_cores(load_design(design, Core), cores)
    total = 8e-6 * length / mbit_s
    link = 16e-6 * length / RC1000.link.mbit_s
    fields = {
        "design": design,
        "platform": RC1000.name,
        "mode": "ctr",
        "operation": "encrypt",
        "bytes": length,
        "clock_mhz": 70.0,
        "clock_memory_mhz": 33.0,
        "correct": True,
        **design_fields(core),
        **changes,
    }
    return [
        Measurement(**fields, method=method, inputs=inputs, throughput_mb_s=length / 1e6 / seconds)
        for method, seconds, inputs in (
            ("simulated", total, None),
            ("modelled", total + link, RC1000.link_input.names),
        )
    ]


def device(name: str, mbit_s: float, **changes: Any) -> Measurement:
    fields = {"mode": "ctr", "operation": "encrypt", "bytes": LENGTH, "method": "measured"}
    return Measurement(device=name, throughput_mb_s=mbit_s / 8, **{**fields, **changes})


def stored(
    rate: float = 1086.0, gain: float = 4.0, *others: Measurement, memory_mhz: float = 33.0
) -> list[Measurement]:
    short: dict[str, Any] = {"length": SHORT_BYTES, "clock_memory_mhz": memory_mhz}
    found = on_board(rate, clock_memory_mhz=memory_mhz) + on_board(2100.0, design=OURS)
    for cores in CORES:
        found += on_board(rate / gain * cores if cores < 4 else rate, cores=cores, **short)
    for mhz in CLOCKS_MHZ:
        found += on_board(rate * mhz / 70, clock_mhz=float(mhz), **short)
    return [*found, *others]


def judged(*measurements: Measurement) -> list[Verdict]:
    return [one.verdict for one in fpga_report(load(), measurements).conclusions]


def section(report: PaperReport, title: str) -> Section:
    (found,) = (one for one in report.sections if one.title.startswith(title))
    return found


def row(report: PaperReport, title: str, first: str) -> tuple[str, ...]:
    (found,) = (one for one in section(report, title).rows if one[0].startswith(first))
    return found


HOLDS, NOT, FOLLOWS, UNTESTED = Verdict


def test_verdicts_of_figures_like_the_simulated_ones() -> None:
    assert judged(*stored()) == [HOLDS, HOLDS, NOT, FOLLOWS, UNTESTED, UNTESTED]


def test_verdicts_change_with_the_figures() -> None:
    assert judged(*stored(gain=3.7))[0] is NOT
    assert judged(*stored(rate=1100.0))[1] is NOT
    # The memory is read and written at 64 Mbit/s a MHz.
    assert judged(*stored(memory_mhz=18.0))[2] is HOLDS
    gpu = device("cuda:0", 1440.0, clock_mhz=1180.0)
    assert judged(*stored(1086.0, 4.0, gpu))[4:] == [HOLDS, HOLDS]
    wide = device("cuda:0", 3e6, clock_mhz=1700.0)
    assert judged(*stored(1086.0, 4.0, wide))[4:] == [NOT, HOLDS]
    slow = device("cuda:0", 100.0, clock_mhz=1180.0)
    assert judged(*stored(1086.0, 4.0, slow))[4:] == [HOLDS, NOT]


def test_the_report_needs_no_source_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    measurements = stored()
    monkeypatch.setattr("ciphermill.design.load.find_home", lambda: pytest.fail("a source tree"))
    assert judged(*measurements)[3] is FOLLOWS


def test_nothing_is_judged_without_figures() -> None:
    assert judged() == [UNTESTED] * 6


def test_what_is_not_measured_says_so() -> None:
    report = fpga_report(load(), stored())
    for theirs in load().with_transfers:
        shown = row(report, "Table 4", theirs.platform)
        assert (shown[-1] == "unmeasured") == (theirs.platform != "FPGA")
    assert row(report, "Table 8", "a GPU of this machine")[1:] == ("-", "-", "-", "unmeasured")
    gpu = device("cuda:0", 1440.0)
    assert row(fpga_report(load(), stored(1086.0, 4.0, gpu)), "Table 8", "cuda:0")[-1] == "measured"


def test_a_device_has_a_rate_without_transfers_only_if_it_has_transfers() -> None:
    bare = device("cpu", 5000.0, time_processing_s=0.001)
    moved = device("cuda:0", 1280.0, time_processing_s=8e-6 * LENGTH / 1440, time_transfer_s=0.001)
    report = fpga_report(load(), stored(1086.0, 4.0, bare, moved))
    names = [one[0] for one in section(report, "Table 5").rows]
    assert "cpu, this machine" not in names
    assert row(report, "Table 5", "cuda:0")[4] == "1,440"
    assert row(report, "Table 4", "cuda:0")[4] == "1,280"
    assert row(report, "Table 4", "cpu")[4] == "5,000"


def test_the_rate_of_the_link_gives_the_published_rates() -> None:
    rates = load().rate("FPGA").mbit_s, load().fpga.total_throughput_mbit_s
    assert 2 / (1 / rates[0] - 1 / rates[1]) == pytest.approx(RC1000.link.mbit_s, rel=1e-3)
    assert [printed_figure(name) for name in RC1000.link_input.figures] == list(rates)


def test_misprints() -> None:
    cycles, rate, gpu = misprints(load())
    assert "33.6 cycles" in cycles.computed
    assert "271.5 Mbit/s" in rate.computed
    assert "34.6 cycles" in rate.verdict
    assert "1,280 Mbit/s with transfers and 1,440 without" in gpu.computed


def test_ratios_a_mhz_are_printed_right() -> None:
    for one in (*load().with_transfers, *load().without_transfers):
        assert one.mbit_s / one.clock_mhz == pytest.approx(one.mbit_s_per_mhz, rel=2e-3)


@pytest.mark.parametrize("core_mhz", [100.0, None])
def test_the_plan_has_the_clocks_and_the_length_that_are_asked_for(core_mhz: float | None) -> None:
    asked = {"devices": (), "core_mhz": core_mhz, "memory_mhz": None, "kib": 256, "area": False}
    points = plan(asked).points
    whole = [one for one in points if one.workload.bytes == 256 << 10]
    assert [one.design.name for one in whole] == [PAPER, OURS]
    at = {(one.platform.clock_mhz, one.platform.memory_clock_mhz) for one in whole}
    assert at == {(core_mhz or 70, 33)}
    assert {one.design.parameters["Cores"] for one in points} == {1, 2, 4}
    assert len({one.digest for one in points}) == len(points)
    areas = plan({**asked, "area": True}).points[len(points) :]
    assert [one.platform.name for one in areas] == ["xc7", "xc7", "xc7", "ecp5"]
