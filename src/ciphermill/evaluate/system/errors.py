# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Errors of firmware on a simulated system."""

from __future__ import annotations


class CosimError(RuntimeError):
    """A run that gave no result; the message says why and what to do."""


class DoesNotFit(CosimError):
    """Program, keys and messages are more than the memory holds."""


class WrongOutput(CosimError):
    """The run ended, and what it put out is not the known answer."""


class Hung(CosimError):
    """The firmware did not finish within the cycles that it was given."""


class Broke(CosimError):
    """The processor stopped on an exception, or the firmware reported a failure."""
