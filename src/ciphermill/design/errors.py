# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Errors of design files, one line for each wrong field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from ciphermill.names import did_you_mean


class DesignError(ValueError):
    """A design, platform or workload that is missing or malformed.

    The message names the file, and for every wrong field its name, what is
    wrong and which values are allowed.
    """


class ContradictionError(DesignError):
    """Every field is known and has an allowed value, but the values contradict each other."""


class CannotBeError(DesignError):
    """The request is invalid, although no file is malformed."""


class UnknownNameError(CannotBeError):
    """Nothing has this name. The message names similar ones, and all that exist."""

    def __init__(self, kind: str, name: str, names: Sequence[str]) -> None:
        """Say which names there are.

        Args:
            kind: The kind of the name, such as ``design``.
            name: The name.
            names: The names that exist.
        """
        listed = ", ".join(names) or "none"
        question = did_you_mean(name, names)
        there = f"{question} There are: {listed}" if question else f"there are: {listed}"
        super().__init__(f"no {kind} is called {name!r}; {there}")


def _field(location: Sequence[int | str]) -> str:
    """Return a field's dotted name, as in TOML: ``interface.stream_bits``."""
    name = ""
    for part in location:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    return name or "(whole file)"


def _reason(error: Mapping[str, object], allowed: Sequence[str]) -> str:
    """Return the reason for which pydantic refused a value, in plain words."""
    kind, message = error["type"], str(error["msg"])
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        return f"is not a field here; the fields are {', '.join(allowed)}"
    if kind == "value_error":  # a check of this project, whose message is complete
        return message.removeprefix("Value error, ")
    question = ""
    if kind in ("enum", "literal_error"):
        choices = re.findall(r"'([^']*)'", message)
        question = did_you_mean(str(error["input"]), choices)
    asked = f"; {question}" if question else ""
    return f"{message[:1].lower()}{message[1:]}, not {error['input']!r}{asked}"


def explain(
    source: Path | str, error: ValidationError, fields_at: Mapping[str, Sequence[str]]
) -> DesignError:
    """Turn pydantic's errors into one error with a line for each field.

    It is a ``ContradictionError`` if no single field is wrong, only their combination.

    Args:
        source: The file or other origin of the values.
        error: The error of pydantic.
        fields_at: The field names allowed in each table, by the table's dotted
            name; the whole file is the empty name.
    """
    lines = []
    contradicts = True
    findings = error.errors(include_url=False, include_context=False)
    for finding in findings:
        location = finding["loc"]
        within = [one for one in findings if one["loc"][:-1][: len(location)] == location]
        if finding["type"] == "too_short" and within:
            continue  # Pydantic does not count the tables of an array that are malformed.
        contradicts &= finding["type"] == "value_error" and (
            not location or _field(location) in fields_at
        )
        table = [part for part in location[:-1] if isinstance(part, str)]
        allowed = fields_at.get(_field(table) if table else "", ())
        reason = _reason(finding, allowed)
        prefix = "" if not location else f"{_field(location)}: "
        lines.append(f"{source}: {prefix}{reason}")
    return (ContradictionError if contradicts else DesignError)("\n".join(lines))
