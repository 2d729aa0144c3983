# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The main job: one message through several devices, compared and timed.

Every device gets the same plaintext to encrypt and the same ciphertext, that of
the reference device, to decrypt; each output is compared with the reference
byte for byte. Devices that are timed by the wall clock run one after another
with nothing beside them, several times, and the median counts. Simulated
devices are deterministic, so they run once, side by side in threads.
"""

from __future__ import annotations

import os
import statistics
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Protocol

from ciphermill.design import Measurement
from ciphermill.design.measurement import Provenance
from ciphermill.design.operations import WEIGHED, Operation, blocks, message
from ciphermill.toolchain.provenance import processor

LEAST_REPETITIONS = 7
"""Runs of which the median counts, on devices timed by the wall clock, at the least."""
LEAST_SECONDS = 0.1
"""Runs go on for this time: a short message is run often, so that its median holds."""
MOST_SECONDS = 2.0
"""No further run is begun after this time, also where there were fewer than the least."""

DATA_UNIT_BYTES = 4096
"""Length of XTS's data units: a sector of a disk."""

_SIMULATED = "model:"
"""Prefix of the devices that are simulated in this process."""


class Timing(Protocol):
    """What a run cost; see ``ciphermill.Timing``."""

    @property
    def total_s(self) -> float: ...  # noqa: D102
    @property
    def transfer_s(self) -> float: ...  # noqa: D102
    @property
    def processing_s(self) -> float: ...  # noqa: D102
    @property
    def clocks(self) -> int | None: ...  # noqa: D102
    @property
    def method(self) -> str: ...  # noqa: D102


class Weighable(Protocol):
    """What weighing needs of a device; ``ciphermill.Device`` has it."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def clock_mhz(self) -> float | None: ...  # noqa: D102
    @property
    def architecture(self) -> str | None: ...  # noqa: D102
    @property
    def stream_bits(self) -> int | None: ...  # noqa: D102
    @property
    def operations(self) -> Sequence[tuple[str, str]]: ...  # noqa: D102

    def transform(  # noqa: D102
        self,
        data: bytes,
        *,
        mode: str,
        direction: str,
        key: bytes,
        iv: bytes,
        data_unit_bytes: int | None = None,
        progress: Callable[[int, int | None], object] | None = None,
    ) -> tuple[bytes, Timing]: ...


@dataclass(frozen=True)
class Difference:
    """An output that is not what the reference gave."""

    device: str
    reference: str
    operation: Operation
    offset: int
    """First byte that differs, counted from 0."""

    def __str__(self) -> str:
        return (
            f"{self.operation} on {self.device} differs from {self.reference} at byte {self.offset}"
        )


@dataclass
class Weighing:
    """What a weighing found."""

    measurements: list[Measurement] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)


Progress = Callable[[str, float], None]
"""Called with a device's name and the fraction of its work that is done."""


class _Stopped(Exception):
    """Another device failed or the user interrupted: stop."""


def weigh(
    data: bytes,
    devices: Sequence[Weighable],
    reference: Weighable,
    *,
    key_bits: int = 256,
    provenance: Provenance | None = None,
    progress: Progress | None = None,
) -> Weighing:
    """Weigh devices on one message in every mode and direction that they have.

    An operation that the reference lacks is left out: its output could not be
    checked. XTS is left out with keys of 192 bits, for which it is not defined.

    Args:
        data: the message; padded (PKCS#7) for ECB, CBC and XTS.
        devices: what to weigh, in the order of the result.
        reference: the device whose outputs the others' must equal; it need not
            be among ``devices``.
        key_bits: AES key size; the keys and the IV are random.
        provenance: what every measurement says of its origin.
        progress: told how far each device is.

    Returns:
        Measurements ordered by device, then operation, and the differences.

    Raises:
        ValueError: the message is empty.
        ciphermill.Error: a device failed.
    """
    if not data:
        raise ValueError("there is nothing to weigh in an empty message")
    secrets = _Secrets(os.urandom(key_bits // 8), os.urandom(key_bits // 8), os.urandom(16))
    checked = [one for one in WEIGHED if one in _has(reference, key_bits)]
    plaintexts = {operation.mode: message(data, operation.mode) for operation in checked}
    ciphertexts = {
        mode: reference.transform(text, mode=mode, direction="encrypt", **secrets.of(mode))[0]
        for mode, text in plaintexts.items()
    }
    stop = threading.Event()

    def weigh_device(device: Weighable) -> Weighing:
        found = Weighing()
        operations = [one for one in checked if one in _has(device, key_bits)]
        for number, operation in enumerate(operations):
            texts = plaintexts[operation.mode], ciphertexts[operation.mode]
            source, expected = texts if operation.direction == "encrypt" else texts[::-1]

            def advance(done: int, total: int | None, number: int = number) -> None:
                if stop.is_set():
                    raise _Stopped
                if progress is not None:
                    progress(device.name, (number + done / max(total or 0, 1)) / len(operations))

            outputs, timing = _run(device, operation, source, secrets, advance)
            offsets = [o for output in outputs if (o := _first_difference(output, expected)) >= 0]
            if offsets:
                found.differences.append(
                    Difference(device.name, reference.name, operation, offsets[0])
                )
            length = len(plaintexts[operation.mode])
            fields = _fields(device, operation, length, timing, key_bits)
            fields |= {"correct": not offsets, "provenance": provenance}
            found.measurements.append(Measurement.from_json(fields))
            advance(1, 1)
        return found

    simulated = [device for device in devices if device.name.startswith(_SIMULATED)]
    results = {d.name: weigh_device(d) for d in devices if d not in simulated}
    if simulated:
        with ThreadPoolExecutor(min(len(simulated), os.cpu_count() or 1)) as pool:
            well = False
            # An interruption may come at any moment, also while the first device starts.
            try:
                futures = {device.name: pool.submit(weigh_device, device) for device in simulated}
                done, running = wait(futures.values(), return_when=FIRST_EXCEPTION)
                well = not running and not any(future.exception() for future in done)
            finally:
                if not well:
                    stop.set()
        errors = [error for future in futures.values() if (error := future.exception())]
        for error in sorted(errors, key=lambda error: isinstance(error, _Stopped)):
            raise error
        results |= {name: future.result() for name, future in futures.items()}
    total = Weighing()
    for device in devices:
        total.measurements += results[device.name].measurements
        total.differences += results[device.name].differences
    return total


@dataclass(frozen=True)
class _Secrets:
    """Random keys and an IV of 16 bytes; each mode takes the part that it needs."""

    key: bytes
    tweak_key: bytes
    iv: bytes

    def of(self, mode: str) -> dict[str, Any]:
        """What ``transform`` is given in this mode."""
        if mode == "xts":
            key = self.key + self.tweak_key
            return {"key": key, "iv": self.iv, "data_unit_bytes": DATA_UNIT_BYTES}
        return {"key": self.key, "iv": self.iv[:12] if mode == "gcm" else self.iv}


def _has(device: Weighable, key_bits: int) -> set[Operation]:
    """Operations that a device has with keys of this size."""
    found = {one for one in WEIGHED if (one.mode, one.direction) in device.operations}
    return {one for one in found if one.mode != "xts" or key_bits != 192}


def _run(
    device: Weighable,
    operation: Operation,
    source: bytes,
    secrets: _Secrets,
    advance: Callable[[int, int | None], object],
) -> tuple[list[bytes], Timing]:
    """The distinct outputs, and the timing of the median run."""

    def once() -> tuple[bytes, Timing]:
        return device.transform(
            source,
            mode=operation.mode,
            direction=operation.direction,
            progress=advance,
            **secrets.of(operation.mode),
        )

    output, timing = once()
    if timing.method == "simulated":
        return [output], timing
    # The first run filled caches and started threads; it is compared, not timed.
    outputs, timings = {output}, list[Timing]()
    spent = 0.0
    while spent < LEAST_SECONDS or (len(timings) < LEAST_REPETITIONS and spent < MOST_SECONDS):
        output, timing = once()
        outputs.add(output)
        timings.append(timing)
        spent += timing.total_s
    middle = statistics.median_low(one.total_s for one in timings)
    return list(outputs), next(t for t in timings if t.total_s == middle)


def _fields(
    device: Weighable, operation: Operation, length: int, timing: Timing, key_bits: int
) -> dict[str, Any]:
    """The measurement in the vocabulary's names; what does not apply is absent."""
    fields: dict[str, Any] = {
        "cipher": "aes",
        "key_bits": key_bits,
        "mode": operation.mode,
        "direction": operation.direction,
        "device": device.name,
        "bytes": length,
        "messages": 1,
        "time.total_s": timing.total_s,
        "throughput.mb_s": length / timing.total_s / 1e6,
        "method": timing.method,
    }
    # A processor that works on its own memory transfers nothing.
    if timing.transfer_s:
        fields["time.transfer_s"] = timing.transfer_s
    if timing.processing_s:
        fields["time.processing_s"] = timing.processing_s
    if timing.method == "measured":
        fields["platform"] = processor()
    if device.name.startswith(_SIMULATED):
        fields["design"] = device.name.removeprefix(_SIMULATED)
    if device.architecture is not None:
        fields["architecture"] = device.architecture
    if device.stream_bits is not None:
        fields["interface"] = f"axi4-stream-{device.stream_bits}"
    if device.clock_mhz is not None:
        fields["clock.mhz"] = device.clock_mhz
    if timing.clocks is not None:
        fields["cycles.total"] = timing.clocks
        fields["cycles.per_block"] = timing.clocks / blocks(length)
    return fields


def _first_difference(output: bytes, expected: bytes) -> int:
    """Where the two first differ, or -1 when they are equal."""
    if output == expected:
        return -1
    for offset, (one, other) in enumerate(zip(output, expected, strict=False)):
        if one != other:
            return offset
    return min(len(output), len(expected))
