# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Boolean expressions of liberty files: functions, conditions, next states.

Source: Liberty Reference Manual, ``function`` attribute. Operators, the tightest
first: ``!`` before and ``'`` after a name, ``^``, AND (``*``, ``&`` or a mere
space), OR (``+`` or ``|``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

_TOKEN = re.compile(r"\s*(?:([A-Za-z_][\w\[\].$]*)|([01])(?!\w)|(\S))")
MOST_DEPTH = 100
"""Depth of parentheses beyond which an expression is refused."""
MOST_VARIABLES = 16
"""Variables beyond which no truth table is made (65,536 rows)."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A Boolean function, in postfix order: names, ``0``, ``1``, ``!``, ``&``, ``^``, ``|``."""

    text: str
    """As the library has it."""
    postfix: tuple[str, ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """The names in it, each once, in order of appearance."""
        return tuple(dict.fromkeys(item for item in self.postfix if item not in "01!&^|"))

    def truth_table(self, inputs: Sequence[str]) -> int:
        """Return the function's values: bit i is that where input k is bit k of i.

        Args:
            inputs: Names; all that the expression uses, and maybe more.

        Raises:
            ValueError: The expression uses another name, or there are too many inputs.
        """
        return _truth_table(self, tuple(inputs))

    def column(self, columns: Mapping[str, int], ones: int) -> int:
        """Return the function's truth table for given truth tables of its names.

        Args:
            columns: A truth table by name.
            ones: The table that is 1 in every row.

        Raises:
            KeyError: A name has none.
        """
        stack: list[int] = []
        for item in self.postfix:
            if item == "!":
                stack.append(ones ^ stack.pop())
            elif item in "&^|":
                right, left = stack.pop(), stack.pop()
                stack.append(
                    left & right if item == "&" else left ^ right if item == "^" else left | right
                )
            elif item in "01":
                stack.append(ones if item == "1" else 0)
            else:
                stack.append(columns[item])
        return stack.pop()


@cache
def input_column(k: int, inputs: int) -> int:
    """Return the truth table of input k alone among some inputs."""
    period = 2 << k
    block = ((1 << (1 << k)) - 1) << (1 << k)
    return sum(block << (period * i) for i in range((1 << inputs) // period))


@cache
def _truth_table(expression: Expression, inputs: tuple[str, ...]) -> int:
    if len(inputs) > MOST_VARIABLES:
        raise ValueError(f"more than {MOST_VARIABLES} inputs")
    columns = {name: input_column(k, len(inputs)) for k, name in enumerate(inputs)}
    try:
        return expression.column(columns, (1 << (1 << len(inputs))) - 1)
    except KeyError as error:
        raise ValueError(f"unknown name {error} in {expression.text!r}") from None


def parse_expression(text: str) -> Expression:
    """Return the expression that a text stands for.

    Raises:
        ValueError: It is none; the message says where.
    """
    return Expression(text, tuple(_Parser(text).parse()))


class _Parser:
    """Recursive descent over the texts of one expression."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [found[1] or found[2] or found[3] for found in _TOKEN.finditer(text)]
        self._at = 0
        self._depth = 0
        self._out: list[str] = []

    def parse(self) -> list[str]:
        self._or()
        if self._at < len(self._tokens):
            raise self._error(self._tokens[self._at])
        return self._out

    def _error(self, found: str) -> ValueError:
        return ValueError(f"unexpected {found!r} in the expression {self._text[:80]!r}")

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _or(self) -> None:
        self._and()
        while self._peek() and self._peek() in "+|":
            self._at += 1
            self._and()
            self._out.append("|")

    def _and(self) -> None:
        self._xor()
        while (found := self._peek()) and (found in "&*!(01" or _is_name(found)):
            if found in "&*":
                self._at += 1
            self._xor()
            self._out.append("&")

    def _xor(self) -> None:
        self._unary()
        while self._peek() == "^":
            self._at += 1
            self._unary()
            self._out.append("^")

    def _unary(self) -> None:
        inversions = 0
        while self._peek() == "!":
            self._at += 1
            inversions += 1
        found = self._peek()
        if not found:
            raise self._error("end")
        self._at += 1
        if found == "(":
            self._depth += 1
            if self._depth > MOST_DEPTH:
                raise ValueError(f"more than {MOST_DEPTH} parentheses in an expression")
            self._or()
            if self._peek() != ")":
                raise self._error(self._peek() or "end")
            self._at += 1
            self._depth -= 1
        elif found in "01" or _is_name(found):
            self._out.append(found)
        else:
            raise self._error(found)
        while self._peek() == "'":
            self._at += 1
            inversions += 1
        if inversions % 2:
            self._out.append("!")


def _is_name(text: str) -> bool:
    return text[0].isalpha() or text[0] == "_"
