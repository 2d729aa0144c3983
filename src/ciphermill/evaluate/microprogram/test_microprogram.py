# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Estimates of the ECC engine from the timing of its instructions."""

import pytest

from ciphermill.design import Core, Method, Workload, load_design
from ciphermill.evaluate.evaluate import evaluate
from ciphermill.evaluate.microprogram.evaluator import Microprogram
from ciphermill.toolchain.errors import ToolError

SIGNATURE = Workload(algorithm="ecc", operation="sign", key_bits=521, bytes=3 * 66)


def engine(**parameters: int) -> Core:
    found = load_design("ecc-p521")
    assert isinstance(found, Core)
    return found.model_copy(update={"parameters": {**found.parameters, **parameters}})


def test_a_signature_takes_the_cycles_of_the_rtl() -> None:
    [seen] = evaluate(engine(), Microprogram(), SIGNATURE)
    rtl = engine().cycles_per_block
    assert seen.cycles_per_block == pytest.approx(rtl, rel=0.01)
    assert (seen.method, seen.operation, seen.key_bits) == (Method.ESTIMATED, "sign", 521)


def test_the_parameters_of_a_build_count() -> None:
    found = [
        evaluate(engine(WordBits=bits), Microprogram(), SIGNATURE)[0].cycles_per_block or 0
        for bits in (68, 136)
    ]
    assert found[0] > 2 * found[1]


def test_a_build_that_the_engine_does_not_have_says_why() -> None:
    with pytest.raises(ToolError, match=r"estimate of ecc-p521 failed: .*invalid choice: 34"):
        evaluate(engine(WordBits=34), Microprogram(), SIGNATURE)
    with pytest.raises(ToolError, match="failed: curves are 1, which leaves P-521 out"):
        evaluate(engine(Curves=1), Microprogram(), SIGNATURE)
