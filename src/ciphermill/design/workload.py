# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Workload: what is asked of a design."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from .design import Cipher, Direction, Table

KEY_BITS: Mapping[Cipher, tuple[int, ...]] = {
    Cipher.AES: (128, 192, 256),
    Cipher.PRESENT: (80, 128),
}
"""Key sizes in bits (FIPS 197, section 5; PRESENT, CHES 2007, sections 3 and 6)."""


class Mode(StrEnum):
    """Modes of operation (SP 800-38A and SP 800-38D)."""

    ECB = "ecb"
    CBC = "cbc"
    CTR = "ctr"
    GCM = "gcm"


class Output(StrEnum):
    """Where the output goes."""

    RETURN = "return"
    SINK = "sink"


class Workload(Table):
    """What is asked of a design: one operation, over some messages."""

    cipher: Cipher = Cipher.AES
    mode: Mode
    direction: Direction
    key_bits: Literal[80, 128, 192, 256] = 256
    bytes: Annotated[int, Field(ge=0)]
    """Length of one message in bytes."""
    messages: Annotated[int, Field(ge=1)] = 1
    """Messages, under one key unless ``fresh_key``."""
    output: Output = Output.RETURN
    """Back to the host, or consumed on the device."""
    bypass: bool = False
    """The data goes through uncoded."""
    fresh_key: bool = False
    """Every message comes with a key of its own, which is sent and expanded
    within the time that counts; else one key is set before that time begins."""

    @model_validator(mode="after")
    def _key(self) -> Self:
        if self.key_bits not in KEY_BITS[self.cipher]:
            allowed = ", ".join(str(bits) for bits in KEY_BITS[self.cipher])
            raise ValueError(f"key_bits is {self.key_bits}; {self.cipher} has {allowed}")
        return self
