# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What host and firmware tell each other, against firmware/include/workload.h."""

import doctest
import re
import struct

import pytest

from ciphermill.design import Partition, System, Workload, find_home
from ciphermill.evaluate.system import image
from ciphermill.evaluate.system.errors import DoesNotFit
from ciphermill.evaluate.system.messages import messages

SYSTEM = System(partition=Partition.ITERATIVE)


def workload(**fields: object) -> Workload:
    return Workload.model_validate({"mode": "ecb", "operation": "encrypt", "bytes": 32, **fields})


def header() -> str:
    return (find_home() / "firmware/include/workload.h").read_text(encoding="utf-8")


def test_examples() -> None:
    assert doctest.testmod(image).failed == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WORKLOAD_ADDRESS", image.WORKLOAD_ADDRESS),
        ("RESULT_ADDRESS", image.RESULT_ADDRESS),
        ("WORKLOAD_MAGIC", image.MAGIC),
        ("WORKLOAD_KEY_CACHING", image.KEY_CACHING),
        ("WORKLOAD_KEY_EACH", image.KEY_EACH),
    ],
)
def test_constants_are_the_firmwares(name: str, value: int) -> None:
    found = re.search(rf"#define {name} (0x[0-9A-F]+)u?\b", header(), re.IGNORECASE)
    assert found is not None
    assert int(found[1], 16) == value


def test_the_result_has_the_firmwares_layout() -> None:
    body = re.search(r"struct result \{(.*?)\};", header(), re.DOTALL)
    assert body is not None
    fields = re.findall(r"(uint32_t|uint64_t) (\w+);", body[1])
    assert sum({"uint32_t": 4, "uint64_t": 8}[kind] for kind, _ in fields) == image.RESULT_BYTES
    numbers = range(1, len(fields) + 1)
    packed = struct.pack("<2I10Q", *numbers)
    result = image.read_result(packed)
    names = [name for _, name in fields if name != "reserved"]
    ours = [name.replace("_message_cycles", "_message_cycles") for name in vars(result)]
    assert ours == names
    assert list(vars(result).values()) == [number for number in numbers if number != 2]


def test_the_workload_has_the_firmwares_layout() -> None:
    body = re.search(r"struct workload \{(.*?)\};", header(), re.DOTALL)
    assert body is not None
    names = re.findall(r"uint32_t (\w+);", body[1])
    work = workload(key_bits=192, operation="decrypt", messages=3, fresh_key=True)
    place = image.lay_out(SYSTEM, work, 0x1001)
    filled = image.image(b"\xff" * 0x400, SYSTEM, work, place)
    values = struct.unpack_from(f"<{len(names)}I", filled, image.WORKLOAD_ADDRESS)
    assert dict(zip(names, values, strict=True)) == {
        "magic": 0x4B574D43,
        "algorithm": 0,
        "key_bits": 192,
        "operation": 1,
        "blocks_per_message": 2,
        "messages": 3,
        "flags": image.KEY_EACH,
        "key_address": 0x1040,
        "input_address": 0x10C0,
        "output_address": 0x1140,
        "key_stride": 24,
        "message_bytes": 32,
        "associated_bytes": 0,
        "nonce_address": 0,
        "associated_address": 0,
        "input_stride": 32,
        "output_stride": 32,
    }
    end = image.WORKLOAD_ADDRESS + 4 * len(names)
    assert filled[: image.WORKLOAD_ADDRESS] == b"\xff" * image.WORKLOAD_ADDRESS
    assert filled[end:] == b"\xff" * (0x400 - end)


@pytest.mark.parametrize(
    ("caching", "fresh", "flags", "stride"),
    [
        (None, False, 0, 0),
        (None, True, image.KEY_EACH, 32),
        (True, False, image.KEY_EACH | image.KEY_CACHING, 0),
        (False, False, image.KEY_EACH, 0),
        (False, True, image.KEY_EACH, 32),
    ],
)
def test_keys_and_caching(caching: bool | None, fresh: bool, flags: int, stride: int) -> None:
    system = SYSTEM.model_copy(update={"key_caching": caching})
    work = workload(fresh_key=fresh)
    filled = image.image(bytes(0x400), system, work, image.lay_out(system, work, 0x1000))
    values = struct.unpack_from("<11I", filled, image.WORKLOAD_ADDRESS)
    assert (values[6], values[10]) == (flags, stride)


def test_the_payload_is_keys_and_messages_at_their_places() -> None:
    work = workload(messages=3, fresh_key=True, key_bits=128)
    place = image.lay_out(SYSTEM, work, 0x1000)
    data = messages(work)
    payload = image.payload(data, work, place)
    for number, key in enumerate(data.keys):
        assert payload[16 * number :][:16] == key
    assert payload[place.input - place.key :] == b"".join(data.inputs)
    assert len(set(data.keys)) == len(set(data.inputs)) == 3


def test_what_the_memory_cannot_hold_is_refused_with_what_fits() -> None:
    most = (SYSTEM.memory_bytes - 0x1040) // 2 // 64 * 64
    place = image.lay_out(SYSTEM, workload(bytes=most), 0x1000)
    assert place.output + most <= SYSTEM.memory_bytes < place.output + most + 128
    with pytest.raises(DoesNotFit, match=rf"room for {most} bytes"):
        image.lay_out(SYSTEM, workload(bytes=most + 64), 0x1000)
