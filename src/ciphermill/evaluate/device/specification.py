# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A block cipher's reference implementation in the place of a device.

For ciphers that no device of the processor has.
"""

from __future__ import annotations

from dataclasses import dataclass

from ciphermill.algorithms import SCHEMES

_MODE = "ecb"
"""References process each block independently."""


@dataclass(frozen=True)
class Specification:
    """What outputs are compared with. It is slow and never timed."""

    scheme_name: str

    @property
    def algorithms(self) -> list[tuple[str, str, str | None, list[int]]]:
        """What it does, as ``ciphermill.Device`` lists it."""
        known, scheme = SCHEMES[self.scheme_name]
        return [(scheme.name, verb, _MODE, list(known.key_bits)) for verb in scheme.operations]

    def run(self, operation: str, data: bytes, *, key: bytes, **_: object) -> tuple[bytes, None]:
        """Return the right output, and no timing."""
        known, _scheme = SCHEMES[self.scheme_name]
        return known.reference(operation, key, data), None
