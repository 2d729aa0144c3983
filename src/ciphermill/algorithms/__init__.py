# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The table of algorithms; each is defined in a file of its own.

No other module of the tools lists algorithms. ``docs/how-to/add-an-algorithm.md`` describes
how to add one.
"""

from __future__ import annotations

from ciphermill.names import did_you_mean

from .aes import AES
from .algorithm import DIRECTION_FLAGS, Algorithm, Mode, Rtl, Scheme, Split, Unit, Vector
from .ascon import ASCON
from .ecc import ECC
from .present import PRESENT
from .sha2 import SHA_256, SHA_512

ALGORITHMS: dict[str, Algorithm] = {
    one.name: one for one in (AES, PRESENT, ASCON, SHA_256, SHA_512, ECC)
}
"""By name, in the order of tables."""

SCHEMES: dict[str, tuple[Algorithm, Scheme]] = {
    scheme.name: (one, scheme) for one in ALGORITHMS.values() for scheme in one.schemes
}
"""Schemes of the engine by the engine's name, each with its algorithm."""


def known_name(name: str) -> str:
    """Return the name of an algorithm if there is one.

    Raises:
        ValueError: There is none; the message lists all algorithms.
    """
    if name in ALGORITHMS:
        return name
    question = did_you_mean(name, [*ALGORITHMS])
    listed = ", ".join(ALGORITHMS)
    raise ValueError(f"is {name!r}; {question + ' ' if question else ''}there are: {listed}")


def all_modes() -> tuple[str, ...]:
    """Return the modes of operation of all algorithms, each once.

    >>> all_modes()[:5]
    ('ecb', 'cbc', 'ctr', 'gcm', 'xts')
    """
    return tuple(dict.fromkeys(mode for one in ALGORITHMS.values() for mode in one.modes))


def coprocessor_folders() -> tuple[str, ...]:
    """Return the folders of ``hw/`` with the RTL of coprocessors and their cores.

    >>> coprocessor_folders()[:4]
    ('prim', 'aes', 'present', 'ascon')
    """
    cores = (
        folder
        for one in ALGORITHMS.values()
        if one.rtl is not None and any(split.coprocessor for split in one.partitions.values())
        for folder in one.rtl.folders
    )
    return tuple(dict.fromkeys(("prim", *cores, "coprocessor")))


def programs(*, with_instructions: bool = False) -> dict[str, tuple[str, ...]]:
    """Return the firmware programs, ``<algorithm>-<partition>[-<variant>]``, with their sources.

    The sources are those other than the driver, relative to ``firmware/``.

    Args:
        with_instructions: Only programs that use custom instructions of the soft core.
    """
    return {
        "-".join(part for part in (one.name, partition, variant) if part): sources
        for one in ALGORITHMS.values()
        for partition, split in one.partitions.items()
        for variant, sources in split.programs.items()
        if not with_instructions or variant in split.instructions
    }
