# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import doctest
import importlib
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ciphermill.design import (
    DesignError,
    SearchSpace,
    combinations,
    find_home,
    load_design,
    load_space,
    search_space,
)
from ciphermill.design.combinations import Combination, plain_table, table_combinations, workload_of

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


def space_of(**tables: Any) -> SearchSpace:
    """Return a space with these tables."""
    text = {"name": "trial", "step": [{"name": "area"}], "objective": [{"minimise": "area.lut"}]}
    return SearchSpace.model_validate({**text, **tables})


def found_in(**tables: Any) -> list[Combination]:
    """Return the combinations of a space with these tables."""
    return combinations(space_of(**tables))


OBJECTIVE = {"minimise": "area.lut"}


@pytest.mark.parametrize(
    "tables",
    [
        {"objective": [{**OBJECTIVE, "tolerance": 0}]},
        {"objective": [OBJECTIVE] * 4},
        {"workload": {"mode": "ctr"}},
        {"variant": [{"workload": {"mode": "ctr"}, "design": "aes-serial-128"}], "design": {}},
    ],
)
def test_what_a_space_may_have(tables: dict[str, Any]) -> None:
    assert space_of(**{"design": "aes-serial-128", **tables})


@pytest.mark.parametrize(
    ("tables", "why"),
    [
        ({"objective": [{**OBJECTIVE, "tolerance": 1}]}, "less than 1"),
        ({"objective": [{**OBJECTIVE, "tolerance": -0.1}]}, "greater than or equal to 0"),
        ({"objective": [{**OBJECTIVE, "expected": "area.lu"}]}, "did you mean"),
        ({"objective": [{}]}, "either minimise or maximise"),
        ({"objective": [OBJECTIVE] * 5}, "at most 4"),
        ({"objective": []}, "at least 1"),
        ({"step": []}, "at least 1"),
        ({"design": {}}, "design: is missing"),
        ({"variant": [{"workload": {"byte": 1}}]}, "workload.byte: is not a field here"),
    ],
)
def test_what_a_space_may_not_have(tables: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        space_of(**{"design": "aes-serial-128", **tables})


def test_tables_of_a_variant_add_to_those_of_the_space_or_replace_them() -> None:
    whole = space_of(
        design={"kind": "system", "partition": "software"},
        platform="xc7",
        workload={"bytes": 16, "mode": "ecb"},
        variant=[
            {"design": {"partition": "dma"}, "workload": {"bytes": 32}, "platform": "ecp5"},
            {"design": ["aes-serial-128"]},
        ],
    )
    first, second = whole.parts
    assert first.design == {"kind": "system", "partition": "dma"}
    assert (first.platform, first.workload) == ("ecp5", {"bytes": 32, "mode": "ecb"})
    assert second.design == ["aes-serial-128"]
    assert (second.platform, second.workload) == ("xc7", {"bytes": 16, "mode": "ecb"})


def test_the_name_of_a_shipped_space_is_that_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is named by its path may have another name."""
    path = tmp_path / "other.toml"
    path.write_text(TEXT)
    assert load_space(path).name == "trial"
    monkeypatch.setattr(search_space, "find_file", lambda *_: path)
    with pytest.raises(DesignError, match="name: is 'trial', but the file says 'other'"):
        load_space("other")


def test_combinations_with_other_names_and_descriptions_are_the_same() -> None:
    [one] = found_in(
        design={"kind": "accelerator", "architecture": "serial"},
        variant=[{"design": {"name": "a", "description": "one"}}, {"design": {"name": "b"}}],
    )
    assert one.design is not None
    assert one.design.name == "a", "the first counts"


def test_a_name_that_is_given_stays() -> None:
    found = found_in(
        design={"kind": "accelerator", "name": "mine", "architecture": ["serial", "iterative"]}
    )
    assert [one.design and one.design.name for one in found] == ["mine", "mine"]
    [system] = found_in(design={"kind": "system", "partition": "software"})
    assert system.design is not None
    assert system.design.name is None


def test_what_the_file_of_a_named_design_determines_is_no_field(tmp_path: Path) -> None:
    """Two cores with other parameters differ by their names."""
    path = tmp_path / "cores.toml"
    path.write_text(
        'kind = "core"\nname = "c"\ntop = "t"\nfolders = ["x"]\n[parameters]\nWidth = [8, 16]\n'
    )
    assert [one.fields for one in found_in(design=str(path))] == [
        {"design": "c-1"}, {"design": "c-2"},
    ]  # fmt: skip


def test_workloads_are_fields_and_refused_with_the_design_that_cannot_run_them() -> None:
    found = found_in(
        design=["present-minimal", "aes-serial-128"], workload={"key_bits": [128, 256]}
    )
    shown = [
        (one.fields["design"], one.fields["workload.key_bits"], bool(one.refused)) for one in found
    ]
    assert sorted(shown) == [
        ("aes-serial-128", 128, False),
        ("aes-serial-128", 256, False),
        ("present-minimal", 128, False),
        ("present-minimal", 256, True),
    ]


def test_impossible_designs_of_a_named_file_and_impossible_platforms_are_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "systems.toml"
    path.write_text(
        'kind = "system"\npartition = "instruction"\nsoft_core = ["ibex", "picorv32"]\n'
    )
    assert [bool(one.refused) for one in found_in(design=str(path))] == [True, False]
    platform = tomllib.loads((find_home() / "platforms" / "zedboard.toml").read_text())
    platform["bus"]["mb_s"] = [100, 1e9]
    refused, possible = found_in(design="aes-pipelined", platform=platform)
    assert "mb_s is 1e+09, but its wires carry 400" in refused.refused
    assert (possible.refused, possible.fields) == ("", {}), "refused ones vary no field"


def test_a_field_that_some_candidates_lack_stays_where_it_alone_tells_them_apart() -> None:
    core = {"kind": "core", "top": "t", "folders": ["x"]}
    found = found_in(design=core, variant=[{}, {"design": {"cycles_per_block": 9}}])
    assert [one.fields for one in found] == [{}, {"design.cycles_per_block": 9}]
    found = found_in(
        design={"kind": "system", "soft_core": "picorv32"},
        variant=[
            {"design": {"partition": "iterative", "sbox": "table"}},
            {"design": {"partition": "software"}},
        ],
    )
    assert [one.fields for one in found] == [
        {"design.partition": "iterative"}, {"design.partition": "software"},
    ]  # fmt: skip


def test_where_all_are_refused_their_fields_are_those_that_differ() -> None:
    system = {"kind": "system", "partition": "instruction", "soft_core": "ibex"}
    found = found_in(design={**system, "optimisation": ["O2", "Os"]})
    assert all(one.refused for one in found)
    assert [one.fields for one in found] == [
        {"design.optimisation": "O2"}, {"design.optimisation": "Os"},
    ]  # fmt: skip


def test_the_most_combinations_of_all_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    tables: dict[str, Any] = {
        "design": {"kind": "system", "soft_core": ["picorv32", "vexriscv"]},
        "variant": [{"design": {"partition": "software"}}, {"design": {"partition": "iterative"}}],
    }
    monkeypatch.setattr(combinations_module, "MOST", 4)
    assert len(found_in(**tables)) == 4
    monkeypatch.setattr(combinations_module, "MOST", 3)
    with pytest.raises(DesignError, match="trial: stands for more than 3 combinations"):
        found_in(**tables)


def test_a_wrong_field_of_a_variant_is_told_with_its_number() -> None:
    parts = [{"design": {"partition": "software"}}, {"design": {"partition": "softwar"}}]
    with pytest.raises(DesignError, match="trial: variant 2: design: partition: "):
        found_in(design={"kind": "system"}, variant=parts)
    with pytest.raises(DesignError, match=r"^trial: design: partition: "):
        found_in(design={"kind": "system", "partition": "softwar"})


def test_a_workload_has_the_usual_fields_of_the_algorithm_unless_stated() -> None:
    design = load_design("aes-iterative-256")
    assert workload_of(design, {}, "x") is None
    usual = workload_of(design, {"bytes": 32}, "x")
    assert usual is not None
    assert (usual.operation, usual.mode, usual.key_bits, usual.bytes) == ("encrypt", "ecb", 256, 32)
    other = workload_of(design, {"operation": "decrypt", "key_bits": 128}, "x")
    assert other is not None
    assert (other.operation, other.key_bits, other.bytes) == ("decrypt", 128, 1600)
    with pytest.raises(DesignError, match=r"x: operation: .*did you mean encrypt"):
        workload_of(design, {"operation": "encrpt"}, "x")


def test_a_core_without_an_algorithm_has_no_workload() -> None:
    found = found_in(
        design={"kind": "core", "top": "t", "folders": ["x"]}, workload={"bytes": [16, 32]}
    )
    assert [one.workload for one in found] == [None]


def test_a_table_of_any_fields_may_hold_none_and_tables() -> None:
    table = {"a": [None, True, "x", sys.float_info.max], "b": {"c": range(2)}}
    assert plain_table(table) == {"a": [None, True, "x", sys.float_info.max], "b": {"c": [0, 1]}}
    assert [one.fields["a"] for one in table_combinations({"a": [[1, 2], [3]]})] == [[1, 2], [3]]


def test_a_range_with_a_step_that_is_no_integer_has_numbers_of_one_type() -> None:
    found = table_combinations({"a": {"from": 1, "to": 2, "step": 0.5}})
    assert [repr(one.fields["a"]) for one in found] == ["1.0", "1.5", "2.0"]
    assert [one.fields["a"] for one in table_combinations({"a": {"from": 3, "to": 3}})] == [3]
    # An end that was rounded belongs to the range; one that is short by a tenth does not.
    assert len(table_combinations({"a": {"from": 0, "to": 0.9999999999, "step": 0.5}})) == 3
    assert len(table_combinations({"a": {"from": 0, "to": 0.95, "step": 0.5}})) == 2
