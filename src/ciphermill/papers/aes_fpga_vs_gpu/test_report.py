# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The paper on AES on an FPGA and GPUs: its figures, its misprints, and what ours say to it."""

from __future__ import annotations

from typing import Any

import pytest

from ciphermill._engine import graphics_processors
from ciphermill.design import Board, Core, Measurement, load_design, load_platform
from ciphermill.design.measurement import design_fields
from ciphermill.evaluate.board import beside
from ciphermill.evaluate.board.beside import GRAPHICS, PROCESSOR, SWEEP
from ciphermill.papers.aes_fpga_vs_gpu.conclusions import CONCLUSIONS
from ciphermill.papers.aes_fpga_vs_gpu.experiment import (
    CHUNKS,
    CLOCKS_MHZ,
    CORE,
    CORES,
    GROUPS,
    OURS,
    PAPER,
    PIPELINED,
    SHORT_BYTES,
    device_points,
    plan,
    with_cores,
)
from ciphermill.papers.aes_fpga_vs_gpu.published import TEXTS, load
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


def graphics(name: str, mbit_s: float, **changes: Any) -> Measurement:
    """A device whose driver says that it is a graphics processor."""
    return device(name, mbit_s, **{"kind": GRAPHICS, "platform": "a card", **changes})


def swept(name: str, rates: dict[str, float], **changes: Any) -> list[Measurement]:
    """A graphics processor with settings."""
    return [
        graphics(f"{name},{setting}", rate, workload=SWEEP, **changes)
        for setting, rate in rates.items()
    ]


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
        "earlier": HOLDS,
        "algorithm": FOLLOWS,
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
    assert judged(*stored(rate=960.0))["earlier"] is NOT
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
    for name in ("cuda:0", "opencl:1"):
        gpu = graphics(name, rate, clock_mhz=clock)
        found = judged(*stored(1086.0, 4.0, gpu))
        assert {name: found[name] for name in verdicts} == verdicts


def test_what_is_not_a_gpu_by_its_driver_says_nothing_of_gpus() -> None:
    pocl = device("opencl:0", 9000.0, clock_mhz=2600.0, kind=PROCESSOR)
    unknown = device("cuda:0", 9000.0, clock_mhz=2600.0)
    found = judged(*stored(1086.0, 4.0, pocl, unknown))
    named = ("per_clock", "preferable", "comparable", "fastest", "light_transfers", "alike")
    assert {found[name] for name in (*named, "cuda", "energy_gpu")} == {UNTESTED}


def test_both_accelerators_beside_a_processor() -> None:
    slow, fast = device("software", 81.0), device("cpu", 80_000.0)
    gpu, slow_gpu = graphics("cuda:0", 1280.0), graphics("cuda:0", 50.0)
    # A board alone does not show it of a GPU, but a slow board is enough to refute it.
    assert judged(*stored(1086.0, 4.0, slow))["suitable"] is UNTESTED
    assert judged(*stored(1086.0, 4.0, fast))["suitable"] is NOT
    assert judged(*stored(1086.0, 4.0, slow, gpu))["suitable"] is HOLDS
    assert judged(*stored(1086.0, 4.0, slow, slow_gpu))["suitable"] is NOT
    assert judged(*stored(1086.0, 4.0, gpu))["suitable"] is UNTESTED


@pytest.mark.parametrize(
    ("mbit_s", "mhz", "gpu_mhz", "verdict"),
    [
        # The board has 2.9 Mbit/s a MHz, the GPU 1.1.
        (81.0, 2500.0, 1180.0, HOLDS),
        (81.0, 2500.0, 11800.0, NOT),
        (80_000.0, 2500.0, 1180.0, NOT),
        (81.0, None, 1180.0, UNTESTED),
    ],
)
def test_rates_a_mhz_of_processors(
    mbit_s: float, mhz: float | None, gpu_mhz: float, verdict: Verdict
) -> None:
    seen = device("cpu", mbit_s, clock_mhz=mhz), graphics("cuda:0", 1280.0, clock_mhz=gpu_mhz)
    assert judged(*stored(1086.0, 4.0, *seen))["processors"] is verdict


def test_rates_a_mhz_of_a_gpu_beside_the_board() -> None:
    for mhz, verdict in ((1180.0, HOLDS), (11_800.0, NOT)):
        gpu = graphics("cuda:0", 1280.0, clock_mhz=mhz)
        assert judged(*stored(1086.0, 4.0, gpu))["alike"] is verdict


def test_energy_of_a_gpu_beside_a_processor() -> None:
    gpu, processor = graphics("cuda:0", 1e5), device("cpu", 1e4, notes=("No energy: locked.",))
    report = fpga_report(load(), stored(1086.0, 4.0, gpu, processor))
    (told,) = (one for one in report.conclusions if one.statement.startswith("a GPU needs less"))
    assert told.verdict is UNTESTED
    assert "No energy: locked." in told.figures
    for pj, verdict in ((20.0, HOLDS), (60.0, NOT)):
        seen = (
            gpu.model_copy(update={"energy_pj_per_bit": pj}),
            processor.model_copy(update={"energy_pj_per_bit": 50.0}),
        )
        assert judged(*stored(1086.0, 4.0, *seen))["energy_gpu"] is verdict


def test_work_items_and_chunks_of_a_gpu() -> None:
    mib = 1 << 20
    rates = {"group_items=32": 600.0, "group_items=128": 1000.0}
    chunks = {f"chunk_bytes={n * mib}": rate for n, rate in ((1, 500.0), (8, 990.0), (32, 1000.0))}
    sweep = swept("cuda:0", {**rates, **chunks})
    found = judged(*stored(1086.0, 4.0, *sweep))
    assert (found["threads"], found["chunk"]) == (HOLDS, HOLDS)
    # The settings are no devices of their own.
    assert found["fastest"] is UNTESTED
    other = swept("cuda:0", {**rates, "chunk_bytes=8388608": 800.0, "chunk_bytes=1048576": 1000.0})
    even = swept("opencl:0", {"group_items=32": 900.0, "group_items=128": 1000.0})
    assert judged(*stored(1086.0, 4.0, *other))["chunk"] is NOT
    assert judged(*stored(1086.0, 4.0, *even))["threads"] is NOT
    assert judged(*stored(1086.0, 4.0, *even))["chunk"] is UNTESTED
    of_pocl = [one.model_copy(update={"kind": PROCESSOR}) for one in sweep]
    assert judged(*stored(1086.0, 4.0, *of_pocl))["threads"] is UNTESTED


def test_a_core_that_two_families_take_is_not_hard_to_port() -> None:
    xc7 = Measurement(design=CORE, target="xc7", area_lut=1965, method="estimated")
    ecp5 = Measurement(design=CORE, target="ecp5", clock_mhz=111.0, method="estimated")
    assert judged(*stored(1086.0, 4.0, xc7))["port"] is UNTESTED
    assert judged(*stored(1086.0, 4.0, xc7, ecp5))["port"] is NOT


def test_opinions_are_named_as_such() -> None:
    gpu, processor = graphics("cuda:0", 1e5), device("cpu", 1e4)
    report = fpga_report(load(), stored(1086.0, 4.0, gpu, processor))
    told = [one for one in report.conclusions if "not measurable" in one.figures]
    names = ("development", "energy_fpga", "io", "consumer")
    assert {one.statement for one in told} == {TEXTS.conclusion[name].statement for name in names}


def test_reasons_fit_their_verdicts() -> None:
    """What does not hold has a reason of its own."""
    for name, text in TEXTS.conclusion.items():
        if text.rule and name not in ("transfers", "algorithm"):
            assert text.otherwise, name


def test_a_fast_processor_is_faster_than_a_gpu() -> None:
    gpu, processor = graphics("cuda:0", 1440.0), device("cpu", 80_000.0)
    assert judged(*stored(1086.0, 4.0, gpu))["fastest"] is HOLDS
    assert judged(*stored(1086.0, 4.0, gpu, processor))["fastest"] is NOT


def test_verdicts_on_transfers_of_a_gpu() -> None:
    for seconds, verdict in ((0.9, HOLDS), (0.5, NOT)):
        total = 8e-6 * LENGTH / 1440
        times = {"time_transfer_s": total, "time_processing_s": seconds * total}
        gpu = graphics("cuda:0", 1440.0, **times)
        assert judged(*stored(1086.0, 4.0, gpu))["light_transfers"] is verdict


def test_verdicts_on_the_portability_of_opencl() -> None:
    one, other = (device(name, 1200.0, correct=True) for name in ("opencl:0", "opencl:1"))
    again = device("opencl:0,kernel=tables", 1200.0, correct=True)
    assert judged(*stored(1086.0, 4.0, one))["portable"] is UNTESTED
    # Two kernels of one device are one device.
    assert judged(*stored(1086.0, 4.0, one, again))["portable"] is UNTESTED
    assert judged(*stored(1086.0, 4.0, one, again, other))["portable"] is HOLDS
    wrong = again.model_copy(update={"correct": False})
    assert judged(*stored(1086.0, 4.0, one, wrong, other))["portable"] is NOT


def test_cuda_is_compared_with_opencl_on_the_same_card() -> None:
    cuda = graphics("cuda:0", 1440.0), graphics("cuda:1", 900.0, platform="another")
    pocl = device("opencl:0", 100.0, kind=PROCESSOR)
    # Without clocks every device would be the same as every other one.
    assert judged(*stored(1086.0, 4.0, *cuda, pocl))["cuda"] is UNTESTED
    one = graphics("opencl:1", 1200.0)
    assert judged(*stored(1086.0, 4.0, *cuda, pocl, one))["cuda"] is HOLDS
    # Each card counts, not the first alone.
    other = graphics("opencl:2", 1000.0, platform="another")
    assert judged(*stored(1086.0, 4.0, *cuda, pocl, one, other))["cuda"] is NOT


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
    found = judged()
    # It compares what the paper's own table prints.
    assert found.pop("algorithm") is FOLLOWS
    assert set(found.values()) == {UNTESTED}


def test_what_is_not_measured_says_so() -> None:
    report = fpga_report(load(), stored())
    for theirs in load().with_transfers:
        shown = row(report, "Table 4", theirs.platform)
        assert (shown[-1] == "unmeasured") == (theirs.platform != "FPGA")
    assert row(report, "Table 8", "a GPU of this machine")[1:] == ("-", "-", "-", "unmeasured")
    gpu = graphics("cuda:0", 1440.0, processors=132, clock_mhz=1980.0)
    shown = row(fpga_report(load(), stored(1086.0, 4.0, gpu)), "Table 8", "cuda:0")
    assert shown[1:] == ("132", "1,980", "1.44", "measured")


def test_ours_stand_in_tables_6_and_7() -> None:
    areas = [
        Measurement(design=name, target="xc7", area_slices_estimated=slices, method="estimated")
        for name, slices in ((PAPER, 2496), (OURS, 2399), (CORE, 492), (PIPELINED, 3000))
    ]
    report = fpga_report(load(), stored(1086.0, 4.0, *areas))
    # A cycle of 33 MHz.
    banks = ("30.3", "4 x 32", "33.0", "one cycle an access")
    assert row(report, "Table 6", "our simulated banks")[1:] == banks
    core = ("492", "70.0", "0.272", "simulated")
    assert row(report, "Table 7", "one core of the paper's FPGA")[1:] == core
    pipelined = ("3,000", "70.0", "8.96", "estimated")
    assert row(report, "Table 7", "our pipelined core")[1:] == pipelined
    assert row(report, "Table 7", "the paper's FPGA, built here")[1] == "2,496"


def test_figures_beside_ours_are_those_of_the_tables() -> None:
    total = 8e-6 * LENGTH / 1440
    times = {"time_transfer_s": total, "time_processing_s": 0.9 * total}
    gpu = graphics("cuda:0", 1440.0, **times)
    told = {one.statement: one for one in fpga_report(load(), stored(1086.0, 4.0, gpu)).conclusions}
    text = {name: told[TEXTS.conclusion[name].statement] for name in TEXTS.conclusion}
    assert text["light_transfers"].figures.endswith("published 1.05x to 1.12x")
    assert text["same_fpga"].rule.endswith("than the published 180 Mbit/s at 74 MHz")
    assert "published 0.123 to 0.128 Gbit/s a MHz" in text["scales"].figures
    assert text["earlier"].figures.endswith("own tables 5.76x")


def test_a_device_has_a_rate_without_transfers_only_if_it_has_transfers() -> None:
    bare = device("cpu", 5000.0, time_processing_s=0.001)
    moved = graphics(
        "cuda:0", 1280.0, time_processing_s=8e-6 * LENGTH / 1440, time_transfer_s=0.001
    )
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
    assert [one.platform.name for one in areas] == ["xc7", "xc7", "xc7", "xc7", "ecp5"]


def test_devices_run_as_often_as_the_paper_s() -> None:
    (point,) = device_points({"devices": ("cpu",), "kib": 16})
    assert (point.workload.runs, point.workload.bytes, point.workload.swept) == (20, 16384, False)


def test_settings_of_graphics_processors_are_varied(monkeypatch: pytest.MonkeyPatch) -> None:
    if "opencl:0" not in graphics_processors():
        pytest.skip("there is no OpenCL here")
    asked = {"devices": ("opencl:0,kernel=tables",), "kib": 16}
    whole, *rest = device_points(asked)
    assert (whole.design.name, rest) == ("opencl:0,kernel=tables", [])
    # The same device, its driver saying otherwise.
    monkeypatch.setattr(beside, "graphics_processors", lambda: (True,))
    whole, *rest = device_points(asked)
    assert (whole.workload.bytes, whole.workload.swept) == (16384, False)
    assert {(one.workload.bytes, one.workload.swept) for one in rest} == {(32 << 20, True)}
    settings = {one.design.name.partition(",")[2] for one in rest}
    assert settings <= {f"group_items={n}" for n in GROUPS} | {f"chunk_bytes={n}" for n in CHUNKS}
    assert len(settings) == len(rest) > len(CHUNKS)
