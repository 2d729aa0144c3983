# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Looking for secrets in every register and memory of a simulated design."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cocotb.handle import (
    ArrayObject,
    HierarchyArrayObject,
    HierarchyObject,
    LogicArrayObject,
    LogicObject,
    PackedObject,
)

from .parameters import ports_only

WORD = 4  # length of the words searched for, in bytes; shorter ones occur by chance


Signal = LogicObject | LogicArrayObject | PackedObject
"""A signal of one bit or more. cocotb has a class of its own for one bit."""


def signals(handle: Any, path: str = "") -> Iterator[tuple[str, Signal]]:
    """Yield every signal below a handle, with its path, and every word of its memories."""
    if isinstance(handle, Signal):
        yield path, handle
    elif isinstance(handle, ArrayObject):
        for index in handle.range:
            yield from signals(handle[index], f"{path}[{index}]")
    elif isinstance(handle, (HierarchyObject, HierarchyArrayObject)):
        for child in handle:
            yield from signals(child, f"{path}.{child._name}" if path else child._name)


def _need_sight() -> None:
    if ports_only():
        raise RuntimeError("built with PORTS_ONLY, which hides what is to be searched")


def words_of(secrets: Iterable[bytes]) -> set[bytes]:
    """Return the words of some secrets."""
    return {
        secret[n : n + WORD]
        for secret in secrets
        for n in range(0, len(secret) - WORD + 1, WORD)
        if any(secret[n : n + WORD])
    }


def find(handle: Any, secrets: Iterable[bytes]) -> list[str]:
    """Return the paths of all signals that hold a word of a secret, at any byte or bit."""
    _need_sight()
    wanted = {int.from_bytes(word, "little") for word in words_of(secrets)}
    found = []
    for path, signal in signals(handle):
        if isinstance(signal, LogicObject) or len(signal) < 8 * WORD:
            continue
        if not signal.value.is_resolvable:
            continue
        value = int(signal.value)
        while value:
            if value & 0xFFFF_FFFF in wanted:
                found.append(path)
                break
            value >>= 1
    return found


OUTPUTS = frozenset(["block_o", "block_tag_o", "hash_o"])
"""Outputs of cores that are registers."""
ASSERTIONS = frozenset(["armed_q", "watched_q"])
"""Registers of assertions, which tell that there has been a reset."""


def nonzero_registers(scope: Any, allowed: frozenset[str] = frozenset()) -> list[str]:
    """Return the paths of registers and memories below a scope that are not all zero.

    A register is a signal named ``*_q``, one of ``OUTPUTS``, or a word of an array that is
    not called ``*Table``. Names in ``allowed`` are skipped: control state without key or data.
    """
    _need_sight()
    found = []
    for child in scope:
        name = child._name
        if name.endswith(("_i", "Table")) or name in allowed | ASSERTIONS:
            continue
        if isinstance(child, (HierarchyObject, HierarchyArrayObject)):
            found += nonzero_registers(child, allowed)
        elif isinstance(child, ArrayObject) or name.endswith("_q") or name in OUTPUTS:
            path = child._path
            found += [f"{path}{at}" for at, word in signals(child) if int(word.value)]
    return found
