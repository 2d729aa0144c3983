# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The inputs that decide the figures of the thesis's platforms.

A platform's parameters are changed one by one, and the figures simulated again on
streams that are just long enough to be steady: with few DMA buffers, and as the slope
between two lengths, so that what begins and ends a stream is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import Input, StreamingPlatform
from ciphermill.evaluate.stream.applications import StreamTimes, stream
from ciphermill.evaluate.stream.bench import CipherBench, from_memory, steady_bus, through_bus
from ciphermill.evaluate.stream.cores import TimedCore
from ciphermill.evaluate.stream.inputs import bus_parameters, deciding, parameters_of
from ciphermill.evaluate.stream.series import Series
from ciphermill.evaluate.stream.virtual import VirtualStreams
from ciphermill.papers.thesis_zynq_ciphers.experiment import buffers_of

BUFFERS = 4
"""DMA buffers in each direction: as many as an update that is doubled needs."""
LENGTHS = (3 << 19, 4 << 19)
"""Bytes of the two streams between which the slope is taken."""
SWEPT_BYTES = 8 << 20
"""Rates of the bus alone, for each size of DMA buffer."""

Times = Callable[[StreamingPlatform, int], StreamTimes]


class DecidingInputs:
    """The inputs that decide a platform's figures, each found once and kept."""

    def __init__(self, platform: StreamingPlatform) -> None:
        """Take the platform as it is."""
        self._platform = platform.with_number("dma_buffers.count", BUFFERS)
        self.found: dict[str, tuple[Input, ...]] = {}
        """The inputs found so far, by the figure that they decide."""

    def take(self, figure: str, names: Sequence[str]) -> None:
        """Take inputs that were found before, by their names in measurements."""
        parameters = (name.partition(":")[2].partition(".")[2] for name in names)
        self.found[figure] = tuple(map(self._platform.input, parameters))

    def of_stream(self, series: Series, *, inside: bool) -> tuple[Input, ...]:
        """Return what decides a series' throughput, inside write or end to end."""
        platform = self._platform
        series = _of_its_core(platform, series)
        return self._once(
            f"{series}, {'inside write' if inside else 'end to end'}",
            platform,
            parameters_of(platform, series),
            _times(series),
            inside,
        )

    def from_memory(self, series: Series, *, ours: CipherBench | None = None) -> tuple[Input, ...]:
        """Return what decides the rate of a stream without files, end to end.

        Args:
            series: What streams where to.
            ours: A core of ours in place of the platform's.
        """
        platform = from_memory(self._platform)
        series = series if ours else _of_its_core(platform, series)
        parameters = [
            name
            for name in parameters_of(platform, series, own_core=ours is not None)
            if not name.startswith("storage.")
        ]
        core = f", {ours.operation} in {ours.cycles_per_block:g} cycles" if ours else ""
        key = f"{series}, from memory{core}"
        return self._once(key, platform, parameters, _times(series, ours), inside=False)

    def of_bus(self) -> tuple[Input, ...]:
        """Return what decides the bus alone, from memory into a sink, end to end."""
        platform = from_memory(self._platform)
        return self._once("bus", platform, bus_parameters(platform), through_bus, inside=False)

    def of_buffer_sizes(self, sizes_kib: Sequence[int]) -> tuple[Input, ...]:
        """Return what decides how much more the bus does with larger DMA buffers."""
        key = f"buffer sizes {sizes_kib}"
        if key not in self.found:
            platform = self._platform
            parameters = [
                one
                for one in bus_parameters(platform)
                if one not in ("dma_buffers.kib_each", "host.update_kib")
            ]

            def gain(varied: StreamingPlatform) -> float:
                asked = (buffers_of(kib, varied, SWEPT_BYTES) for kib in sizes_kib)
                rates = [steady_bus(one.on(varied), one.bytes) for one in asked]
                return max(rates) / rates[0] - 1

            self.found[key] = deciding(platform, parameters, gain)
        return self.found[key]

    def _once(
        self,
        key: str,
        platform: StreamingPlatform,
        parameters: Sequence[str],
        times: Times,
        inside: bool,
    ) -> tuple[Input, ...]:
        if key not in self.found:

            def rate(varied: StreamingPlatform) -> float:
                short, long = (times(varied, length) for length in LENGTHS)
                seconds = (
                    long.inside_write_s - short.inside_write_s
                    if inside
                    else long.total_s - short.total_s
                )
                return (LENGTHS[1] - LENGTHS[0]) / seconds

            self.found[key] = deciding(platform, parameters, rate)
        return self.found[key]


def _of_its_core(platform: StreamingPlatform, series: Series) -> Series:
    """Return a series that runs alike: in the first mode of the same core."""
    core = platform.core_of(series.operation.mode)
    if series.implementation != "hardware" or core is None:
        return series
    return replace(series, operation=Operation(core.modes[0], series.operation.verb))


def _times(series: Series, ours: CipherBench | None = None) -> Times:
    def times(platform: StreamingPlatform, length: int) -> StreamTimes:
        if not ours:
            return VirtualStreams(platform).simulate(series, length)
        period = ours.cycles_per_block / (platform.device.clock_mhz * 1e6)
        return stream(
            platform,
            TimedCore(period, period, platform.cipher.block_bytes),
            length,
            series.application,
            series.destination,
        )

    return times
