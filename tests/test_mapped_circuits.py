# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Circuits that are mapped to the cells of a library equal their references.

The references and how circuits are compared belong to the hardware's own proofs; the cells
are chosen by the synthesis of designs.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from ciphermill_dv.equivalence import Circuit, compare
from ciphermill_dv.simulate import REPOSITORY, rtl_sources

from ciphermill.toolchain.cell_synthesis import synthesise_cells
from ciphermill.toolchain.cells import CellTarget, liberty_file
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.rtl import RtlSource

pytestmark = pytest.mark.synthesis


def harness(ip: str, top: str, **parameters: int) -> Circuit:
    sources = (*rtl_sources(ip), REPOSITORY / "hw" / ip / "formal" / f"{top}.sv")
    return Circuit(top, sources, parameters)


CIRCUITS = {
    **{
        f"sbox-{kind}": (
            harness("aes", "aes_sbox_reference"),
            harness("aes", "aes_sbox_subject", SBox=number),
        )
        for kind, number in {"table": 0, "composite": 1, "decoder": 2}.items()
    },
    "present-round": (
        harness("present", "present_round_reference"),
        harness("present", "present_round_subject"),
    ),
}


@pytest.mark.parametrize("target", CellTarget)
@pytest.mark.parametrize("name", CIRCUITS)
def test_a_circuit_of_cells_is_its_reference(name: str, target: CellTarget) -> None:
    try:
        liberty = liberty_file(target)
    except ToolError as error:
        pytest.skip(str(error).splitlines()[0])
    reference, subject = CIRCUITS[name]
    source = RtlSource(subject.top, subject.sources, subject.parameters)
    mapped = synthesise_cells(source, liberty, clock_mhz=100.0)
    verdict = compare(reference, replace(subject, netlist=mapped.json, liberty=liberty))
    assert verdict.holds, verdict.message
