# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Campaigns of streams: complete, resumable, and right about what they do not know."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.streams import run_streams

from ciphermill.campaign.run import Run
from ciphermill.campaign.store import Store
from ciphermill.campaign.streams import stream_points, streams_of
from ciphermill.design import Measurement, Method, Provenance, load_platform
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.evaluate.stream.kernel import SimulationError
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


def test_an_interrupted_campaign_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(Exception):
        pass

    calls = itertools.count()
    honest = VirtualStreams.run

    def run(self: VirtualStreams, series: Series, sizes: Sequence[int]) -> list[Measurement]:
        if next(calls) == 7:
            raise Interrupted
        return honest(self, series, sizes)

    monkeypatch.setattr(VirtualStreams, "run", run)
    with Store(tmp_path / "s") as store:
        with pytest.raises(Interrupted):
            Run(store, ORIGIN, stream_points(virtual("zedboard"), SMALL)).go()
        assert len(store.records()) == 7 * len(SMALL)
        place = virtual("zedboard")
        again = Run(store, ORIGIN, stream_points(place, SMALL))
        again.go()
        assert again.continued == 7
        assert len(store.records()) == len(again.measurements)
    assert "7 series are from the run" in streams_of(again, place).notes[-1]
    whole = run_streams(virtual("zedboard"), SMALL, ORIGIN)
    assert again.measurements == whole.measurements


def test_a_point_is_another_on_a_changed_platform() -> None:
    platform = load_platform("zedboard", StreamingPlatform)
    faster = platform.model_copy(
        update={"storage": platform.storage.model_copy(update={"read_mb_s": 12.0})}
    )
    assert platform_digest(platform) != platform_digest(faster)
    same = [stream_points(virtual("zedboard"), SMALL)[0].digest for _ in range(2)]
    changed = stream_points(VirtualStreams(faster, report=silent), SMALL)[0].digest
    assert same[0] == same[1] != changed


def test_a_point_is_another_with_another_model(monkeypatch: pytest.MonkeyPatch) -> None:
    platform = load_platform("zedboard", StreamingPlatform)
    design = "aes-iterative"
    before = stream_points(VirtualStreams(platform, design, report=silent), SMALL)[-1]
    monkeypatch.setattr(
        "ciphermill.evaluate.stream.virtual.Model",
        lambda _: SimpleNamespace(design=design, design_hash="00ff", stream_bits=128),
    )
    after = stream_points(VirtualStreams(platform, design, report=silent), SMALL)[-1]
    assert before.digest != after.digest


def test_a_measurement_says_its_platform_and_its_model() -> None:
    place = VirtualStreams(
        load_platform("zedboard", StreamingPlatform), "aes-iterative", report=silent
    )
    found = run_streams(place, (32,), Provenance(commit="abc", tools={"python": "3"}))
    for seen in found.measurements:
        assert seen.provenance is not None
        wanted = {"python", "platform", *(["model"] if seen.device != "software" else [])}
        assert seen.provenance.tools.keys() == wanted
        assert seen.provenance.commit == "abc"
    assert "Cycle counts are off by" in found.notes[-1]


def test_our_core_is_run_clock_by_clock_and_by_its_counts() -> None:
    runner = VirtualStreams(
        load_platform("zedboard", StreamingPlatform), "aes-iterative", report=silent
    )
    decrypt = Operation("cbc", "decrypt")
    series = Series(Application.OPENSSL, Destination.FILE, decrypt, "model:aes-iterative", "aes")
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
        ecb = Operation("ecb", "encrypt")
        series = Series(Application.THROUGHPUT, destination, ecb, "hardware", "aes")
        (seen,) = runner.run(series, (64 * 1024,))
        assert seen.method is Method.MODELLED
    assert 0 < runner.line_error <= 0.02


def test_a_platform_without_cores_of_its_own_wants_a_design() -> None:
    with pytest.raises(SimulationError, match="name a design"):
        VirtualStreams(load_platform("zc706-arm", StreamingPlatform), "own", report=silent)
