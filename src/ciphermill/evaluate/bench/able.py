# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What devices can do with AES, and the device whose output another's must equal."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermill.algorithms import AES
from ciphermill.registry import AnyDevice, open_device, openssl


def references(names: Sequence[str]) -> dict[str, AnyDevice]:
    """By a device's name, the device whose output its own must equal: cpu, of cpu OpenSSL."""
    return {name: openssl() if name == "cpu" else open_device("cpu") for name in names}


def has_aes(device: AnyDevice, mode: str, key_bits: int, operation: str = "encrypt") -> bool:
    """Whether a device has AES in a mode with keys of a size."""
    return any(
        (algorithm, verb, able_mode) == (AES.name, operation, mode) and key_bits in (bits or ())
        for algorithm, verb, able_mode, bits in device.algorithms
    )


def key_sizes(mode: str) -> tuple[int, ...]:
    """Return the bits of AES's keys in a mode: XTS has two of 128 or 256 (SP 800-38E)."""
    return AES.key_bits if mode != "xts" else (128, 256)
