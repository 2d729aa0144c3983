# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Sweeps: what each property does to a stream, and what it does not."""

import pytest

from ciphermill.design import load_platform
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.stream.sweeps import Sweep, SweepPoint, sweep_at, sweep_values

MIB = 1 << 20


def points(name: str, what: Sweep, mode: str, length: int = MIB) -> list[SweepPoint]:
    platform = load_platform(name, StreamingPlatform)
    return [
        point
        for value in sweep_values(platform, what)
        for point in sweep_at(platform, what, value, length=length, report=lambda _: None)
        if point.operation.mode == mode
    ]


def test_storage_is_the_limit_until_something_else_is() -> None:
    found = points("zc706", Sweep.STORAGE, "ctr")
    slow, fast = found[0], found[-1]
    assert slow.end_to_end_mb_s == pytest.approx(1, rel=0.05)
    assert fast.end_to_end_mb_s == pytest.approx(fast.memory_to_sink_mb_s, rel=0.1)
    assert len({round(point.memory_to_sink_mb_s, 3) for point in found}) == 1


def test_a_faster_bus_does_not_help_a_slow_core() -> None:
    found = points("zedboard", Sweep.BUS, "ecb")
    assert [point.value for point in found] == [100, 200, 400, 800, 1600]
    assert found[-1].memory_to_sink_mb_s == pytest.approx(found[0].memory_to_sink_mb_s, rel=0.1)


def test_there_are_no_more_than_sixteen_lanes_and_no_less_than_one() -> None:
    assert [point.value for point in points("zc706", Sweep.BUS, "ctr")] == [
        150,
        300,
        600,
        1200,
        2400,
    ]


def test_a_faster_clock_helps_a_slow_core() -> None:
    found = points("zedboard", Sweep.CLOCK, "ecb")
    rates = [point.memory_to_memory_mb_s / point.value for point in found]
    assert min(rates) == pytest.approx(max(rates), rel=0.1)


@pytest.mark.parametrize("what", [Sweep.BUFFERS, Sweep.FIFO])
def test_more_room_does_not_make_a_core_faster(what: Sweep) -> None:
    found = points("zedboard", what, "ecb")
    assert found[-1].memory_to_sink_mb_s == pytest.approx(found[0].memory_to_sink_mb_s, rel=0.05)


def test_six_operations_share_the_bus() -> None:
    slow = points("zedboard", Sweep.TOGETHER, "ecb", MIB // 2)
    fast = points("zedboard", Sweep.TOGETHER, "ctr", MIB // 2)
    assert fast[5].end_to_end_mb_s is None  # they would share the card
    # Six iterative cores need 125 of 400 MB/s: they add up. Six of 160 do not.
    assert slow[5].memory_to_sink_mb_s == pytest.approx(6 * slow[0].memory_to_sink_mb_s, rel=0.05)
    assert fast[5].memory_to_sink_mb_s < 400 < 6 * fast[0].memory_to_sink_mb_s


def test_small_updates_cost_the_synchronous_application() -> None:
    found = points("zc706", Sweep.UPDATE, "ctr", 4 * MIB)
    assert {point.application for point in found} == {"openssl"}
    rates = [point.memory_to_memory_mb_s for point in found]
    assert rates == sorted(rates)
    assert rates[0] < 0.5 * rates[-1]  # those of `openssl enc`, 8 KiB
    # Nothing is awaited on the way to the sink.
    assert found[3].memory_to_sink_mb_s > 1.05 * found[3].memory_to_memory_mb_s
