# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Fields with several values: every combination, and why some cannot be."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermill.design import (
    Accelerator,
    Core,
    DesignError,
    Memory,
    System,
    load_designs,
    load_platforms,
    load_runs,
    space,
)

ACCELERATOR = 'kind = "accelerator"\nname = "a"\narchitecture = "pipelined"\n'
CORE = 'kind = "core"\nname = "c"\ntop = "t"\nfolders = ["x"]\n'


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "space.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def accelerators(path: Path) -> list[Accelerator]:
    found = load_designs(path)
    assert not found.refused
    return [one for one in found.possible if isinstance(one, Accelerator)]


def test_one_of_each_is_one_design_with_its_own_name(written: Callable[[str], Path]) -> None:
    [one] = accelerators(written(ACCELERATOR + "key_sizes = [128, 256]\n"))
    assert (one.name, one.key_sizes) == ("a", (128, 256))


def test_lists_ranges_and_lists_of_lists_in_any_table(written: Callable[[str], Path]) -> None:
    text = ACCELERATOR + (
        "stages_per_round = { from = 1, to = 3 }\nkey_sizes = [[128], [128, 256]]\n"
        "[interface]\nstream_bits = [32, 128]\n[clock]\nmhz = { from = 50, to = 100, step = 25.0 }"
    )
    found = accelerators(written(text))
    assert len(found) == len({one.name for one in found}) == 3 * 2 * 2 * 3
    assert {one.stages_per_round for one in found} == {1, 2, 3}
    assert {one.key_sizes for one in found} == {(128,), (128, 256)}
    assert {one.interface.stream_bits for one in found} == {32, 128}
    assert {one.clock.mhz for one in found} == {50, 75, 100}


def test_a_range_of_tenths_has_the_numbers_that_a_reader_expects(
    written: Callable[[str], Path],
) -> None:
    text = ACCELERATOR + "[clock]\nmhz = { from = 0.1, to = 0.7, step = 0.1 }"
    assert [one.clock.mhz for one in accelerators(written(text))] == [
        0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7,
    ]  # fmt: skip


def test_parameters_of_a_core_may_be_ranges(written: Callable[[str], Path]) -> None:
    text = CORE + "[parameters]\nWidth = [8, 16]\nDepth = { from = 2, to = 6, step = 2 }\n"
    found = [one for one in load_designs(written(text)).possible if isinstance(one, Core)]
    assert [tuple(one.parameters.values()) for one in found] == [
        (8, 2), (8, 4), (8, 6), (16, 2), (16, 4), (16, 6),
    ]  # fmt: skip


def test_what_cannot_be_is_refused_with_its_reason(written: Callable[[str], Path]) -> None:
    text = (
        'kind = "system"\npartition = ["iterative", "instruction"]\n'
        'soft_core = ["ibex", "picorv32"]\nblocks_in_flight = [2, 9]\n'
    )
    with pytest.raises(DesignError, match="blocks_in_flight: input should be less than"):
        load_designs(written(text))
    found = load_designs(written(text.replace("blocks_in_flight = [2, 9]\n", "")))
    assert [(s.partition, s.soft_core) for s in found.possible if isinstance(s, System)] == [
        ("iterative", "ibex"),
        ("iterative", "picorv32"),
        ("instruction", "picorv32"),
    ]
    [refusal] = found.refused
    assert refusal.fields["soft_core"] == "ibex"
    assert "no port for custom instructions" in refusal.reason


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("sboxx = ['table', 'decoder']", "sboxx: is not a field here"),
        ("sbox = ['table', 'decodr']", "did you mean decoder"),
        ("channels = { from = 4, to = 1 }", "is not a range"),
        ("channels = { from = 1, to = 4, step = 0 }", "is not a range"),
        ("channels = { from = 1, to = inf }", "is not a range"),
        ("channels = { from = nan, to = 4 }", "is not a range"),
        ("channels = { from = 1, to = 4, step = inf }", "is not a range"),
        ("channels = { from = 1, to = true }", "is not a range"),
        ("channels = { from = 1, to = 1e300, step = 1e-300 }", "values; at most are 100,000"),
        ("channels = { from = 1, until = 4 }", "channels: input should be a valid integer"),
        ("channels = { from = 1, to = 1000000 }", "1,000,000 values; at most are 100,000"),
        (
            "[interface]\nwidth = [1, 2]",
            "interface.width: is not a field",
        ),
        (
            "input = 1\n[clock]\nmhz = { from = 1, to = 1000 }\nbus_mhz = { from = 1, to = 1000 }",
            "1,000,000 combinations",
        ),
    ],
)
def test_what_is_misspelt_or_no_range_is_refused_as_a_whole(
    written: Callable[[str], Path], field: str, words: str
) -> None:
    with pytest.raises(DesignError, match=words):
        load_designs(written(ACCELERATOR + field))


def test_platforms_have_spaces_too(written: Callable[[str], Path]) -> None:
    text = (
        'kind = "memory"\nname = "m"\nmemory_read_cycles = { from = 1, to = 3 }\n'
        "memory_write_cycles = [1, 2]\n"
    )
    found = [one for one in load_platforms(written(text)).possible if isinstance(one, Memory)]
    assert [(one.memory_read_cycles, one.memory_write_cycles) for one in found] == [
        (1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2),
    ]  # fmt: skip
    zedboard = load_platforms("zedboard")
    assert [one.name for one in zedboard.possible] == ["zedboard"]


def test_runs_have_ranges_too(written: Callable[[str], Path]) -> None:
    path = written("[[run]]\npartition = 'dma'\nbytes = { from = 16, to = 64, step = 16 }")
    ((_, workloads),) = load_runs(path)
    assert [one.bytes for one in workloads.possible] == [16, 32, 48, 64]
    path = written("kind = 'core'\n[[run]]\npartition = 'dma'")
    with pytest.raises(DesignError, match="kind: runs are of systems"):
        load_runs(path)


def test_several_designs_have_numbered_names_that_stay_short(
    written: Callable[[str], Path],
) -> None:
    text = ACCELERATOR.replace('"a"', f'"{"a" * 64}"') + "channels = [1, 2]\n"
    assert [one.name for one in accelerators(written(text))] == [f"{'a' * 58}-{n}" for n in (1, 2)]
    system = 'kind = "system"\npartition = "instruction"\nsoft_core = ["ibex", "picorv32"]\n'
    [one] = load_designs(written(system)).possible
    assert one.name == "space-1", "it is one of two, of which the other is refused"


def test_an_empty_list_of_a_field_that_is_a_list_is_its_value(
    written: Callable[[str], Path],
) -> None:
    [refusal] = load_designs(written(ACCELERATOR + "key_sizes = []\n")).refused
    assert "key_sizes needs one or more of 128, 192, 256" in refusal.reason


def test_names_that_are_given_stay(written: Callable[[str], Path]) -> None:
    text = ACCELERATOR.replace('"a"', '["x", "y"]')
    assert [one.name for one in accelerators(written(text))] == ["x", "y"]


def test_the_most_combinations_and_the_most_values_of_a_range(
    written: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    ranges = "channels = { from = 1, to = 4 }\n"
    lists = "channels = [1, 2]\nkey_sizes = [[128], [256]]\n"
    monkeypatch.setattr(space, "MOST", 4)
    for field in (ranges, lists):
        assert len(accelerators(written(ACCELERATOR + field))) == 4
    monkeypatch.setattr(space, "MOST", 3)
    for field in (ranges, lists):
        with pytest.raises(DesignError, match=r"4 (values|combinations); at most are 3"):
            accelerators(written(ACCELERATOR + field))


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("channels = { from = 1 }", "channels: input should be a valid integer"),
        ("key_sizes = [128, [128, 256]]", "key_sizes"),
    ],
)
def test_a_list_or_a_table_that_gives_no_several_values_is_one_value(
    written: Callable[[str], Path], field: str, words: str
) -> None:
    with pytest.raises(DesignError, match=words):
        load_designs(written(ACCELERATOR + field))
