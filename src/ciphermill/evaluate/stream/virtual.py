# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Streams on a simulated platform, in virtual time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from ciphermill._engine import Model
from ciphermill.design import Accelerator, Measurement, Method, Provenance
from ciphermill.design.operations import Operation, streamed_operations
from ciphermill.design.streaming_platform import Implementation, StreamingPlatform
from ciphermill.evaluate.stream.applications import (
    Application,
    Destination,
    StreamTimes,
    stream,
    stream_in_software,
)
from ciphermill.evaluate.stream.cores import TimedCore
from ciphermill.evaluate.stream.dma_side import DmaSystem, dma_library
from ciphermill.evaluate.stream.inputs import inputs, parameters_of
from ciphermill.evaluate.stream.kernel import SimulationError, WrongStreamError
from ciphermill.evaluate.stream.model_core import ModelCore, measure_core
from ciphermill.evaluate.stream.rate import CALIBRATED_BUFFERS, MOST_ERROR, RateModel, calibrate
from ciphermill.evaluate.stream.series import (
    IMPLEMENTATIONS,
    KIB,
    Series,
    same_stream,
)
from ciphermill.toolchain.model import Report, build_model, find_model, say

EXACT_KIB = 128
"""Up to this size streams go through the model of an accelerator cycle by cycle."""
OWN_CORES = "own"
"""The platform's own cores, known by their cycle counts."""


def series_of(platform: StreamingPlatform, cores: str) -> Iterator[Series]:
    """Yield the series that a platform can have: software whose rate is known, cores with modes."""
    for application in Application:
        for destination in Destination:
            for implementation in IMPLEMENTATIONS:
                for operation in streamed_operations(platform.cipher):
                    device = device_name(implementation, cores)
                    series = Series(application, destination, operation, device, platform.algorithm)
                    if implementation == "hardware":
                        there = cores != OWN_CORES or bool(platform.core_of(operation.mode))
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


class VirtualStreams:
    """Series on a simulated platform, in virtual time.

    What the model of an accelerator can run cycle by cycle it does; longer streams go
    through a core of the same cycle counts, and the longest along lines, whose error on a
    size that they have not seen is told. Series whose times must be equal are simulated
    once.
    """

    def __init__(
        self,
        platform: StreamingPlatform,
        cores: str | Accelerator = OWN_CORES,
        *,
        exact_kib: int = EXACT_KIB,
        report: Report = say,
    ) -> None:
        """Prepare the cores.

        Args:
            platform: What to run on.
            cores: ``own`` for the platform's, known by their cycle counts, or a design of ours,
                by its name or as it is.
            exact_kib: Up to this size streams of a design go through its model cycle by cycle.
            report: Is given a line before and after a build.

        Raises:
            DesignError: There is no such design.
            ToolError: Its model could not be built.
            SimulationError: The platform has no cores of its own.
        """
        self.platform = platform
        self.cores = cores if isinstance(cores, str) else cores.name
        self._cores = cores
        self._exact_bytes = exact_kib * KIB
        self._report = report
        self._digest = platform_digest(platform)
        self.line_error = 0.0
        self.counts_error = 0.0
        self._library: Path | None = None
        self._has_dma = False
        self._dma: Path | None = None
        self._design = self._model = ""
        if cores == OWN_CORES:
            if not platform.cores:
                raise SimulationError(
                    f"{platform.name} has no cores of its own; name a design: --cores NAME"
                )
        else:
            self._library = _model_of(cores, report)
            model = Model(self._library)
            self._design, self._model = model.design, model.design_hash
            self._design_bits = model.stream_bits
            self._has_dma = platform.device.dma == "rtl"
        self._counts: dict[Operation, tuple[float, float]] = {}
        self._times: dict[tuple[object, ...], StreamTimes] = {}
        self._lines: dict[tuple[object, ...], RateModel] = {}

    @property
    def name(self) -> str:
        """Its name in tables and plots."""
        return self.platform.name

    def series(self) -> tuple[Series, ...]:
        """Return the series that the platform can have."""
        return tuple(series_of(self.platform, self.cores))

    def __str__(self) -> str:
        """Tell it from another platform and from another model, for the digest of a point."""
        return f"{self.platform.name} {self._digest} {self.cores} {self._model}"

    def notes(self) -> tuple[str, ...]:
        """The origin of the figures, and their possible error."""
        found = [
            "Inside write is time in the calls that hand data over, of which DMA buffers swallow "
            "what fits; end to end is what a user waits for.",
            "modelled: hardware by cycle counts, software at the host's published rates, not ours"
            + ("; the longest sizes by lines." if self.line_error else ".")
            + _off("Lines are", self.line_error, "on a size not seen"),
        ]
        if self.platform.storage.writing_left_out:
            found.append(
                "Files are written at the rate of memory: what the storage itself takes to write "
                "is left out of every figure, end to end too."
            )
        if self._library:
            found.append(
                f"simulated (up to {self._exact_bytes // KIB} KiB): the RTL {self._what}cycle by "
                "cycle, its output compared with OpenSSL's."
                + _off("Cycle counts are", self.counts_error, "there")
            )
        return tuple(found)

    @property
    def _what(self) -> str:
        """What is simulated beside an accelerator."""
        if not self._has_dma:
            return ""
        return "of accelerator and DMA engine (hw/dma), which moves the data to and from memory, "

    @property
    def buffers_bytes(self) -> int:
        """Bytes of all DMA buffers of a direction."""
        return self.platform.dma_buffers.count * self.platform.dma_buffers.bytes_each

    def run(self, series: Series, sizes_kib: Sequence[int]) -> list[Measurement]:
        """Run a series.

        Raises:
            SimulationError: The system locks up, or a model gives a wrong output.
        """
        found = []
        for kib in sizes_kib:
            length = kib * KIB
            found.append(self._measurement(series, length, *self._run(series, length)))
        return found

    def core(self, operation: Operation) -> TimedCore:
        """Return the core of an operation as cycle counts, idle.

        Raises:
            SimulationError: A model hangs or is wrong, or there is no core for it.
        """
        block_bytes = self.platform.cipher.block_bytes
        if self._library is None:
            core = self.platform.core_of(operation.mode)
            if core is None:
                raise SimulationError(f"{self.platform.name} has no core for {operation}")
            return TimedCore.of(core, block_bytes)
        if operation not in self._counts:
            measured = measure_core(self._library, self.platform, operation)
            self._counts[operation] = measured.period_s, measured.latency_s
        return TimedCore(*self._counts[operation], block_bytes)

    def _run(self, series: Series, length: int) -> tuple[StreamTimes, Method, float | None]:
        """Return times, how they were obtained, and the error of the line that they lie on."""
        hardware = series.implementation == "hardware"
        method = Method.MODELLED
        if hardware and self._library and length <= self._exact_bytes:
            exact = self._exactly(series, length)
            counted = self._counted(series, length)
            self.counts_error = max(
                self.counts_error,
                abs(counted.total_s / exact.total_s - 1),
                abs(counted.inside_write_s / exact.inside_write_s - 1),
            )
            return exact, Method.SIMULATED, None
        if length <= CALIBRATED_BUFFERS[0] * self.buffers_bytes:
            return self._counted(series, length), method, None
        lines = self._line(series)
        if lines.error > MOST_ERROR:
            return self._counted(series, length), method, None
        self.line_error = max(self.line_error, lines.error)
        return lines.times(length), method, lines.error

    def _exactly(self, series: Series, length: int) -> StreamTimes:
        assert self._library  # noqa: S101 - for the type checker
        data = (bytes(range(256)) * (-(-length // 256)))[:length]
        if self._has_dma:
            return self._through_dma(series, data)
        core = ModelCore(self._library, self.platform, series.operation, data)
        times = stream(self.platform, core, length, series.application, series.destination)
        if not core.check():
            raise WrongStreamError(f"wrong output: {core.design} in {series.operation}")
        return times

    def _through_dma(self, series: Series, data: bytes) -> StreamTimes:
        """Return the times of a stream that the RTL of the DMA engine moves."""
        # Not before: most sweeps go along cycle counts alone.
        library = self._dma = self._dma or dma_library(self.platform, self._cores, self._report)
        sink = series.destination is Destination.SINK
        system = DmaSystem(library, self.platform, series.operation, data, sink=sink)
        where = (series.application, series.destination)
        times = stream(self.platform, system, len(data), *where)
        system.check()
        return times

    def _counted(self, series: Series, length: int) -> StreamTimes:
        key = (*self._same(series), length)
        if key not in self._times:
            self._times[key] = self.simulate(series, length)
        return self._times[key]

    def _line(self, series: Series) -> RateModel:
        key = self._same(series)
        if key not in self._lines:
            self._lines[key] = calibrate(
                lambda length: self.simulate(series, length), self.buffers_bytes
            )
        return self._lines[key]

    def _same(self, series: Series) -> tuple[object, ...]:
        """The values on which the times of a series depend, as a key for caching."""
        if series.implementation != "hardware":
            return (series.destination, self._software_rate(series))
        core = self.core(series.operation)
        return (*same_stream(series)[:2], core.period_s, core.latency_s)

    def inputs_of(self, series: Series) -> tuple[str, ...]:
        """Return what the times of a series rest on, for ``Measurement.inputs``."""
        found = inputs(
            self.platform,
            parameters_of(self.platform, series, own_core=self._library is not None),
        )
        return tuple(dict.fromkeys(name for one in found for name in one.names))

    def simulate(self, series: Series, length: int) -> StreamTimes:
        """Return the times of a stream that is simulated to its end, however long it is."""
        if series.implementation != "hardware":
            rate = self._software_rate(series)
            return stream_in_software(self.platform, rate, length, series.destination)
        core = self.core(series.operation)
        return stream(self.platform, core, length, series.application, series.destination)

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
        line_error: float | None,
    ) -> Measurement:
        ours = series.implementation == "hardware" and self._library is not None
        tools = {"platform": self._digest, **({"model": self._model} if ours else {})}
        if ours and self._dma and method is Method.SIMULATED:
            tools["dma"] = self._dma.stem[:16]
        return Measurement(
            **series.fields,
            design=self._design if ours else None,
            interface=self._interface(method) if ours else None,
            platform=self.platform.name,
            bytes=length,
            **times.fields(length),
            clock_mhz=self.platform.device.clock_mhz if ours else None,
            error_held_out=line_error,
            correct=self._compared(series, method),
            method=method,
            inputs=self.inputs_of(series),
            provenance=Provenance(tools=tools),
        )

    def _interface(self, method: Method) -> str:
        """Return the accelerator's interface; ``axi4-dma`` where the RTL of the engine is run."""
        if self._has_dma and method is Method.SIMULATED:
            return f"axi4-dma-{self.platform.bus.to_device_bits}"
        return f"axi4-stream-{self._design_bits}"

    def _compared(self, series: Series, method: Method) -> bool | None:
        """Whether an output was right; None where none was there to compare."""
        lost = self._has_dma and series.destination is Destination.SINK
        return True if method is Method.SIMULATED and not lost else None


def _model_of(cores: str | Accelerator, report: Report) -> Path:
    if isinstance(cores, str):
        return find_model(cores, report=report)
    return build_model(cores, report)


def device_name(implementation: Implementation, cores: str) -> str:
    """Return what measurements call an implementation.

    >>> device_name("software+", "own"), device_name("hardware", "aes-iterative")
    ('software+', 'model:aes-iterative')
    """
    if implementation != "hardware":
        return implementation
    return "hardware" if cores == OWN_CORES else f"model:{Path(cores).stem}"


def _off(what: str, error: float, where: str) -> str:
    """An error in words, or nothing where none was measured in this run."""
    return f" {what} off by {100 * error:.2g}% at most {where}." if error else ""
