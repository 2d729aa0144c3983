# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Finds the parameters of a platform that a simulated stream uses, and those that affect it most.

``parameters_of`` lists every parameter that the simulation of a stream uses.
``deciding`` changes them one by one and returns those that change a figure notably.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from ciphermill.design import Direction
from ciphermill.design.streaming_platform import (
    Core,
    Implementation,
    Input,
    StreamingPlatform,
    StreamMode,
)
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.evaluate.stream.series import Series

DECIDING = 0.1
"""Elasticity from which a parameter counts as deciding: 1 % more of it changes the figure by 0.1 %
or more."""
_STEP = 1.05
"""The relative change of a rate or a time to find its effect."""
_DOUBLED = frozenset(
    {
        "host.update_kib",
        "bus.to_device_bits",
        "bus.to_host_bits",
        "dma_buffers.kib_each",
        "device.fifo_kib",
    }
)
"""Parameters that are powers of two, or must stay whole pages and buffers."""
_HALVED = frozenset({"bus.burst_bytes"})
"""A burst must fit into the FIFO twice."""


def parameters_of(
    platform: StreamingPlatform, series: Series, *, own_core: bool = False
) -> tuple[str, ...]:
    """Return the parameters that a stream's times depend on, dotted as in the platform's file.

    Args:
        platform: What it runs on.
        series: The kind of stream.
        own_core: Whether the core is RTL of this project, not one of the platform's by cycle
        counts.
    """
    implementation, mode = series.implementation, series.operation.mode
    sink = series.destination is Destination.SINK
    found = ["storage.read_mb_s"]
    if not sink and platform.storage.write_mb_s is not None:
        found.append("storage.write_mb_s")
    if implementation != "hardware":
        found.append(_software(platform, implementation, mode, series.direction))
        if not sink:
            return tuple(found)
    two_threads = series.application is Application.THROUGHPUT and not sink
    hardware = implementation == "hardware"
    shared = hardware and two_threads and platform.host.copy_rate.shared_mb_s is not None
    copy = "host.copy.shared_mb_s" if shared else "host.copy.mb_s"
    found += _through_bus(platform, copy, both_ways=not sink)
    if hardware:
        found += ["device.clock_mhz"] if own_core else _core(platform, mode)
    return tuple(found)


def bus_parameters(platform: StreamingPlatform) -> tuple[str, ...]:
    """Return the parameters that the rate of the bus alone depends on, from memory into a sink."""
    return _through_bus(platform, "host.copy.mb_s", both_ways=False)


def _through_bus(platform: StreamingPlatform, copy: str, *, both_ways: bool) -> tuple[str, ...]:
    return (
        copy,
        "host.wake_us",
        "host.update_kib",
        *_bus(platform, both_ways=both_ways),
        "dma_buffers.count",
        "dma_buffers.kib_each",
        "device.fifo_kib",
    )


def inputs(platform: StreamingPlatform, parameters: Sequence[str]) -> tuple[Input, ...]:
    """Return parameters with their provenance."""
    return tuple(platform.input(name) for name in parameters)


def _software(
    platform: StreamingPlatform,
    implementation: Implementation,
    mode: StreamMode,
    direction: Direction,
) -> str:
    plus = implementation == "software+"
    rates = platform.host.software_plus if plus else platform.host.software
    own = direction is Direction.DECRYPT and rates is not None and rates.decrypt is not None
    return f"host.software{'_plus' if plus else ''}.{'decrypt' if own else 'encrypt'}.{mode}"


def _bus(platform: StreamingPlatform, *, both_ways: bool) -> Iterator[str]:
    bus = platform.bus
    unlimited = bus.model_copy(update={"mb_s": None})
    ways = (True, False) if both_ways else (True,)
    if any(bus.mb_s_to(device=way) < unlimited.mb_s_to(device=way) for way in ways):
        yield "bus.mb_s"
    if any(bus.mb_s_to(device=way) == unlimited.mb_s_to(device=way) for way in ways):
        if bus.kind == "axi4":
            yield "bus.clock_mhz"
            yield "bus.to_device_bits"
            if both_ways:
                yield "bus.to_host_bits"
        else:
            yield "bus.lanes"
            yield "bus.generation"
    yield "bus.burst_bytes"
    if bus.burst_gap_ns:
        yield "bus.burst_gap_ns"
    if bus.latency_ns:
        yield "bus.latency_ns"
    yield "bus.buffer_us"


def _core(platform: StreamingPlatform, mode: StreamMode) -> Iterator[str]:
    name, core = next((n, one) for n, one in platform.cores.items() if mode in one.modes)
    for field in ("clock_mhz", *_period(core)):
        yield f"cores.{name}.{field}"


def _period(core: Core) -> Iterator[str]:
    cipher = core.cycles_per_block + core.exposed_cycles
    if cipher >= core.word_cycles:
        yield "cycles_per_block"
        if core.exposed_cycles:
            yield "exposed_cycles"
    else:
        yield "word_cycles"
    if core.latency_cycles > max(cipher, core.word_cycles):
        yield "latency_cycles"


def deciding(
    platform: StreamingPlatform,
    parameters: Sequence[str],
    figure: Callable[[StreamingPlatform], float],
) -> tuple[Input, ...]:
    """Return the inputs that affect a figure most.

    Args:
        platform: Where the figure is simulated.
        parameters: The parameters to try.
        figure: Simulates it on a platform; above zero.
    """
    base = math.log(figure(platform))
    found = []
    for name in parameters:
        value = platform.number(name)
        if not value:
            continue
        other = changed(name, value)
        seen = figure(platform.with_number(name, other))
        # A figure that becomes zero or negative counts as changed.
        if seen <= 0 or abs((math.log(seen) - base) / math.log(other / value)) >= DECIDING:
            found.append(platform.input(name))
    return tuple(found)


def changed(name: str, value: float) -> float:
    """Return another value of a parameter that is near and valid.

    >>> changed("bus.mb_s", 600.0), changed("cores.a.word_cycles", 10)
    (630.0, 11)
    """
    if name in _DOUBLED:
        return value * 2
    if name in _HALVED:
        return value // 2
    if isinstance(value, int):
        return max(value + 1, round(value * _STEP))
    return value * _STEP
