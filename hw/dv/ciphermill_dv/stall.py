# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Idle and back-pressure patterns for valid/ready streams.

A pattern is an endless iterator with one boolean a cycle: true means pause (valid or ready
held low). ``cocotbext-axi`` takes the same iterators in ``set_pause_generator``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from random import Random


def never(random: Random) -> Iterator[bool]:
    """Never pause."""
    del random
    return itertools.repeat(False)


def always(random: Random) -> Iterator[bool]:
    """Always pause, until another pattern is set."""
    del random
    return itertools.repeat(True)


def sparse(random: Random) -> Iterator[bool]:
    """Pause in about one cycle of eight."""
    while True:
        yield random.random() < 0.125


def heavy(random: Random) -> Iterator[bool]:
    """Pause in about three cycles of four."""
    while True:
        yield random.random() < 0.75


def bursts(random: Random) -> Iterator[bool]:
    """Run for up to 64 cycles, pause for up to 64 cycles, and so on."""
    while True:
        yield from itertools.repeat(False, random.randint(1, 64))
        yield from itertools.repeat(True, random.randint(1, 64))


def alternate(random: Random) -> Iterator[bool]:
    """Pause in every other cycle."""
    del random
    return itertools.cycle((False, True))


PATTERNS: dict[str, Callable[[Random], Iterator[bool]]] = {
    "never": never,
    "sparse": sparse,
    "heavy": heavy,
    "bursts": bursts,
    "alternate": alternate,
}
"""Every pattern but ``always``, by the name that coverage reports use."""
