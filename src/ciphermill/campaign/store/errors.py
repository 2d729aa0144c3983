# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Errors of the results store."""

from __future__ import annotations


class StoreError(Exception):
    """The store cannot be used; the message says why and what to do."""


class StoreUnavailable(StoreError):
    """The store may work again later: a full disk, a lost connection, a lock."""
