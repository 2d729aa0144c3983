# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Workload: what is asked of a design."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from .design import Cipher, Direction, Table


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
    key_bits: Literal[128, 192, 256] = 256
    bytes: Annotated[int, Field(ge=0)]
    """Length of one message in bytes."""
    messages: Annotated[int, Field(ge=1)] = 1
    """Messages under one key."""
    output: Output = Output.RETURN
    """Back to the host, or consumed on the device."""
    bypass: bool = False
    """The data goes through uncoded."""
