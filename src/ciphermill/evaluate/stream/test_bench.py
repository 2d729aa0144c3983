# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Micro-benchmarks of a platform: ideal rates, the bus, and what DMA buffers change."""

import pytest

from ciphermill.design import load_platform
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.stream.applications import Application, Destination, stream
from ciphermill.evaluate.stream.bench import bus_bench, cipher_bench
from ciphermill.evaluate.stream.cores import Wire


def silent(_: str) -> None:
    pass


def test_ideal_rates_are_those_of_the_cycles() -> None:
    platform = load_platform("zedboard", StreamingPlatform)
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
    platform = load_platform("zc706", StreamingPlatform)
    few = platform.dma_buffers.model_copy(update={"count": 8})
    small = platform.model_copy(update={"dma_buffers": few})
    length = 32 << 20
    monkeypatch.setattr("ciphermill.evaluate.stream.bench.BUS_BENCH_BYTES", length)
    # Lines through sizes that the buffers swallow, or nearly so.
    monkeypatch.setattr("ciphermill.evaluate.stream.rate.CALIBRATED_BUFFERS", (1, 2))
    whole = stream(
        small, Wire(), length, application=Application.THROUGHPUT, destination=Destination.SINK
    )
    seen = bus_bench(small)
    assert seen.inside_write_mb_s == pytest.approx(length / whole.inside_write_s / 1e6)


def test_our_pipelined_core_moves_at_the_buss_rate() -> None:
    platform = load_platform("zedboard", StreamingPlatform)
    buffers = platform.dma_buffers.model_copy(update={"count": 8})
    small = platform.model_copy(update={"dma_buffers": buffers})
    for one in cipher_bench(small, "aes-pipelined", report=silent):
        if str(one.operation) != "CBC encrypt":
            assert one.memory_to_sink_mb_s >= 0.95 * bus_bench(small).end_to_end_mb_s
