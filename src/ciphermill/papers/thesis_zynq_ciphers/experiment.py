# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The experiments of the thesis on Zynq ciphers, as points on the simulated platforms."""

from __future__ import annotations

from collections.abc import Iterator

from ciphermill.campaign.run import Point
from ciphermill.campaign.streams import stream_points
from ciphermill.design import Fpga, Space, load_platform
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform, StreamMode
from ciphermill.evaluate.chip.targets import Settings
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.evaluate.stream.bench import BUFFER_COUNTS
from ciphermill.evaluate.stream.cores import Wire
from ciphermill.evaluate.stream.rate import HELD_OUT_BUFFERS
from ciphermill.evaluate.stream.series import Series
from ciphermill.evaluate.stream.swept import Benches, Cores
from ciphermill.evaluate.stream.varied import Varied
from ciphermill.evaluate.stream.virtual import VirtualStreams
from ciphermill.papers.thesis_zynq_ciphers.published import ThesisPaper
from ciphermill.toolchain.modules import find_core

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
MODES: tuple[StreamMode, ...] = ("ecb", "cbc", "ctr")

COUNT, KIB_EACH, UPDATE_KIB = "dma_buffers.count", "dma_buffers.kib_each", "host.update_kib"
"""Parameters that are varied: the thesis does not state them."""
SWEPT_BYTES = 64 << 20
UPDATED_BYTES = 16 << 20
BUFFER_KIB = (16, 32, 64, 128, 256, 512, 1024)
UPDATES_KIB = (64, 128, 256, 512, 1024)
WAKE_FACTORS = (0.5, 1.0, 2.0)
"""Of the platform's ``wake_us``, which has no source either."""


def points(paper: ThesisPaper, *, area: bool) -> Iterator[Point]:
    """Yield the points of the experiments.

    Args:
        paper: The thesis.
        area: Synthesise ``CORE_MODULE`` too, which takes minutes the first time.

    Raises:
        DesignError: A platform or design is not there.
    """
    for name in paper.platforms:
        platform = load_platform(name, StreamingPlatform)
        yield from stream_points(VirtualStreams(platform), SIZES_KIB)
        yield Point(Space((Cores(), Cores(OUR_CORE))), platform, Benches())
        yield from _varied(platform)
    yield Point(Cores(OUR_CORE), load_platform(OWN_ARM, StreamingPlatform), Benches())
    if area:
        yield Point(find_core(CORE_MODULE), load_platform("xc7", Fpga), Settings())


def _varied(platform: StreamingPlatform) -> Iterator[Point]:
    """Yield what has no source, varied, and software without files."""

    def encrypting(application: Application, where: Destination, mode: str, device: str) -> Series:
        return Series(application, where, Operation(mode, "encrypt"), device, platform.algorithm)

    ecb = encrypting(Application.THROUGHPUT, Destination.SINK, "ecb", "hardware")
    counts = tuple(Varied(SWEPT_BYTES, {COUNT: count}) for count in BUFFER_COUNTS)
    yield Point(ecb, platform, Space(counts))
    sizes = tuple(buffers_of(kib, platform, UPDATED_BYTES) for kib in BUFFER_KIB)
    yield Point(Wire(), platform, Space(sizes))
    # Its 130 and 400 MB/s depend on the size of an update.
    ctr = encrypting(Application.OPENSSL, Destination.FILE, "ctr", "hardware")
    updates = tuple(
        Varied(UPDATED_BYTES, {UPDATE_KIB: kib, "host.wake_us": platform.host.wake_us * factor})
        for kib in UPDATES_KIB
        for factor in WAKE_FACTORS
    )
    yield Point(ctr, platform, Space(updates))
    software = tuple(
        encrypting(Application.THROUGHPUT, Destination.SINK, mode, "software") for mode in MODES
    )
    buffers = platform.dma_buffers
    length = HELD_OUT_BUFFERS * buffers.count * buffers.bytes_each // 4
    yield Point(Space(software), platform, Varied(length, without_files=True))


def buffers_of(kib: int, platform: StreamingPlatform, length: int) -> Varied:
    """Return a stream from memory with DMA buffers of so many KiB.

    Updates are as large where buffers are larger, or they would not be filled.
    """
    update = max(platform.host.update_kib, float(kib))
    return Varied(length, {KIB_EACH: kib, UPDATE_KIB: update}, without_files=True)
