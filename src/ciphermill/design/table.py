# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the models of designs, platforms and workloads share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from ciphermill.algorithms import known_name

NAME_PATTERN = r"^[a-z0-9][a-z0-9.+_-]{0,63}$"
"""Names of designs, platforms and workloads: they become file names."""


AlgorithmName = Annotated[str, AfterValidator(known_name)]
"""The name of an algorithm that there is (``ciphermill.algorithms``)."""


class Direction(StrEnum):
    """What a cipher does with a message."""

    ENCRYPT = "encrypt"
    DECRYPT = "decrypt"


class Operation(StrEnum):
    """What is done with a message, by any algorithm."""

    ENCRYPT = "encrypt"
    DECRYPT = "decrypt"
    DIGEST = "digest"


class Table(BaseModel):
    """A TOML table: unknown fields are refused, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
