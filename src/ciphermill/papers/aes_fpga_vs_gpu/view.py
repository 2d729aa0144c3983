# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Our figures as the paper's tables and conclusions need them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from ciphermill.design import Measurement, Method
from ciphermill.design.streaming_platform import Input, InputMethod
from ciphermill.evaluate.board.beside import GRAPHICS, SWEEP
from ciphermill.papers.aes_fpga_vs_gpu.experiment import BOARD, CORE, PAPER, SHORT_BYTES
from ciphermill.papers.aes_fpga_vs_gpu.published import FpgaVsGpuPaper
from ciphermill.registry import PROCESSOR_DEVICES

BLOCK_BITS = 128
WORD_BITS = 32
"""Width of a memory bank."""
METHODS: Mapping[str, InputMethod] = {one: one for one in get_args(InputMethod)}
_CHUNK = re.compile(r",chunk_bytes=(\d+)")


def mbit_s(seen: Measurement | None) -> float | None:
    """Return the rate of a measurement in the paper's unit."""
    return 8 * seen.throughput_mb_s if seen and seen.throughput_mb_s else None


@dataclass(frozen=True)
class FpgaView:
    """The paper, and the measurements of a run."""

    paper: FpgaVsGpuPaper
    stored: Sequence[Measurement]

    def _parameter(self, seen: Measurement, name: str) -> int:
        return int((seen.design_fields or {}).get("parameters", {}).get(name, 0))

    @cached_property
    def _boards(self) -> list[Measurement]:
        return [seen for seen in self.stored if seen.platform == BOARD]

    @cached_property
    def length(self) -> int:
        """Bytes of the message on the board."""
        return max((seen.bytes or 0 for seen in self._boards), default=0)

    def board(self, design: str, *, transfers: bool = False) -> Measurement | None:
        """Return an FPGA's message on the board, in the FPGA alone or with the link."""
        method = Method.MODELLED if transfers else Method.SIMULATED
        return next((s for s in self._boards if (s.design, s.method) == (design, method)), None)

    @cached_property
    def link_inputs(self) -> tuple[Input, ...]:
        """What the way over the link rests on, as the measurement names it."""
        whole = self.board(PAPER, transfers=True)
        found = []
        for name in (whole.inputs if whole else None) or ():
            method, _, place = name.partition(":")
            platform, _, parameter = place.partition(".")
            found.append(Input(platform, parameter, METHODS[method]))
        return tuple(found)

    @cached_property
    def _short(self) -> list[Measurement]:
        """Short messages on the paper's FPGA."""
        return [
            seen
            for seen in self._boards
            if (seen.design, seen.bytes, seen.method) == (PAPER, SHORT_BYTES, Method.SIMULATED)
        ]

    def cores(self, number: int) -> Measurement | None:
        """Return a short message on the paper's FPGA with a number of cores."""
        whole = self.board(PAPER)
        clock = whole and whole.clock_mhz
        return next(
            (
                seen
                for seen in self._short
                if self._parameter(seen, "Cores") == number and seen.clock_mhz == clock
            ),
            None,
        )

    def at_clock(self, mhz: float) -> Measurement | None:
        """Return a short message on the paper's FPGA, its cores at a clock."""
        return next(
            (
                seen
                for seen in self._short
                if self._parameter(seen, "Cores") == self.paper.fpga.cores and seen.clock_mhz == mhz
            ),
            None,
        )

    def memory_mbit_s(self, seen: Measurement) -> float:
        """Return the rate at which the banks of a run could read and write a message."""
        return self.banks(seen) * WORD_BITS * (seen.clock_memory_mhz or 0.0) / 2

    def banks(self, seen: Measurement) -> int:
        """Return the number of memory banks of a run."""
        return self._parameter(seen, "Banks")

    def _on(self, design: str, target: str) -> Measurement | None:
        return next((s for s in self.stored if (s.design, s.target) == (design, target)), None)

    def slices(self, design: str) -> int | None:
        """Return the estimated slices of a design on Xilinx 7-series."""
        seen = self._on(design, "xc7")
        return seen.area_slices_estimated if seen else None

    def luts(self, design: str) -> int | None:
        """Return the LUTs of a design on Xilinx 7-series."""
        seen = self._on(design, "xc7")
        return seen.area_lut if seen else None

    def highest_mhz(self, design: str) -> float | None:
        """Return the highest clock of a design that was placed and routed on an ECP5."""
        seen = self._on(design, "ecp5")
        return seen.clock_mhz if seen else None

    @cached_property
    def devices(self) -> list[Measurement]:
        """Devices of this machine that encrypted the message in counter mode."""
        return [
            seen
            for seen in self.stored
            if seen.device
            and (seen.mode, seen.operation) == ("ctr", "encrypt")
            and seen.workload != SWEEP
        ]

    @cached_property
    def gpus(self) -> list[Measurement]:
        """Those of them that are GPUs, as their drivers say."""
        return [seen for seen in self.devices if seen.kind == GRAPHICS]

    @cached_property
    def processors(self) -> list[Measurement]:
        """Those of them that are this machine's processor, without OpenCL."""
        return [seen for seen in self.devices if seen.device in PROCESSOR_DEVICES]

    @cached_property
    def swept(self) -> Mapping[str, Mapping[str, float]]:
        """By a GPU's name, the rates by its setting, in Mbit/s."""
        found: dict[str, dict[str, float]] = {}
        for seen in self.stored:
            if seen.workload == SWEEP and seen.kind == GRAPHICS and (rate := mbit_s(seen)):
                name, _, setting = (seen.device or "").partition(",")
                found.setdefault(name, {})[setting] = rate
        return found

    @cached_property
    def chunks(self) -> Mapping[str, Mapping[int, float]]:
        """By a GPU's name, the rates by the bytes of a chunk, in Mbit/s."""
        sizes = {
            name: {
                int(size[1]): rate
                for setting, rate in rates.items()
                if (size := _CHUNK.fullmatch(f",{setting}"))
            }
            for name, rates in self.swept.items()
        }
        return {name: rates for name, rates in sizes.items() if rates}

    def fastest(self, seen: Sequence[Measurement]) -> float | None:
        """Return the highest rate of some measurements; None if there is none."""
        return max((rate for one in seen if (rate := mbit_s(one))), default=None)

    @property
    def families(self) -> int:
        """FPGA families to which one core was mapped without a change."""
        return sum(one is not None for one in (self.luts(CORE), self.highest_mhz(CORE)))

    def per_mhz(self, seen: Sequence[Measurement | None]) -> list[float]:
        """Return the rates a MHz of those measurements that have a clock."""
        return [
            rate / one.clock_mhz
            for one in seen
            if one is not None and one.clock_mhz and (rate := mbit_s(one))
        ]

    def processing_mbit_s(self, seen: Measurement) -> float | None:
        """Return the rate of a device without its transfers; None if it has none."""
        if not (seen.time_transfer_s and seen.time_processing_s and seen.bytes):
            return None
        return 8e-6 * seen.bytes / seen.time_processing_s
