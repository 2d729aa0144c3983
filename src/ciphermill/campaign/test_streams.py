# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Campaigns of streams: complete, resumable, and right about what they do not know."""

import itertools
from collections.abc import Sequence

import pytest

from ciphermill.campaign.stream_bench import bus_bench, cipher_bench, sweep_buffers
from ciphermill.campaign.streams import (
    SIZES_KIB,
    Campaign,
    Runner,
    Series,
    platform_digest,
    run_campaign,
    series_of,
)
from ciphermill.design import Measurement, Method, Provenance
from ciphermill.design.operations import OPERATIONS, Operation
from ciphermill.design.streaming_platform import load_streaming_platform
from ciphermill.evaluate.stream.applications import Application, Destination, stream
from ciphermill.evaluate.stream.cores import Wire
from ciphermill.evaluate.stream.kernel import SimulationError
from ciphermill.evaluate.stream.model_library import model_facts

SMALL = (32, 64)
ORIGIN = Provenance(commit="abc", tools={})


def silent(_: str) -> None:
    pass


def test_the_sizes_are_those_of_table_7_1() -> None:
    assert len(SIZES_KIB) == 16
    assert (SIZES_KIB[0], SIZES_KIB[-1]) == (32, 1024 * 1024)


def test_every_combination_is_there_once() -> None:
    series = list(series_of(load_streaming_platform("zc706"), "paper"))
    assert len(series) == len(set(series)) == 2 * 2 * 3 * 6
    # The Zedboard's processor has no AES instructions.
    assert len(list(series_of(load_streaming_platform("zedboard"), "paper"))) == 2 * 2 * 2 * 6


def test_what_has_no_rate_is_left_out() -> None:
    platform = load_streaming_platform("zynq-ultrascale")
    software = {
        str(one.operation)
        for one in series_of(platform, "aes-pipelined")
        if one.implementation != "hardware"
    }
    assert software == {"CBC encrypt"}


def test_methods_say_whose_figures_they_are() -> None:
    found = run_campaign(load_streaming_platform("zedboard"), sizes_kib=SMALL, report=silent)
    methods = {(seen.device, seen.method) for seen in found.measurements}
    assert methods == {("software", Method.MODELLED), ("hardware", Method.MODELLED)}
    inputs = {(seen.device, seen.mode): seen.inputs or () for seen in found.measurements}
    software = "published:thesis-zynq-ciphers#result.zedboard.throughput.file.software"
    assert software in inputs["software", "ecb"]
    assert "fitted:zedboard.cores.pipelined.word_clocks" in inputs["hardware", "ctr"]
    assert "fitted:zedboard.cores.iterative.exposed_clocks" in inputs["hardware", "cbc"]


def test_an_interrupted_campaign_goes_on_where_it_was() -> None:
    platform = load_streaming_platform("zedboard")
    stored: list[Measurement] = []
    calls = itertools.count()

    class Interrupted(Exception):
        pass

    def keep(found: Sequence[Measurement]) -> None:
        stored.extend(found)
        if next(calls) == 6:
            raise Interrupted

    with pytest.raises(Interrupted):
        run_campaign(platform, sizes_kib=SMALL, keep=keep, provenance=ORIGIN, report=silent)
    partly = len(stored)
    again = run_campaign(
        platform,
        sizes_kib=SMALL,
        earlier=stored,
        keep=stored.extend,
        provenance=ORIGIN,
        report=silent,
    )
    whole = run_campaign(platform, sizes_kib=SMALL, provenance=ORIGIN, report=silent)
    assert again.reused == partly == 7 * len(SMALL)
    assert again.measurements == whole.measurements
    assert len(stored) == len(whole.measurements)


@pytest.mark.parametrize("commit", [None, "abc-dirty", "def"])
def test_results_of_another_source_are_not_used(commit: str | None) -> None:
    platform = load_streaming_platform("zedboard")
    origin = Provenance(commit=commit)
    first = run_campaign(platform, sizes_kib=SMALL, provenance=origin, report=silent)
    other = ORIGIN if commit == "def" else origin
    second = run_campaign(
        platform, sizes_kib=SMALL, earlier=first.measurements, provenance=other, report=silent
    )
    assert second.reused == 0


def test_results_of_a_changed_platform_are_not_used() -> None:
    platform = load_streaming_platform("zedboard")
    faster = platform.model_copy(
        update={"storage": platform.storage.model_copy(update={"read_mb_s": 12.0})}
    )
    assert platform_digest(platform) != platform_digest(faster)
    first = run_campaign(platform, sizes_kib=SMALL, provenance=ORIGIN, report=silent)
    second = run_campaign(
        faster,
        sizes_kib=SMALL,
        earlier=first.measurements,
        provenance=ORIGIN,
        report=silent,
    )
    assert second.reused == 0


def test_results_of_another_model_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    platform = load_streaming_platform("zedboard")

    def run(earlier: Sequence[Measurement] = ()) -> Campaign:
        return run_campaign(
            platform,
            cores="aes-iterative",
            sizes_kib=(32,),
            earlier=earlier,
            provenance=ORIGIN,
            report=silent,
        )

    first = run()
    assert first.counts_error > 0
    again = run(first.measurements)
    assert again.reused == len(first.measurements)
    monkeypatch.setattr(
        "ciphermill.campaign.streams.model_facts",
        lambda library: {**model_facts(library), "design_hash": "00ff"},
    )
    changed = run(first.measurements)
    # Software is as before; the design of the same name is another.
    assert changed.reused == sum(seen.device == "software" for seen in first.measurements)


def test_our_core_is_run_clock_by_clock_and_by_its_counts() -> None:
    runner = Runner(load_streaming_platform("zedboard"), "aes-iterative", report=silent)
    series = Series(Application.OPENSSL, Destination.FILE, Operation("cbc", "decrypt"), "hardware")
    exact, counted = runner.run(series, (32, 256))
    assert (exact.method, exact.correct) == (Method.SIMULATED, True)
    assert (counted.method, counted.correct) == (Method.MODELLED, None)
    assert runner.counts_error <= 0.02


def test_lines_are_within_two_percent_of_what_they_replace() -> None:
    platform = load_streaming_platform("zedboard")
    buffers = platform.dma_buffers.model_copy(update={"count": 4})
    runner = Runner(platform.model_copy(update={"dma_buffers": buffers}), "paper", report=silent)
    for destination in Destination:
        series = Series(Application.THROUGHPUT, destination, OPERATIONS[0], "hardware")
        (seen,) = runner.run(series, (64 * 1024,))
        assert seen.method is Method.MODELLED
    assert 0 < runner.line_error <= 0.02


def test_a_platform_without_cores_of_its_own_wants_a_design() -> None:
    with pytest.raises(SimulationError, match="name a design"):
        Runner(load_streaming_platform("zc706-arm"), "paper", report=silent)


def test_ideal_rates_are_those_of_the_clocks() -> None:
    platform = load_streaming_platform("zedboard")
    buffers = platform.dma_buffers.model_copy(update={"count": 8})
    small = platform.model_copy(update={"dma_buffers": buffers})
    bench = {str(one.operation): one for one in cipher_bench(small, report=silent)}
    assert bench["ECB encrypt"].ideal_mb_s == pytest.approx(21.92, abs=0.01)
    assert bench["CTR encrypt"].ideal_mb_s == 1600
    assert all(one.memory_to_sink_mb_s < one.ideal_mb_s for one in bench.values())
    bus = bus_bench(small)
    assert bus.inside_write_mb_s > bus.wires_mb_s > bus.end_to_end_mb_s


def test_lines_of_the_bus_that_are_too_far_off_are_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    platform = load_streaming_platform("zc706")
    few = platform.dma_buffers.model_copy(update={"count": 8})
    small = platform.model_copy(update={"dma_buffers": few})
    length = 32 << 20
    monkeypatch.setattr("ciphermill.campaign.stream_bench.BUS_BENCH_BYTES", length)
    # Lines through sizes that the buffers swallow, or nearly so.
    monkeypatch.setattr("ciphermill.evaluate.stream.rate.CALIBRATED_BUFFERS", (1, 2))
    whole = stream(
        small, Wire(), length, application=Application.THROUGHPUT, destination=Destination.SINK
    )
    seen = bus_bench(small)
    assert seen.inside_write_mb_s == pytest.approx(length / whole.inside_write_s / 1e6)


def test_our_pipelined_core_moves_at_the_buss_rate() -> None:
    platform = load_streaming_platform("zedboard")
    buffers = platform.dma_buffers.model_copy(update={"count": 8})
    small = platform.model_copy(update={"dma_buffers": buffers})
    for one in cipher_bench(small, "aes-pipelined", report=silent):
        if str(one.operation) != "CBC encrypt":
            assert one.memory_to_sink_mb_s >= 0.95 * bus_bench(small).end_to_end_mb_s


def test_more_buffers_change_the_time_inside_write_only() -> None:
    few, many = sweep_buffers(
        load_streaming_platform("zc706"),
        Operation("ecb", "encrypt"),
        4 << 20,
        counts=(4, 64),
        report=silent,
    )
    assert many.inside_write_mb_s > 10 * few.inside_write_mb_s
    assert many.end_to_end_mb_s == pytest.approx(few.end_to_end_mb_s, rel=0.01)
