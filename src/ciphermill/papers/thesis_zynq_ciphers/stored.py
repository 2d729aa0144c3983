# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the thesis's experiments gave, as measurements and back again.

``workload`` says what was streamed: ``bus`` and ``bus from memory``, ``from memory`` (a cipher
without files), ``PARAMETER=VALUE`` (one parameter varied), ``decides: FIGURE`` (the inputs
that decide a figure).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ciphermill.algorithms import AES
from ciphermill.campaign.streams import Streams
from ciphermill.design import Measurement, Method, load_platform
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.stream.applications import Destination
from ciphermill.evaluate.stream.bench import BusBench, CipherBench
from ciphermill.papers.thesis_zynq_ciphers.experiment import (
    OUR_DEVICE,
    OWN_ARM,
    PlatformResults,
    ThesisResults,
)
from ciphermill.papers.thesis_zynq_ciphers.inputs import DecidingInputs
from ciphermill.papers.thesis_zynq_ciphers.sweeps import (
    WAKE_FACTORS,
    BufferPoint,
    BufferSizePoint,
    UpdatePoint,
)
from ciphermill.toolchain.yosys import AreaXc7

_COUNT, _EACH, _UPDATE = "dma_buffers.count", "dma_buffers.kib_each", "host.update_kib"
_DECIDES, _LINES = "decides: ", "lines of long streams"


def measurements(results: ThesisResults) -> Iterator[Measurement]:
    """Yield every measurement of the experiments, streams first."""
    for one in results.platforms.values():
        yield from one.streams.measurements
    yield from beside_streams(results)


def beside_streams(results: ThesisResults) -> Iterator[Measurement]:
    """Yield every measurement but the streams."""
    yield from results.areas
    for name, one in results.platforms.items():
        yield _row(name, _LINES, notes=(one.lines,))
        yield from _bus(name, one.bus)
        yield from _ciphers(name, "hardware", one.ciphers)
        yield from _ciphers(name, OUR_DEVICE, one.ours)
        for mode, rate in one.software_to_sink_mb_s.items():
            fields = {"mode": mode, "operation": "encrypt", "destination": "sink"}
            yield _row(name, "from memory", device="software", throughput_mb_s=rate, **fields)
        for count in one.buffers:
            yield _row(
                name,
                f"{_COUNT}={count.count}",
                throughput_mb_s=count.end_to_end_mb_s,
                throughput_inside_write_mb_s=count.inside_write_mb_s,
            )
        for each in one.buffer_sizes:
            yield _row(name, f"{_EACH}={each.kib_each}", throughput_mb_s=each.end_to_end_mb_s)
        for update in one.updates:
            for factor, rate in zip(WAKE_FACTORS, update.inside_write_mb_s, strict=True):
                varied = f"{_UPDATE}={update.update_kib} host.wake_us*{factor:g}"
                yield _row(name, varied, throughput_inside_write_mb_s=rate)
    yield from _bus(OWN_ARM, results.own_arm_bus)
    yield from _ciphers(OWN_ARM, OUR_DEVICE, results.own_arm)


def decided(results: ThesisResults) -> Iterator[Measurement]:
    """Yield the inputs that decide figures."""
    for name, one in results.deciding.items():
        for figure, found in one.found.items():
            yield _row(name, _DECIDES + figure, inputs=tuple(map(str, found)))


def _row(platform: str, workload: str, **fields: Any) -> Measurement:
    return Measurement(platform=platform, workload=workload, method=Method.MODELLED, **fields)


def _bus(name: str, bus: BusBench) -> Iterator[Measurement]:
    yield _row(name, "bus from memory", throughput_mb_s=bus.end_to_end_mb_s)
    yield _row(name, "bus", throughput_inside_write_mb_s=bus.inside_write_mb_s)


def _ciphers(name: str, device: str, ciphers: Sequence[CipherBench]) -> Iterator[Measurement]:
    for one in ciphers:
        rates = (one.memory_to_sink_mb_s, one.memory_to_memory_mb_s)
        for destination, rate in zip(("sink", "file"), rates, strict=True):
            yield _row(
                name,
                "from memory",
                device=device,
                mode=one.operation.mode,
                operation=one.operation.verb,
                destination=destination,
                cycles_per_block=one.cycles_per_block,
                clock_mhz=one.clock_mhz,
                throughput_mb_s=rate,
            )


def restored(stored: Sequence[Measurement]) -> ThesisResults:
    """Return the results whose measurements these are.

    Raises:
        KeyError: They are not all measurements of the experiments.
        DesignError: A platform is not there any more.
    """
    ours = [seen for seen in stored if seen.method is not Method.PUBLISHED]
    streamed = dict.fromkeys(seen.platform or "" for seen in ours if seen.application)
    places = {name: _Place(name, ours) for name in (*streamed, OWN_ARM)}
    arm = places[OWN_ARM]
    area = next((seen for seen in ours if seen.area_lut is not None), None)
    return ThesisResults(
        {name: places[name].results() for name in streamed},
        arm.bus(),
        arm.ciphers(OUR_DEVICE),
        AreaXc7(area.area_lut or 0, 0, area.area_ff or 0, 0, 0, 0, 0, area.area_block_ram or 0)
        if area
        else None,
        (area,) if area else (),
        {name: place.decided() for name, place in places.items()},
    )


class _Place:
    """The stored results of a platform."""

    def __init__(self, name: str, stored: Sequence[Measurement]) -> None:
        self.platform = load_platform(name, StreamingPlatform)
        here = [seen for seen in stored if seen.platform == name]
        self.streams = [seen for seen in here if seen.application]
        self.rows = {
            (seen.workload, seen.device, seen.mode, seen.operation, seen.destination): seen
            for seen in here
            if seen.workload
        }

    def rate(self, workload: str, *of: str, inside: bool = False) -> float:
        """Return MB/s of a row."""
        seen = self.row(workload, *of)
        return (seen.throughput_inside_write_mb_s if inside else seen.throughput_mb_s) or 0.0

    def row(self, workload: str, *of: str) -> Measurement:
        """Return the measurement of a workload."""
        return self.rows[(workload, *of, *(None,) * (4 - len(of)))]  # type: ignore[index]

    def bus(self) -> BusBench:
        wires = self.platform.bus.mb_s_to(device=True)
        return BusBench(wires, self.rate("bus from memory"), self.rate("bus", inside=True))

    def ciphers(self, device: str) -> tuple[CipherBench, ...]:
        found = []
        for (workload, of, mode, direction, destination), seen in self.rows.items():
            if (workload, of, destination) == ("from memory", device, Destination.SINK.value):
                operation = Operation(mode or "", direction or "")
                cycles, clock = seen.cycles_per_block or 1.0, seen.clock_mhz or 0.0
                drained = self.rate("from memory", device, str(mode), str(direction), "file")
                rate = seen.throughput_mb_s or 0.0
                found.append(CipherBench(operation, cycles, clock, AES.block_bytes, rate, drained))
        return tuple(found)

    def varied(self, parameter: str) -> list[str]:
        """Return the workloads that vary a parameter."""
        return [row[0] for row in self.rows if row[0] and row[0].startswith(f"{parameter}=")]

    def results(self) -> PlatformResults:
        updates: dict[int, list[float]] = {}
        for workload in self.varied(_UPDATE):
            kib = int(workload.partition("=")[2].split()[0])
            updates.setdefault(kib, []).append(self.rate(workload, inside=True))
        return PlatformResults(
            self.platform,
            Streams(self.platform.name, measurements=self.streams),
            "".join(self.row(_LINES).notes or ()),
            self.bus(),
            self.ciphers("hardware"),
            self.ciphers(OUR_DEVICE),
            tuple(
                BufferPoint(int(one.partition("=")[2]), self.rate(one, inside=True), self.rate(one))
                for one in self.varied(_COUNT)
            ),
            tuple(
                BufferSizePoint(int(one.partition("=")[2]), self.rate(one))
                for one in self.varied(_EACH)
            ),
            tuple(UpdatePoint(kib, tuple(rates)) for kib, rates in updates.items()),
            {
                row[2]: seen.throughput_mb_s or 0.0
                for row, seen in self.rows.items()
                if row[2] and row[:2] == ("from memory", "software")
            },
        )

    def decided(self) -> DecidingInputs:
        found = DecidingInputs(self.platform)
        for (workload, *_), seen in self.rows.items():
            if workload and workload.startswith(_DECIDES):
                begin = len(self.platform.name) + 1
                names = (one.partition(":")[2][begin:] for one in seen.inputs or ())
                found.found[workload.removeprefix(_DECIDES)] = tuple(
                    map(self.platform.input, names)
                )
        return found
