# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Expressions over figures: the objectives and constraints of a space.

An expression names figures as measurements do (``area.lut``, ``cycles.per_block``), and
combines them with ``+ - * / **``, comparisons, ``and``, ``or``, ``not``, parentheses, and the
functions ``min``, ``max``, ``abs``, ``log2`` and ``ceil``. Python's parser reads it; only the
syntax that is listed here is accepted, and nothing is ever given to ``eval``.
"""

from __future__ import annotations

import ast
import contextlib
import math
import operator
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from ciphermill.names import did_you_mean

from .errors import DesignError
from .measurement import Measurement
from .space import plain_type

MOST_CHARACTERS = 500
"""The longest expression."""
MOST_DEPTH = 32
"""The deepest nesting of an expression."""
MOST_POWER = 64
"""The largest exponent, of either sign."""

_BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: Mapping[str, tuple[Callable[..., float], int, int]] = {
    "min": (min, 2, 16),
    "max": (max, 2, 16),
    "abs": (abs, 1, 1),
    "log2": (math.log2, 1, 1),
    "ceil": (math.ceil, 1, 1),
}
"""Functions, with the fewest and the most arguments."""


class ExpressionError(DesignError):
    """An expression that is malformed, or that has no value for the given figures."""


class MissingFigureError(ExpressionError):
    """A figure of the expression was not measured."""

    def __init__(self, text: str, name: str, there: Iterable[str]) -> None:
        """Say which figure is missing.

        Args:
            text: The expression.
            name: The figure.
            there: The figures that were measured.
        """
        self.name = name
        question = did_you_mean(name, there)
        asked = f"; {question}" if question else ""
        super().__init__(f"{text!r}: {name} was not measured{asked}")


@cache
def known_figures() -> tuple[str, ...]:
    """Return the names of all figures that a measurement can have, sorted."""
    fields = Measurement.model_fields.items()
    numbers = [
        field.alias or name
        for name, field in fields
        if plain_type(field.annotation) in (int, float, bool)
    ]
    return tuple(sorted(name for name in numbers if "." in name or name == "correct"))


def figures_of(seen: Measurement) -> dict[str, float]:
    """Return the figures of a measurement by dotted name; a truth value is 1 or 0."""
    values = seen.model_dump(by_alias=True, exclude_none=True)
    return {name: float(values[name]) for name in known_figures() if name in values}


@dataclass(frozen=True)
class Expression:
    """An expression that was checked."""

    text: str
    names: tuple[str, ...]
    """The figures that it needs, in the order in which it names them."""
    _tree: ast.expr

    def value(self, figures: Mapping[str, float]) -> float:
        """Return its value; of a comparison 1 if it holds and 0 otherwise.

        Raises:
            MissingFigureError: A figure is missing.
            ExpressionError: It has no finite value, as after a division by zero.
        """
        for name in self.names:
            if name not in figures:
                raise MissingFigureError(self.text, name, figures)
        try:
            found = _value(self._tree, figures)
        except (ArithmeticError, ValueError) as error:
            raise ExpressionError(f"{self.text!r}: has no value: {error}") from error
        if not math.isfinite(found):
            raise ExpressionError(f"{self.text!r}: has no finite value")
        return float(found)

    def margin(self, figures: Mapping[str, float]) -> float:
        """Return how far a constraint is from breaking: at most 0 if it holds, else above.

        Of ``a < b`` it is ``a - b``; an equal pair of a strict comparison is just above 0.
        Parts of ``and`` and ``or`` that have no value do not count, nor does a distance that
        is not finite.

        Raises:
            ExpressionError: As for ``value``.
        """
        holds = bool(self.value(figures))
        far = abs(_margin(self._tree, figures))
        if not math.isfinite(far):
            far = 0.0
        if holds:
            return -far
        return max(far, math.ulp(1.0))


def parse(text: str, known: Iterable[str] | None = None) -> Expression:
    """Return an expression.

    Args:
        text: The expression.
        known: The names that it may use; any name unless given.

    Raises:
        ExpressionError: It is malformed, too long or too deep, or uses a name that is not
            known. The message says where.
    """
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(
            f"{text[:40]!r}...: has {len(text)} characters; at most are {MOST_CHARACTERS}"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        at = f" at character {error.offset}" if error.offset else ""
        raise ExpressionError(f"{text!r}: is not an expression{at}: {error.msg}") from error
    except (ValueError, MemoryError, RecursionError) as error:
        raise ExpressionError(f"{text!r}: is not an expression: {error}") from error
    reader = _Reader(text.strip(), None if known is None else tuple(known))
    reader.check(tree, 0)
    return Expression(text.strip(), tuple(dict.fromkeys(reader.names)), tree)


class _Reader:
    """Checks the tree of an expression, and collects its names."""

    def __init__(self, text: str, known: tuple[str, ...] | None) -> None:
        self.text = text
        self.known = known
        self.names: list[str] = []

    def check(self, node: ast.expr, depth: int) -> None:
        if depth > MOST_DEPTH:
            raise self._error(node, f"is nested more than {MOST_DEPTH} deep")
        for one in self._parts(node):
            self.check(one, depth + 1)

    def _parts(self, node: ast.expr) -> list[ast.expr]:
        """Return the operands of a node, which is one of those that are allowed."""
        match node:
            case ast.Constant(value=bool() | int() | float() as value):
                self._check_number(node, value)
                return []
            case ast.Name() | ast.Attribute():
                self._take_name(node)
                return []
            case ast.BinOp() if type(node.op) in _BINARY:
                if isinstance(node.op, ast.Pow):
                    self._check_power(node.right)
                return [node.left, node.right]
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Not()):
                return [node.operand]
            case ast.BoolOp():
                return node.values
            case ast.Compare() if all(type(one) in _COMPARISONS for one in node.ops):
                return [node.left, *node.comparators]
            case ast.Call(func=ast.Name(id=name), keywords=[]):
                self._check_call(node, name)
                return node.args
            case ast.Call():
                listed = ", ".join(_FUNCTIONS)
                raise self._error(node, f"is not a call that is possible; functions are {listed}")
        raise self._error(node, "is not possible here; see docs/reference/explore.md")

    def _check_number(self, node: ast.expr, value: float) -> None:
        try:
            finite = math.isfinite(float(value))
        except OverflowError:
            finite = False
        if not finite:
            raise self._error(node, "is too large a number")

    def _check_power(self, node: ast.expr) -> None:
        sign = node.operand if isinstance(node, ast.UnaryOp) else node
        if not isinstance(sign, ast.Constant) or not isinstance(sign.value, int | float):
            raise self._error(node, "is not a number; the exponent of ** is one")
        if abs(sign.value) > MOST_POWER:
            raise self._error(node, f"is too large an exponent; at most is {MOST_POWER}")

    def _check_call(self, node: ast.Call, name: str) -> None:
        if name not in _FUNCTIONS:
            question = did_you_mean(name, _FUNCTIONS)
            asked = f"; {question}" if question else ""
            listed = ", ".join(_FUNCTIONS)
            raise self._error(node, f"is no function; there are {listed}{asked}")
        _, fewest, most = _FUNCTIONS[name]
        if not fewest <= len(node.args) <= most:
            count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            raise self._error(node, f"has {len(node.args)} arguments; {name} takes {count}")

    def _take_name(self, node: ast.expr) -> None:
        name = _dotted(node)
        if name is None:
            raise self._error(node, "is no name of a figure")
        if self.known is not None and name not in self.known:
            question = did_you_mean(name, self.known)
            asked = question or "docs/reference/measurements.md lists them"
            raise self._error(node, f"is no figure; {asked}")
        self.names.append(name)

    def _error(self, node: ast.expr, why: str) -> ExpressionError:
        start, end = node.col_offset, node.end_col_offset
        # Offsets are in bytes of UTF-8.
        part = self.text.encode()[start:end].decode(errors="replace")
        shown = part if len(part) <= 40 else f"{part[:37]}..."
        place = len(self.text.encode()[:start].decode(errors="replace")) + 1
        return ExpressionError(f"{self.text!r}: {shown!r} at character {place} {why}")


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return None if before is None else f"{before}.{node.attr}"
    return None


def _value(node: ast.expr, figures: Mapping[str, float]) -> float:
    """Return the value of a node that ``_Reader`` has checked."""
    match node:
        case ast.Constant(value=bool() | int() | float() as value):
            return float(value)
        case ast.Name() | ast.Attribute():
            return float(figures[_dotted(node) or ""])
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_value(left, figures), _value(right, figures))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return float(not _value(operand, figures))
        case ast.UnaryOp(op=op, operand=operand):
            found = _value(operand, figures)
            return -found if isinstance(op, ast.USub) else found
        case ast.BoolOp(op=op, values=values):
            truths = (bool(_value(one, figures)) for one in values)
            return float(all(truths) if isinstance(op, ast.And) else any(truths))
        case ast.Compare(left=left, ops=ops, comparators=rest):
            numbers = [_value(one, figures) for one in (left, *rest)]
            pairs = zip(ops, numbers, numbers[1:], strict=False)
            return float(all(_COMPARISONS[type(op)](a, b) for op, a, b in pairs))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            function, _, _ = _FUNCTIONS[name]
            return float(function(*(_value(one, figures) for one in arguments)))
    raise AssertionError(ast.dump(node))


def _margin(node: ast.expr, figures: Mapping[str, float]) -> float:
    """Return a signed distance from the border of a constraint, at most 0 inside."""
    match node:
        case ast.BoolOp(op=op, values=values):
            found = []
            for one in values:
                # Of b > 0 and 1 / b < 5 the second part has no value where the first decides.
                with contextlib.suppress(ArithmeticError, ValueError):
                    found.append(_margin(one, figures))
            return max(found) if isinstance(op, ast.And) else min(found)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return -_margin(operand, figures)
        case ast.Compare(left=left, ops=ops, comparators=rest):
            numbers = [_value(one, figures) for one in (left, *rest)]
            return max(
                _distance(op, a, b) for op, a, b in zip(ops, numbers, numbers[1:], strict=False)
            )
    return 0.5 - _value(node, figures)


def _distance(op: ast.cmpop, a: float, b: float) -> float:
    if isinstance(op, ast.Lt | ast.LtE):
        return a - b
    if isinstance(op, ast.Gt | ast.GtE):
        return b - a
    return abs(a - b) if isinstance(op, ast.Eq) else -abs(a - b)
