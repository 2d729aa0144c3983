# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
from ciphermill.design import SoftCore

from .soft_cores import find_soft_core, synthesisable


def test_ibex_assigns_what_it_would_initialise_in_synthesis() -> None:
    found = find_soft_core(SoftCore.IBEX)
    taken = synthesisable(SoftCore.IBEX, found)
    [(given, changed)] = [
        pair for pair in zip(found.sources, taken, strict=True) if pair[0] != pair[1]
    ]
    assert given.stem == "ibex_top"
    lost = set(given.read_text().splitlines()) - set(changed.read_text().splitlines())
    assert len(lost) == 1
    assert "assign unused_scramble_inputs =" in changed.read_text()


def test_another_soft_core_is_synthesised_as_it_is() -> None:
    found = find_soft_core(SoftCore.VEXRISCV)
    assert synthesisable(SoftCore.VEXRISCV, found) == found.sources
