# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Weighing: what is compared with what, and what is timed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from ciphermill.algorithms import AES, ASCON, PRESENT
from ciphermill.design import Measurement, Software
from ciphermill.design.operations import Operation, blocks, operations_of, pad
from ciphermill.evaluate.device import weigh as module
from ciphermill.evaluate.device.weigh import DEVICE, Message
from ciphermill.evaluate.evaluator import Cancelled, Progress
from ciphermill.software import SoftwareTiming

WEIGHED = operations_of(AES)
REFERENCE = "software"


@dataclass
class Fake:
    """A device whose cipher is XOR with the key's first byte."""

    name: str
    clock_mhz: float | None = None
    stream_bits: int | None = None
    architecture: str | None = None
    wrong: Operation | None = None
    transfer_s: float = 0.25
    description: str = "some device"
    times: list[float] = field(default_factory=lambda: [1.0])
    operations: list[tuple[str, str]] = field(
        default_factory=lambda: [(one.mode, one.verb) for one in WEIGHED]
    )
    others: list[tuple[str, str, str | None, list[int]]] = field(default_factory=list)
    calls: list[Operation] = field(default_factory=list)

    @property
    def algorithms(self) -> list[tuple[str, str, str | None, list[int]]]:
        of_aes = [
            ("aes", verb, mode, [128, 256] if mode == "xts" else [128, 192, 256])
            for mode, verb in self.operations
        ]
        return [*of_aes, *self.others]

    def run(
        self,
        operation: str,
        data: bytes,
        *,
        algorithm: str,
        mode: str | None = None,
        key: bytes | None = None,
        iv: bytes | None = None,
        data_unit_bytes: int | None = None,
        progress: Callable[[int, int | None], object] | None = None,
    ) -> tuple[bytes, SoftwareTiming]:
        asked = Operation(mode or "", operation)
        assert len(iv or b"") == {"ecb": 0, "gcm": 12, None: len(key or b"")}.get(mode, 16)
        assert len(key or b"") in ((32, 64) if mode == "xts" else (16, 24, 32) if key else (0,))
        assert data_unit_bytes == (4096 if mode == "xts" else None)
        self.calls.append(asked)
        if progress:
            progress(len(data), len(data))
        output = bytearray(byte ^ key[0] for byte in data) if key else bytearray(32)
        if asked == self.wrong:
            output[5] ^= 1
        seconds = self.times[(len(self.calls) - 1) % len(self.times)]
        if self.clock_mhz:
            return bytes(output), SoftwareTiming(seconds, self.transfer_s, 0.5, 300, "simulated")
        return bytes(output), SoftwareTiming(seconds, self.transfer_s, 0.5, None, "measured")


def fake(*about: Any, **more: Any) -> Any:
    """Return a fake where a device of the engine is asked for."""
    return Fake(*about, **more)


def weigh(
    data: bytes,
    devices: Sequence[Any],
    reference: Any,
    key_bits: int = 256,
    progress: Progress | None = None,
) -> list[Measurement]:
    asked = Message("m", data, key_bits, {REFERENCE: reference})
    return [
        one for device in devices for one in module.weigh(device, asked, progress or Progress())
    ]


def test_padding() -> None:
    assert pad(b"", 16) == bytes([16]) * 16
    assert pad(b"a" * 15, 16) == b"a" * 15 + b"\1"
    assert len(pad(bytes(32), 16)) == 48
    assert [blocks(n, AES) for n in (0, 1, 16, 17)] == [0, 1, 1, 2]


def test_every_operation_of_every_device_is_measured_in_order() -> None:
    devices = [Fake("model:b", 100.0, 128), Fake("software")]
    found = weigh(b"x" * 40, devices, Fake("reference"))
    assert [(m.device, m.mode, m.operation) for m in found] == [
        (device.name, operation.mode, operation.verb) for device in devices for operation in WEIGHED
    ]
    assert all(m.correct for m in found)


def test_an_operation_that_a_device_or_the_reference_lacks_is_left_out() -> None:
    some = [("ecb", "encrypt"), ("gcm", "decrypt"), ("xts", "encrypt")]
    device = Fake("software", operations=some)
    assert [m.mode for m in weigh(b"x", [device], Fake("reference"))] == [
        "ecb",
        "gcm",
        "xts",
    ]
    reference = Fake("reference", operations=[("ecb", "encrypt"), ("gcm", "encrypt")])
    assert [m.mode for m in weigh(b"x", [device], reference)] == ["ecb"]
    none_of_192 = weigh(b"x", [device], Fake("reference"), key_bits=192)
    assert [m.mode for m in none_of_192] == ["ecb", "gcm"]


def test_fields_of_a_simulated_device() -> None:
    device = Fake("model:b", 100.0, 128, "pipelined")
    found = weigh(b"x" * 40, [device], Fake("reference"), key_bits=128)
    by_mode = {(m.mode, m.operation): m.to_json() for m in found}
    assert by_mode["ctr", "encrypt"] == {
        "algorithm": "aes",
        "key_bits": 128,
        "mode": "ctr",
        "operation": "encrypt",
        "device": "model:b",
        "design": "b",
        "architecture": "pipelined",
        "interface": "axi4-stream-128",
        "bytes": 40,
        "messages": 1,
        "clock.mhz": 100.0,
        "cycles.total": 300,
        "cycles.per_block": 100.0,
        "time.total_s": 1.0,
        "time.transfer_s": 0.25,
        "time.processing_s": 0.5,
        "throughput.mb_s": 40 / 1e6,
        "workload": "m",
        "correct": True,
        "method": "simulated",
    }
    # ECB and CBC take the padded message.
    assert by_mode["cbc", "decrypt"]["bytes"] == 48


ASCON_DONE: dict[str, list[tuple[str, str, str | None, list[int]]]] = {
    "ascon-aead128": [("ascon-aead128", verb, None, [128]) for verb in ("encrypt", "decrypt")],
    "ascon-hash256": [("ascon-hash256", "digest", None, [])],
}


@pytest.mark.parametrize(("scheme", "key_bits"), [("ascon-aead128", 128), ("ascon-hash256", 0)])
def test_what_has_no_modes_is_weighed_in_each_of_its_operations(scheme: str, key_bits: int) -> None:
    cpu, model = (
        fake(name, clock, others=ASCON_DONE["ascon-aead128"] + ASCON_DONE["ascon-hash256"])
        for name, clock in (("cpu", None), ("model:b", 100.0))
    )
    asked = Message("m", b"x" * 40, key_bits, {"cpu": cpu}, scheme)
    found = module.weigh(model, asked, Progress())
    assert [m.operation for m in found] == [verb for _, verb, *_ in ASCON_DONE[scheme]]
    for seen in found:
        assert (seen.algorithm, seen.mode, seen.key_bits) == (ASCON.name, None, key_bits or None)
        # A tag is no part of the length; the last block is a partial one.
        assert (seen.bytes, seen.cycles_per_block, seen.correct) == (40, 100.0, True)


class Presented(Fake):
    """A device with PRESENT, which decrypts wrongly."""

    def run(
        self, operation: str, data: bytes, *, key: bytes | None = None, **_: Any
    ) -> tuple[bytes, SoftwareTiming]:
        output = bytearray(PRESENT.reference(operation, key, data))
        output[9] ^= operation == "decrypt"
        return bytes(output), SoftwareTiming(1.0, 0.25, 0.5, 300, "simulated")


def test_what_no_software_device_has_is_compared_with_its_reference() -> None:
    every = [(verb, mode) for mode in ("ecb", "ctr") for verb in PRESENT.operations]
    device: Any = Presented("model:b", 100.0)
    device.others = [("present", verb, mode, [80, 128]) for verb, mode in every]
    found = module.weigh(device, Message("m", b"x" * 20, 80, {}, "present"), Progress())
    # The reference has no mode but ECB.
    assert [(m.operation, m.mode, m.bytes) for m in found] == [
        ("encrypt", "ecb", 24),
        ("decrypt", "ecb", 24),
    ]
    assert [(m.correct, m.wrong_byte) for m in found] == [(True, None), (False, 9)]


def test_a_digest_that_is_wrong_is_found() -> None:
    cpu = fake("cpu", others=ASCON_DONE["ascon-hash256"])
    bad = fake("bad", others=cpu.others, wrong=Operation("", "digest"))
    asked = Message("m", b"x", 0, {"cpu": cpu}, "ascon-hash256")
    assert [m.wrong_byte for m in module.weigh(bad, asked, Progress())] == [5]


def test_a_part_of_the_time_that_is_not_there_is_absent() -> None:
    device = Fake("software", transfer_s=0.0)
    fields = weigh(b"x", [device], Fake("reference"))[0].to_json()
    assert "time.transfer_s" not in fields
    assert fields["time.processing_s"] == 0.5


def test_a_board_has_a_clock_of_its_memory() -> None:
    board = Fake("model:board", description="board, 70 MHz, 4 memory banks, 33.5 MHz, simulated")
    assert weigh(b"x", [board], Fake("reference"))[0].clock_memory_mhz == 33.5


def test_median_of_repetitions_without_the_first() -> None:
    device = Fake("software", times=[0.9, 0.03, 0.01, 0.02, 0.05, 0.04, 0.07, 0.06])
    found = weigh(b"x", [device], Fake("reference"))
    assert [m.time_total_s for m in found] == [0.04] * len(WEIGHED)
    assert found[0].cycles_total is None
    assert found[0].platform


def test_simulated_devices_run_each_operation_once() -> None:
    device = Fake("model:b", 100.0)
    weigh(b"x", [device], Fake("reference"))
    assert device.calls == list(WEIGHED)


@pytest.mark.parametrize("operation", WEIGHED)
@pytest.mark.parametrize("clock", [None, 100.0])
def test_a_wrong_byte_is_found(operation: Operation, clock: float | None) -> None:
    found = weigh(
        b"x" * 40, [Fake("good"), Fake("model:bad", clock, wrong=operation)], Fake("reference")
    )
    wrong = [m for m in found if not m.correct]
    assert [(m.device, m.mode, m.operation) for m in wrong] == [
        ("model:bad", operation.mode, operation.verb)
    ]
    assert [m.wrong_byte for m in wrong] == [5]


def test_an_output_of_another_length_differs() -> None:
    assert module.first_difference(b"abc", b"ab") == 2
    assert module.first_difference(b"", b"ab") == 0
    assert module.first_difference(b"ab", b"ab") == -1


def test_an_empty_message_is_refused() -> None:
    with pytest.raises(ValueError, match="an empty message cannot be weighed"):
        weigh(b"", [Fake("a")], Fake("a"))


def test_progress_rises_to_one() -> None:
    seen: list[tuple[str, float]] = []
    told = Progress(advance=lambda name, part: seen.append((name, part)))
    weigh(b"x", [Fake("a")], Fake("a"), progress=told)
    fractions = [part for _, part in seen]
    assert fractions[-1] == 1.0
    assert fractions == sorted(fractions)


def test_a_cancelled_weighing_ends_within_an_operation() -> None:
    device, told = Fake("a"), Progress()
    told.cancelled.set()
    with pytest.raises(Cancelled):
        weigh(b"x", [device], Fake("reference"), progress=told)
    assert len(device.calls) == 1


def test_all_devices_get_the_same_texts() -> None:
    reference = Fake("reference")
    weigh(b"x", [Fake("a"), Fake("b")], reference)
    assert len(reference.calls) == len({one.mode for one in WEIGHED})


def test_a_software_design_is_weighed_as_its_device() -> None:
    design = Software(name="plain", device="fast")
    reference, device = fake(REFERENCE), fake("fast")
    asked = Message("m", b"text", devices={REFERENCE: reference, "fast": device})
    assert DEVICE.answers(design, None, asked)
    assert DEVICE.alone(design)
    found = DEVICE.evaluate(design, None, asked, Progress())
    assert {one.device for one in found} == {"fast"}
