# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Elliptic curves in C: the processor executes as many instructions for any secret."""

import random

import ecc_reference as reference
import pytest
from ecc_curves import P256, P384, Curve

from ciphermill.design import make_run
from ciphermill.evaluate.system.instruction_set import estimate
from ciphermill.evaluate.system.messages import Messages

CODES = {"generate-key": reference.GENERATE, "sign": reference.SIGN, "agree": reference.AGREE}


@pytest.mark.parametrize(
    ("curve", "operation"),
    [*((P256, operation) for operation in CODES), (P384, "sign")],
    ids=lambda one: getattr(one, "name", one),
)
def test_secrets_do_not_change_the_instructions(curve: Curve, operation: str) -> None:
    fields = {"algorithm": "ecc", "partition": "software", "soft_core": "ibex"}
    run = make_run({**fields, "operation": operation, "key_bits": curve.bits}, "test")
    source, counts = random.Random(1), set()
    for private in (1, curve.n - 1, source.randrange(1, curve.n)):
        operands = {
            "generate-key": [private - 1],
            "sign": [curve.n - private, private, 0 if private == 1 else source.randrange(curve.n)],
            "agree": [private, *curve.g],
        }[operation]
        status, results = reference.answer(curve, CODES[operation], operands)
        assert status == reference.GOOD
        data = Messages(
            (),
            *(
                (b"".join(one.to_bytes(curve.bytes, "big") for one in numbers),)
                for numbers in (operands, results)
            ),
        )
        seen = estimate(run.system, run.workload, data=data)
        assert seen.correct
        counts.add((seen.counters.instructions, seen.counters.cycles))
    assert len(counts) == 1
