# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The memory structures that host and firmware share: ``firmware/include/workload.h``.

The workload is at 0x200 of the image and the result at 0x280; keys and messages are above
the image.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Operation, System, Workload
from ciphermill.evaluate.system.errors import DoesNotFit
from ciphermill.evaluate.system.messages import Messages

WORKLOAD_ADDRESS = 0x200
RESULT_ADDRESS = 0x280
MAGIC = 0x4B574D43
"""The bytes ``CMWK``."""
KEY_CACHING, KEY_EACH = 1, 2
"""Flags of the workload."""
ALIGNMENT = 64
"""Keys and messages begin at multiples of this: a line of any soft core's cache."""

_WORKLOAD = struct.Struct("<17I")
OPERATIONS = {
    Operation.ENCRYPT: 0,
    Operation.DECRYPT: 1,
    Operation.DIGEST: 2,
    Operation.AUTHENTICATE: 3,
    Operation.GENERATE_KEY: 4,
    Operation.SIGN: 5,
    Operation.VERIFY: 6,
    Operation.AGREE: 7,
}
"""Numbers of operations (``enum workload_operation``)."""
_RESULT = struct.Struct("<2I10Q")
RESULT_BYTES = _RESULT.size

STATUS = {
    1: "the workload is malformed",
    2: "the partition does not take this algorithm, key size or operation",
    3: "the partition reported an error of its hardware, refused operands, or a tag is wrong",
    4: "a text differed after encryption and decryption",
    5: "the stack overflowed into the data below it",
}
"""Messages for the firmware's status (``enum status``)."""
STATUS_TRAP = 0x100


@dataclass(frozen=True)
class Layout:
    """The addresses of keys and messages, in bytes."""

    key: int
    input: int
    output: int
    nonce: int
    associated: int
    """Nonces and associated data; 0 if there are none."""
    input_stride: int
    """Bytes from one message to the next, a whole number of words."""
    output_stride: int
    """The same for outputs."""
    length: int
    """Bytes of all outputs."""


@dataclass(frozen=True)
class Result:
    """The firmware's report; cycles and counts are those of the measured region."""

    status: int
    cycles: int
    processor: int
    bus: int
    accelerator: int
    instructions: int
    transactions: int
    worst_message_cycles: int
    key_setup_cycles: int
    encrypt_cycles: int
    decrypt_cycles: int


def key_stride(key_bits: int) -> int:
    """Return the bytes from one key to the next in memory, a whole number of words.

    >>> key_stride(80)
    12
    """
    return (key_bits + 31) // 32 * 4


def lay_out(system: System, workload: Workload, image_end: int) -> Layout:
    """Place keys and messages above the image.

    Args:
        system: Its memory size and cipher matter.
        workload: The number and sizes of its messages and keys matter.
        image_end: First address that the firmware does not use.

    Raises:
        DoesNotFit: The memory is too small; the message says how many bytes of
            messages would fit.
    """
    count = workload.messages
    key = _aligned(image_end)
    keys = count if workload.fresh_key else 1
    source = _aligned(key + key_stride(workload.key_bits) * keys)
    text = _words(workload.bytes)
    stride = text + workload.bytes_taken - workload.bytes
    given = _words(_padded_end(workload))
    length = given * count
    target = _aligned(source + stride * count)
    end, nonce, associated = target + length, 0, 0
    algorithm = ALGORITHMS[workload.algorithm]
    if algorithm.nonce_bytes and workload.gives_text:
        nonce = _aligned(end)
        associated = _aligned(nonce + algorithm.nonce_bytes * count)
        end = associated + _words(workload.associated_bytes) * count
    if end > system.memory_bytes:
        room = max(0, (system.memory_bytes - source) // 2 // ALIGNMENT * ALIGNMENT)
        raise DoesNotFit(
            f"{workload.messages} messages of {workload.bytes} bytes do not fit beside the program "
            f"into {system.memory_bytes} bytes of memory: there is room for {room} bytes in and "
            "as many out; take shorter or fewer messages, or a larger memory_bytes"
        )
    return Layout(key, source, target, nonce, associated, stride, given, length)


def image(firmware: bytes, system: System, workload: Workload, layout: Layout) -> bytes:
    """Return the firmware's image with the workload filled in."""
    each = workload.fresh_key or system.key_caching is not None
    flags = KEY_EACH if each else 0
    if system.key_caching:  # if no key is used twice, a comparison of keys only costs cycles
        flags |= KEY_CACHING
    filled = _WORKLOAD.pack(
        MAGIC,
        ALGORITHMS[workload.algorithm].cores.system_code,
        workload.key_bits,
        OPERATIONS[workload.operation],
        workload.bytes // system.block_bytes,
        workload.messages,
        flags,
        layout.key,
        layout.input,
        layout.output,
        key_stride(workload.key_bits) if workload.fresh_key else 0,
        workload.bytes,
        workload.associated_bytes,
        layout.nonce,
        layout.associated,
        layout.input_stride,
        layout.output_stride,
    )
    end = WORKLOAD_ADDRESS + len(filled)
    return firmware[:WORKLOAD_ADDRESS] + filled + firmware[end:]


def payload(data: Messages, workload: Workload, layout: Layout) -> bytes:
    """Return the bytes from the first key on: keys, messages, nonces, associated data."""
    keys = b"".join(key.ljust(key_stride(8 * len(key)), b"\0") for key in data.keys)
    inputs = b"".join(in_words(one, workload.bytes) for one in data.inputs)
    filled = keys.ljust(layout.input - layout.key, b"\0") + inputs
    if data.nonces:
        filled = filled.ljust(layout.nonce - layout.key, b"\0") + b"".join(data.nonces)
        associated = b"".join(in_words(one, len(one)) for one in data.associated)
        filled = filled.ljust(layout.associated - layout.key, b"\0") + associated
    return filled


def expected_output(data: Messages, workload: Workload) -> bytes:
    """Return the expected content of the output memory."""
    text = workload.bytes if workload.gives_text else workload.bytes_given
    return b"".join(in_words(one, text) for one in data.expected)


def in_words(data: bytes, text_bytes: int) -> bytes:
    r"""Return a message in its memory layout: the text, padded to a whole word, then its tag.

    >>> in_words(b"texttag", 4), in_words(b"textstagg", 5)
    (b'texttag', b'texts\x00\x00\x00tagg')
    """
    text = data[:text_bytes]
    return text.ljust(_words(len(text)), b"\0") + data[text_bytes:]


def read_result(data: bytes) -> Result:
    """Return the result that the firmware wrote to ``RESULT_ADDRESS``.

    Raises:
        ValueError: The data have another length.
    """
    if len(data) != RESULT_BYTES:
        raise ValueError(f"a result has {RESULT_BYTES} bytes, not {len(data)}")
    status, _, *counts = _RESULT.unpack(data)
    return Result(status, *counts)


def explain_status(status: int) -> str:
    """Return the firmware's status in words.

    >>> explain_status(0x105)
    'the processor met an exception (cause 5)'
    """
    if status & STATUS_TRAP:
        kind = "an interrupt" if status & 0x80 else "an exception"
        return f"the processor met {kind} (cause {status & 0x7F})"
    return STATUS.get(status, f"the firmware ended with status {status}")


def _padded_end(workload: Workload) -> int:
    """Bytes of a message's output in memory."""
    if not workload.gives_text:
        return workload.bytes_given
    return _words(workload.bytes) + workload.bytes_given - workload.bytes


def _words(length: int) -> int:
    """Return a length rounded up to a whole word."""
    return (length + 3) // 4 * 4


def _aligned(address: int) -> int:
    return -(-address // ALIGNMENT) * ALIGNMENT
