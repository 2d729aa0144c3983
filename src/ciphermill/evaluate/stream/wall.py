# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Streams on this machine, by its clock: real files, and a device that is there.

What a device writes is compared with what OpenSSL, as ``software``, wrote.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
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
_BLOCK_BYTES = 1 << 20
"""Bytes of an input that are generated at once."""


class WallTimeError(Exception):
    """The campaign cannot be run; the text says why and what to do."""


class NoRoomError(Exception):
    """The storage has no room for the files; the text says what to do."""


class WallStreams:
    """Series on this machine; a context, which has a folder for its files."""

    def __init__(
        self,
        device: str,
        folder: Path | None,
        sizes_kib: Sequence[int],
        *,
        with_openssl: bool = True,
    ) -> None:
        """Open the device, beside ``software`` and ``software+``.

        Args:
            device: What stands for hardware.
            folder: Where the files go, on the storage to measure; a temporary one when absent.
            sizes_kib: The sizes that will be run, for which there must be room.
            with_openssl: Whether the application ``openssl`` will be run, for which OpenSSL's
                headers and the provider must be there.

        Raises:
            ToolError: OpenSSL's headers, a C compiler or the provider are missing.
            WallTimeError: The device is simulated, or does nothing that is streamed.
            NoRoomError: There is no room for the files.
            ciphermill.Error: The device failed.
        """
        self.device = device
        self.left_out: dict[str, str] = {}
        """Devices that this machine lacks, with the reason."""
        self.compared = False
        """Whether what a device wrote was compared with what software wrote."""
        self._devices: dict[Implementation, AnyDevice] = {}
        self._where = str(folder.resolve()) if folder else "temporary"
        self._made = tempfile.TemporaryDirectory(prefix="ciphermill-campaign-", dir=folder)
        try:
            self._folder = Path(self._made.name)
            self._output = self._folder / "output"
            self._open()
            _check_room(self._folder, sizes_kib)
            self._openssl = OpenSslApplication(device) if with_openssl else None
        except BaseException:
            self._made.cleanup()
            raise
        self._reference = next((name for name in SOFTWARE if name in self._devices), None)
        self._digests: dict[tuple[str, Operation, int], str] = {}

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
        return f"{self.name} {self._where}"

    def notes(self) -> tuple[str, ...]:
        """How the figures were measured, and what was left out."""
        return (
            "Wall time on this machine, the median of several runs up to 64 MiB. Inside write is "
            "time in the calls to the device; end to end ends when the output is on the storage, "
            "or taken by the sink.",
            *self._openssl_notes(),
            "What a device wrote into files was compared with what software wrote, after every run."
            if self.compared
            else "What a device wrote was compared with nothing.",
            *(f"Left out: {what}: {why}." for what, why in self.left_out.items()),
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
        self._devices["hardware"] = hardware
        for name in SOFTWARE:
            if name == self.device:
                raise WallTimeError(f"{name} is run anyway: name another device beside it")
            try:
                self._devices[name] = open_device(name)
            except (UnsupportedError, DeviceError) as error:
                # The processor lacks the instructions; there is no OpenSSL 3.
                self.left_out[name] = str(error)

    def series(self) -> tuple[Series, ...]:
        """Return what the devices can do, those in software first: others are compared with it."""
        return tuple(self._series())

    def _series(self) -> Iterator[Series]:
        applications = [one for one in Application if self._openssl or one != Application.OPENSSL]
        for application in applications:
            for destination in Destination:
                for implementation in IMPLEMENTATIONS:
                    device = self._devices.get(implementation)
                    if device is None:
                        continue
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
        return [self._run(series, kib * KIB) for kib in sizes_kib]

    def _run(self, series: Series, length: int) -> Measurement:
        source = self._source(length)
        times, correct = [], None
        for _ in range(_runs(length)):
            times.append(self._once(series, source))
            if series.destination is Destination.FILE:
                correct = self._compare(series, source, length)
                self.compared |= bool(correct)
        total = statistics.median(taken[0] for taken in times)
        inside = statistics.median(taken[1] for taken in times)
        return Measurement(
            **series.fields,
            bytes=length,
            time_total_s=total,
            time_inside_write_s=inside,
            throughput_mb_s=length / total / 1e6,
            throughput_inside_write_mb_s=length / inside / 1e6,
            correct=correct,
            method=Method.MEASURED,
            provenance=Provenance(tools={"folder": self._where}),
        )

    def _once(self, series: Series, source: Path) -> tuple[float, float]:
        """Seconds end to end and inside write. The input is dropped from the page cache."""
        _forget(source)
        target = self._output if series.destination is Destination.FILE else None
        if series.application is Application.OPENSSL and self._openssl:
            took = self._openssl.stream(
                series.implementation,
                source,
                target,
                algorithm=series.cipher,
                operation=series.operation,
                update_bytes=UPDATE_BYTES,
            )
        else:
            device = self._devices[series.implementation]
            took = _stream(device, source, target, **_request(series.cipher, series.operation))
        return took["time_total_s"], took["time_inside_write_s"]

    def _compare(self, series: Series, source: Path, length: int) -> bool | None:
        """Whether the output is what software gives; None where it is software's own.

        That only has to be the same every time.

        Raises:
            WrongStreamError: It is not.
        """
        if self._reference is None:
            return None
        digest = _digest(self._output)
        self._output.unlink()
        key = (series.algorithm, series.operation, length)
        own = series.implementation == self._reference
        if own:
            self._digests.setdefault(key, digest)
        elif key not in self._digests:
            # Its own series was run earlier, or comes later.
            same = replace(series, application=Application.THROUGHPUT, device=str(self._reference))
            self._once(same, source)
            self._digests[key] = _digest(self._output)
            self._output.unlink()
        if digest != self._digests[key]:
            raise WrongStreamError(f"wrong output: {series}, {length} bytes")
        return None if own else True

    def _source(self, length: int) -> Path:
        """An input of this length, written once."""
        path = self._folder / f"input-{length // KIB}"
        if not path.exists():
            with path.open("wb") as file:
                for number, start in enumerate(range(0, length, _BLOCK_BYTES)):
                    count = min(_BLOCK_BYTES, length - start)
                    file.write(hashlib.shake_128(number.to_bytes(8)).digest(count))
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


def _check_room(folder: Path, sizes_kib: Sequence[int]) -> None:
    """Refuse when the inputs and the longest output do not fit.

    Raises:
        NoRoomError: They do not.
    """
    needed = (sum(sizes_kib) + max(sizes_kib)) * KIB
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise NoRoomError(
            f"{folder.parent} has {free >> 20} MiB free, and the files take {-(-needed >> 20)}: "
            "name another --folder, or a smaller --largest"
        )
