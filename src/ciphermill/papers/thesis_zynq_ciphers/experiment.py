# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The experiments of the thesis on Zynq ciphers, run on the simulated platforms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ciphermill.campaign.run import Run
from ciphermill.campaign.streams import Streams, streams_of
from ciphermill.design import Measurement, load_platform
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform, StreamMode
from ciphermill.evaluate.chip.measures import of_xc7
from ciphermill.evaluate.stream.bench import BusBench, CipherBench, bus_bench, cipher_bench
from ciphermill.evaluate.stream.virtual import VirtualStreams
from ciphermill.papers.thesis_zynq_ciphers.inputs import DecidingInputs
from ciphermill.papers.thesis_zynq_ciphers.published import ThesisPaper
from ciphermill.papers.thesis_zynq_ciphers.sweeps import (
    BufferPoint,
    BufferSizePoint,
    UpdatePoint,
    software_bench,
    sweep_buffer_sizes,
    sweep_buffers,
    sweep_updates,
)
from ciphermill.toolchain.model import Report, say
from ciphermill.toolchain.modules import find_core, module_source
from ciphermill.toolchain.yosys import AreaXc7, synthesise_xc7

SIZES_KIB: tuple[int, ...] = tuple(32 << step for step in range(16))
"""The thesis's sixteen sizes (table 7.1): 32 KiB to 1 GiB."""
OUR_CORE = "aes-pipelined"
"""Encrypts and decrypts at a block a cycle: what the paper had for CTR only."""
OUR_DEVICE = f"model:{OUR_CORE}"
"""As measurements have it."""
CORE_MODULE = "aes-pipelined-256-encrypt"
"""Like the paper's pipelined core: AES-256, encryption only, S-boxes in block RAM."""
OWN_ARM = "zc706-arm"
"""The paper's future work: the larger board with its own processor as host."""
SWEPT_BYTES = 64 << 20
SWEPT = Operation("ecb", "encrypt")
UPDATED_BYTES = 16 << 20
UPDATED = Operation("ctr", "encrypt")
"""Its 130 and 400 MB/s depend on the size of an update, which the thesis does not print."""
MODES: tuple[StreamMode, ...] = ("ecb", "cbc", "ctr")


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
    buffers: tuple[BufferPoint, ...]
    """ECB of 64 MiB into the sink, by the number of DMA buffers."""
    buffer_sizes: tuple[BufferSizePoint, ...]
    """The bus alone, by the size of each DMA buffer."""
    updates: tuple[UpdatePoint, ...]
    """CTR through the openssl application, file to file, by what has no source."""
    software_to_sink_mb_s: Mapping[StreamMode, float]
    """Encryption in software from memory to the sink, end to end."""


@dataclass(frozen=True)
class ThesisResults:
    """Results of the experiments, by platform."""

    platforms: dict[str, PlatformResults]
    own_arm_bus: BusBench
    own_arm: tuple[CipherBench, ...]
    """Our pipelined core on the ZC706 with its own ARM cores as host."""
    core_area: AreaXc7 | None = None
    """Of ``CORE_MODULE``; None where no areas were wanted."""
    areas: tuple[Measurement, ...] = ()
    deciding: dict[str, DecidingInputs] = field(default_factory=dict, compare=False, repr=False)
    """The inputs that decide each platform's figures, computed on demand."""

    def deciding_inputs(self, name: str) -> DecidingInputs:
        """Return what decides the figures of a platform, by its name."""
        if name not in self.deciding:
            found = self.platforms.get(name)
            platform = found.platform if found else load_platform(name, StreamingPlatform)
            self.deciding[name] = DecidingInputs(platform)
        return self.deciding[name]

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """Every measurement, in the order of the platforms, then areas."""
        streams = [seen for one in self.platforms.values() for seen in one.streams.measurements]
        return (*streams, *self.areas)


def thesis_places(paper: ThesisPaper) -> dict[str, VirtualStreams]:
    """Return the paper's platforms with their own cores, by name."""
    return {
        name: VirtualStreams(load_platform(name, StreamingPlatform)) for name in paper.platforms
    }


def run_thesis_paper(
    places: Mapping[str, VirtualStreams], run: Run, *, areas: bool = True, report: Report = say
) -> ThesisResults:
    """Run the experiments beside the streams.

    Args:
        places: The paper's platforms.
        run: What has run the streams.
        areas: Synthesise the pipelined core too, which takes minutes the first time.
        report: Is given a line before a platform, and before and after a build.

    Raises:
        ToolError: A tool is missing or failed.
        SimulationError: A system locks up, or a model gives a wrong output.
    """
    found = {}
    for name, place in places.items():
        platform = place.platform
        report(f"streaming on {name} ...")
        found[name] = PlatformResults(
            platform,
            streams_of(run, place),
            lines_note(place.line_error, continued=bool(run.continued)),
            bus_bench(platform),
            tuple(cipher_bench(platform, report=report)),
            tuple(cipher_bench(platform, OUR_CORE, report=report)),
            tuple(sweep_buffers(platform, SWEPT, SWEPT_BYTES, report=report)),
            tuple(sweep_buffer_sizes(platform, UPDATED_BYTES)),
            tuple(sweep_updates(platform, UPDATED, UPDATED_BYTES, report=report)),
            {mode: software_bench(platform, mode) for mode in MODES},
        )
    arm = load_platform(OWN_ARM, StreamingPlatform)
    report(f"streaming on {OWN_ARM} ...")
    area: AreaXc7 | None = None
    measured: tuple[Measurement, ...] = ()
    if areas:
        module = find_core(CORE_MODULE)
        report(f"synthesising {CORE_MODULE} (minutes, once) ...")
        area = synthesise_xc7(module_source(module))
        measured = (of_xc7(module, area),)
    ciphers = tuple(cipher_bench(arm, OUR_CORE, report=report))
    return ThesisResults(found, bus_bench(arm), ciphers, area, measured)


def lines_note(error: float, *, continued: bool) -> str:
    """Return what is known of the lines through simulated streams.

    Args:
        error: The largest relative error of the lines of this process; 0 where it made none.
        continued: Whether series of an interrupted run are among the streams.

    >>> lines_note(0.0, continued=True).partition(". ")[2]
    'An interrupted run stored some of these series; the error of their lines is not known.'
    """
    note = "1 GiB lies on lines through shorter simulated streams"
    if error:
        note += f"; on a size that they have not seen they are off by {100 * error:.2g}% at most"
    if continued:
        note += (
            ". An interrupted run stored some of these series; the error of their lines is not "
            "known"
        )
    return f"{note}."
