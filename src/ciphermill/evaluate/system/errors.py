# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Errors of firmware on a simulated system."""

from __future__ import annotations


class CosimError(RuntimeError):
    """A run that gave no result; the message says why and what to do."""


class DoesNotFit(CosimError):
    """Program, keys and messages do not fit into the memory."""


class WrongOutput(CosimError):
    """The run ended, and its output is not the known answer."""


class Hung(CosimError):
    """The firmware did not finish within the cycle limit."""


class Broke(CosimError):
    """The processor stopped on an exception, or the firmware reported a failure."""
