# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Parameter corners of aes_core: good ones lint clean, bad ones stop with a message."""

from __future__ import annotations

import itertools

import pytest
from ciphermill_dv.simulate import lint, rtl_sources

ITERATIVE, PIPELINED, SERIAL = 0, 1, 2

# Every set of key sizes, and every S-box with every set of directions.
COMMON = [{"KeySizes": sizes} for sizes in range(1, 7)] + [
    {"SBox": sbox, "Directions": directions, "KeySizes": sizes}
    for sbox, directions, sizes in itertools.product((0, 1, 2), (1, 2, 3), (4, 7))
]
GOOD = {
    "iterative": [{"Architecture": ITERATIVE, **common} for common in COMMON],
    "iterative on the fly": [
        {"Architecture": ITERATIVE, "KeyStorage": 0, **common} for common in COMMON
    ],
    "serial": [{"Architecture": SERIAL, "KeyStorage": 1, **common} for common in COMMON],
    "serial on the fly": [{"Architecture": SERIAL, "KeyStorage": 0, **common} for common in COMMON],
    # test_aes_pipelined.py has the rest.
    "pipelined": [{"Architecture": PIPELINED, "StagesPerRound": 2, "BlockRam": 1}],
    "tag": [{"TagWidth": 1}, {"TagWidth": 64}],
}


@pytest.mark.parametrize("name", GOOD)
def test_good_parameters_lint_clean(name):
    for parameters in GOOD[name]:
        done = lint("aes_core", rtl_sources("aes"), parameters)
        assert done.returncode == 0, f"{parameters}\n{done.stdout}"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Architecture": 3}, "Architecture must be"),
        ({"SBox": 3}, "SBox must be"),
        ({"Directions": 0}, "Directions must be"),
        ({"Directions": 4}, "Directions must be"),
        ({"KeySizes": 0}, "KeySizes must be"),
        ({"KeySizes": 8}, "KeySizes must be"),
        ({"TagWidth": 0}, "TagWidth must be"),
        ({"StagesPerRound": 2}, "StagesPerRound must be"),
        ({"Architecture": PIPELINED, "StagesPerRound": 0}, "StagesPerRound must be"),
        ({"Architecture": SERIAL, "StagesPerRound": 2}, "StagesPerRound must be"),
        ({"BlockRam": 1}, "BlockRam must be"),
        ({"Architecture": PIPELINED, "BlockRam": 1}, "BlockRam must be"),
        ({"KeyStorage": 2}, "KeyStorage must be"),
        ({"Architecture": PIPELINED, "KeyStorage": 0}, "KeyStorage must be"),
        ({"Architecture": SERIAL, "KeyStorage": 2}, "KeyStorage must be"),
    ],
)
def test_bad_parameters_stop_elaboration(parameters, message):
    done = lint("aes_core", rtl_sources("aes"), parameters)
    assert done.returncode != 0
    assert message in done.stdout
