# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a step measures of a candidate; the spaces that ship, and that of the tutorial."""

import re
import tomllib

import pytest

from ciphermill.campaign.explore.steps import STEPS
from ciphermill.design import (
    CellLibrary,
    Operation,
    Rtl,
    SBox,
    System,
    Workload,
    find_home,
    load_design,
    load_platform,
    load_space,
    space_names,
)
from ciphermill.design.combinations import combinations
from ciphermill.design.search_space import SearchSpace

WORKLOAD = Workload(algorithm="aes", operation="encrypt", mode="ecb", key_bits=256, bytes=1600)
COUNTS = {
    "aes-256-soft-core": 127,
    "ecc-multiplier": 16,
    "lightweight-ciphers": 56,
    "lightweight-partitions": 68,
    "stream-accelerator": 162,
}


def test_each_shipped_space_has_its_candidates_and_none_is_refused() -> None:
    found = {name: combinations(load_space(name)) for name in space_names()}
    assert {name: len(those) for name, those in found.items()} == COUNTS
    assert not [one.refused for those in found.values() for one in those if one.refused]


def test_each_step_of_a_shipped_space_measures_some_candidate() -> None:
    for name in space_names():
        space = load_space(name)
        for step in space.step:
            where = load_platform(step.platform) if step.platform else None
            points = (
                STEPS[step.name].point(
                    one.design, where or one.platform, one.workload, step.options
                )
                for one in combinations(space)
                if one.design
            )
            assert any(points), (name, step.name)


def test_the_space_of_the_tutorial_has_twelve_candidates() -> None:
    page = find_home() / "docs" / "tutorial" / "decide-what-to-build.md"
    if not page.is_file():
        pytest.skip("no checkout")
    [table] = re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(combinations(SearchSpace.model_validate(tomllib.loads(table)))) == 12


@pytest.mark.parametrize("step", ["estimate", "cycles"])
def test_candidates_that_differ_in_their_s_boxes_alone_share_a_model(step: str) -> None:
    systems = [System(partition="iterative", soft_core="vexriscv", sbox=one) for one in SBox]
    points = [STEPS[step].point(one, None, WORKLOAD, {}) for one in systems]
    assert len({point.digest for point in points if point}) == 1
    areas = [STEPS["area"].point(one, None, WORKLOAD, {}) for one in systems]
    assert len({point.digest for point in areas if point}) == 3


def test_the_estimate_of_the_ecc_engine_is_of_the_signature_whose_toggles_are_counted() -> None:
    engine = load_design("ecc-p521")
    point = STEPS["estimate"].point(engine, None, None, {})
    assert point is not None
    asked = point.workload
    assert (asked.operation, asked.key_bits) == (Operation.SIGN, 521)
    other = load_design("aes-iterative")
    assert STEPS["estimate"].point(other, None, None, {}) is None


def test_a_soft_core_without_a_cycle_table_has_no_estimate() -> None:
    system = System(partition="software", soft_core="cva6")
    assert STEPS["estimate"].point(system, None, WORKLOAD, {}) is None
    assert STEPS["cycles"].point(system, None, WORKLOAD, {}) is not None


def test_cells_have_the_clock_of_the_step_and_the_core_alone_where_it_says_so() -> None:
    options = {"clock_mhz": 25, "part": "core"}
    point = STEPS["energy"].point(load_design("aes-iterative"), None, None, options)
    assert point is not None
    assert isinstance(point.platform, CellLibrary)
    assert (point.platform.clock_mhz, point.design.top) == (25.0, "aes_core")
    assert point.workload.power
    toggles = STEPS["toggles"].point(load_design("aes-iterative"), None, None, options)
    assert toggles is not None
    assert isinstance(toggles.platform, Rtl)


def test_the_core_is_apart_in_accelerators_alone() -> None:
    options = {"core_apart": True}
    whole, alone = load_design("aes-iterative"), load_design("present-minimal")
    for design, apart in ((whole, True), (alone, False)):
        point = STEPS["area"].point(design, None, None, options)
        assert point is not None
        assert point.workload.core_apart is apart
    point = STEPS["area"].point(whole, None, None, {})
    assert point is not None
    assert not point.workload.core_apart


def test_accelerators_around_the_same_core_share_its_synthesis_and_those_alike_a_model() -> None:
    found = combinations(load_space("stream-accelerator"))
    designs = [one.design for one in found if one.design]
    area, stream = STEPS["area"].build, STEPS["stream"].build
    assert len({area({"core_apart": True}, one) for one in designs}) == 6
    assert {area({}, one) for one in designs} == {""}
    assert len({stream({}, one) for one in designs}) == 54


def test_a_stream_goes_through_an_accelerator_on_a_streaming_platform_alone() -> None:
    design, board = load_design("aes-iterative"), load_platform("zedboard")
    point = STEPS["stream"].point(design, board, None, {"kib": 16})
    assert point is not None
    assert (point.design.design, point.workload.lengths_kib) == (design, (16,))
    assert STEPS["stream"].point(design, load_platform("xc7"), None, {}) is None
    assert STEPS["stream"].point(load_design("ghash-serial-4"), board, None, {}) is None
