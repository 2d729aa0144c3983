# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Streams on this machine, by its clock: real files, and a device that is there.

Several streams may run at once, each with a file, a thread or process and an open device of its
own. What a device writes is compared with what OpenSSL, as ``software``, wrote.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from ciphermill import DeviceError, UnsupportedError, _engine
from ciphermill.algorithms import AES, ALGORITHMS, Algorithm
from ciphermill.design import Measurement, Method, Provenance
from ciphermill.design.operations import Operation, streamed_operations
from ciphermill.design.streaming_platform import Implementation
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.evaluate.stream.kernel import WrongStreamError
from ciphermill.evaluate.stream.message import iv_of, key_of
from ciphermill.evaluate.stream.openssl_program import OpenSslApplication
from ciphermill.evaluate.stream.series import IMPLEMENTATIONS, KIB, Series
from ciphermill.registry import AnyDevice, open_device
from ciphermill.software import SoftwareDevice

UPDATE_BYTES = 1 << 20
"""Bytes that the ``openssl`` application hands over in a call."""
SOFTWARE: tuple[Implementation, ...] = ("software", "software+")
"""Devices that are measured for comparison."""
MANY_RUNS, MANY_RUNS_KIB = 5, 4096
"""Number of runs whose median is reported, for streams up to so many KiB."""
RUNS, RUNS_KIB = 3, 65536
"""The same above; what is longer runs once."""
STREAMS = "streams"
"""``breakdown`` of the measurements of single streams among several."""
_BLOCK_BYTES = 1 << 20
"""Bytes of an input that are generated at once."""


class WallTimeError(Exception):
    """The campaign cannot be run; the text says why and what to do."""


class NoRoomError(Exception):
    """The storage has no room for the files; the text says what to do."""


@dataclass(frozen=True)
class StreamRun:
    """A stream that has run, in seconds."""

    began_s: float
    """Of the monotonic clock."""
    total_s: float
    inside_write_s: float


@dataclass(frozen=True)
class Together:
    """Streams that have run at once."""

    streams: tuple[StreamRun, ...]

    @property
    def total_s(self) -> float:
        """Seconds from the begin of the first to the end of the last."""
        if len(self.streams) == 1:
            return self.streams[0].total_s
        ends = [one.began_s + one.total_s for one in self.streams]
        return max(ends) - min(one.began_s for one in self.streams)

    @property
    def inside_write_s(self) -> float:
        """Seconds inside the calls, of the stream that was longest inside."""
        return max(one.inside_write_s for one in self.streams)


class WallStreams:
    """Series on this machine; a context, which has a folder for its files."""

    def __init__(
        self,
        device: str,
        folder: Path | None,
        sizes_kib: Sequence[int],
        *,
        with_openssl: bool = True,
        streams: int = 1,
    ) -> None:
        """Open the device, beside ``software`` and ``software+``.

        Args:
            device: What stands for hardware.
            folder: Where the files go, on the storage to measure; a temporary one when absent.
            sizes_kib: The sizes that will be run, for which there must be room.
            with_openssl: Whether the application ``openssl`` will be run, for which OpenSSL's
                headers and the provider must be there.
            streams: Streams at once, each with the device opened for itself.

        Raises:
            ToolError: OpenSSL's headers, a C compiler or the provider are missing.
            WallTimeError: The device is simulated, or does nothing that is streamed.
            NoRoomError: There is no room for the files.
            ciphermill.Error: The device failed, or cannot be opened as often.
        """
        self.device = device
        self.streams = streams
        self.left_out: dict[str, str] = {}
        """Devices that this machine lacks, with the reason."""
        self.compared = False
        """Whether what a device wrote was compared with what software wrote."""
        self._devices: dict[Implementation, list[AnyDevice]] = {}
        self._where = str(folder.resolve()) if folder else "temporary"
        self._made = tempfile.TemporaryDirectory(prefix="ciphermill-campaign-", dir=folder)
        try:
            self._folder = Path(self._made.name)
            self._open()
            _check_room(self._folder, sizes_kib, streams)
            self._openssl = OpenSslApplication(device) if with_openssl else None
        except BaseException:
            self._made.cleanup()
            raise
        self._reference = next((name for name in SOFTWARE if name in self._devices), None)
        self._digests: dict[tuple[str, Operation, int, int], str] = {}

    def __enter__(self) -> WallStreams:
        return self

    def __exit__(
        self,
        _: type[BaseException] | None,
        __: BaseException | None,
        ___: TracebackType | None,
    ) -> None:
        self._made.cleanup()

    @property
    def name(self) -> str:
        """Its name in tables and plots."""
        return f"this machine with {self.device}"

    def __str__(self) -> str:
        """Tell it from another device and from other storage, for the digest of a point."""
        at_once = f" {self.streams} streams" if self.streams > 1 else ""
        return f"{self.name} {self._where}{at_once}"

    def notes(self) -> tuple[str, ...]:
        """How the figures were measured, and what was left out."""
        return (
            "Wall time on this machine, the median of several runs up to 64 MiB. Inside write is "
            "time in the calls to the device; end to end ends when the output is on the storage, "
            "or taken by the sink.",
            *self._together_notes(),
            *self._openssl_notes(),
            "What a device wrote into files was compared with what software wrote, after every run."
            if self.compared
            else "What a device wrote was compared with nothing.",
            *(f"Left out: {what}: {why}." for what, why in self.left_out.items()),
        )

    def _together_notes(self) -> tuple[str, ...]:
        if self.streams == 1:
            return ()
        return (
            f"{self.streams} streams at once: each has a file, a thread (openssl: a process) and "
            "an open device of its own. The total is all bytes over the time from the begin of the "
            "first stream to the end of the last; inside write is that of the stream which was "
            "longest inside. Rates of streams are each one's bytes over its own time, in the run "
            "of the median total.",
        )

    def _openssl_notes(self) -> tuple[str, ...]:
        if not self._openssl:
            return ()
        return (
            f"openssl: a C program that calls EVP_CipherUpdate with {UPDATE_BYTES >> 20} MiB, "
            "through the provider on the device, else with OpenSSL's own ciphers. Its output "
            "comes back in any case; into a sink it is dropped.",
        )

    def _open(self) -> None:
        hardware = open_device(self.device)
        if not (offered := _operations(hardware)):
            raise WallTimeError(
                f"{hardware.name} has none of ECB, CBC and CTR: name another device"
            )
        algorithm, operation = offered[0]
        _, timing = hardware.transform(
            bytes(algorithm.block_bytes), **_request(algorithm, operation)
        )
        if timing.method != Method.MEASURED:
            raise WallTimeError(
                f"{self.device} is simulated, and its wall time says nothing of the hardware: "
                "name a platform and --cores instead, whose time is virtual"
            )
        self._devices["hardware"] = [hardware, *self._more(self.device)]
        for name in SOFTWARE:
            if name == self.device:
                raise WallTimeError(f"{name} is run anyway: name another device beside it")
            try:
                self._devices[name] = [open_device(name), *self._more(name)]
            except (UnsupportedError, DeviceError) as error:
                # The processor lacks the instructions; there is no OpenSSL 3.
                self.left_out[name] = str(error)

    def _more(self, name: str) -> Iterator[AnyDevice]:
        """Open a device for each further stream.

        Raises:
            DeviceError: It cannot be opened as often.
        """
        for number in range(2, self.streams + 1):
            try:
                yield open_device(name)
            except DeviceError as error:
                raise DeviceError(
                    f"{name} was opened {number - 1} times, and not for stream {number} of "
                    f"{self.streams}: {error}"
                ) from error

    def series(self) -> tuple[Series, ...]:
        """Return what the devices can do, those in software first: others are compared with it."""
        return tuple(self._series())

    def _series(self) -> Iterator[Series]:
        applications = [one for one in Application if self._openssl or one != Application.OPENSSL]
        for application in applications:
            for destination in Destination:
                for implementation in IMPLEMENTATIONS:
                    if implementation not in self._devices:
                        continue
                    device = self._devices[implementation][0]
                    returns = application is Application.OPENSSL  # and drops what comes back
                    if destination is Destination.SINK and not (device.sink or returns):
                        self.left_out[f"{device.name}, sink"] = "the device has no sink"
                        continue
                    name = self.device if implementation == "hardware" else implementation
                    for one, operation in _operations(device):
                        if application is Application.OPENSSL and one is not AES:
                            self.left_out[f"{one.name}, openssl"] = "OpenSSL has no such cipher"
                            continue
                        yield Series(application, destination, operation, name, one.name)

    def run(self, series: Series, sizes_kib: Sequence[int]) -> list[Measurement]:
        """Run a series at each size, several times where it is short; compare what each gave.

        Raises:
            WrongStreamError: Two implementations differ.
            ciphermill.Error: A device or file failed.
        """
        return [seen for kib in sizes_kib for seen in self._run(series, kib * KIB)]

    def _run(self, series: Series, length: int) -> list[Measurement]:
        sources = [self._source(length, number) for number in range(self.streams)]
        runs: list[Together] = []
        correct = None
        for _ in range(_runs(length)):
            runs.append(self._once(series, sources))
            if series.destination is Destination.FILE:
                for number, source in enumerate(sources):
                    correct = self._compare(series, number, source, length)
                self.compared |= bool(correct)
        total = statistics.median(taken.total_s for taken in runs)
        inside = statistics.median(taken.inside_write_s for taken in runs)
        all_bytes = self.streams * length

        def measured(moved: int, total_s: float, inside_s: float, **more: Any) -> Measurement:
            return Measurement(
                **{**series.fields, **more},
                bytes=length,
                time_total_s=total_s,
                time_inside_write_s=inside_s,
                throughput_mb_s=moved / total_s / 1e6,
                throughput_inside_write_mb_s=moved / inside_s / 1e6,
                correct=correct,
                method=Method.MEASURED,
                provenance=Provenance(tools={"folder": self._where}),
            )

        found = [measured(all_bytes, total, inside, messages=self.streams)]
        if self.streams > 1:
            runs.sort(key=lambda one: one.total_s)
            found += (
                measured(
                    length,
                    one.total_s,
                    one.inside_write_s,
                    breakdown=STREAMS,
                    scope=f"stream {number} of {self.streams}",
                )
                for number, one in enumerate(runs[len(runs) // 2].streams, 1)
            )
        return found

    def _target(self, number: int) -> Path:
        """The output of a stream, counted from 0."""
        return self._folder / f"output-{number}"

    def _once(self, series: Series, sources: Sequence[Path]) -> Together:
        """Run a stream for each source, at once. The inputs are dropped from the page cache."""
        for source in sources:
            _forget(source)
        to_file = series.destination is Destination.FILE
        files = [
            (source, self._target(number) if to_file else None)
            for number, source in enumerate(sources)
        ]
        if series.application is Application.OPENSSL and self._openssl:
            took = self._openssl.stream_together(
                series.implementation,
                files,
                algorithm=series.cipher,
                operation=series.operation,
                update_bytes=UPDATE_BYTES,
            )
        else:
            devices = self._devices[series.implementation]
            took = _stream_together(devices, files, _request(series.cipher, series.operation))
        return Together(
            tuple(
                StreamRun(one["began_s"], one["time_total_s"], one["time_inside_write_s"])
                for one in took
            )
        )

    def _compare(self, series: Series, number: int, source: Path, length: int) -> bool | None:
        """Whether a stream's output is what software gives; None where it is software's own.

        That only has to be the same every time.

        Raises:
            WrongStreamError: It is not.
        """
        if self._reference is None:
            return None
        target = self._target(number)
        digest = _digest(target)
        target.unlink()
        key = (series.algorithm, series.operation, length, number)
        own = series.implementation == self._reference
        if own:
            self._digests.setdefault(key, digest)
        elif key not in self._digests:
            # Its own series was run earlier, or comes later.
            same = replace(series, application=Application.THROUGHPUT, device=str(self._reference))
            # The first stream's output, whose place this takes, has been compared by now.
            self._once(same, [source])
            self._digests[key] = _digest(self._target(0))
            self._target(0).unlink()
        if digest != self._digests[key]:
            at = f", stream {number + 1} of {self.streams}" if self.streams > 1 else ""
            raise WrongStreamError(f"wrong output: {series}, {length} bytes{at}")
        return None if own else True

    def _source(self, length: int, stream: int) -> Path:
        """An input of this length, written once; that of each stream has other bytes."""
        path = self._folder / f"input-{length // KIB}-{stream}"
        if not path.exists():
            with path.open("wb") as file:
                for number, start in enumerate(range(0, length, _BLOCK_BYTES)):
                    count = min(_BLOCK_BYTES, length - start)
                    seed = (stream << 32 | number).to_bytes(8)
                    file.write(hashlib.shake_128(seed).digest(count))
                file.flush()
                os.fsync(file.fileno())
        return path


def _operations(device: AnyDevice) -> list[tuple[Algorithm, Operation]]:
    """Return what streams are studied with, of what a device does, in the order of tables."""
    done = {(name, mode, verb) for name, verb, mode, _ in device.algorithms}
    return [
        (one, operation)
        for one in ALGORITHMS.values()
        for operation in streamed_operations(one)
        if (one.name, operation.mode, operation.verb) in done
    ]


def _request(algorithm: Algorithm, operation: Operation) -> dict[str, Any]:
    """Return what a device is asked for."""
    iv = iv_of(algorithm) if algorithm.modes[operation.mode].iv_bytes else None
    return {
        "mode": operation.mode,
        "direction": operation.verb,
        "key": key_of(algorithm),
        "iv": iv,
    }


def _stream(device: AnyDevice, source: Path, target: Path | None, **asked: Any) -> dict[str, Any]:
    """Stream a file through a device, in the process in which it is."""
    if isinstance(device, SoftwareDevice):
        return device.stream_path_timed(source, target, **asked)
    return _engine.stream_path_timed(source, target, device, **asked)


def _stream_together(
    devices: Sequence[AnyDevice],
    files: Sequence[tuple[Path, Path | None]],
    asked: dict[str, Any],
) -> list[dict[str, Any]]:
    """Stream files at once, each through a device of its own; a single one in this thread."""

    def run(number: int) -> dict[str, Any]:
        begin.wait()
        began = time.monotonic()
        return {"began_s": began, **_stream(devices[number], *files[number], **asked)}

    begin = threading.Barrier(len(files))
    if len(files) == 1:
        return [run(0)]
    with ThreadPoolExecutor(len(files)) as threads:
        return list(threads.map(run, range(len(files))))


def _runs(length: int) -> int:
    if length <= MANY_RUNS_KIB * KIB:
        return MANY_RUNS
    return RUNS if length <= RUNS_KIB * KIB else 1


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _forget(path: Path) -> None:
    """Have the system drop a file from its memory, so that it is read from the storage."""
    if not hasattr(os, "posix_fadvise"):
        return
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _check_room(folder: Path, sizes_kib: Sequence[int], streams: int) -> None:
    """Refuse when the inputs and the longest outputs do not fit.

    Raises:
        NoRoomError: They do not.
    """
    needed = streams * (sum(sizes_kib) + max(sizes_kib)) * KIB
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise NoRoomError(
            f"{folder.parent} has {free >> 20} MiB free, and the files take {-(-needed >> 20)}: "
            "name another --folder, or a smaller --largest"
        )
