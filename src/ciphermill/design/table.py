# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The base class of designs, platforms and workloads."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from ciphermill.algorithms import known_name

NAME_PATTERN = r"^[a-z0-9][a-z0-9.+_-]{0,63}$"
"""Names of designs, platforms and workloads, which become file names."""


AlgorithmName = Annotated[str, AfterValidator(known_name)]
"""The name of an existing algorithm (``ciphermill.algorithms``)."""


class Direction(StrEnum):
    """Direction of a cipher."""

    ENCRYPT = "encrypt"
    DECRYPT = "decrypt"


class Operation(StrEnum):
    """An operation of any algorithm."""

    ENCRYPT = "encrypt"
    DECRYPT = "decrypt"
    DIGEST = "digest"
    AUTHENTICATE = "authenticate"
    GENERATE_KEY = "generate-key"
    SIGN = "sign"
    VERIFY = "verify"
    AGREE = "agree"


class Table(BaseModel):
    """A TOML table: it refuses unknown fields and is immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
