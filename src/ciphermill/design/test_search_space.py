# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import doctest
import importlib
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ciphermill.design import DesignError, SearchSpace, combinations, load_space
from ciphermill.design.combinations import table_combinations

combinations_module = importlib.import_module("ciphermill.design.combinations")
TEXT = """
kind = "space"
name = "trial"
constraints = ["area.lut < 8000"]
[design]
kind = "system"
soft_core = ["picorv32", "ibex"]
[workload]
bytes = 160
[[variant]]
design.partition = "software"
design.variant = ["portable", "table"]
[[variant]]
design.partition = ["iterative", "instruction"]
[[step]]
name = "estimate"
[[step]]
name = "cycles"
dear = true
bytes = 1600
[[objective]]
minimise = "cycles.per_block"
"""


def test_examples() -> None:
    assert doctest.testmod(combinations_module).failed == 0


def load(text: str, tmp_path: Path) -> SearchSpace:
    path = tmp_path / "trial.toml"
    path.write_text(text)
    return load_space(path)


def test_a_space_is_the_union_of_its_variants(tmp_path: Path) -> None:
    found = combinations(load(TEXT, tmp_path))
    possible = [one for one in found if not one.refused]
    assert len(possible) == 4 + 3
    assert len({one.digest for one in found}) == 8


def test_an_impossible_combination_is_refused_with_the_reason(tmp_path: Path) -> None:
    [refused] = [one for one in combinations(load(TEXT, tmp_path)) if one.refused]
    assert refused.fields == {"design.soft_core": "ibex", "design.partition": "instruction"}
    assert "no port for custom instructions" in refused.refused


def test_fields_are_those_that_the_space_varies(tmp_path: Path) -> None:
    first = combinations(load(TEXT, tmp_path))[0]
    assert first.fields == {
        "design.partition": "software",
        "design.variant": "portable",
        "design.soft_core": "picorv32",
    }
    assert first.workload is not None
    assert first.workload.bytes == 160


def test_a_combination_that_two_variants_give_is_there_once(tmp_path: Path) -> None:
    twice = TEXT + '[[variant]]\ndesign.partition = "software"\n'
    assert len(combinations(load(twice, tmp_path))) == 8


def test_named_designs_and_platforms_are_fields(tmp_path: Path) -> None:
    table = tomllib.loads(TEXT)
    table |= {"design": ["present-minimal", "aes-serial-128"], "platform": ["xc7", "ecp5"]}
    del table["variant"], table["workload"]
    found = combinations(SearchSpace.model_validate(table))
    assert [(one.fields["design"], one.fields["platform"]) for one in found] == [
        ("present-minimal", "xc7"),
        ("present-minimal", "ecp5"),
        ("aes-serial-128", "xc7"),
        ("aes-serial-128", "ecp5"),
    ]


def test_a_design_without_a_name_gets_one_by_its_fields() -> None:
    table: dict[str, Any] = tomllib.loads(TEXT)
    table["design"] = {"kind": "accelerator", "architecture": ["iterative", "serial"]}
    del table["variant"], table["workload"]
    names = {one.design.name for one in combinations(SearchSpace.model_validate(table))}  # type: ignore[union-attr]
    assert len(names) == 2
    assert all(name is not None and name.startswith("candidate-") for name in names)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("[[objective]]", "[[objectives]]", "objectives: is not a field here"),
        ("cycles.per_block", "cycles.per_blok", "did you mean cycles.per_block"),
        ("area.lut < 8000", "area.lut <", "is not an expression"),
        ("bytes = 160\n", "byte = 160\n", "workload.byte: is not a field here"),
        ("soft_core", "soft_cor", "soft_cor: is not a field here"),
        ('partition = "software"', 'partition = "softwar"', "did you mean software"),
        ('name = "estimate"', 'name = "cycles"', "two steps have the same name"),
        ('name = "estimate"', 'name = "estimate"\ndear = true', ""),
        ('kind = "system"', 'kind = "sytem"', "did you mean system"),
        ("[[objective]]", "[[objective]]\nweight = 1", "fields are minimise, maximise, expected"),
        ("[[variant]]", "[[variant]]\nextra = 1", r"variant\[0\].extra: .* are design, platform"),
        ('minimise = "', 'minimise = "1"\nmaximise = "', "either minimise or maximise"),
    ],
)
def test_a_malformed_space_is_refused(tmp_path: Path, old: str, new: str, why: str) -> None:
    assert old in TEXT
    changed = TEXT.replace(old, new)
    if not why:
        assert combinations(load(changed, tmp_path))
        return
    with pytest.raises(DesignError, match=why):
        combinations(load(changed, tmp_path))


def test_a_malformed_objective_is_told_without_a_count_of_objectives(tmp_path: Path) -> None:
    with pytest.raises(DesignError) as raised:
        load(TEXT.replace("cycles.per_block", "cycles.per_blok"), tmp_path)
    assert str(raised.value).count("\n") == 0
    with pytest.raises(DesignError, match="step: tuple should have at least 1 item"):
        load('name = "a"\nstep = []\n[design]\nkind = "core"\n', tmp_path)


def test_a_cheap_step_after_a_dear_one_is_refused(tmp_path: Path) -> None:
    text = TEXT.replace('name = "estimate"', 'name = "estimate"\ndear = true').replace(
        'name = "cycles"\ndear = true', 'name = "cycles"'
    )
    with pytest.raises(DesignError, match="put the cheap ones first"):
        load(text, tmp_path)


def test_a_table_of_any_fields_gives_every_combination() -> None:
    found = table_combinations({"a": [1, 2], "b": {"from": 1, "to": 3}, "c": "x"})
    assert [(one.fields["a"], one.fields["b"]) for one in found] == [
        (a, b) for a in (1, 2) for b in (1, 2, 3)
    ]
    assert all(one.fields["c"] == "x" for one in found)
