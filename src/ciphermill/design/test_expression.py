# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermill.design import Measurement
from ciphermill.design.expression import (
    MOST_CHARACTERS,
    ExpressionError,
    MissingFigureError,
    figures_of,
    known_figures,
    parse,
)

FIGURES = {"area.lut": 3000.0, "cycles.per_block": 120.0, "clock.mhz": 100.0, "correct": 1.0}

NUMBERS = st.one_of(st.integers(1, 1000).map(str), st.sampled_from(sorted(FIGURES)), st.just("2.5"))
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(
            lambda part: f"({part[0]} {part[1]} {part[2]})"
        ),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(
            lambda part: f"{part[0]}({part[1]}, {part[2]})"
        ),
        inner.map(lambda one: f"-{one}"),
        inner.map(lambda one: f"abs({one})"),
        inner.map(lambda one: f"({one}) ** 2"),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_the_value_is_that_of_pythons_arithmetic(text: str) -> None:
    plain = text
    for name, value in FIGURES.items():
        plain = plain.replace(name, repr(value))
    try:
        wanted = eval(plain, {"__builtins__": {}}, {"min": min, "max": max, "abs": abs})
    except ZeroDivisionError:
        with pytest.raises(ExpressionError, match="has no value"):
            parse(text).value(FIGURES)
        return
    assert parse(text).value(FIGURES) == pytest.approx(float(wanted))


@settings(max_examples=50)
@given(st.text(max_size=60))
def test_any_text_is_an_expression_or_an_error_of_expressions(text: str) -> None:
    try:
        found = parse(text)
    except ExpressionError:
        return
    assert isinstance(found.names, tuple)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("area.lutt * 2", "'area.lutt' at character 1 is no figure; did you mean area.lut?"),
        ("1 + clock.mzh", "at character 5 is no figure; did you mean clock.mhz"),
        ("2 * (area.lut", "is not an expression at character 5"),
        ("__import__('os')", "is no function"),
        ("().__class__", "is no name of a figure"),
        ("area.lut if correct else 1", "is not possible here"),
        ("[1, 2]", "is not possible here"),
        ("2 ** area.lut", "the exponent of \\*\\* is one"),
        ("area.lut ** 65", "at most is 64"),
        ("1e999", "is too large a number"),
        ("min(area.lut)", "has 1 arguments; min takes 2 to 16"),
        ("mni(1, 2)", "did you mean min"),
        ("-" * 40 + "1", "is nested more than 32 deep"),
        ("(" * 400 + ")" * 50, "is not an expression"),
        ("1" * (MOST_CHARACTERS + 1), "at most are 500"),
    ],
)
def test_a_malformed_expression_is_refused_with_its_place(text: str, why: str) -> None:
    with pytest.raises(ExpressionError, match=why):
        parse(text, known_figures())


def test_a_missing_figure_is_an_error_of_its_own_and_never_zero() -> None:
    with pytest.raises(MissingFigureError, match=r"area\.lut was not measured"):
        parse("area.lut + 1").value({"area.ff": 1})


@pytest.mark.parametrize("text", ["log2(area.lut - 3000)", "(0 - 1) ** 0.5", "1e300 * 1e300"])
def test_an_expression_without_a_finite_value_is_an_error(text: str) -> None:
    with pytest.raises(ExpressionError, match=r"has no (finite )?value"):
        parse(text).value(FIGURES)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("area.lut < 4000", -1000),
        ("area.lut < 2000", 1000),
        ("clock.mhz >= 90 and area.lut < 2999", 1),
        ("clock.mhz >= 90 or area.lut < 2999", -10),
        ("not clock.mhz > 200", -100),
        ("90 < clock.mhz < 150", -10),
        ("correct", -0.5),
        ("not correct", 0.5),
        ("clock.mhz == 90", 10),
        ("clock.mhz != 90 and area.lut < 3005", -5),
    ],
)
def test_a_margin_is_positive_exactly_where_a_constraint_breaks(text: str, wanted: float) -> None:
    assert parse(text).margin(FIGURES) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("b > 2 and 1 / b < 5", 2.0),
        ("b < 1 or 1 / b < 5", -1.0),
        ("a < 2 or log2(b) < 1", -1.0),
        ("a > 0 or (0 - a) ** 0.5 < 1", -1.0),
    ],
)
def test_a_part_that_has_no_value_does_not_count_in_the_margin(text: str, wanted: float) -> None:
    parsed = parse(text)
    assert bool(parsed.value({"a": 1.0, "b": 0.0})) is (wanted < 0)
    assert parsed.margin({"a": 1.0, "b": 0.0}) == wanted


@pytest.mark.parametrize("text", ["a * a * a < 1", "0 < b < a * a * a"])
def test_a_margin_is_finite_and_has_the_sign_of_the_constraint(text: str) -> None:
    figures = {"a": 1e200, "b": 1.0}
    margin = parse(text).margin(figures)
    assert math.isfinite(margin)
    assert (margin > 0) is not bool(parse(text).value(figures))


def test_an_equal_pair_of_a_strict_comparison_breaks_it() -> None:
    assert 0 < parse("clock.mhz < 100").margin(FIGURES) < 1e-9


def test_figures_are_the_numbers_of_a_measurement() -> None:
    seen = Measurement(area_lut=3, clock_met=True, key_bits=256, method="estimated")
    assert figures_of(seen) == {"area.lut": 3.0, "clock.met": 1.0}
    assert all(math.isfinite(value) for value in figures_of(seen).values())
