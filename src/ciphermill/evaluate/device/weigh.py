# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Processes one message on a device, checks the result and measures the time.

Every device gets the same plaintext to encrypt and the same ciphertext, that of
the reference device, to decrypt; each output is compared with the reference
byte for byte. Devices that are timed by the wall clock run alone, several times; the median
is reported. Simulated devices are deterministic, so they run once.
"""

from __future__ import annotations

import os
import re
import statistics
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import NoneType
from typing import TYPE_CHECKING, Any

from ciphermill.algorithms import AES, SCHEMES, Algorithm, Scheme
from ciphermill.design import DesignError, Measurement, Software, load_design
from ciphermill.design.measurement import design_fields
from ciphermill.design.operations import Operation, blocks, message, operations_of
from ciphermill.evaluate.device.specification import Specification
from ciphermill.evaluate.evaluator import Evaluator, Progress, between
from ciphermill.registry import MODEL_PREFIX, AnyDevice, split_model
from ciphermill.toolchain.provenance import processor

if TYPE_CHECKING:
    from ciphermill._engine import Timing
    from ciphermill.software import SoftwareTiming

    AnyTiming = Timing | SoftwareTiming

LEAST_REPETITIONS = 7
"""The least number of runs on devices timed in wall time; their median is reported."""
LEAST_SECONDS = 0.1
"""Runs are repeated for this time: a short message is run often, for a stable median."""
MOST_SECONDS = 2.0
"""No further run begins after this time, even if there were fewer than the least number."""

_MEMORY_CLOCK = re.compile(r"memory banks?, ([0-9.]+) MHz")

DATA_UNIT_BYTES = 4096
"""Length of XTS's data units: a sector of a disk."""


def aes_arguments(mode: str, key_bits: int) -> dict[str, Any]:
    """Return the arguments of ``run`` for AES other than operation and data; key and IV are random.

    Args:
        mode: Mode of operation, in the engine's words.
        key_bits: Bits of a key; XTS has two.
    """
    facts = AES.modes[mode]
    return {
        "algorithm": AES.name,
        "mode": mode,
        "key": os.urandom(facts.keys * key_bits // 8),
        "iv": os.urandom(facts.iv_bytes) or None,
        "data_unit_bytes": DATA_UNIT_BYTES if facts.data_units else None,
    }


def is_simulated(device: AnyDevice, mode: str, key_bits: int) -> bool:
    """Return whether a device's times are simulated, as its answer to one block says.

    A device's name does not say it: a board and its simulator serve the same device files.

    Raises:
        ciphermill.Error: The device failed.
    """
    _, timing = device.run("encrypt", bytes(AES.block_bytes), **aes_arguments(mode, key_bits))
    return timing.method == "simulated"


def memory_clock_mhz(device: AnyDevice) -> float | None:
    """Return the clock of a board's memory banks, which its description has."""
    found = _MEMORY_CLOCK.search(device.description)
    return float(found[1]) if found else None


def failed(device: str, error: Exception) -> dict[str, Any]:
    """Return the fields of a device that failed: without figures, and with the error as a note."""
    return {"method": "measured", "notes": (f"{device} failed: {error}",)}


def failure(seen: Measurement) -> str | None:
    """Return the note of a device that failed; None of one that did not."""
    begin = f"{seen.device} failed: "
    return next((note for note in seen.notes or () if note.startswith(begin)), None)


@dataclass(frozen=True)
class Device:
    """A design: a device of the engine, by name."""

    name: str
    """As ``ciphermill devices`` lists it."""


@dataclass(frozen=True)
class Message:
    """A workload: one message, in every operation and mode of an algorithm that a device offers.

    An operation that the reference lacks is left out: its output could not be checked.
    XTS is left out with keys of 192 bits, for which it is not defined. Keys, IV and nonce
    are random, and the same for all devices.
    """

    name: str
    """Its name, such as the name of its file."""
    data: bytes
    """Padded (PKCS#7) for ECB, CBC and XTS."""
    key_bits: int = 256
    """0 if the algorithm has no key."""
    devices: Mapping[str, AnyDevice] = field(default_factory=dict, compare=False, repr=False)
    """Open devices by name, the reference among them if it is a device."""
    scheme_name: str = AES.name
    """The engine's name of the algorithm: ``aes``, ``ascon-aead128``."""
    _texts: dict[str, tuple[bytes, bytes]] = field(default_factory=dict, compare=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, compare=False, repr=False)

    @property
    def known(self) -> Algorithm:
        """What is known of the algorithm."""
        return SCHEMES[self.scheme_name][0]

    @property
    def scheme(self) -> Scheme:
        """The scheme."""
        return SCHEMES[self.scheme_name][1]

    @property
    def reference(self) -> AnyDevice | Specification:
        """What gives the outputs that the devices' must equal."""
        name = self.scheme.reference
        return self.devices[name] if name else Specification(self.scheme_name)

    @cached_property
    def _random(self) -> tuple[bytes, bytes]:
        """Keys, and an IV or nonce, of which each mode uses the part that it needs."""
        modes = self.known.modes.values()
        keys = max((one.keys for one in modes), default=1)
        iv_bytes = max((one.iv_bytes for one in modes), default=self.known.nonce_bytes)
        return os.urandom(keys * self.key_bits // 8), os.urandom(iv_bytes)

    def asked(self, operation: Operation) -> dict[str, Any]:
        """Return the arguments of ``run`` other than operation and data."""
        keys, iv = self._random
        if not self.key_bits:
            return {"algorithm": self.scheme_name}
        if not operation.mode:
            return {"algorithm": self.scheme_name, "key": keys, "iv": iv}
        facts = self.known.modes[operation.mode]
        return {
            "algorithm": self.scheme_name,
            "mode": operation.mode,
            "key": keys[: facts.keys * self.key_bits // 8],
            "iv": iv[: facts.iv_bytes] or None,
            "data_unit_bytes": DATA_UNIT_BYTES if facts.data_units else None,
        }

    def texts(self, operation: Operation) -> tuple[bytes, bytes]:
        """Return the input of an operation and its expected output."""
        with self._lock:
            if operation.mode not in self._texts:
                plain = message(self.data, operation.mode, self.known)
                verb = self.scheme.operations[0]
                answer, _ = self.reference.run(verb, plain, **self.asked(operation))
                self._texts[operation.mode] = plain, answer
            plain, answer = self._texts[operation.mode]
        return (answer, plain) if operation.verb == "decrypt" else (plain, answer)


def weigh(device: AnyDevice, asked: Message, progress: Progress) -> list[Measurement]:
    """Measure a device with one message in every operation and mode that it offers.

    Raises:
        ValueError: The message is empty.
        Cancelled: The measurement was cancelled.
        ciphermill.Error: A device failed.
    """
    if not asked.data:
        raise ValueError("an empty message cannot be weighed")
    operations = weighed_operations(device, asked)
    found = []
    for number, operation in enumerate(operations):
        source, expected = asked.texts(operation)

        def advance(done: int, total: int | None, number: int = number) -> None:
            progress.done(device.name, (number + done / max(total or 0, 1)) / len(operations))

        outputs, timing = _run(device, operation, source, asked, advance)
        offsets = [at for output in outputs if (at := first_difference(output, expected)) >= 0]
        length = len(message(asked.data, operation.mode, asked.known))
        fields = _fields(device, operation, length, timing, asked)
        fields |= {"correct": not offsets, "workload": asked.name}
        if offsets:
            fields["wrong.byte"] = offsets[0]
        found.append(Measurement.from_json(fields))
        advance(1, 1)
    return found


def engine_name(design: Device | Software) -> str:
    """Return the engine's name of a design that is one of its devices."""
    return design.device if isinstance(design, Software) else design.name


def _evaluate(
    design: Device | Software, _: None, asked: Message, progress: Progress
) -> list[Measurement]:
    found = weigh(asked.devices[engine_name(design)], asked, progress)
    if isinstance(design, Software) or not design.name.startswith(MODEL_PREFIX):
        return found
    try:
        own = design_fields(load_design(split_model(design.name)[0]))
    except DesignError:
        return found  # the model was built elsewhere
    return [one.model_copy(update=own) for one in found]


DEVICE = Evaluator(
    "device",
    between(Device | Software, NoneType, Message),
    _evaluate,
    alone=lambda design: not engine_name(design).startswith(MODEL_PREFIX),
)


def weighed_operations(device: AnyDevice, asked: Message) -> list[Operation]:
    """Return the operations that both a device and the reference offer, in the order of tables."""
    able = _has(device, asked) & _has(asked.reference, asked)
    known = operations_of(asked.known, asked.scheme.operations)
    return [one for one in known if one in able]


def _has(device: AnyDevice | Specification, asked: Message) -> set[Operation]:
    """Operations that a device offers with keys of the requested size."""
    return {
        Operation(mode or "", verb)
        for name, verb, mode, key_bits in device.algorithms
        if name == asked.scheme_name and asked.key_bits in (key_bits or (0,))
    }


def _run(
    device: AnyDevice,
    operation: Operation,
    source: bytes,
    asked: Message,
    advance: Callable[[int, int | None], object],
) -> tuple[list[bytes], AnyTiming]:
    """The distinct outputs, and the timing of the median run."""

    def once() -> tuple[bytes, AnyTiming]:
        return device.run(operation.verb, source, progress=advance, **asked.asked(operation))

    output, timing = once()
    if timing.method == "simulated":
        return [output], timing
    # The first run filled caches and started threads; it is compared, not timed.
    outputs = {output}
    timings: list[AnyTiming] = []
    spent = 0.0
    while spent < LEAST_SECONDS or (len(timings) < LEAST_REPETITIONS and spent < MOST_SECONDS):
        output, timing = once()
        outputs.add(output)
        timings.append(timing)
        spent += timing.total_s
    middle = statistics.median_low(one.total_s for one in timings)
    return list(outputs), next(t for t in timings if t.total_s == middle)


def _fields(
    device: AnyDevice,
    operation: Operation,
    length: int,
    timing: AnyTiming,
    asked: Message,
) -> dict[str, Any]:
    """The measurement in the vocabulary's names; what does not apply is absent, or None."""
    fields: dict[str, Any] = {
        "algorithm": asked.known.name,
        "key_bits": asked.key_bits or None,
        "mode": operation.mode or None,
        "operation": operation.verb,
        "device": device.name,
        "bytes": length,
        "messages": 1,
        "time.total_s": timing.total_s,
        "throughput.mb_s": length / timing.total_s / 1e6,
        "method": timing.method,
        # A processor that works in its own memory transfers nothing.
        "time.transfer_s": timing.transfer_s or None,
        "time.processing_s": timing.processing_s or None,
        "architecture": device.architecture,
        "clock.mhz": device.clock_mhz,
        "clock.memory_mhz": memory_clock_mhz(device),
        "cycles.total": timing.cycles,
    }
    if timing.method == "measured":
        fields["platform"] = processor()
    if device.name.startswith(MODEL_PREFIX):
        fields["design"], _ = split_model(device.name)
    if device.stream_bits is not None:
        fields["interface"] = f"axi4-stream-{device.stream_bits}"
    if timing.cycles is not None:
        fields["cycles.per_block"] = timing.cycles / blocks(length, asked.known)
    return fields


def first_difference(output: bytes, expected: bytes) -> int:
    """Return the index of the first difference, or -1 if they are equal."""
    if output == expected:
        return -1
    for offset, (one, other) in enumerate(zip(output, expected, strict=False)):
        if one != other:
            return offset
    return min(len(output), len(expected))
