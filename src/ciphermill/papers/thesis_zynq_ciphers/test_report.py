# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis beside ours: figures within its tolerance, conclusions, misprints, plots."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from support.reports import cut_off

from ciphermill.campaign import run as campaign
from ciphermill.campaign.store import Store
from ciphermill.design import Measurement, Method, Provenance, load_platform
from ciphermill.design.measurement import digest
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.evaluate import evaluate
from ciphermill.evaluate.stream.applications import Application, Destination, StreamTimes
from ciphermill.evaluate.stream.bench import BusBench, CipherBench
from ciphermill.evaluate.stream.rate import RateModel
from ciphermill.evaluate.stream.series import Series
from ciphermill.evaluate.stream.varied import Varied
from ciphermill.evaluate.stream.virtual import VirtualStreams
from ciphermill.evaluate.stream.wall import WallStreams
from ciphermill.papers.paper import Verdict
from ciphermill.papers.plan import evaluate_plan
from ciphermill.papers.published import printed_figure
from ciphermill.papers.thesis_zynq_ciphers import entry, experiment
from ciphermill.papers.thesis_zynq_ciphers.conclusions import CONCLUSIONS
from ciphermill.papers.thesis_zynq_ciphers.experiment import (
    MODES,
    SIZES_KIB,
)
from ciphermill.papers.thesis_zynq_ciphers.kernel import kernel_measurements
from ciphermill.papers.thesis_zynq_ciphers.misprints import misprints
from ciphermill.papers.thesis_zynq_ciphers.published import TEXTS, load
from ciphermill.papers.thesis_zynq_ciphers.report import published, thesis_report
from ciphermill.papers.thesis_zynq_ciphers.stored import ThesisResults, restored
from ciphermill.papers.thesis_zynq_ciphers.view import ThesisView
from ciphermill.report.section import section_table
from ciphermill.report.stream_plots import campaign_plots
from ciphermill.report.stream_table import bench_section, streams_section

ECB = Operation("ecb", "encrypt")


def silent(_: str) -> None:
    pass


@contextmanager
def short() -> Iterator[None]:
    """Shorter streams, and fewer values of what is varied, than the command's."""
    patch = pytest.MonkeyPatch()
    patch.setattr(entry, "results_folder", lambda: Path("no such folder"))
    # Steady from four times the buffers on, here; the command goes further, and says its error.
    for module in ("ciphermill.evaluate.stream.rate", "ciphermill.evaluate.stream.virtual"):
        patch.setattr(f"{module}.CALIBRATED_BUFFERS", (4, 5))
    patch.setattr("ciphermill.evaluate.stream.rate.HELD_OUT_BUFFERS", 6)
    patch.setattr("ciphermill.evaluate.stream.bench.HELD_OUT_BUFFERS", 4)
    for name, value in {
        "HELD_OUT_BUFFERS": 4,
        "SWEPT_BYTES": 2 << 20,
        "UPDATED_BYTES": 4 << 20,
        "BUFFER_COUNTS": (4, 8),
        "BUFFER_KIB": (128, 256),
        "UPDATES_KIB": (64, 256),
    }.items():
        patch.setattr(experiment, name, value)
    try:
        yield
    finally:
        patch.undo()


@pytest.fixture(scope="module")
def view() -> ThesisView:
    """The whole experiment, but for the area."""
    with short():
        plan = entry.ENTRY.plan({"area": False})
        run = evaluate_plan(plan, None, Provenance(), silent)
    return ThesisView(load(), restored(run.measurements))


def test_printed_figures_come_out_within_the_tolerance(view: ThesisView) -> None:
    free = [point for point in view.points() if not point.fitted]
    names = {(p.printed.platform, p.implementation): 0 for p in free}
    for point in free:
        names[point.printed.platform, point.implementation] += 1
        assert abs(point.off) <= view.paper.tolerance.part, point
    # Few: on the Zedboard all that hardware shows is a copy, which went in.
    assert names == {
        ("zedboard", "software"): 4,
        ("zc706", "software"): 3,
        ("zc706", "hardware"): 4,
    }


def _through_kernel(view: ThesisView, results: ThesisResults) -> tuple[tuple[str, ...], ...]:
    sections = thesis_report(view.paper, results).sections
    return next(one.rows for one in sections if one.title == "Through the kernel driver")


def test_without_results_of_make_linux_the_report_says_so(view: ThesisView) -> None:
    [row] = _through_kernel(view, view.results)
    assert row[0] == "not run: make linux"


def test_streams_through_the_kernel_driver_have_their_rows(
    view: ThesisView, tmp_path: Path
) -> None:
    told = {
        **{"boot": "engine", "application": "openssl", "algorithm": "aes", "mode": "ctr"},
        **{"bytes": 6_000_000, "streams": 6, "core_cycles": 400_000, "core_clock_mhz": 100},
        **{"host_s": 12.5, "kernel": "6.1.158", "card": "RTL"},
    }
    other = {**told, "mode": "ecb", "core_cycles": None, "core_clock_mhz": None}
    (tmp_path / "engine.json").write_text(json.dumps([told, other]), encoding="utf-8")
    measured = (*view.results.measurements, *kernel_measurements(tmp_path))
    rows = _through_kernel(view, restored(measured))
    assert [row[:9] for row in rows] == [
        ("openssl", "AES-CTR", "6", "6,000,000", "400,000", "1,500", "12.5", "6.1.158", "RTL"),
        ("openssl", "AES-ECB", "6", "6,000,000", "-", "-", "12.5", "6.1.158", "RTL"),
    ]
    assert rows[0][9].startswith("card's RTL simulated cycle by cycle")
    assert rows[1][9].startswith("card in software")


def test_the_bus_that_does_not_come_out_is_counted(view: ThesisView) -> None:
    report = thesis_report(view.paper, view.results)
    notes = [note for one in report.sections for note in one.notes if "did not go into" in note]
    assert notes[0].startswith("4 of 4 figures")
    assert notes[1].startswith("7 of 8 figures")
    assert "+49% (bus, inside write)" in notes[1]


@pytest.mark.parametrize(
    ("platform", "parameter", "method"),
    [
        ("zedboard", "cores.iterative.exposed_cycles", "fitted"),
        ("zedboard", "cores.iterative.cycles_per_block", "published"),
        ("zedboard", "host.update_kib", "fitted"),
        ("zedboard", "host.wake_us", "assumed"),
        ("zedboard", "bus.clock_mhz", "published"),
        ("zc706", "bus.mb_s", "fitted"),
        ("zc706", "bus.buffer_us", "assumed"),
        ("zc706", "cores.pipelined.word_cycles", "fitted"),
    ],
)
def test_what_no_source_states_is_not_called_published(
    platform: str, parameter: str, method: str
) -> None:
    assert load_platform(platform, StreamingPlatform).input(parameter).method == method


def test_what_was_chosen_decides_the_130(view: ThesisView) -> None:
    updates = view.results.platforms["zedboard"].updates
    assert [*updates] == [64, 256]
    assert updates[64][1] < 0.75 * updates[256][1]
    section = next(
        one
        for one in thesis_report(view.paper, view.results).sections
        if one.title.startswith("What has no source")
    )
    assert "zedboard 130" in section.notes[0]


def test_what_went_in_comes_out(view: ThesisView) -> None:
    # But for ECB and CBC decryption in software, which is printed with two rates.
    off = {
        (point.printed.application, point.published): point.off
        for point in view.points()
        if point.fitted and abs(point.off) > view.paper.tolerance.part
    }
    assert set(off) == {("throughput", 225)}


def test_nothing_is_faster_end_to_end_than_the_bus(view: ThesisView) -> None:
    for point in view.points():
        if point.implementation == "hardware":
            bus = view.results.platforms[point.printed.platform].bus.wires_mb_s
            assert point.end_to_end <= bus
            assert point.end_to_end <= point.inside_write


def test_the_35_of_ecb_and_cbc_is_named_a_misprint(view: ThesisView) -> None:
    found = [one for one in misprints(view) if "ideal 35" in one.printed]
    assert len(found) == 2
    assert all("21.9 MB/s, close to the 22" in one.computed for one in found)


def verdicts(view: ThesisView) -> dict[int, Verdict]:
    report = thesis_report(view.paper, view.results)
    return {number: one.verdict for number, one in enumerate(report.conclusions, 1)}


def test_verdicts_come_from_where_the_figures_come_from(view: ThesisView) -> None:
    found = verdicts(view)
    by_verdict = {
        verdict: [number for number, seen in found.items() if seen is verdict]
        for verdict in Verdict
    }
    assert by_verdict == {
        Verdict.HOLDS: [2, 7, 8, 11, 14],
        Verdict.DOES_NOT_HOLD: [1, 12, 15, 16],
        Verdict.FOLLOWS: [3, 4, 5, 6, 9, 10, 13],
        Verdict.UNTESTED: [],
    }


def test_a_rate_from_elsewhere_is_no_input_of_the_conclusion(view: ThesisView) -> None:
    """Conclusion 3 rests on the copy: were it measured elsewhere, the verdict would be ours."""
    board = view.platform("zedboard")
    elsewhere = board.host.copy_rate.model_copy(update={"fitted_to": {}, "method": "published"})
    host = board.host.model_copy(update={"copy_rate": elsewhere})
    platform = board.model_copy(update={"host": host})
    one = view.results.platforms["zedboard"]
    changed = replace(
        view.results,
        platforms={
            **view.results.platforms,
            "zedboard": replace(one, platform=platform),
        },
        deciding={},
    )
    hidden = next(
        found
        for found in CONCLUSIONS(ThesisView(view.paper, changed), TEXTS)
        if found.statement.startswith("DMA and a slow card")
    )
    assert hidden.verdict is Verdict.HOLDS


def test_missing_conclusions_are_contradicted_in_words(view: ThesisView) -> None:
    pressure, bus = list(CONCLUSIONS(view, TEXTS))[-2:]
    assert (pressure.source, bus.source) == ("section 9.1.2", "section 5.1.5")
    for one in (pressure, bus):
        assert one.reason.startswith("The model contradicts it")
        assert one.rule


def test_every_published_row_is_printed(view: ThesisView) -> None:
    rows = published(view.paper)
    assert len(rows) > 100
    for row in rows:
        (name,) = row.inputs or ()
        assert printed_figure(name.removeprefix("published:")) == row.throughput_inside_write_mb_s
    simulated = [one for one in view.results.measurements if one.bytes and not one.workload]
    assert {one.method for one in simulated} == {Method.MODELLED}
    assert all(one.inputs for one in simulated)


def test_errors_of_the_thesis_are_computed(view: ThesisView) -> None:
    found = {one.printed: one for one in misprints(view)}
    one_test = next(one for said, one in found.items() if "in the file test" in said)
    assert "450 are 25.0 times, 400 are 22.2" in one_test.computed
    (one_row,) = (one for said, one in found.items() if "20, 25 and 28 times" in said)
    assert "22.5 to 25.0" in one_row.computed
    assert "28 does not follow" in one_row.verdict


def test_the_pipelined_core_stands_beside_ours(view: ThesisView) -> None:
    def rows(results: ThesisResults) -> dict[str, tuple[str, ...]]:
        sections = thesis_report(view.paper, results).sections
        (section,) = (one for one in sections if one.title.startswith("The core that encrypts"))
        return {row[0]: row[1:] for row in section.rows}

    area = Measurement(area_lut=13_000, area_ff=6_800, area_block_ram=240, method=Method.ESTIMATED)
    found = rows(replace(view.results, core_area=area))
    assert found["slice LUTs"] == ("6,500", "13,000", "2.00x")
    assert found["slice registers"] == ("6,800", "6,800", "1.00x")
    assert found["block RAMs"] == ("120", "240", "2.00x")
    assert found["Gbit/s at 100 MHz"][0] == "12.8"
    assert float(found["Gbit/s at 100 MHz"][1]) == pytest.approx(12.8, rel=0.02)
    assert rows(view.results)["slice LUTs"] == ("6,500", "-", "-")


def test_software_plus_speedups_stand_beside_ours(view: ThesisView) -> None:
    sections = thesis_report(view.paper, view.results).sections
    (section,) = (one for one in sections if one.title == "zc706: speedups, encrypting 1 GiB")
    printed = {row[2]: row[3] for row in section.rows if row[1] == "software+ over software"}
    assert printed == {"ECB": "14.0x", "CBC": "10.0x", "CTR": "10.0x"}
    assert "ECB 150" in section.notes[-1]
    assert "CTR 7 " in section.notes[-1]


def test_the_report_is_whole_in_words_and_in_json(view: ThesisView) -> None:
    report = thesis_report(view.paper, view.results)
    console = Console(file=io.StringIO(), width=400)
    for part in report.renderables():
        console.print(part)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "Two times of one run" in shown
    assert "does not fit its core's cycles" in shown
    objects = report.to_json()["measurements"]
    published = [one for one in objects if not {"time.total_s", "workload"} & set(one)]
    assert published
    assert {one["method"] for one in published} == {"published"}


def test_the_report_is_made_again_from_what_was_stored(view: ThesisView) -> None:
    report = thesis_report(view.paper, view.results)
    ours = [one for one in report.measurements if one.method is not Method.PUBLISHED]
    stored = [Measurement.from_json(json.loads(json.dumps(one.to_json()))) for one in ours]
    again = thesis_report(view.paper, restored(stored))
    assert again.to_json() == report.to_json()
    assert [one.rows for one in again.sections] == [one.rows for one in report.sections]
    assert (again.key, again.plots) == (report.key, report.plots)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_no_figure_of_the_thesis_or_a_campaign_is_cut(view: ThesisView, width: int) -> None:
    zedboard = view.results.platforms["zedboard"]
    sections = [
        *thesis_report(view.paper, view.results).sections,
        streams_section(zedboard.streams),
        bench_section("zedboard", zedboard.bus, zedboard.ciphers),
    ]
    for section in sections:
        assert cut_off(section_table(section), width) == []


def test_verdicts_follow_the_figures(view: ThesisView) -> None:
    one = view.results.platforms["zedboard"]
    faster = {128: 1.0, 256: 2.0}
    slower = {mode: 1e3 for mode in MODES}
    changed = replace(
        view.results,
        platforms={
            **view.results.platforms,
            "zedboard": replace(one, buffer_sizes=faster, software_to_sink_mb_s=slower),
        },
    )
    report = thesis_report(view.paper, changed)
    assert next(c for c in report.conclusions if "larger DMA" in c.statement).holds
    assert not next(c for c in report.conclusions if "ciphers are faster" in c.statement).holds


def test_a_table_and_plots_of_a_campaign(view: ThesisView) -> None:
    streams = view.results.platforms["zc706"].streams
    section = streams_section(streams)
    assert len(section.rows) == 72
    assert {row[-1] for row in section.rows} == {Method.MODELLED}
    name, text = next(campaign_plots(streams))
    assert name == "inside-write-encrypt"
    assert text.startswith("<svg")


def test_a_line_is_straight() -> None:
    lines = RateModel((10, 20), 40, 0.0, StreamTimes(1.0, 0.5), StreamTimes(2.0, 0.7))
    seen = lines.times(30)
    assert seen.total_s == 3.0
    assert seen.inside_write_s == pytest.approx(0.9)


def test_errors_that_were_not_measured_now_are_not_printed(view: ThesisView) -> None:
    one, again = (VirtualStreams(view.platform("zedboard"), report=silent) for _ in range(2))
    one.run(one.series()[-1], SIZES_KIB[-1:])
    assert any("off by" in note for note in one.notes())
    assert not any("off by" in note for note in again.notes())


def test_that_the_cards_writing_is_left_out_is_said_beside_the_figures(view: ThesisView) -> None:
    said = {name: VirtualStreams(view.platform(name)).notes() for name in view.results.platforms}
    assert any("left out" in note for note in said["zedboard"])
    assert not any("left out" in note for note in said["zc706"])


@pytest.mark.parametrize(
    ("compared", "words"),
    [(True, "compared with what software wrote"), (False, "compared with nothing")],
)
def test_a_campaign_by_wall_time_says_whether_it_compared(compared: bool, words: str) -> None:
    with WallStreams("cpu", None, (32,), with_openssl=False) as machine:
        machine.compared = compared
        machine.left_out["software"] = "no OpenSSL"
        said = " ".join(machine.notes())
    assert words in said
    assert "Left out: software: no OpenSSL." in said


def test_more_buffers_change_the_time_inside_write_only() -> None:
    zc706 = load_platform("zc706", StreamingPlatform)
    series = Series(Application.THROUGHPUT, Destination.SINK, ECB, "hardware", "aes")
    (few,), (many,) = (
        evaluate(series, zc706, Varied(4 << 20, {"dma_buffers.count": count})) for count in (4, 64)
    )
    assert (many.workload, many.destination) == ("dma_buffers.count=64", "sink")
    inside = many.throughput_inside_write_mb_s, few.throughput_inside_write_mb_s
    assert (inside[0] or 0.0) > 10 * (inside[1] or 0.0)
    assert many.throughput_mb_s == pytest.approx(few.throughput_mb_s, rel=0.01)


def test_the_sizes_are_those_of_table_7_1() -> None:
    assert load().file_sizes_kib == SIZES_KIB


def test_a_killed_thesis_run_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kills = {"Series Sizes": 5, "Cores Benches": 1, "Wire Varied": 3, "Series Varied": 9}
    kills["Core Settings"] = 0
    seen: list[str] = []

    def answer(design: Any, platform: Any, workload: Any, **_: Any) -> list[Measurement]:
        kind = f"{type(design).__name__} {type(workload).__name__}"
        if kills.get(kind) == sum(one.startswith(kind) for one in seen):
            del kills[kind]
            raise KeyboardInterrupt
        seen.append(f"{kind} {digest(design, platform, workload)}")
        return [Measurement(workload=seen[-1], method=Method.MODELLED)]

    monkeypatch.setattr(campaign, "evaluate", answer)
    origin = Provenance(commit="a", command="ciphermill paper thesis-zynq-ciphers", processor="p")
    plan = entry.ENTRY.plan({"area": True})
    with Store(tmp_path / "s.sqlite") as store:
        while kills:
            with pytest.raises(KeyboardInterrupt):
                evaluate_plan(plan, store, origin, silent)
        done = evaluate_plan(plan, store, origin, silent)
        assert [record.run for record in store.records()] == [1] * len(done.points)
    assert len(set(seen)) == len(seen) == len(done.points)
    assert [one.workload for one in done.measurements] == seen


def test_a_run_of_before_schema_9_is_read() -> None:
    """Its bus had a row for each of two rates, and its lines' error was a sentence."""
    rows: list[dict[str, Any]] = [
        {"workload": "lines of long streams", "notes": ["They are off by a little."]},
        {"workload": "bus from memory", "throughput.mb_s": 80.0},
        {"workload": "bus", "throughput.inside_write_mb_s": 90.0},
        *(
            {"workload": "from memory", "device": device, "destination": to, "throughput.mb_s": 7.0}
            | {"mode": "ecb", "operation": "encrypt", "cycles.per_block": 2.0, "clock.mhz": 50.0}
            for device in ("hardware", "model:aes-pipelined")
            for to in ("sink", "file")
        ),
        {"workload": "from memory", "device": "software", "mode": "cbc", "throughput.mb_s": 3.0},
        {"workload": "dma_buffers.kib_each=64", "throughput.mb_s": 70.0},
        {"workload": "host.update_kib=64 host.wake_us*0.5", "throughput.inside_write_mb_s": 1.0},
        {"workload": "host.update_kib=64 host.wake_us*1", "throughput.inside_write_mb_s": 2.0},
        {"workload": "decides: bus", "inputs": ["fitted:zedboard.host.copy.mb_s"]},
        {"application": "throughput", "time.total_s": 1.0},
    ]
    board = [{"platform": "zedboard", **one} for one in rows]
    arm = [{**one, "platform": "zc706-arm"} for one in board[1:7]]
    found = restored([Measurement.from_json({"method": "modelled", **one}) for one in board + arm])
    one = found.platforms["zedboard"]
    assert one.lines == "They are off by a little."
    assert one.bus == BusBench(400.0, 80.0, 90.0)
    assert one.ciphers == one.ours == (CipherBench(ECB, 2.0, 50.0, 16, 7.0, 7.0),)
    assert one.software_to_sink_mb_s == {"cbc": 3.0}
    assert (one.buffer_sizes, one.updates) == ({64: 70.0}, {64: (1.0, 2.0)})
    assert found.own_arm_bus.end_to_end_mb_s == 80.0
    (input_,) = found.deciding_inputs("zedboard").found["bus"]
    assert str(input_) == "fitted:zedboard.host.copy.mb_s"
