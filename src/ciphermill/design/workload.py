# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Workload: what is asked of a design."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from ciphermill.algorithms import ALGORITHMS

from .table import AlgorithmName, Direction, Table


class Output(StrEnum):
    """Where the output goes."""

    RETURN = "return"
    SINK = "sink"


class Workload(Table):
    """What is asked of a design: one operation, over some messages."""

    algorithm: AlgorithmName = "aes"
    mode: str
    """Mode of operation, one of the algorithm's."""
    direction: Direction
    key_bits: int = 256
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
    def _possible(self) -> Self:
        algorithm = ALGORITHMS[self.algorithm]
        for name, value, allowed in (
            ("key_bits", self.key_bits, algorithm.key_bits),
            ("mode", self.mode, tuple(algorithm.modes)),
            ("direction", self.direction, algorithm.operations),
        ):
            if value not in allowed:
                listed = ", ".join(map(str, allowed))
                raise ValueError(f"{name} is {value}; {self.algorithm} has {listed}")
        return self
