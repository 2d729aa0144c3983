# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Streams of the paper thesis-zynq-ciphers on this machine, by its clock.

The same applications, destinations, operations and sizes as on a platform of virtual
time (``campaign.thesis``), with real files and a device that is there. What a device
writes is compared with what OpenSSL, as ``software``, wrote.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ciphermill import DeviceError, UnsupportedError, _engine
from ciphermill.campaign.streams import (
    IMPLEMENTATIONS,
    IV,
    KEY,
    KIB,
    SIZES_KIB,
    Kept,
    Progress,
    Series,
    measurement_key,
)
from ciphermill.design import Measurement, Method, Provenance
from ciphermill.design.operations import OPERATIONS, Operation
from ciphermill.design.streaming_platform import Implementation
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.evaluate.stream.kernel import WrongStreamError
from ciphermill.evaluate.stream.model_library import KEY_BYTES
from ciphermill.registry import AnyDevice, open_device
from ciphermill.software import SoftwareDevice
from ciphermill.toolchain import provenance

UPDATE_BYTES = 1 << 20
"""What the ``openssl`` application hands over in a call."""
SOFTWARE: tuple[Implementation, ...] = ("software", "software+")
"""What is run beside a device."""
MANY_RUNS, MANY_RUNS_KIB = 5, 4096
"""Runs of which the median counts, up to so many KiB."""
RUNS, RUNS_KIB = 3, 65536
"""The same above; what is longer runs once."""
_BLOCK_BYTES = 1 << 20
"""Of an input, made at once."""


class WallTimeError(Exception):
    """The campaign cannot be had so; the text says why and what to do."""


class NoRoomError(Exception):
    """The storage has no room for the files; the text says what to do."""


@dataclass
class WallCampaign:
    """What a campaign found on this machine."""

    device: str
    """The device that stands for hardware."""
    folder: Path
    wanted: tuple[Series, ...] = ()
    """What can be run here, in the order of the tables."""
    left_out: dict[str, str] = field(default_factory=dict)
    """What this machine lacks, and why."""
    measurements: list[Measurement] = field(default_factory=list)
    reused: int = 0
    """Measurements that were there from an earlier run."""

    @property
    def name(self) -> str:
        """What tables and plots call it."""
        return f"this machine with {self.device}"

    def series(self) -> tuple[Series, ...]:
        """Return what can be run here."""
        return self.wanted

    def of(self, series: Series) -> list[Measurement]:
        """Return what a series gave, by size."""
        wanted = self.key(series)
        return [seen for seen in self.measurements if measurement_key(seen)[:-1] == wanted]

    def find(self, series: Series, kib: int) -> Measurement | None:
        """Return what a series gave at a size."""
        return next((seen for seen in self.of(series) if seen.bytes == kib * KIB), None)

    def key(self, series: Series) -> tuple[str | int | None, ...]:
        """Return what tells a series' measurements from those of others."""
        return (
            self.device_name(series.implementation),
            series.application.value,
            series.destination.value,
            series.operation.mode,
            series.operation.direction,
        )

    def device_name(self, implementation: Implementation) -> str:
        """Return the device that an implementation is."""
        return self.device if implementation == "hardware" else implementation

    def compared(self) -> bool:
        """Return whether what a device wrote was compared with what software wrote."""
        return any(seen.correct for seen in self.measurements)


def run_wall_campaign(
    device: str,
    *,
    folder: Path | None = None,
    sizes_kib: Sequence[int] = SIZES_KIB,
    earlier: Sequence[Measurement] = (),
    keep: Kept | None = None,
    origin: Provenance | None = None,
    progress: Progress | None = None,
) -> WallCampaign:
    """Run every series that this machine can have.

    Args:
        device: The device beside ``software`` and ``software+``.
        folder: Where the files go, on the storage to measure; a temporary one when absent.
        sizes_kib: Sizes, ascending.
        earlier: Measurements of an earlier, interrupted run; a series that is whole among
            them, of the same commit, processor and folder, is not run again.
        keep: Is given each series as soon as it is there.
        origin: What every measurement says of its origin.
        progress: Is told how far it is.

    Raises:
        WallTimeError: The device is simulated, or does nothing that a campaign has.
        NoRoomError: There is no room for the files.
        WrongStreamError: Two implementations differ.
        ciphermill.Error: A device or file failed.
    """
    with _working_folder(folder) as place:
        campaign = WallCampaign(device, folder or place)
        devices = _devices(campaign)
        campaign.wanted = tuple(_series(campaign, devices))
        _check_room(place, sizes_kib)
        said = _origin(origin or Provenance(), folder)
        before = {
            measurement_key(seen): seen
            for seen in earlier
            if seen.provenance and _same_origin(seen.provenance, said)
        }
        runner = _Runner(campaign, devices, place, said)
        for number, series in enumerate(campaign.wanted):
            if progress:
                progress(number, len(campaign.wanted))
            keys = [(*campaign.key(series), kib * KIB) for kib in sizes_kib]
            if all(key in before for key in keys):
                campaign.measurements += [before[key] for key in keys]
                campaign.reused += len(keys)
                continue
            found = [runner.run(series, kib * KIB) for kib in sizes_kib]
            if keep:
                keep(found)
            campaign.measurements += found
        if progress:
            progress(len(campaign.wanted), len(campaign.wanted))
    return campaign


def _devices(campaign: WallCampaign) -> dict[Implementation, AnyDevice]:
    """Open what there is; a simulated device is refused.

    Raises:
        WallTimeError: The device is simulated, or does nothing that a campaign has.
    """
    hardware = open_device(campaign.device)
    operation = _an_operation(hardware)
    _, timing = hardware.transform(
        bytes(16),
        mode=operation.mode,
        direction=operation.direction,
        key=KEY,
        iv=_iv(operation),
    )
    if timing.method != Method.MEASURED:
        raise WallTimeError(
            f"{campaign.device} is simulated, and its wall time says nothing of the hardware: "
            "use --platform with --cores, whose time is virtual"
        )
    found: dict[Implementation, AnyDevice] = {"hardware": hardware}
    for name in SOFTWARE:
        if name == campaign.device:
            raise WallTimeError(f"{name} is run anyway: name another device beside it")
        try:
            found[name] = open_device(name)
        except (UnsupportedError, DeviceError) as error:
            # The processor lacks the instructions; there is no OpenSSL 3.
            campaign.left_out[name] = str(error)
    return found


def _an_operation(device: AnyDevice) -> Operation:
    """Any operation of a campaign that the device has.

    Raises:
        WallTimeError: It has none.
    """
    for operation in OPERATIONS:
        if (operation.mode, operation.direction) in device.operations:
            return operation
    raise WallTimeError(f"{device.name} has none of ECB, CBC and CTR: name another device")


def _iv(operation: Operation) -> bytes | None:
    return None if operation.mode == "ecb" else IV


def _series(
    campaign: WallCampaign, devices: Mapping[Implementation, AnyDevice]
) -> Iterator[Series]:
    """Yield what the devices can do, those in software first: others are compared with them."""
    for application in Application:
        for destination in Destination:
            for implementation in IMPLEMENTATIONS:
                device = devices.get(implementation)
                if device is None:
                    continue
                if destination is Destination.SINK and not device.sink:
                    campaign.left_out[f"{device.name}, sink"] = "the device has no sink"
                    continue
                for operation in OPERATIONS:
                    if (operation.mode, operation.direction) in device.operations:
                        yield Series(application, destination, operation, implementation)


class _Runner:
    """Runs streams in a folder."""

    def __init__(
        self,
        campaign: WallCampaign,
        devices: Mapping[Implementation, AnyDevice],
        folder: Path,
        origin: Provenance,
    ) -> None:
        self._campaign = campaign
        self._devices = devices
        self._folder = folder
        self._output = folder / "output"
        self._origin = origin
        there = (name for name in SOFTWARE if name in devices)
        self._reference: Implementation | None = next(there, None)
        self._digests: dict[tuple[Operation, int], str] = {}

    def run(self, series: Series, length: int) -> Measurement:
        """Run a series at a size, several times where it is short; compare what each gave."""
        source = self._source(length)
        times, correct = [], None
        for _ in range(_runs(length)):
            times.append(self._once(series, source))
            if series.destination is Destination.FILE:
                correct = self._compare(series, source, length)
        total = statistics.median(taken[0] for taken in times)
        inside = statistics.median(taken[1] for taken in times)
        return Measurement(
            cipher="aes",
            key_bits=8 * KEY_BYTES,
            mode=series.operation.mode,
            direction=series.operation.direction,
            device=self._campaign.device_name(series.implementation),
            application=series.application,
            destination=series.destination,
            bytes=length,
            messages=1,
            time_total_s=total,
            time_inside_write_s=inside,
            throughput_mb_s=length / total / 1e6,
            throughput_inside_write_mb_s=length / inside / 1e6,
            correct=correct,
            method=Method.MEASURED,
            provenance=self._origin,
        )

    def _once(self, series: Series, source: Path) -> tuple[float, float]:
        """Seconds end to end and inside write, the input not in memory where that can be had."""
        _forget(source)
        device = self._devices[series.implementation]
        target = self._output if series.destination is Destination.FILE else None
        took = _stream(
            device,
            source,
            target,
            mode=series.operation.mode,
            direction=series.operation.direction,
            key=KEY,
            iv=_iv(series.operation),
            update_bytes=UPDATE_BYTES if series.application is Application.OPENSSL else None,
        )
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
        key = (series.operation, length)
        own = series.implementation == self._reference
        if own:
            self._digests.setdefault(key, digest)
        elif key not in self._digests:
            # Its own series was run earlier, or comes later.
            self._once(
                Series(Application.THROUGHPUT, Destination.FILE, series.operation, self._reference),
                source,
            )
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


@contextmanager
def _working_folder(folder: Path | None) -> Iterator[Path]:
    """A folder of our own in the one that is named, or in the system's temporary one."""
    with tempfile.TemporaryDirectory(prefix="ciphermill-campaign-", dir=folder) as name:
        yield Path(name)


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


def _origin(origin: Provenance, folder: Path | None) -> Provenance:
    """What is measured where: the processor and the storage are part of it."""
    where = str(folder.resolve()) if folder else "temporary"
    tools = {**origin.tools, "processor": provenance.processor(), "folder": where}
    return origin.model_copy(update={"tools": tools})


def _same_origin(seen: Provenance, origin: Provenance) -> bool:
    if origin.commit is None or origin.commit.endswith("-dirty"):
        return False
    return seen.commit == origin.commit and all(
        seen.tools.get(name) == origin.tools.get(name) for name in ("processor", "folder")
    )
