# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Plans of spaces: which mistakes end the command at once, and which are of a candidate."""

from __future__ import annotations

from typing import Any

import pytest

from ciphermill.campaign.explore.plan import Plan, plan_of_space
from ciphermill.design import DesignError
from ciphermill.design.search_space import SearchSpace


def plan(step: dict[str, Any], designs: tuple[str, ...] = ("aes-iterative",)) -> Plan:
    return plan_of_space(
        SearchSpace.model_validate(
            {
                "name": "trial",
                "design": list(designs),
                "workload": {"operation": "encrypt"},
                "step": [step],
                "objective": [{"minimise": "cycles.per_block"}],
            }
        )
    )


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"name": "stream", "kib": 0}, "step stream: kib: input should be greater than 0"),
        ({"name": "stream", "kib": 1.5}, "step stream: kib: input should be a valid integer"),
        ({"name": "stream", "latency_ns": -1}, "latency_ns: input should be greater than or equal"),
        ({"name": "area", "clock_mhz": "fast"}, "clock_mhz: input should be a valid number"),
        ({"name": "area", "clock_mhz": [25, 50]}, "clock_mhz: input should be a valid number"),
        ({"name": "energy", "part": "cor"}, "did you mean core"),
        ({"name": "area", "core_apart": 2}, "core_apart: input should be a valid boolean"),
        ({"name": "area", "core_apart": True, "part": "core"}, "divides a whole accelerator"),
        ({"name": "area", "core_apart": True, "platform": "ecp5"}, "is for xc7, not ecp5"),
        ({"name": "energy", "core_apart": True}, "core_apart: is not a field here"),
        ({"name": "area", "platform": "nope"}, "no platform is called 'nope'"),
        ({"name": "toggles", "bytes": -1}, "bytes: input should be greater than or equal to 0"),
        ({"name": "toggles", "kib": 4}, "step toggles: kib: is not a field here"),
    ],
    ids=lambda value: value if isinstance(value, str) else "step",
)
def test_a_wrong_field_of_a_step_is_told_before_anything_is_measured(
    step: dict[str, Any], message: str
) -> None:
    with pytest.raises(DesignError, match=message):
        plan({**step, "dear": True})


def test_a_workload_that_one_candidate_cannot_have_is_a_failure_of_that_one_alone() -> None:
    found = plan({"name": "toggles", "key_bits": 256}, ("present-iterative", "aes-iterative"))
    [step] = found.steps
    present, aes = (step.work(one) for one in found.candidates)
    assert present is not None and aes is not None
    assert "key_bits is 256; present has 80, 128" in present.measure().reason
    assert aes.measure.func.__name__ == "measure_point"  # type: ignore[attr-defined]


def test_a_platform_on_which_a_step_has_no_evaluator_is_a_failure_with_the_reason() -> None:
    found = plan({"name": "area", "platform": "on-chip"})
    [step] = found.steps
    work = step.work(found.candidates[0])
    assert work is not None
    assert work.alone is False
    assert "no evaluator answers for Core, Memory" in work.measure().reason
