# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Workloads: the tasks of designs."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from ciphermill.algorithms import ALGORITHMS

from .table import AlgorithmName, Operation, Table


class Workload(Table):
    """The task of a design: one operation, over some messages."""

    algorithm: AlgorithmName = "aes"
    operation: Operation
    mode: str = ""
    """Mode of operation, one of the algorithm's; empty if it has none."""
    key_bits: int = 256
    """Key size in bits, or bits of an elliptic curve; 0 for a digest."""
    bytes: Annotated[int, Field(ge=0)]
    """Length of one message in bytes, without its tag; of all operands of an operation on an
    elliptic curve."""
    associated_bytes: Annotated[int, Field(ge=0)] = 0
    """Bytes of associated data with each message, of authenticated encryption."""
    messages: Annotated[int, Field(ge=1)] = 1
    """Messages, under one key unless ``fresh_key``."""
    fresh_key: bool = False
    """Every message has a key of its own, which is sent and expanded within the measured time;
    otherwise one key is set before it."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        algorithm = ALGORITHMS[self.algorithm]
        keyed = self.operation is not Operation.DIGEST
        for name, value, allowed in (
            ("operation", self.operation, algorithm.operations),
            ("key_bits", self.key_bits, algorithm.key_bits_of(self.operation)),
            ("mode", self.mode, tuple(algorithm.modes) or ("",)),
        ):
            if value not in allowed:
                listed = ", ".join(map(str, allowed)) or "none"
                raise ValueError(f"{name} is {value}; {self.algorithm} has {listed}")
        if self.associated_bytes and not (keyed and algorithm.nonce_bytes):
            raise ValueError(
                f"associated_bytes is {self.associated_bytes}; {self.operation} of "
                f"{self.algorithm} takes no associated data"
            )
        if self.operation in algorithm.integers:
            needed = algorithm.operand_bytes(self.operation, self.key_bits)
            if self.bytes != needed:
                raise ValueError(
                    f"bytes is {self.bytes}; the operands of {self.operation} with {self.key_bits} "
                    f"bits have {needed}"
                )
            if self.fresh_key:
                raise ValueError(f"fresh_key does not apply to {self.operation}: keys are operands")
        return self

    @property
    def gives_text(self) -> bool:
        """Whether it turns each text into another: to encrypt or decrypt."""
        return self.operation in (Operation.ENCRYPT, Operation.DECRYPT)

    @property
    def bytes_taken(self) -> int:
        """Bytes of input for a message, including a tag."""
        return ALGORITHMS[self.algorithm].bytes_taken(self.operation, self.bytes)

    @property
    def bytes_given(self) -> int:
        """Bytes of output for a message, including a tag."""
        return ALGORITHMS[self.algorithm].bytes_given(self.operation, self.bytes)

    @property
    def blocks(self) -> int:
        """Blocks of all messages."""
        return self.messages * ALGORITHMS[self.algorithm].block_count(self.bytes)
