# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Keys and messages of a run, and the known answers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Operation, Workload


@dataclass(frozen=True)
class Messages:
    """The inputs of a run, and the expected outputs."""

    keys: tuple[bytes, ...]
    """One for all messages, or one for each; empty for a digest. None on elliptic curves, where
    keys are among the operands."""
    inputs: tuple[bytes, ...]
    """The tag of a ciphertext, if it has one, is at its end."""
    expected: tuple[bytes, ...]
    nonces: tuple[bytes, ...] = ()
    """One for each message, where the algorithm has nonces."""
    associated: tuple[bytes, ...] = ()
    """Associated data, likewise."""


def messages(workload: Workload) -> Messages:
    """Return keys, messages and answers of a workload, the same in each call.

    Keys and messages are derived by a hash, so that no two blocks are equal. The answers
    come from the algorithm's software reference.
    """
    algorithm, numbers = ALGORITHMS[workload.algorithm], range(workload.messages)
    if algorithm.exchange is not None:
        pairs = [algorithm.exchange(workload.operation, workload.key_bits, n) for n in numbers]
        return Messages((), tuple(one for one, _ in pairs), tuple(one for _, one in pairs))
    count = workload.messages if workload.fresh_key else 1
    keys = tuple(_bytes(f"key {number}", workload.key_bits // 8) for number in range(count))
    inputs = tuple(_bytes(f"message {number}", workload.bytes) for number in numbers)
    if not algorithm.nonce_bytes or not workload.gives_text:
        return Messages(keys, inputs, known_answers(workload, keys, inputs))
    nonces = tuple(_bytes(f"nonce {number}", algorithm.nonce_bytes) for number in numbers)
    associated = tuple(_bytes(f"associated {n}", workload.associated_bytes) for n in numbers)
    if workload.operation is Operation.DECRYPT:  # a wrong tag would give no plaintext
        sealing = workload.model_copy(update={"operation": Operation.ENCRYPT})
        inputs = known_answers(sealing, keys, inputs, nonces, associated)
    expected = known_answers(workload, keys, inputs, nonces, associated)
    return Messages(keys, inputs, expected, nonces, associated)


def known_answers(
    workload: Workload,
    keys: tuple[bytes, ...],
    inputs: tuple[bytes, ...],
    *extras: tuple[bytes, ...],
) -> tuple[bytes, ...]:
    """Return the outputs of messages under the keys (the last key serves all further messages).

    Args:
        workload: Algorithm and operation.
        keys: One for all messages, or one for each.
        inputs: The messages.
        extras: Nonces and associated data of the messages, where there are nonces.
    """
    reference = ALGORITHMS[workload.algorithm].reference
    return tuple(
        reference(
            workload.operation, keys[min(number, len(keys) - 1)], data, *(e[number] for e in extras)
        )
        for number, data in enumerate(inputs)
    )


def first_difference(got: bytes, expected: bytes) -> int | None:
    """Return the index of the first byte in which the two differ, or None if they are equal."""
    if got == expected:
        return None
    pairs = enumerate(zip(got, expected, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(got), len(expected)))


def _bytes(label: str, length: int) -> bytes:
    return hashlib.shake_128(f"ciphermill cosim {label}".encode()).digest(length)
