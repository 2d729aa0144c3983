# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Expressions over figures, such as ``cycles.per_block * area.lut``."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

_OPERATORS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def value_of(expression: str, figures: Mapping[str, float]) -> float | None:
    """Return an expression's value; None if a figure is missing or the value is not finite.

    >>> value_of("cycles.total / 2", {"cycles.total": 30.0})
    15.0
    """
    if expression in figures:
        found = figures[expression]
    else:
        try:
            found = _evaluate(ast.parse(expression, mode="eval").body, figures)
        except (KeyError, SyntaxError, ZeroDivisionError, OverflowError, TypeError):
            return None
    return float(found) if math.isfinite(found) else None


def names_in(expression: str) -> list[str]:
    """Return the figures that an expression names.

    >>> names_in("area.lut < 4 * area.ff")
    ['area.lut', 'area.ff']
    """
    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError:
        return []
    inner = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Attribute)}
    return [
        ast.unparse(one)
        for one in ast.walk(tree)
        if isinstance(one, ast.Attribute | ast.Name) and id(one) not in inner
    ]


def _evaluate(node: ast.AST, figures: Mapping[str, float]) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.Name | ast.Attribute):
        return figures[ast.unparse(node)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand, figures)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _evaluate(node.left, figures), _evaluate(node.right, figures)
        return _OPERATORS[type(node.op)](left, right)
    if isinstance(node, ast.Compare):
        terms = [_evaluate(one, figures) for one in (node.left, *node.comparators)]
        pairs = zip(node.ops, terms, terms[1:], strict=False)
        return all(_OPERATORS[type(one)](left, right) for one, left, right in pairs)
    raise TypeError(f"{ast.dump(node)} has no place in an expression")
