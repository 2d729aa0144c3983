# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Parameter corners of present_core: good ones lint clean, bad ones stop with a message."""

from __future__ import annotations

import itertools

import pytest
from ciphermill_dv.simulate import lint, rtl_sources

ITERATIVE, UNROLLED, SERIAL = 0, 1, 2
COMMON = [
    {"Directions": directions, "KeySizes": sizes}
    for directions, sizes in itertools.product((1, 2, 3), (1, 2, 3))
]
GOOD = {
    "iterative": [{"Architecture": ITERATIVE, **common} for common in COMMON],
    "unrolled": [{"Architecture": UNROLLED, **common} for common in COMMON],
    "pipelined": [{"Architecture": UNROLLED, "RoundsPerStage": n} for n in (1, 4, 16, 30)],
    "serial": [{"Architecture": SERIAL, **common} for common in COMMON],
    "tag": [{"TagWidth": 1}, {"TagWidth": 64}],
}


@pytest.mark.parametrize("name", GOOD)
def test_good_parameters_lint_clean(name):
    for parameters in GOOD[name]:
        done = lint("present_core", rtl_sources("present"), parameters)
        assert done.returncode == 0, f"{parameters}\n{done.stdout}"


@pytest.mark.parametrize("top", ["present_minimal", "present_nibble"])
def test_the_bare_cores_lint_clean(top):
    done = lint(top, rtl_sources("present"))
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Architecture": 3}, "Architecture must be"),
        ({"Directions": 0}, "Directions must be"),
        ({"Directions": 4}, "Directions must be"),
        ({"KeySizes": 0}, "KeySizes must be"),
        ({"KeySizes": 4}, "KeySizes must be"),
        ({"TagWidth": 0}, "TagWidth must be"),
        ({"RoundsPerStage": 1}, "RoundsPerStage must be"),
        ({"Architecture": UNROLLED, "RoundsPerStage": 0}, "RoundsPerStage must be"),
        ({"Architecture": UNROLLED, "RoundsPerStage": 32}, "RoundsPerStage must be"),
        ({"Architecture": SERIAL, "RoundsPerStage": 4}, "RoundsPerStage must be"),
    ],
)
def test_bad_parameters_stop_elaboration(parameters, message):
    done = lint("present_core", rtl_sources("present"), parameters)
    assert done.returncode != 0
    assert message in done.stdout
