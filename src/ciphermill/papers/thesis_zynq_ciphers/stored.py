# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the thesis's experiments gave, from their measurements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ciphermill.campaign.streams import Streams
from ciphermill.design import Measurement, Method, load_platform
from ciphermill.design.streaming_platform import StreamingPlatform, StreamMode
from ciphermill.evaluate.stream.bench import BusBench, CipherBench
from ciphermill.evaluate.stream.swept import benches_of
from ciphermill.papers.thesis_zynq_ciphers.experiment import (
    COUNT,
    KIB_EACH,
    OUR_DEVICE,
    OWN_ARM,
    UPDATE_KIB,
)
from ciphermill.papers.thesis_zynq_ciphers.inputs import DecidingInputs
from ciphermill.papers.thesis_zynq_ciphers.kernel import KernelRow, kernel_rows

_DECIDES = "decides: "
"""``workload`` of the inputs that decide a figure, before the figure."""
_LINES_BEFORE = "lines of long streams"
"""``workload`` of how far off lines are, in stores of before schema 9."""


@dataclass(frozen=True)
class PlatformResults:
    """Results of a platform of the paper."""

    platform: StreamingPlatform
    streams: Streams
    lines: str
    """How far off the lines through shorter streams are, as a sentence."""
    bus: BusBench
    ciphers: tuple[CipherBench, ...]
    ours: tuple[CipherBench, ...]
    """Our pipelined core in every mode, on the same platform."""
    buffers: Mapping[int, tuple[float, float]]
    """ECB into the sink, MB/s inside write and end to end, by the number of DMA buffers."""
    buffer_sizes: Mapping[int, float]
    """The bus alone, from memory, by the KiB of each DMA buffer."""
    updates: Mapping[int, tuple[float, ...]]
    """CTR through the openssl application, file to file, inside write, by the KiB of an update;
    each for ``WAKE_FACTORS``."""
    software_to_sink_mb_s: Mapping[StreamMode, float]
    """Encryption in software from memory to the sink, end to end."""


@dataclass(frozen=True)
class ThesisResults:
    """Results of the experiments, by platform."""

    platforms: dict[str, PlatformResults]
    own_arm_bus: BusBench
    own_arm: Sequence[CipherBench]
    """Our pipelined core on the ZC706 with its own ARM cores as host."""
    core_area: Measurement | None = None
    """Of ``CORE_MODULE``; None where no areas were wanted."""
    through_kernel: tuple[KernelRow, ...] = ()
    """Streams through the kernel driver; none where ``make linux`` was not run."""
    measurements: tuple[Measurement, ...] = field(default=(), repr=False)
    """All of which the results are made."""
    deciding: dict[str, DecidingInputs] = field(default_factory=dict, compare=False, repr=False)
    """The inputs that decide each platform's figures, computed on demand."""

    def deciding_inputs(self, name: str) -> DecidingInputs:
        """Return what decides the figures of a platform, by its name."""
        if name not in self.deciding:
            found = self.platforms.get(name)
            platform = found.platform if found else load_platform(name, StreamingPlatform)
            self.deciding[name] = DecidingInputs(platform)
        return self.deciding[name]


def restored(stored: Sequence[Measurement]) -> ThesisResults:
    """Return the results whose measurements these are.

    Raises:
        KeyError: They are not all measurements of the experiments.
        DesignError: A platform is not there any more.
    """
    rows: list[Measurement] = []
    deciding: list[Measurement] = []
    for seen in stored:
        if seen.method is not Method.PUBLISHED:
            (deciding if (seen.workload or "").startswith(_DECIDES) else rows).append(seen)
    of_its_cores, of_our_core = (
        benches_of(seen for seen in rows if seen.device in (None, device))
        for device in ("hardware", OUR_DEVICE)
    )
    found = {}
    for name in dict.fromkeys(seen.platform or "" for seen in rows if _is_stream(seen)):
        platform = load_platform(name, StreamingPlatform)
        bus, ciphers = of_its_cores[name]
        bus = replace(bus, wires_mb_s=platform.bus.mb_s_to(device=True))
        here = [seen for seen in rows if seen.platform == name]
        found[name] = _results(platform, here, bus, ciphers, of_our_core[name][1])
    results = ThesisResults(
        found,
        *of_our_core[OWN_ARM],
        next((seen for seen in rows if seen.area_lut is not None), None),
        tuple(kernel_rows(rows)),
        tuple(rows),
    )
    for seen in deciding:
        figure = (seen.workload or "").removeprefix(_DECIDES)
        results.deciding_inputs(seen.platform or "").take(figure, seen.inputs or ())
    return results


def _is_stream(seen: Measurement) -> bool:
    return bool(seen.application) and not seen.workload


def _results(
    platform: StreamingPlatform,
    here: Sequence[Measurement],
    bus: BusBench,
    ciphers: Sequence[CipherBench],
    ours: Sequence[CipherBench],
) -> PlatformResults:
    def varied(parameter: str) -> Iterator[tuple[int, float, float]]:
        """Yield a parameter's values, with MB/s inside write and end to end."""
        for seen in here:
            name, _, values = (seen.workload or "").partition("=")
            if name == parameter:
                value = int(values.replace(",", "").split()[0])
                rates = seen.throughput_inside_write_mb_s, seen.throughput_mb_s
                yield value, rates[0] or 0.0, rates[1] or 0.0

    updates: dict[int, tuple[float, ...]] = {}
    for kib, inside, _ in varied(UPDATE_KIB):
        updates[kib] = (*updates.get(kib, ()), inside)
    streams = [seen for seen in here if _is_stream(seen)]
    noted = (seen.notes[0] for seen in here if seen.workload == _LINES_BEFORE and seen.notes)
    return PlatformResults(
        platform,
        Streams(platform.name, measurements=streams),
        next(noted, None) or _lines(max(seen.error_held_out or 0.0 for seen in streams)),
        bus,
        tuple(ciphers),
        tuple(ours),
        {count: (inside, end_to_end) for count, inside, end_to_end in varied(COUNT)},
        {kib: end_to_end for kib, _, end_to_end in varied(KIB_EACH)},
        updates,
        {
            seen.mode: seen.throughput_mb_s or 0.0
            for seen in here
            if seen.mode and (seen.workload, seen.device) == ("from memory", "software")
        },
    )


def _lines(error: float) -> str:
    """Return what is known of the lines through simulated streams.

    >>> _lines(0.0)
    '1 GiB lies on lines through shorter simulated streams.'
    """
    off = f"; on a size that they have not seen they are off by {100 * error:.2g}% at most"
    return f"1 GiB lies on lines through shorter simulated streams{off if error else ''}."


def decided(results: ThesisResults) -> Iterator[Measurement]:
    """Yield the inputs that decide figures, to be stored."""
    for name, one in results.deciding.items():
        for figure, found in one.found.items():
            yield Measurement(
                platform=name,
                workload=_DECIDES + figure,
                inputs=tuple(map(str, found)),
                method=Method.MODELLED,
            )
