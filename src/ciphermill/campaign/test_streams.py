# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Campaigns of streams: complete, resumable, and right about what they do not know."""

import itertools
from collections.abc import Sequence

import pytest

from ciphermill.campaign.streams import Streams, run_streams
from ciphermill.design import Measurement, Method, Provenance, load_platform
from ciphermill.design.operations import OPERATIONS, Operation
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.evaluate.stream.kernel import SimulationError
from ciphermill.evaluate.stream.model_library import model_facts
from ciphermill.evaluate.stream.series import Series
from ciphermill.evaluate.stream.virtual import VirtualStreams, platform_digest, series_of

SMALL = (32, 64)
ORIGIN = Provenance(commit="abc", tools={})


def silent(_: str) -> None:
    pass


def virtual(name: str) -> VirtualStreams:
    return VirtualStreams(load_platform(name, StreamingPlatform), report=silent)


def test_every_combination_is_there_once() -> None:
    series = list(series_of(load_platform("zc706", StreamingPlatform), "own"))
    assert len(series) == len(set(series)) == 2 * 2 * 3 * 6
    # The Zedboard's processor has no AES instructions.
    assert (
        len(list(series_of(load_platform("zedboard", StreamingPlatform), "own"))) == 2 * 2 * 2 * 6
    )


def test_what_has_no_rate_is_left_out() -> None:
    platform = load_platform("zynq-ultrascale", StreamingPlatform)
    software = {
        str(one.operation)
        for one in series_of(platform, "aes-pipelined")
        if one.implementation != "hardware"
    }
    assert software == {"CBC encrypt"}


def test_methods_say_whose_figures_they_are() -> None:
    found = run_streams(virtual("zedboard"), SMALL)
    methods = {(seen.device, seen.method) for seen in found.measurements}
    assert methods == {("software", Method.MODELLED), ("hardware", Method.MODELLED)}
    inputs = {(seen.device, seen.mode): seen.inputs or () for seen in found.measurements}
    software = "published:thesis-zynq-ciphers#result.zedboard.throughput.file.software"
    assert software in inputs["software", "ecb"]
    assert "fitted:zedboard.cores.pipelined.word_cycles" in inputs["hardware", "ctr"]
    assert "fitted:zedboard.cores.iterative.exposed_cycles" in inputs["hardware", "cbc"]


def test_an_interrupted_campaign_goes_on_where_it_was() -> None:
    place = virtual("zedboard")
    stored: list[Measurement] = []
    calls = itertools.count()

    class Interrupted(Exception):
        pass

    def keep(found: Sequence[Measurement]) -> None:
        stored.extend(found)
        if next(calls) == 6:
            raise Interrupted

    with pytest.raises(Interrupted):
        run_streams(place, SMALL, keep=keep, provenance=ORIGIN)
    partly = len(stored)
    again = run_streams(place, SMALL, earlier=stored, keep=stored.extend, provenance=ORIGIN)
    whole = run_streams(place, SMALL, provenance=ORIGIN)
    assert again.reused == partly == 7 * len(SMALL)
    assert again.measurements == whole.measurements
    assert len(stored) == len(whole.measurements)


@pytest.mark.parametrize("commit", [None, "abc-dirty", "def"])
def test_results_of_another_source_are_not_used(commit: str | None) -> None:
    place = virtual("zedboard")
    origin = Provenance(commit=commit)
    first = run_streams(place, SMALL, provenance=origin)
    other = ORIGIN if commit == "def" else origin
    second = run_streams(place, SMALL, earlier=first.measurements, provenance=other)
    assert second.reused == 0


def test_results_of_a_changed_platform_are_not_used() -> None:
    platform = load_platform("zedboard", StreamingPlatform)
    faster = platform.model_copy(
        update={"storage": platform.storage.model_copy(update={"read_mb_s": 12.0})}
    )
    assert platform_digest(platform) != platform_digest(faster)
    first = run_streams(virtual("zedboard"), SMALL, provenance=ORIGIN)
    changed = VirtualStreams(faster, report=silent)
    second = run_streams(changed, SMALL, earlier=first.measurements, provenance=ORIGIN)
    assert second.reused == 0


def test_results_of_another_model_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    platform = load_platform("zedboard", StreamingPlatform)

    def run(earlier: Sequence[Measurement] = ()) -> Streams:
        place = VirtualStreams(platform, "aes-iterative", report=silent)
        return run_streams(place, (32,), earlier=earlier, provenance=ORIGIN)

    first = run()
    assert "Cycle counts are off by" in first.notes[-1]
    again = run(first.measurements)
    assert again.reused == len(first.measurements)
    monkeypatch.setattr(
        "ciphermill.evaluate.stream.virtual.model_facts",
        lambda library: {**model_facts(library), "design_hash": "00ff"},
    )
    changed = run(first.measurements)
    # Software is as before; the design of the same name is another.
    assert changed.reused == sum(seen.device == "software" for seen in first.measurements)


def test_our_core_is_run_clock_by_clock_and_by_its_counts() -> None:
    runner = VirtualStreams(
        load_platform("zedboard", StreamingPlatform), "aes-iterative", report=silent
    )
    series = Series(
        Application.OPENSSL, Destination.FILE, Operation("cbc", "decrypt"), "model:aes-iterative"
    )
    exact, counted = runner.run(series, (32, 256))
    assert (exact.method, exact.correct) == (Method.SIMULATED, True)
    assert (counted.method, counted.correct) == (Method.MODELLED, None)
    assert runner.counts_error <= 0.02


def test_lines_are_within_two_percent_of_what_they_replace() -> None:
    platform = load_platform("zedboard", StreamingPlatform)
    buffers = platform.dma_buffers.model_copy(update={"count": 4})
    runner = VirtualStreams(
        platform.model_copy(update={"dma_buffers": buffers}), "own", report=silent
    )
    for destination in Destination:
        series = Series(Application.THROUGHPUT, destination, OPERATIONS[0], "hardware")
        (seen,) = runner.run(series, (64 * 1024,))
        assert seen.method is Method.MODELLED
    assert 0 < runner.line_error <= 0.02


def test_a_platform_without_cores_of_its_own_wants_a_design() -> None:
    with pytest.raises(SimulationError, match="name a design"):
        VirtualStreams(load_platform("zc706-arm", StreamingPlatform), "own", report=silent)
