# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Streams of the paper thesis-zynq-ciphers on a platform: every combination and size.

Both applications, both destinations, every mode, direction and implementation,
from 32 KiB to 1 GiB. What the model of an accelerator can run clock by clock it
does; longer streams go through a core of the same clock counts, and the longest
along lines, whose error on a size that they have not seen is told.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ciphermill.design import Direction, Measurement, Method, Provenance
from ciphermill.design.operations import OPERATIONS, Operation
from ciphermill.design.streaming_platform import Implementation, StreamingPlatform
from ciphermill.evaluate.stream.applications import (
    Application,
    Destination,
    StreamTimes,
    stream,
    stream_in_software,
)
from ciphermill.evaluate.stream.cores import TimedCore
from ciphermill.evaluate.stream.inputs import inputs, parameters_of
from ciphermill.evaluate.stream.kernel import SimulationError, WrongStreamError
from ciphermill.evaluate.stream.model_core import ModelCore, measure_core
from ciphermill.evaluate.stream.model_library import KEY_BYTES, model_facts
from ciphermill.evaluate.stream.rate import CALIBRATED_BUFFERS, MOST_ERROR, RateModel, calibrate
from ciphermill.toolchain.model import Report, find_model, say

SIZES_KIB: tuple[int, ...] = tuple(32 << step for step in range(16))
"""The paper's sixteen sizes (table 7.1): 32 KiB to 1 GiB."""
EXACT_KIB = 128
"""Up to this size streams go through the model of an accelerator clock by clock."""
IMPLEMENTATIONS: tuple[Implementation, ...] = ("software", "software+", "hardware")
PAPER_CORES = "paper"
"""The platform's own cores, known by their clock counts."""
KIB = 1024
KEY, IV = bytes(range(KEY_BYTES)), bytes(range(16))
"""Of every stream."""

Progress = Callable[[int, int], None]
"""Is told how many series are done, of how many."""


Kept = Callable[[Sequence[Measurement]], None]
"""Is given what is to be kept while a campaign goes on."""


@dataclass(frozen=True)
class Series:
    """One line of a plot: everything but the size."""

    application: Application
    destination: Destination
    operation: Operation
    implementation: Implementation

    @property
    def direction(self) -> Direction:
        """The direction as the designs have it."""
        return Direction(self.operation.direction)

    def __str__(self) -> str:
        return f"{self.application}, {self.destination}, {self.operation}, {self.implementation}"


class Streams(Protocol):
    """What tables and plots need of a campaign."""

    @property
    def name(self) -> str:
        """What they call it."""

    def series(self) -> tuple[Series, ...]:
        """Return what there is to run."""

    def of(self, series: Series) -> list[Measurement]:
        """Return what a series gave, by size."""

    def find(self, series: Series, kib: int) -> Measurement | None:
        """Return what a series gave at a size."""


@dataclass
class Campaign:
    """What a campaign found."""

    platform: StreamingPlatform
    cores: str
    """``paper``, or a design of ours."""
    measurements: list[Measurement] = field(default_factory=list)
    line_error: float = 0.0
    """Of the lines that were drawn now, the worst on a size not seen; a fraction."""
    counts_error: float = 0.0
    """Of clock counts against the model clock by clock, the worst of now; a fraction."""
    reused: int = 0
    """Measurements that were there from an earlier run, whose errors are not among these."""

    @property
    def name(self) -> str:
        """What tables and plots call it."""
        return self.platform.name

    def series(self) -> tuple[Series, ...]:
        """Return what there is to run."""
        return tuple(series_of(self.platform, self.cores))

    def of(self, series: Series) -> list[Measurement]:
        """Return what a series gave, by size."""
        wanted = _series_key(self, series)
        return [seen for seen in self.measurements if measurement_key(seen)[:-1] == wanted]

    def find(self, series: Series, kib: int) -> Measurement | None:
        """Return what a series gave at a size."""
        return next((seen for seen in self.of(series) if seen.bytes == kib * KIB), None)


def same_stream(series: Series) -> tuple[object, ...]:
    """Return what tells the streams of a platform apart, whatever the application is called.

    In software both applications run alike, and into a sink nothing is waited for, so
    that both stream alike in hardware too.
    """
    alike = series.implementation != "hardware" or series.destination is Destination.SINK
    application = None if alike else series.application
    return (application, series.destination, series.operation, series.implementation)


def series_of(platform: StreamingPlatform, cores: str) -> Iterator[Series]:
    """Yield the series that a platform can have: software whose rate is known, cores with modes."""
    for application in Application:
        for destination in Destination:
            for implementation in IMPLEMENTATIONS:
                for operation in OPERATIONS:
                    series = Series(application, destination, operation, implementation)
                    if implementation == "hardware":
                        ours = cores != PAPER_CORES
                        there = ours or platform.core_of(operation.mode) is not None
                    else:
                        rate = platform.software_rate(
                            implementation, operation.mode, series.direction
                        )
                        there = rate is not None
                    if there:
                        yield series


def platform_digest(platform: StreamingPlatform) -> str:
    """Return what tells a platform's figures from those of a changed file."""
    text = platform.model_dump_json(exclude={"description"})
    return hashlib.sha256(text.encode()).hexdigest()[:12]


class Runner:
    """Runs series on a platform; those whose times must be equal are simulated once."""

    def __init__(self, platform: StreamingPlatform, cores: str, *, report: Report = say) -> None:
        """Prepare the cores.

        Args:
            platform: What to run on.
            cores: ``paper``, or a design of ours.
            report: Is given a line before and after a build.

        Raises:
            DesignError: There is no such design.
            ToolError: Its model could not be built.
            SimulationError: The platform has no cores of its own.
        """
        self.platform = platform
        self.cores = cores
        self.line_error = 0.0
        self.counts_error = 0.0
        self._library: Path | None = None
        self._design = ""
        if cores == PAPER_CORES:
            if not platform.cores:
                raise SimulationError(
                    f"{platform.name} has no cores of its own; name a design: --cores NAME"
                )
        else:
            self._library = find_model(cores, report=report)
            facts = model_facts(self._library)
            self._design = str(facts["design"])
            self._design_bits = int(facts["stream_bits"])
        self._counts: dict[Operation, tuple[float, float]] = {}
        self._times: dict[tuple[object, ...], StreamTimes] = {}
        self._lines: dict[tuple[object, ...], RateModel] = {}

    @property
    def buffers_bytes(self) -> int:
        """Bytes of all DMA buffers of a direction."""
        return self.platform.dma_buffers.count * self.platform.dma_buffers.bytes_each

    def run(
        self, series: Series, sizes_kib: Sequence[int], provenance: Provenance | None = None
    ) -> list[Measurement]:
        """Run a series.

        Raises:
            SimulationError: The system locks up, or a model gives a wrong output.
        """
        found = []
        for kib in sizes_kib:
            length = kib * KIB
            times, method = self._run(series, length)
            found.append(self._measurement(series, length, times, method, provenance))
        return found

    def core(self, operation: Operation) -> TimedCore:
        """Return the core of an operation as clock counts, idle.

        Raises:
            SimulationError: A model hangs or is wrong, or there is no core for it.
        """
        if self._library is None:
            core = self.platform.core_of(operation.mode)
            if core is None:
                raise SimulationError(f"{self.platform.name} has no core for {operation}")
            return TimedCore.of(core)
        if operation not in self._counts:
            measured = measure_core(
                self._library,
                clock_mhz=self.platform.device.clock_mhz,
                mode=operation.mode,
                direction=Direction(operation.direction),
                burst_bytes=self.platform.bus.burst_bytes,
            )
            self._counts[operation] = measured.period_s, measured.latency_s
        return TimedCore(*self._counts[operation])

    def _run(self, series: Series, length: int) -> tuple[StreamTimes, Method]:
        hardware = series.implementation == "hardware"
        method = Method.MODELLED
        if hardware and self._library and length <= EXACT_KIB * KIB:
            exact = self._exactly(series, length)
            counted = self._counted(series, length)
            self.counts_error = max(
                self.counts_error,
                abs(counted.total_s / exact.total_s - 1),
                abs(counted.inside_write_s / exact.inside_write_s - 1),
            )
            return exact, Method.SIMULATED
        if length <= CALIBRATED_BUFFERS[0] * self.buffers_bytes:
            return self._counted(series, length), method
        lines = self._line(series)
        if lines.error > MOST_ERROR:
            return self._counted(series, length), method
        self.line_error = max(self.line_error, lines.error)
        return lines.times(length), method

    def _exactly(self, series: Series, length: int) -> StreamTimes:
        assert self._library  # noqa: S101 - for the type checker
        data = bytes(range(256)) * (-(-length // 256))
        with ModelCore(
            self._library,
            clock_mhz=self.platform.device.clock_mhz,
            mode=series.operation.mode,
            direction=series.direction,
            data=data[:length],
            key=KEY,
            iv=IV,
        ) as core:
            times = stream(
                self.platform,
                core,
                length,
                application=series.application,
                destination=series.destination,
            )
            if not core.check():
                raise WrongStreamError(f"wrong output: {core.design} in {series.operation}")
        return times

    def _counted(self, series: Series, length: int) -> StreamTimes:
        key = (*self._same(series), length)
        if key not in self._times:
            self._times[key] = self._simulate(series, length)
        return self._times[key]

    def _line(self, series: Series) -> RateModel:
        key = self._same(series)
        if key not in self._lines:
            self._lines[key] = calibrate(
                lambda length: self._simulate(series, length), self.buffers_bytes
            )
        return self._lines[key]

    def _same(self, series: Series) -> tuple[object, ...]:
        """What the times of a series depend on: equal for those that must be equal."""
        if series.implementation != "hardware":
            return (series.destination, self._software_rate(series))
        core = self.core(series.operation)
        return (*same_stream(series)[:2], core.period_s, core.latency_s)

    def inputs_of(self, series: Series) -> tuple[str, ...]:
        """Return what the times of a series rest on, for ``Measurement.inputs``."""
        found = inputs(
            self.platform,
            parameters_of(
                self.platform,
                application=series.application,
                destination=series.destination,
                implementation=series.implementation,
                mode=series.operation.mode,
                direction=series.direction,
                own_core=self._library is not None,
            ),
        )
        return tuple(dict.fromkeys(name for one in found for name in one.names))

    def _simulate(self, series: Series, length: int) -> StreamTimes:
        if series.implementation != "hardware":
            return stream_in_software(
                self.platform, self._software_rate(series), length, destination=series.destination
            )
        return stream(
            self.platform,
            self.core(series.operation),
            length,
            application=series.application,
            destination=series.destination,
        )

    def _software_rate(self, series: Series) -> float:
        rate = self.platform.software_rate(
            series.implementation, series.operation.mode, series.direction
        )
        if rate is None:
            raise SimulationError(f"{self.platform.name} has no rate for {series}")
        return rate

    def _measurement(
        self,
        series: Series,
        length: int,
        times: StreamTimes,
        method: Method,
        provenance: Provenance | None,
    ) -> Measurement:
        ours = series.implementation == "hardware" and self._library is not None
        return Measurement(
            design=self._design if ours else None,
            cipher="aes",
            key_bits=8 * KEY_BYTES,
            mode=series.operation.mode,
            direction=series.operation.direction,
            interface=f"axi4-stream-{self._design_bits}" if ours else None,
            platform=self.platform.name,
            device=device_name(series.implementation, self.cores),
            application=series.application,
            destination=series.destination,
            bytes=length,
            messages=1,
            time_total_s=times.total_s,
            time_inside_write_s=times.inside_write_s,
            throughput_mb_s=length / times.total_s / 1e6,
            throughput_inside_write_mb_s=length / times.inside_write_s / 1e6,
            clock_mhz=self.platform.device.clock_mhz if ours else None,
            correct=True if method is Method.SIMULATED else None,
            method=method,
            inputs=self.inputs_of(series),
            provenance=provenance,
        )


def run_campaign(
    platform: StreamingPlatform,
    *,
    cores: str = PAPER_CORES,
    sizes_kib: Sequence[int] = SIZES_KIB,
    earlier: Sequence[Measurement] = (),
    keep: Kept | None = None,
    provenance: Provenance | None = None,
    progress: Progress | None = None,
    report: Report = say,
) -> Campaign:
    """Run every series of a platform.

    Args:
        platform: What to run on.
        cores: ``paper`` for the platform's own cores, or a design of ours.
        sizes_kib: Sizes, ascending.
        earlier: Measurements of an earlier, interrupted run; a series that is whole
            among them, of the same commit, platform and model, is not run again.
        keep: Is given each series as soon as it is there.
        provenance: What every measurement says of its origin.
        progress: Is told how far it is.
        report: Is given a line before and after a build.

    Raises:
        SimulationError: A system locks up, a model is wrong, or there are no cores.
    """
    origin = provenance or Provenance()
    tools = {**origin.tools, "platform": platform_digest(platform)}
    origins = dict.fromkeys(IMPLEMENTATIONS, origin.model_copy(update={"tools": tools}))
    if cores != PAPER_CORES:
        model = str(model_facts(find_model(cores, report=report))["design_hash"])
        tools = {**tools, "model": model}
        origins["hardware"] = origin.model_copy(update={"tools": tools})
    campaign = Campaign(platform, cores)
    before = {
        (measurement_key(seen), name): seen
        for seen in earlier
        for name, origin in origins.items()
        if seen.provenance and _same_origin(seen.provenance, origin)
    }
    wanted = list(series_of(platform, cores))
    runner: Runner | None = None
    for number, series in enumerate(wanted):
        if progress:
            progress(number, len(wanted))
        keys = [(*_series_key(campaign, series), kib * KIB) for kib in sizes_kib]
        name = series.implementation
        if all((key, name) in before for key in keys):
            campaign.measurements += [before[key, name] for key in keys]
            campaign.reused += len(keys)
            continue
        runner = runner or Runner(platform, cores, report=report)
        found = runner.run(series, sizes_kib, origins[name])
        if keep:
            keep(found)
        campaign.measurements += found
    if progress:
        progress(len(wanted), len(wanted))
    if runner:
        campaign.line_error, campaign.counts_error = runner.line_error, runner.counts_error
    return campaign


def device_name(implementation: Implementation, cores: str) -> str:
    """Return what measurements call an implementation.

    >>> device_name("software+", "paper"), device_name("hardware", "aes-iterative")
    ('software+', 'model:aes-iterative')
    """
    if implementation != "hardware":
        return implementation
    return "hardware" if cores == PAPER_CORES else f"model:{Path(cores).stem}"


def _same_origin(seen: Provenance, origin: Provenance) -> bool:
    """Whether a result would be had again: a changed source, file or model is not the same."""
    if origin.commit is None or origin.commit.endswith("-dirty"):
        return False
    return seen.commit == origin.commit and all(
        seen.tools.get(name) == origin.tools.get(name) for name in ("platform", "model")
    )


_Key = tuple[str | None, ...]


def _series_key(campaign: Campaign, series: Series) -> _Key:
    return (
        device_name(series.implementation, campaign.cores),
        series.application.value,
        series.destination.value,
        series.operation.mode,
        series.operation.direction,
    )


def measurement_key(seen: Measurement) -> tuple[str | int | None, ...]:
    """Return what tells a measurement from others of a campaign: its series, then its size."""
    return (
        seen.device,
        seen.application,
        seen.destination,
        seen.mode,
        seen.direction,
        seen.bytes,
    )
