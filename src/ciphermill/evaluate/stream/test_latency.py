# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The latency of the link in virtual time, against what arithmetic gives."""

import pytest

from ciphermill.design import Measurement, Method, load_platform
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.evaluate import evaluate
from ciphermill.evaluate.evaluator import Progress
from ciphermill.evaluate.stream.applications import (
    Application,
    Destination,
    StreamTimes,
    stream,
    stream_together,
)
from ciphermill.evaluate.stream.bench import from_memory
from ciphermill.evaluate.stream.cores import TimedCore, Wire
from ciphermill.evaluate.stream.latency import AtLatency, latencies_of
from ciphermill.evaluate.stream.swept import Cores

MIB = 1 << 20
MICROSECOND_NS = 1000.0


def platform(latency_ns: float, name: str = "zynq-ultrascale") -> StreamingPlatform:
    found = from_memory(load_platform(name, StreamingPlatform))
    return found.with_number("bus.latency_ns", latency_ns)


def run(latency_ns: float, length: int, destination: Destination) -> StreamTimes:
    core = TimedCore(4e-9, 4e-9, 16)
    return stream(platform(latency_ns), core, length, Application.THROUGHPUT, destination)


def test_one_buffer_pays_for_a_read_and_for_a_write() -> None:
    there = [run(one, 4096, Destination.SINK).total_s for one in (0, 7 * MICROSECOND_NS)]
    back = [run(one, 4096, Destination.FILE).total_s for one in (0, 7 * MICROSECOND_NS)]
    assert there[1] - there[0] == pytest.approx(7e-6)
    assert back[1] - back[0] == pytest.approx(14e-6)


def test_bursts_of_a_buffer_are_asked_for_at_once() -> None:
    # 32 bursts in 4 buffers of 32 KiB: a latency a buffer, since the FIFO holds two bursts, each
    # of which takes longer than the latency.
    buffers = platform(0).with_number("dma_buffers.kib_each", 32)
    near, far = (
        stream(
            buffers.with_number("bus.latency_ns", latency),
            TimedCore(16e-9, 16e-9, 16),  # a burst in 4.1 microseconds
            128 << 10,
            Application.THROUGHPUT,
            Destination.SINK,
        ).total_s
        for latency in (0.0, MICROSECOND_NS)
    )
    assert 1e-6 <= far - near <= 4e-6 + 1e-9


def test_a_long_link_moves_a_fifo_in_a_latency() -> None:
    fifo_bytes = platform(0).fifo_bytes
    short, long = (
        stream(platform(50 * MICROSECOND_NS), Wire(), length, *WIRE).total_s
        for length in (1 * MIB, 2 * MIB)
    )
    assert MIB / (long - short) == pytest.approx(fifo_bytes / 50e-6, rel=0.1)


WIRE = (Application.THROUGHPUT, Destination.SINK)


def test_no_latency_is_the_limit_of_a_short_one() -> None:
    for destination in Destination:
        none, short = (run(one, MIB, destination) for one in (0.0, 1e-6))
        assert short.total_s == pytest.approx(none.total_s, rel=1e-6)


def test_streams_side_by_side_wait_at_the_same_time() -> None:
    def total(latency_ns: float) -> float:
        cores = [Wire() for _ in range(6)]
        times = stream_together(platform(latency_ns), cores, 4096, *WIRE)
        return max(one.total_s for one in times)

    assert total(7 * MICROSECOND_NS) - total(0) == pytest.approx(7e-6, abs=0.1e-6)


def measured(cores: str, name: str, *latencies_ns: float) -> list[Measurement]:
    found = load_platform(name, StreamingPlatform)
    asked = (AtLatency(one, (4, 64)) for one in latencies_ns)
    quiet = Progress(lambda _: None)
    return [seen for one in asked for seen in evaluate(Cores(cores), found, one, progress=quiet)]


def test_a_design_of_ours_is_simulated_at_every_latency() -> None:
    found = measured("aes-iterative", "zynq-ultrascale", 0.0, 5000.0)
    assert {(one.method, one.correct) for one in found} == {(Method.SIMULATED, True)}
    assert {one.workload for one in found} == {"latency=0.0", "latency=5000.0"}
    [points] = latencies_of(found).values()
    ctr = [one for one in points if one.measurement.mode == "ctr"]
    assert [one.latency_ns for one in ctr] == [0, 0, 5000, 5000]
    near, _, far, _ = (one.measurement.time_total_s or 0 for one in ctr)
    assert far - near == pytest.approx(2 * 5e-6, abs=0.5e-6)  # there and back


def test_cores_without_rtl_are_modelled_and_say_so() -> None:
    found = measured("own", "zedboard", 1000.0)
    assert {one.method for one in found} == {Method.MODELLED}
    assert all("assumed:zedboard.bus.latency_ns" in (one.inputs or ()) for one in found)
