# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The evaluator of one stream while parameters of its platform have other values.

``workload`` of a measurement says which: ``dma_buffers.count=4``. It ends in ``from memory``
where files take no time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ciphermill.design import Measurement, Method
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.evaluator import Evaluator, Progress, between
from ciphermill.evaluate.stream.bench import from_memory, steady_bus
from ciphermill.evaluate.stream.cores import Wire
from ciphermill.evaluate.stream.series import Series
from ciphermill.evaluate.stream.virtual import VirtualStreams


@dataclass(frozen=True)
class Varied:
    """A workload: one stream, simulated to its end."""

    bytes: int
    parameters: Mapping[str, float] = field(default_factory=dict)
    """Values by parameter, dotted as in the platform's file."""
    without_files: bool = False
    """Files take no time."""

    def on(self, platform: StreamingPlatform) -> StreamingPlatform:
        """Return a platform with these values."""
        for name, value in self.parameters.items():
            platform = platform.with_number(name, value)
        return from_memory(platform) if self.without_files else platform

    def __str__(self) -> str:
        varied = " ".join(f"{name}={value:g}" for name, value in self.parameters.items())
        return ", ".join(filter(None, (varied, "from memory" if self.without_files else "")))


def _evaluate(
    design: Series | Wire, platform: StreamingPlatform, asked: Varied, progress: Progress
) -> list[Measurement]:
    progress.report(f"{platform.name}: {asked} ...")
    varied = asked.on(platform)
    if isinstance(design, Wire):
        fields: dict[str, Any] = {"throughput_mb_s": steady_bus(varied, asked.bytes)}
    else:
        times = VirtualStreams(varied).simulate(design, asked.bytes)
        fields = {**design.fields, **times.fields(asked.bytes)}
    return [
        Measurement(
            platform=platform.name,
            workload=str(asked),
            bytes=asked.bytes,
            method=Method.MODELLED,
            **fields,
        )
    ]


VARIED = Evaluator(
    "varied stream",
    between(Series | Wire, StreamingPlatform, Varied),
    _evaluate,
    alone=lambda _: True,
)
