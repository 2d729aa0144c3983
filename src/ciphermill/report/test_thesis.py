# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis beside ours: figures within its tolerance, conclusions, misprints, plots."""

import io

import pytest
from rich.console import Console

from ciphermill.campaign.thesis import SIZES_KIB, Campaign, run_campaign
from ciphermill.campaign.thesis_bench import (
    BufferPoint,
    bus_bench,
    cipher_bench,
    sweep_buffers,
)
from ciphermill.campaign.thesis_paper import SWEPT, PlatformResults, ThesisResults
from ciphermill.design import Method
from ciphermill.design.published_thesis import load_thesis_paper
from ciphermill.design.streaming_platform import StreamingPlatform, load_streaming_platform
from ciphermill.report.thesis import ThesisView, misprints, thesis_report
from ciphermill.report.thesis_campaign import campaign_section
from ciphermill.report.thesis_plots import campaign_plots
from ciphermill.streaming.applications import StreamTimes
from ciphermill.streaming.rate import RateModel


def silent(_: str) -> None:
    pass


def results_of(platform: StreamingPlatform) -> PlatformResults:
    ciphers = tuple(cipher_bench(platform, report=silent))
    points: tuple[BufferPoint, ...] = tuple(
        sweep_buffers(platform, SWEPT, 2 << 20, counts=(4, 8), report=silent)
    )
    return PlatformResults(
        run_campaign(platform, sizes_kib=SIZES_KIB, report=silent),
        bus_bench(platform),
        ciphers,
        tuple(cipher_bench(platform, "aes-pipelined", report=silent)),
        points,
    )


@pytest.fixture(scope="module")
def view() -> ThesisView:
    """The whole experiment, with lines through shorter streams than the command's."""
    patch = pytest.MonkeyPatch()
    # Steady from four times the buffers on, here; the command goes further, and says its error.
    for module in ("ciphermill.streaming.rate", "ciphermill.campaign.thesis"):
        patch.setattr(f"{module}.CALIBRATED_BUFFERS", (4, 5))
    patch.setattr("ciphermill.streaming.rate.HELD_OUT_BUFFERS", 6)
    patch.setattr("ciphermill.campaign.thesis_bench.HELD_OUT_BUFFERS", 4)
    paper = load_thesis_paper()
    try:
        found = {name: results_of(load_streaming_platform(name)) for name in paper.platforms}
        arm = load_streaming_platform("zc706-arm")
        ours = tuple(cipher_bench(arm, "aes-pipelined", report=silent))
        return ThesisView(paper, ThesisResults(found, bus_bench(arm), ours))
    finally:
        patch.undo()


def test_printed_figures_come_out_within_the_tolerance(view: ThesisView) -> None:
    free = [point for point in view.points() if not point.fitted]
    assert len(free) >= 24
    for point in free:
        assert abs(point.off) <= view.paper.tolerance.part, point


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


def test_every_conclusion_has_a_verdict(view: ThesisView) -> None:
    report = thesis_report(view.paper, view.results)
    verdicts = {one.statement.split(":")[0]: one.holds for one in report.conclusions}
    assert len(verdicts) == 14
    assert None not in verdicts.values()
    assert verdicts["DMA and a slow card hide the cipher"] is True
    assert verdicts["OpenSSL's sequential calls cost most of the throughput"] is True
    assert verdicts["larger DMA buffers would improve the effective throughput of the buses"] is (
        False
    )


def test_the_report_is_whole_in_words_and_in_json(view: ThesisView) -> None:
    report = thesis_report(view.paper, view.results)
    console = Console(file=io.StringIO(), width=400)
    for part in report.renderables():
        console.print(part)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "Two times of one run" in shown
    assert "does not fit its core's clocks" in shown
    objects = report.to_json()["measurements"]
    published = [one for one in objects if "time.total_s" not in one]
    assert published
    assert {one["method"] for one in published} == {"published"}


def test_verdicts_follow_the_figures(view: ThesisView) -> None:
    one = view.results.platforms["zedboard"]
    faster = [BufferPoint(4, 1.0, 1.0), BufferPoint(8, 1.0, 2.0)]
    changed = ThesisResults(
        {
            **view.results.platforms,
            "zedboard": PlatformResults(
                one.campaign, one.bus, one.ciphers, one.ours, tuple(faster)
            ),
        },
        view.results.own_arm_bus,
        view.results.own_arm,
    )
    report = thesis_report(view.paper, changed)
    assert next(c for c in report.conclusions if "larger DMA" in c.statement).holds


def test_a_table_and_plots_of_a_campaign(view: ThesisView) -> None:
    campaign: Campaign = view.campaign("zc706")
    section = campaign_section(campaign, SIZES_KIB)
    assert len(section.rows) == 72
    assert {row[-1] for row in section.rows} == {Method.PUBLISHED, Method.MODELLED}
    name, text = next(campaign_plots(campaign))
    assert name == "inside-write-encrypt"
    assert text.startswith("<svg")


def test_a_line_is_straight() -> None:
    lines = RateModel(
        (10, 20), 40, 0.0, StreamTimes(1.0, 0.5, 0.0, 0.1), StreamTimes(2.0, 0.7, 0.0, 0.2)
    )
    seen = lines.times(30)
    assert (seen.total_s, seen.blocked_s) == (3.0, 0.0)
    assert seen.inside_write_s == pytest.approx(0.9)
    assert seen.bus_busy_s == pytest.approx(0.3)
