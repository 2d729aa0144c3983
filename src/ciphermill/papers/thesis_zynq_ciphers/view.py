# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis's figures and ours, by name, for tables and conclusions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ciphermill.design import Direction, Measurement
from ciphermill.design.operations import Operation, streamed_operations
from ciphermill.design.streaming_platform import Implementation, StreamingPlatform
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.evaluate.stream.bench import CipherBench
from ciphermill.evaluate.stream.inputs import bus_parameters, inputs, parameters_of
from ciphermill.evaluate.stream.series import IMPLEMENTATIONS, Series, same_stream
from ciphermill.papers.paper import same_place
from ciphermill.papers.thesis_zynq_ciphers.experiment import SIZES_KIB
from ciphermill.papers.thesis_zynq_ciphers.inputs import DecidingInputs
from ciphermill.papers.thesis_zynq_ciphers.published import PublishedStream, ThesisPaper
from ciphermill.papers.thesis_zynq_ciphers.stored import ThesisResults

LONGEST_KIB = SIZES_KIB[-1]
PAPER = "thesis-zynq-ciphers"


@dataclass(frozen=True)
class Point:
    """A printed figure and ours, at the longest size."""

    printed: PublishedStream
    implementation: Implementation
    operations: tuple[Operation, ...]
    """Those that are alike on both sides."""
    published: float
    inside_write: float
    end_to_end: float
    fitted: bool
    """Whether the figure, or one of the same stream, went into the platform."""

    @property
    def off(self) -> float:
        """By how much ours differs, as a fraction of theirs."""
        return self.inside_write / self.published - 1


class ThesisView:
    """Both sides' figures by name, for tables and conclusions."""

    def __init__(self, paper: ThesisPaper, results: ThesisResults) -> None:
        """Take what is printed and what was run."""
        self.paper = paper
        self.results = results

    def platform(self, name: str) -> StreamingPlatform:
        """Return a platform that was run."""
        return self.results.platforms[name].platform

    def deciding(self, platform: str) -> DecidingInputs:
        """Return what decides a platform's figures."""
        return self.results.deciding_inputs(platform)

    def series(
        self,
        application: str,
        destination: str,
        implementation: str,
        mode: str,
        direction: str = "encrypt",
    ) -> Series:
        """Return a series by its names."""
        where = Application(application), Destination(destination)
        return Series(*where, Operation(mode, direction), implementation, self.paper.algorithm)

    def longest(self, platform: str, *names: str) -> Measurement:
        """Return the measurement at 1 GiB of a series, by its names as in ``series``.

        Raises:
            KeyError: It was not run.
        """
        series = self.series(*names)
        found = self.results.platforms[platform].streams.find(series, LONGEST_KIB)
        if found is None:
            raise KeyError(f"{platform}: {series}")
        return found

    def inside(self, *series: str) -> float:
        """Return the throughput inside write of a series at 1 GiB; see ``longest``."""
        return self.longest(*series).throughput_inside_write_mb_s or 0.0

    def end_to_end(self, *series: str) -> float:
        """Return the throughput that a user sees; see ``longest``."""
        return self.longest(*series).throughput_mb_s or 0.0

    def cipher(self, platform: str, mode: str, *, ours: bool = False) -> CipherBench:
        """Return a cipher from memory, encrypting."""
        one = self.results.platforms[platform]
        found = one.ours if ours else one.ciphers
        return next(c for c in found if (c.operation.mode, c.operation.verb) == (mode, "encrypt"))

    def points(self) -> Iterator[Point]:
        """Yield every printed throughput with ours, those that are alike together."""
        for printed in self.paper.result:
            for implementation in IMPLEMENTATIONS:
                groups: dict[tuple[float, float, float, bool], list[Operation]] = {}
                for operation in streamed_operations(self.paper.cipher):
                    direction = Direction(operation.verb)
                    theirs = printed.rate(implementation, operation.mode, direction)
                    if theirs is None:
                        continue
                    name = (printed.platform, printed.application, printed.destination)
                    seen = self.longest(*name, implementation, operation.mode, operation.verb)
                    figures = (
                        theirs,
                        round(seen.throughput_inside_write_mb_s or 0.0, 6),
                        round(seen.throughput_mb_s or 0.0, 6),
                        self.went_in(printed, implementation, operation),
                    )
                    groups.setdefault(figures, []).append(operation)
                for figures, operations in groups.items():
                    yield Point(printed, implementation, tuple(operations), *figures)

    def went_in(
        self, printed: PublishedStream, implementation: Implementation, operation: Operation
    ) -> bool:
        """Whether a printed throughput, or one of the same stream, is among its own inputs."""
        series = self.series(
            *(printed.application, printed.destination),
            *(implementation, operation.mode, operation.verb),
        )
        platform = self.platform(printed.platform)
        names = self.alike(printed, implementation, operation)
        return rests_on(platform, parameters_of(platform, series), names)

    def alike(
        self, printed: PublishedStream, implementation: Implementation, operation: Operation
    ) -> list[str]:
        """Return the printed figures of the same stream, the one that is meant among them."""
        of = (implementation, operation.mode, operation.verb)
        series = self.series(printed.application, printed.destination, *of)
        names = []
        for one in self.paper.result:
            alike = self.series(one.application, one.destination, *of)
            if one.platform == printed.platform and same_stream(alike) == same_stream(series):
                figure = one.figure(implementation, operation.mode, series.direction)
                names += [f"{PAPER}#{figure}"] if figure else []
        return names

    def copied_bench(self, name: str) -> bool:
        """Whether the bus that is printed for a platform is among what its bus rests on."""
        platform = self.platform(name)
        return rests_on(platform, bus_parameters(platform), [f"{PAPER}#bench.{name}.bus_mb_s"])


def rests_on(
    platform: StreamingPlatform, parameters: Sequence[str], figures: Sequence[str]
) -> bool:
    """Whether one of the parameters was taken from, or fitted to, one of the printed figures."""
    return any(
        same_place(mine, theirs)
        for one in inputs(platform, parameters)
        for mine in one.figures
        for theirs in figures
    )


def bench_off(view: ThesisView, name: str) -> float:
    """By how much the bus, timed as the thesis timed it, differs from its figure."""
    ours = view.results.platforms[name].bus.inside_write_mb_s
    return ours / view.paper.bench_of(name).bus_mb_s - 1


def cycles(one: CipherBench) -> str:
    """Cycles a block in words."""
    return "1 cycle" if one.cycles_per_block == 1 else f"{one.cycles_per_block:.0f} cycles"
