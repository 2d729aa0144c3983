# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The library of an accelerator behind the DMA engine, small and with a memory of 64 KiB."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermill.design import Accelerator, CannotBeError, load_design
from ciphermill.registers import accel, dma

from .dma import ACCELERATOR, ENGINE, DmaModel, DmaWidths, build_dma
from .errors import ToolError

MEMORY_BYTES = 1 << 16
SOURCE, DESTINATION = 0x1004, 0x8008
BYPASS = accel.CONFIGURATION__BYPASS.word()
WIDTHS = DmaWidths(data_bits=128, burst_beats=256, fifo_beats=512)
"""Those of the platform zynq-ultrascale, whose library tests of streams need too."""


@pytest.fixture(scope="module")
def library() -> Path:
    """The library of an iterative core."""
    return build_dma(load_design("aes-iterative", Accelerator), WIDTHS, lambda _: None)


def passed_through(
    library: Path, length: int, *, latency: int = 1, rate: int = 0, source: int = SOURCE
) -> tuple[DmaModel, int]:
    """Bytes through the accelerator's bypass, and the cycles until the interrupt."""
    model = DmaModel(library, MEMORY_BYTES, latency, rate)
    model.store(SOURCE, bytes(n * 7 % 251 for n in range(length)))
    while model.read(ENGINE, dma.STATUS) & dma.STATUS__BUSY.word():
        model.advance(16)
    for offset, value in (
        (accel.CONFIGURATION, BYPASS),
        (accel.MESSAGE_LENGTH_LOW, length),
        (accel.CONTROL, accel.CONTROL__START.word()),
    ):
        model.write(ACCELERATOR, offset, value)
    for offset, value in (
        (dma.INTERRUPT_ENABLE, 3),
        (dma.FLAGS, 0xF),
        (dma.SOURCE, source),
        (dma.DESTINATION, DESTINATION),
        (dma.LENGTH, length),
    ):
        model.write(ENGINE, offset, value)
    cycles, interrupt = model.advance(1_000_000)
    assert interrupt
    return model, cycles


def test_registers_of_both_are_there(library: Path) -> None:
    model = DmaModel(library, MEMORY_BYTES, 1)
    assert model.design == "aes-iterative"
    assert model.read(ENGINE, dma.IDENTIFICATION) == dma.IDENTIFICATION__MAGIC_VALUE
    assert model.read(ACCELERATOR, accel.IDENTIFICATION) == accel.IDENTIFICATION__MAGIC_VALUE
    geometry = model.read(ENGINE, dma.GEOMETRY)
    assert (geometry & 0xFFFF, geometry >> 16) == (WIDTHS.burst_beats, WIDTHS.fifo_beats)
    with pytest.raises(ToolError, match="the DMA engine of aes-iterative, register 0xfc"):
        model.read(ENGINE, 0xFC)


def test_the_engine_moves_bytes_from_memory_to_memory(library: Path) -> None:
    model, _ = passed_through(library, 1000)
    assert model.load(DESTINATION, 1000) == bytes(n * 7 % 251 for n in range(1000))
    assert model.load(DESTINATION - 1, 1) + model.load(DESTINATION + 1000, 1) == bytes(2)
    # 1000 bytes from 4 and from 8 beyond a beat of 16: 63 beats each.
    assert model.beats == (63, 63)


def test_a_link_takes_its_time(library: Path) -> None:
    near, far, narrow = (
        passed_through(library, 4096, latency=latency, rate=rate)[1]
        for latency, rate in ((1, 0), (501, 0), (1, 4))
    )
    assert far - near == pytest.approx(1000, abs=8)  # a read, and the answer of a write
    # 4 bytes a cycle each way; the engine begins a write when it has the whole burst.
    assert 2048 < narrow < 2100
    assert near < narrow / 3


def test_memory_that_is_not_there_is_an_error_of_the_engine(library: Path) -> None:
    model, _ = passed_through(library, 1024, source=MEMORY_BYTES - 1020)
    assert model.read(ENGINE, dma.ERROR) == dma.ERROR__READ.word()
    with pytest.raises(ValueError, match="outside the memory"):
        model.load(MEMORY_BYTES - 4, 8)


def test_a_width_that_the_engine_refuses_makes_no_library() -> None:
    design = load_design("aes-iterative", Accelerator)
    with pytest.raises(ToolError, match="BurstBeats"):
        build_dma(design, DmaWidths(128, 3, 512), lambda _: None)


def test_a_design_of_two_clocks_is_refused() -> None:
    design = load_design("aes-iterative", Accelerator)
    interface = design.interface.model_copy(update={"asynchronous": True})
    with pytest.raises(CannotBeError, match="clock of its own"):
        build_dma(design.model_copy(update={"interface": interface}), WIDTHS, lambda _: None)


def test_another_library_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.so").write_bytes(b"no library")
    with pytest.raises(ToolError, match="no model of a DMA engine"):
        DmaModel(tmp_path / "no.so", 4096, 1)
