# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The error of a request that cannot be done."""

from __future__ import annotations


class Refused(Exception):
    """A request that cannot be done; the text says why, and what to do next."""

    def __init__(self, message: str, status: int = 400) -> None:
        """Args: the message, and the HTTP status of the answer."""
        super().__init__(message)
        self.status = status
