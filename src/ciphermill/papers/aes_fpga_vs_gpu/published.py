# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The figures of the paper on AES on an FPGA and GPUs, read from ``published.toml``."""

from __future__ import annotations

from ciphermill.design.table import Table
from ciphermill.papers.published import Count, Paper, Positive, loader
from ciphermill.papers.texts import Texts

NAME = "aes-fpga-vs-gpu"
FPGA = "FPGA"
"""What its tables call its FPGA."""


class Fpga(Table):
    """Its FPGA: tables 2 and 3."""

    core_clock_mhz: Positive
    memory_clock_mhz: Positive
    cores: Count
    cycles_per_block: Count
    cycles_per_block_section_8: Count
    block_latency_us: Positive
    core_throughput_mbit_s: Positive
    total_throughput_mbit_s: Positive
    core_slices: Count
    total_slices: Count
    fifo_channels: Count
    longest_path_ns: Positive
    source: str


class Rate(Table):
    """A row of table 4 or 5."""

    platform: str
    clock_mhz: Positive
    mbit_s: Positive
    mbit_s_per_mhz: Positive


class RelatedFpga(Table):
    """A row of table 7."""

    work: str
    slices: Count | None = None
    clb: Count | None = None
    clock_mhz: Positive | None = None
    gbit_s: Positive


class RelatedGpu(Table):
    """A row of table 8."""

    work: str
    processors: Count
    clock_mhz: Positive
    gbit_s: Positive


class Memory(Table):
    """A row of table 6."""

    platform: str
    latency_ns: Positive
    bus_bits: Count
    clock_mhz: Positive
    technology: str


class FpgaVsGpuPaper(Table):
    """The file ``published.toml``."""

    paper: Paper
    cipher: str
    chunk_mb: Count
    runs_averaged: Count
    speedup_over_earlier: Positive
    """Of its FPGA over the earlier one on the same FPGA."""
    speedup_per_clock: Positive
    """Of its FPGA over the fastest GPU, at the same clock."""
    fpga: Fpga
    with_transfers: tuple[Rate, ...]
    without_transfers: tuple[Rate, ...]
    related_fpga: tuple[RelatedFpga, ...]
    related_gpu: tuple[RelatedGpu, ...]
    memory: tuple[Memory, ...]

    def without(self, platform: str) -> Rate | None:
        """Return the row of table 5 with a platform."""
        return next((one for one in self.without_transfers if one.platform == platform), None)

    @property
    def earlier(self) -> RelatedFpga:
        """The row of table 7 on the same FPGA."""
        return next(one for one in self.related_fpga if "same FPGA" in one.work)

    @property
    def gpus(self) -> tuple[Rate, ...]:
        """The rows of table 4 with a GPU."""
        return tuple(one for one in self.with_transfers if "Nvidia" in one.platform)

    @property
    def processors(self) -> tuple[Rate, ...]:
        """The rows of table 4 with a processor."""
        return tuple(one for one in self.with_transfers if "Intel" in one.platform)

    def gpu(self, work: str) -> RelatedGpu:
        """Return the row of table 8 whose work begins so."""
        return next(one for one in self.related_gpu if one.work.startswith(work))

    def rate(self, platform: str) -> Rate:
        """Return the row of table 4 with a platform."""
        return next(one for one in self.with_transfers if one.platform == platform)


load = loader(FpgaVsGpuPaper, NAME)
TEXTS = Texts.of(NAME)
