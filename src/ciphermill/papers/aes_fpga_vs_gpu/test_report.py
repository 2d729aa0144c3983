# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The paper on AES on an FPGA and GPUs: its figures, its misprints, and what ours say to it."""

from __future__ import annotations

from typing import Any

import pytest

from ciphermill.design import Board, Core, Measurement, load_design, load_platform
from ciphermill.design.measurement import design_fields
from ciphermill.papers.aes_fpga_vs_gpu.conclusions import CONCLUSIONS
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


def judged(*measurements: Measurement) -> dict[str, Verdict]:
    names = (judge.__name__.lstrip("_") for judge in CONCLUSIONS.judges)
    conclusions = fpga_report(load(), measurements).conclusions
    return {name: one.verdict for name, one in zip(names, conclusions, strict=True)}


def section(report: PaperReport, title: str) -> Section:
    (found,) = (one for one in report.sections if one.title.startswith(title))
    return found


def row(report: PaperReport, title: str, first: str) -> tuple[str, ...]:
    (found,) = (one for one in section(report, title).rows if one[0].startswith(first))
    return found


HOLDS, NOT, FOLLOWS, UNTESTED = Verdict


def test_verdicts_of_figures_like_the_simulated_ones() -> None:
    simulated = {
        "parallel": HOLDS,
        "rate": HOLDS,
        "overlap": NOT,
        "transfers": FOLLOWS,
        "same_fpga": HOLDS,
        "scales": HOLDS,
    }
    found = judged(*stored())
    assert found == {name: simulated.get(name, UNTESTED) for name in found}


def test_verdicts_change_with_the_figures() -> None:
    assert judged(*stored(gain=3.7))["parallel"] is NOT
    assert judged(*stored(rate=1100.0))["rate"] is NOT
    assert judged(*stored(rate=600.0))["same_fpga"] is NOT
    # The memory is read and written at 64 Mbit/s a MHz.
    assert judged(*stored(memory_mhz=18.0))["overlap"] is HOLDS
    bent = [one.model_copy(update={"throughput_mb_s": 1.0}) for one in stored()[-2:]]
    assert judged(*stored()[:-2], *bent)["scales"] is NOT


@pytest.mark.parametrize(
    ("rate", "clock", "verdicts"),
    [
        (1440.0, 1180.0, {"per_clock": HOLDS, "preferable": HOLDS, "comparable": HOLDS}),
        (3e6, 1700.0, {"per_clock": NOT, "preferable": HOLDS, "comparable": NOT}),
        (100.0, 1180.0, {"per_clock": HOLDS, "preferable": NOT, "fastest": NOT}),
    ],
)
def test_verdicts_on_a_gpu(rate: float, clock: float, verdicts: dict[str, Verdict]) -> None:
    gpu = device("cuda:0", rate, clock_mhz=clock)
    found = judged(*stored(1086.0, 4.0, gpu))
    assert {name: found[name] for name in verdicts} == verdicts


def test_a_fast_processor_is_faster_than_a_gpu() -> None:
    gpu, processor = device("cuda:0", 1440.0), device("cpu", 80_000.0)
    assert judged(*stored(1086.0, 4.0, gpu))["fastest"] is HOLDS
    assert judged(*stored(1086.0, 4.0, gpu, processor))["fastest"] is NOT


def test_verdicts_on_transfers_of_a_gpu() -> None:
    for seconds, verdict in ((0.9, HOLDS), (0.5, NOT)):
        total = 8e-6 * LENGTH / 1440
        times = {"time_transfer_s": total, "time_processing_s": seconds * total}
        gpu = device("cuda:0", 1440.0, **times)
        assert judged(*stored(1086.0, 4.0, gpu))["light_transfers"] is verdict


def test_verdicts_on_opencl() -> None:
    other = device("opencl:0", 1200.0, clock_mhz=1180.0, correct=True)
    gpu = device("cuda:0", 1440.0, clock_mhz=1180.0)
    assert judged(*stored(1086.0, 4.0, other))["portable"] is UNTESTED
    second = device("opencl:1", 1300.0, correct=True)
    found = judged(*stored(1086.0, 4.0, gpu, other, second))
    assert (found["portable"], found["cuda"]) == (HOLDS, HOLDS)
    wrong = other.model_copy(update={"correct": False, "throughput_mb_s": 1000.0})
    found = judged(*stored(1086.0, 4.0, gpu, wrong, second))
    assert (found["portable"], found["cuda"]) == (NOT, NOT)


def test_a_smaller_and_faster_fpga() -> None:
    def area(design: str, slices: int) -> Measurement:
        return Measurement(
            design=design, target="xc7", area_slices_estimated=slices, method="estimated"
        )

    for ours, verdict in ((2399, HOLDS), (2600, NOT)):
        areas = (area(PAPER, 2496), area(OURS, ours))
        assert judged(*stored(1086.0, 4.0, *areas))["fewer_cycles"] is verdict


def test_the_report_needs_no_source_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    measurements = stored()
    monkeypatch.setattr("ciphermill.design.load.find_home", lambda: pytest.fail("a source tree"))
    assert judged(*measurements)["transfers"] is FOLLOWS


def test_nothing_is_judged_without_figures() -> None:
    assert set(judged().values()) == {UNTESTED}


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
