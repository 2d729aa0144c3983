# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill.explore`` with functions and tables that a user may well write."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ciphermill import explore
from ciphermill.campaign.exploration import Exploration, State
from ciphermill.campaign.explore.job import Measure
from ciphermill.campaign.store import Store
from ciphermill.design import CannotBeError, DesignError


def cost(fields: Mapping[str, Any]) -> Mapping[str, float]:
    return {"cost": fields["n"]}


def values(found: Exploration, name: str = "n") -> list[Any]:
    return [one.fields[name] for one in found.candidates]


@pytest.mark.parametrize("several", [range(1, 4), (1, 2, 3), {"from": 1, "to": 3}])
def test_pythons_ranges_and_tuples_give_each_of_their_values(several: Any) -> None:
    assert values(explore({"n": several}, cost, minimise="cost", search="grid")) == [1, 2, 3]


def test_a_list_of_lists_gives_each_inner_list() -> None:
    found = explore(
        {"taps": [[1, 2], [3]]}, lambda fields: {"cost": len(fields["taps"])},
        minimise="cost", search="grid",
    )  # fmt: skip
    assert values(found, "taps") == [[1, 2], [3]]


@pytest.mark.parametrize(
    "wrong",
    [math.inf, math.nan, 10**400, {1, 2}, b"a", len, {1: 2}],
    ids=["infinity", "nan", "too large", "set", "bytes", "function", "name"],
)
def test_a_value_that_no_store_or_scale_can_hold_is_refused_before_any_call(wrong: Any) -> None:
    with pytest.raises(DesignError, match=r"is not a value|is no name of a field"):
        explore({"n": [1, wrong]}, cost, minimise="cost", search="grid")


def test_the_command_is_that_of_the_program_without_its_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which of its calls continues, only the program knows; arguments may be secrets."""
    program = tmp_path / "my search.py"
    program.touch()
    monkeypatch.setattr(sys, "argv", [str(program), "--token", "secret"])
    found = explore({"n": [1, 2]}, cost, minimise="cost", store=tmp_path / "s.sqlite")
    assert found.command == f"python '{program}'"
    assert found.continued_by == ""
    with Store(tmp_path / "s.sqlite") as store:
        assert store.exploration(found.number).command == found.command
    monkeypatch.setattr(sys, "argv", ["-c"])
    assert explore({"n": [1]}, cost, minimise="cost", store=tmp_path / "t").command == "python"


def test_a_table_without_a_combination_is_an_error() -> None:
    with pytest.raises(CannotBeError, match="no combination"):
        explore({"n": [1], "m": []}, cost, minimise="cost")


def test_a_function_may_change_the_fields_that_it_gets() -> None:
    def measure(fields: Any) -> Mapping[str, float]:
        fields["n"].append(9)
        return {"cost": fields.pop("m")}

    found = explore({"n": [[1], [2]], "m": 5}, measure, minimise="cost", search="grid")
    assert [one.fields for one in found.candidates] == [{"n": [1], "m": 5}, {"n": [2], "m": 5}]


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (None, "the function returned NoneType, not a dict of figures"),
        (3, "the function returned int"),
        ({"cost": None}, "TypeError"),
        ({"cost": "much"}, "could not convert"),
        ({"cost": math.inf}, "cost is inf, not a finite number"),
        ({"cost": 10**400}, "OverflowError"),
    ],
)
def test_what_is_no_table_of_numbers_is_a_failure_with_a_reason(returned: Any, reason: str) -> None:
    found = explore({"n": [1, 2]}, lambda _: returned, minimise="cost", search="grid")
    assert {one.state for one in found.candidates} == {State.FAILED}
    assert reason in found.candidates[0].reason


def test_a_figure_may_have_the_micro_sign_in_its_name() -> None:
    found = explore({"n": [2, 1]}, lambda f: {"time_\u00b5s": f["n"]}, minimise="time_\u00b5s")
    assert len(found.front()) == 1


@pytest.mark.parametrize("how", [{"jobs": 0}, {"jobs": -1}, {"budget": 0}, {"batch": 0}])
def test_a_number_below_one_is_refused(how: dict[str, int]) -> None:
    with pytest.raises(CannotBeError, match="it is 1 or more"):
        explore({"n": [1, 2]}, cost, minimise="cost", **how)  # type: ignore[arg-type]


def test_numbers_beyond_64_bits_are_fields_as_others_are() -> None:
    moduli = [2**bits - 1 for bits in range(60, 300, 12)]
    found = explore({"n": moduli}, lambda f: {"cost": math.log2(f["n"])}, minimise="cost")
    assert [one.fields["n"] for one in found.front()] == [min(values(found))]


class Scaled:
    """A function of a class, with a factor of its own."""

    def __init__(self, factor: int) -> None:
        self.factor = factor

    def __call__(self, fields: Mapping[str, Any]) -> Mapping[str, float]:
        return {"cost": fields["n"] * self.factor}


class Stopping:
    def __call__(self, fields: Mapping[str, Any]) -> Mapping[str, float]:
        return stopping(fields, 1)


def stopping(fields: Mapping[str, Any], factor: int) -> Mapping[str, float]:
    if fields["n"] == 3 and factor == 1:
        raise KeyboardInterrupt
    return {"cost": fields["n"] * factor}


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (partial(stopping, factor=1), partial(stopping, factor=7)),
        (partial(stopping, factor=1), partial(cost)),
        (Stopping(), Scaled(7)),
    ],
    ids=["another bound value", "another function", "another class"],
)
def test_what_measures_otherwise_begins_a_new_exploration(
    tmp_path: Path, first: Measure, other: Measure
) -> None:
    def go(measure: Measure) -> Exploration:
        return explore(
            {"n": [1, 2, 3]}, measure, minimise="cost", search="grid", store=tmp_path / "s.sqlite"
        )

    with pytest.raises(KeyboardInterrupt):
        go(first)
    found = go(other)
    assert found.number == 2
    assert [one.figures for one in found.candidates] == [other({"n": n}) for n in (1, 2, 3)]
