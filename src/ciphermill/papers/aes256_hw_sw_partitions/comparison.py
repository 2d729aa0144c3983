# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES-256 paper's tables beside ours, figure by figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ciphermill.design import Direction, Method
from ciphermill.evaluate.chip.area import SystemArea
from ciphermill.papers.aes256_hw_sw_partitions.published import (
    PartitionsPaper,
    PublishedPartition,
    load,
)
from ciphermill.papers.aes256_hw_sw_partitions.view import PartitionsView, total
from ciphermill.papers.compared import Better, Comparison, Figure, Ours, PrintedTable
from ciphermill.papers.compared import of_measurement as of
from ciphermill.toolchain.yosys import AreaXc7

_AREA: dict[str, tuple[str, Callable[[AreaXc7], int]]] = {
    "slice_luts": ("slice LUTs", lambda part: part.lut),
    "lut_logic": ("LUTs as logic", lambda part: part.lut - part.lut_ram),
    "slice_registers": ("slice registers", lambda part: part.ff),
    "f7_muxes": ("F7 multiplexers", lambda part: part.muxf7),
    "f8_muxes": ("F8 multiplexers", lambda part: part.muxf8),
}
"""Printed resources, and the same of a part of ours."""


def tables(paper: PartitionsPaper) -> Sequence[PrintedTable[PartitionsView]]:
    """Return the paper's tables."""
    cycles = (one for printed in paper.partition for one in _cycles(printed))
    areas = (one for printed in paper.partition for one in _areas(printed))
    powers = (_power(printed) for printed in paper.partition)
    return (
        PrintedTable(
            "Appendix A, table 1: cycles of encrypting and decrypting an array",
            tuple(cycles),
            "Theirs: MicroBlaze and AXI4-Lite. Ours: the same partition on a soft core of this "
            "project's, AXI4-Lite, memory of one cycle. In unrolled and iterative the key is sent "
            "with every block on both sides; kept in place, ours is faster still.",
        ),
        PrintedTable(
            "Appendix A, utilisation: area of the whole system",
            tuple(areas),
            "Theirs: placed and routed by Vivado on a Kintex-7, with MicroBlaze's debug unit and "
            "bus. Ours: soft core, coprocessor and bus front after synthesis with yosys for the "
            "same family, not placed; its bus and peripherals are left out.",
        ),
        PrintedTable(
            "Appendix A, table 1: power",
            tuple(powers),
            "Theirs: Vivado's estimate for the whole FPGA at 100 MHz. Ours: simulated in standard "
            "cells at 50 MHz.",
        ),
    )


def _cycles(printed: PublishedPartition) -> Iterator[Figure[PartitionsView]]:
    name = printed.name
    for direction in Direction:
        for number, words in enumerate(printed.words):

            def ours(
                view: PartitionsView, direction: Direction = direction, words: int = words
            ) -> Ours | None:
                seen = view.like_theirs(name, direction, words)
                return of(seen, total(seen), f"{name} on {view.soft_core}")

            place = f"partition.{name}.cycles_{direction}.{number}"
            yield Figure(place, f"{name}, {direction}, {words} words", "cycles", Better.LESS, ours)


def _areas(printed: PublishedPartition) -> Iterator[Figure[PartitionsView]]:
    name = printed.name
    for field, (what, count) in _AREA.items():
        if getattr(printed, field) is None:
            continue

        def ours(view: PartitionsView, count: Callable[[AreaXc7], int] = count) -> Ours | None:
            value = sum(count(part) for part in _parts(view.areas[name]))
            return Ours(value, Method.ESTIMATED, f"{name} with {view.soft_core}, xc7, synthesised")

        yield Figure(f"partition.{name}.{field}", f"{name}, {what}", "", Better.LESS, ours)


def _parts(area: SystemArea) -> Iterator[AreaXc7]:
    yield from (part for part in (area.soft_core, area.coprocessor, area.front) if part)


def _power(printed: PublishedPartition) -> Figure[PartitionsView]:
    def ours(view: PartitionsView) -> Ours | None:
        found = view.powers.systems[printed.name]
        of_ = f"{printed.name} with {found.whole.soft_core} in {view.powers.library}"
        return of(found.whole, found.power_mw / 1000, of_)

    place = f"partition.{printed.name}.power_w"
    return Figure(place, str(printed.name), "W", Better.LESS, ours, "a library of standard cells")


COMPARISON = Comparison(lambda: tables(load()), lambda stored: PartitionsView(load(), stored))
