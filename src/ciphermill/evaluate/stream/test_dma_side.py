# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Streams whose DMA engine is RTL, simulated cycle by cycle."""

from pathlib import Path

import pytest

from ciphermill.design import ContradictionError, Measurement, Method, find_home, load_platform
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.stream import dma_side
from ciphermill.evaluate.stream.applications import Application, Destination, stream
from ciphermill.evaluate.stream.dma_side import DmaSystem, dma_library
from ciphermill.evaluate.stream.kernel import SimulationError, WrongStreamError
from ciphermill.evaluate.stream.series import Series
from ciphermill.evaluate.stream.virtual import VirtualStreams

NAME, CORES = "zynq-ultrascale", "aes-iterative"
CTR = Operation("ctr", "encrypt")
KIB = 1024


@pytest.fixture(scope="module")
def library() -> Path:
    """An iterative core behind the platform's engine."""
    return dma_library(platform(), CORES, lambda _: None)


def platform() -> StreamingPlatform:
    return load_platform(NAME, StreamingPlatform)


def measured(where: StreamingPlatform, kib: int, *names: str) -> Measurement:
    application, destination = names or ("throughput", "file")
    series = Series(
        Application(application), Destination(destination), CTR, f"model:{CORES}", "aes"
    )
    [found] = VirtualStreams(where, CORES, report=lambda _: None).run(series, [kib])
    return found


@pytest.mark.parametrize("length", [16, 1000, 128 * KIB, 300 * KIB + 7])
@pytest.mark.parametrize("operation", [CTR, Operation("cbc", "decrypt")])
def test_every_byte_passes_the_engine(library: Path, length: int, operation: Operation) -> None:
    if operation.mode == "cbc":
        length = length // 16 * 16
    data = bytes(n * 31 % 256 for n in range(length))
    # Two buffers in each direction: each is used again.
    where = platform().with_number("dma_buffers.count", 2)
    system = DmaSystem(library, where, operation, data, sink=False)
    stream(where, system, length, Application.THROUGHPUT, Destination.FILE)
    system.check()
    assert len(system.output) == length
    beats = -(-length // 16)
    assert system.model.beats == (beats, beats)


def test_into_the_sink_nothing_is_written(library: Path) -> None:
    system = DmaSystem(library, platform(), CTR, bytes(64 * KIB), sink=True)
    stream(platform(), system, 64 * KIB, Application.THROUGHPUT, Destination.SINK)
    assert system.model.beats == (4096, 0)
    assert not system.is_busy


@pytest.mark.parametrize(
    "names", [("throughput", "file"), ("openssl", "file"), ("openssl", "sink")]
)
def test_a_stream_takes_about_the_time_of_bursts(names: tuple[str, str]) -> None:
    where = platform()
    bursts = where.device.model_copy(update={"dma": "bursts"})
    by_rtl, by_bursts = (
        measured(one, 128, *names) for one in (where, where.model_copy(update={"device": bursts}))
    )
    assert (by_rtl.interface, by_bursts.interface) == ("axi4-dma-128", "axi4-stream-128")
    assert {by_rtl.method, by_bursts.method} == {Method.SIMULATED}
    assert by_rtl.time_total_s == pytest.approx(by_bursts.time_total_s, rel=0.01)
    assert by_rtl.time_total_s != by_bursts.time_total_s
    # The sink keeps its output, so nothing could be compared.
    assert by_rtl.correct == (None if "sink" in names else True)


def test_the_report_says_that_the_engine_was_simulated() -> None:
    notes = VirtualStreams(platform(), CORES, report=lambda _: None).notes()
    assert any("the RTL of accelerator and DMA engine (hw/dma)" in note for note in notes)


def test_wrong_output_is_noticed(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dma_side, "answer_of", lambda *_: bytes(32))
    system = DmaSystem(library, platform(), CTR, bytes(32), sink=False)
    stream(platform(), system, 32, Application.THROUGHPUT, Destination.FILE)
    with pytest.raises(WrongStreamError, match="behind the DMA engine"):
        system.check()


def test_an_error_of_the_engine_ends_the_stream(library: Path) -> None:
    system = DmaSystem(library, platform(), CTR, bytes(4096), sink=False)
    system._half = system.model.memory_bytes  # its output has no memory
    with pytest.raises(SimulationError, match="error 0x8"):
        stream(platform(), system, 4096, Application.THROUGHPUT, Destination.FILE)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("to_host_bits = 128", "to_host_bits = 256", "one AXI bus, as wide in both directions"),
        ("clock_mhz = 250\nfifo", "clock_mhz = 200\nfifo", "two clocks (250 and 200 MHz)"),
        ("buffer_us = 5", "buffer_us = 5\nburst_gap_ns = 4", "bus.burst_gap_ns is not zero"),
        ("buffer_us = 5", "buffer_us = 5\nmb_s = 1100", "no whole number of bytes a cycle"),
        ("update_kib = 256", "update_kib = 64", "no whole number of DMA buffers"),
        ("count = 32", "count = 8192", "more than 1024 MiB"),
        ("_bits = 128", "_bits = 512", "its bus has 512 bits"),
        ("burst_bytes = 4096", "burst_bytes = 16", "no power of two, of two beats or more"),
    ],
)
def test_a_platform_without_such_an_engine_is_refused(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    text = (find_home() / "platforms" / f"{NAME}.toml").read_text(encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ContradictionError) as error:
        load_platform(str(path), StreamingPlatform)
    assert said in str(error.value)
