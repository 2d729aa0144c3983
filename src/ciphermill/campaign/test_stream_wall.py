# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Campaigns by wall time: real files, compared outputs, resumed, and refused where they lie."""

from collections import namedtuple
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.openssl import PLACES, needs_provider
from support.streams import run_streams

from ciphermill import DeviceError, _engine
from ciphermill._engine import Device
from ciphermill.campaign.streams import Streams, stream_points
from ciphermill.design import Method, Provenance
from ciphermill.design.operations import Operation
from ciphermill.evaluate.stream import openssl_program, wall
from ciphermill.evaluate.stream.kernel import WrongStreamError
from ciphermill.evaluate.stream.wall import NoRoomError, WallStreams, WallTimeError
from ciphermill.registry import AnyDevice, open_device

SMALL = (32, 64)
ORIGIN = Provenance(commit="abc", tools={})


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two operations, run once."""
    operations = (Operation("cbc", "decrypt"), Operation("ctr", "encrypt"))
    monkeypatch.setattr(wall, "streamed_operations", lambda _: operations)
    monkeypatch.setattr(wall, "MANY_RUNS", 1)


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider of the tests, where `make provider` has built none."""
    place = next(one for one in PLACES if (one / "ciphermill.so").exists())
    monkeypatch.setattr(openssl_program, "provider_folder", lambda: place)


def run(folder: Path, sizes_kib: Sequence[int] = SMALL) -> Streams:
    with WallStreams("cpu", folder, sizes_kib, with_openssl=False) as machine:
        return run_streams(machine, sizes_kib, ORIGIN)


@needs_provider
@pytest.mark.usefixtures("provider")
def test_everything_is_measured_and_compared(tmp_path: Path) -> None:
    with WallStreams("cpu", tmp_path, SMALL) as machine:
        first = run_streams(machine, SMALL, ORIGIN)
        series = machine.series()
    # Without software or software+ on processors that lack them.
    assert len(series) == 2 * 2 * 2 * (3 - len(machine.left_out))
    kept = first.measurements
    assert len(kept) == 2 * len(series)
    for seen in kept:
        assert seen.method is Method.MEASURED
        assert seen.platform is None
        assert seen.time_inside_write_s is not None
        assert seen.time_total_s is not None
        assert 0 < seen.time_inside_write_s <= seen.time_total_s
        compared = seen.destination == "file" and seen.device == "cpu"
        assert seen.correct is (True if compared else seen.correct)
        assert compared or seen.device == "software+" or seen.correct is None
    for one in series:
        assert all(first.find(one, kib) for kib in SMALL)
        assert first.find(one, 128) is None
    assert list(tmp_path.iterdir()) == []


@needs_provider
@pytest.mark.usefixtures("provider")
def test_what_was_measured_before_is_compared_with_all_the_same(tmp_path: Path) -> None:
    with WallStreams("cpu", tmp_path, (32,)) as machine:
        only = [one for one in machine.series() if one.device == "cpu"]
        for series in only:
            (seen,) = machine.run(series, (32,))
            assert seen.correct is (True if seen.destination == "file" else None)


def together(folder: Path, count: int = 6, *, with_openssl: bool = False) -> Streams:
    with WallStreams("cpu", folder, (32,), with_openssl=with_openssl, streams=count) as machine:
        return run_streams(machine, (32,), ORIGIN)


@needs_provider
@pytest.mark.usefixtures("provider")
def test_six_streams_at_once_have_their_rates_and_a_total(tmp_path: Path) -> None:
    found = together(tmp_path, with_openssl=True).measurements
    totals = [seen for seen in found if not seen.scope]
    assert len(found) == 7 * len(totals)
    assert {seen.application for seen in totals} == {"throughput", "openssl"}
    for place, total in enumerate(totals):
        each = found[7 * place + 1 : 7 * place + 7]
        assert [one.scope for one in each] == [f"stream {n} of 6" for n in range(1, 7)]
        assert {(one.breakdown, one.messages, one.bytes) for one in each} == {("streams", 1, 32768)}
        assert (total.messages, total.bytes) == (6, 32768)
        seconds = total.time_total_s or 0
        # All bytes, over a time in which each stream lies.
        assert total.throughput_mb_s == pytest.approx(6 * 32768 / seconds / 1e6)
        assert seconds >= max(one.time_total_s or 0 for one in each) - 1e-9
        compared = total.destination == "file" and total.device == "cpu"
        assert not compared or {one.correct for one in (total, *each)} == {True}
    assert list(tmp_path.iterdir()) == []


def test_the_total_is_from_the_first_begin_to_the_last_end() -> None:
    first, second = wall.StreamRun(10.0, 1.0, 0.25), wall.StreamRun(10.5, 2.0, 0.5)
    assert wall.Together((first, second)).total_s == 2.5
    assert wall.Together((second, first)).inside_write_s == 0.5


def test_streams_at_once_have_devices_and_bytes_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = _engine.stream_path_timed
    seen: set[tuple[int, bytes]] = set()

    def noting(source: Path, output: Path | None, device: Device, **rest: Any) -> dict[str, Any]:
        if device.name == "cpu":
            seen.add((id(device), source.read_bytes()))
        return honest(source, output, device, **rest)

    monkeypatch.setattr(_engine, "stream_path_timed", noting)
    together(tmp_path, 3)
    assert len(seen) == len({device for device, _ in seen}) == len({data for _, data in seen}) == 3


def test_a_wrong_output_of_one_stream_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = _engine.stream_path_timed

    def wrong(source: Path, output: Path | None, device: Device, **rest: Any) -> dict[str, Any]:
        found = honest(source, output, device, **rest)
        if output and device.name == "cpu" and output.name == "output-1":
            output.write_bytes(output.read_bytes()[:-1] + b"?")
        return found

    monkeypatch.setattr(_engine, "stream_path_timed", wrong)
    with pytest.raises(WrongStreamError, match="32768 bytes, stream 2 of 3"):
        together(tmp_path, 3)


def test_a_device_that_cannot_be_opened_as_often_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def few_rings(name: str) -> AnyDevice:
        opened.append(name)
        if opened.count("cpu") > 2:
            raise DeviceError("all 2 rings are busy")
        return open_device(name)

    monkeypatch.setattr(wall, "open_device", few_rings)
    with pytest.raises(DeviceError, match="opened 2 times, and not for stream 3 of 6: all 2 rings"):
        together(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_point_is_another_in_another_folder(tmp_path: Path) -> None:
    digests = set()
    for folder in (tmp_path, tmp_path, tmp_path / "elsewhere"):
        folder.mkdir(exist_ok=True)
        with WallStreams("cpu", folder, SMALL, with_openssl=False) as machine:
            digests.add(stream_points(machine, SMALL)[0].digest)
    assert len(digests) == 2


@pytest.mark.parametrize("wrong_run", [1, 2])
def test_a_wrong_output_is_an_error(
    wrong_run: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever run it is of."""
    monkeypatch.setattr(wall, "MANY_RUNS", 3)
    honest = _engine.stream_path_timed
    runs = 0

    def wrong(source: Path, output: Path | None, device: Device, **rest: Any) -> dict[str, Any]:
        found = honest(source, output, device, **rest)
        nonlocal runs
        runs += device.name == "cpu"
        if output and device.name == "cpu" and runs == wrong_run:
            data = output.read_bytes()
            output.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        return found

    monkeypatch.setattr(_engine, "stream_path_timed", wrong)
    with pytest.raises(WrongStreamError, match="wrong output: throughput, file, CBC decrypt"):
        run(tmp_path, (32,))


def test_what_would_lie_or_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(WallTimeError, match="run anyway"):
        WallStreams("software", None, SMALL)

    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(1 << 30, 0, 159 << 10))
    with pytest.raises(NoRoomError, match="0 MiB free, and the files take 1"):
        WallStreams("cpu", tmp_path, SMALL)

    class Simulated:
        name = "stream:/board"

        def __init__(self, *operations: tuple[str, str]) -> None:
            self.algorithms = [("aes", verb, mode, [256]) for mode, verb in operations]

        def transform(self, *data: Any, **request: Any) -> tuple[bytes, Any]:
            # A real device is as strict: no IV is an error where the mode has one.
            open_device("cpu").transform(*data, **request)
            assert ("aes", request["direction"], request["mode"], [256]) in self.algorithms
            return b"", namedtuple("timing", "method")("simulated")

    for operation in (("ctr", "encrypt"), ("cbc", "decrypt")):
        device = Simulated(("gcm", "encrypt"), operation)
        monkeypatch.setattr(wall, "open_device", lambda _, device=device: device)
        with pytest.raises(WallTimeError, match="is simulated"):
            WallStreams("stream:/board", None, SMALL)
    monkeypatch.setattr(wall, "open_device", lambda _: Simulated(("gcm", "encrypt")))
    with pytest.raises(WallTimeError, match="has none of ECB, CBC and CTR"):
        WallStreams("stream:/board", None, SMALL)


def test_without_openssl_the_device_is_measured_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def only_cpu(name: str) -> AnyDevice:
        if name != "cpu":
            raise DeviceError("OpenSSL 3 (libcrypto.so.3) was not found")
        return open_device(name)

    monkeypatch.setattr(wall, "open_device", only_cpu)
    alone = run(tmp_path)
    assert {seen.device for seen in alone.measurements} == {"cpu"}
    assert any("libcrypto.so.3" in note for note in alone.notes)
    assert {seen.correct for seen in alone.measurements} == {None}
    assert "What a device wrote was compared with nothing." in alone.notes
    monkeypatch.setattr(wall, "open_device", open_device)
    assert any("with what software wrote" in note for note in run(tmp_path).notes)
