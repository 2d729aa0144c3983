# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Boolean expressions of liberty files: functions, conditions, next states.

Source: Liberty Reference Manual, ``function`` attribute. Operators by precedence, highest
first: ``!`` before and ``'`` after a name, ``^``, AND (``*``, ``&`` or a space), OR (``+``
or ``|``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

_TOKEN = re.compile(r"\s*(?:([A-Za-z_][\w\[\].$]*|[01](?!\w))|(\S))")
_BINARY = {"+": "|", "|": "|", "*": "&", "&": "&", "^": "^"}
_STRENGTH = {"(": 0, "|": 1, "&": 2, "^": 3, "!": 4}
"""The precedence of operators."""
MOST_VARIABLES = 16
"""The most variables of a truth table (65,536 rows)."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A Boolean function, in postfix order: names, ``0``, ``1``, ``!``, ``&``, ``^``, ``|``."""

    text: str
    """The text in the library."""
    postfix: tuple[str, ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """The names in it, each once, in order of appearance."""
        return tuple(dict.fromkeys(item for item in self.postfix if item not in "01!&^|"))

    def truth_table(self, inputs: Sequence[str]) -> int:
        """Return the function's values: bit i is the value for inputs with input k = bit k of i.

        Args:
            inputs: Names: all that the expression uses, and possibly more.

        Raises:
            ValueError: The expression uses another name, or there are too many inputs.
        """
        return _truth_table(self, tuple(inputs))

    def column(self, columns: Mapping[str, int], ones: int) -> int:
        """Return the function's truth table from truth tables of its names.

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
    """Return the expression in a text.

    Raises:
        ValueError: It is not an expression; the message says where.
    """
    postfix: list[str] = []
    waiting: list[str] = []
    """Operators and parentheses whose right side has not ended."""
    ended = False
    """Whether an operand stands directly before the token."""

    def error(found: str) -> ValueError:
        return ValueError(f"unexpected {found!r} in the expression {text[:80]!r}")

    def end_operands(operator: str) -> None:
        while waiting and _STRENGTH[waiting[-1]] >= _STRENGTH[operator]:
            postfix.append(waiting.pop())

    for operand, sign in _TOKEN.findall(text):
        begins = operand or sign in ("!", "(")
        if not begins and not ended:
            raise error(sign)
        if ended and (begins or sign in _BINARY):
            operator = _BINARY.get(sign, "&")  # two operands side by side: AND
            end_operands(operator)
            waiting.append(operator)
            ended = False
        if operand:
            postfix.append(operand)
            ended = True
        elif begins:
            waiting.append(sign)
        elif sign == "'":
            postfix.append("!")
        elif sign == ")":
            end_operands("|")
            if not waiting:
                raise error(sign)
            waiting.pop()
        elif sign not in _BINARY:
            raise error(sign)
    end_operands("|")
    if waiting or not ended:
        raise error("end")
    return Expression(text, tuple(postfix))
