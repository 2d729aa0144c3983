# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The S-boxes equal the tables of FIPS 197."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermill.design import find_home
from ciphermill.toolchain.cells import CellTarget, liberty_file
from ciphermill.toolchain.equivalence import Circuit, compare
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.formal import mutant
from ciphermill.toolchain.rtl import folder_sources
from ciphermill.toolchain.verilator import lint

HOME = find_home()
FORMAL = HOME / "hw" / "aes" / "formal"
RTL = folder_sources([HOME / "hw" / "aes" / "rtl"])
SBOXES = {"table": 0, "composite": 1}
DIRECTIONS = {"encrypt": 1, "decrypt": 2, "both": 3}


def sbox(top: str, rtl: list[Path] = RTL, **parameters: int) -> Circuit:
    return Circuit(f"aes_sbox_{top}", (*rtl, FORMAL / f"aes_sbox_{top}.sv"), parameters)


@pytest.mark.parametrize("directions", DIRECTIONS.values(), ids=DIRECTIONS)
@pytest.mark.parametrize("kind", SBOXES.values(), ids=SBOXES)
def test_an_sbox_is_the_table(kind: int, directions: int) -> None:
    subject = sbox("subject", SBox=kind, Directions=directions)
    verdict = compare(sbox("reference", Directions=directions), subject)
    assert verdict.holds, verdict.message


@pytest.mark.parametrize("kind", SBOXES.values(), ids=SBOXES)
def test_a_steered_sbox_is_the_table(kind: int) -> None:
    subject = sbox("subject", SBox=kind, Bytes=4, Steered=1)
    verdict = compare(sbox("reference", Bytes=4), subject)
    assert verdict.holds, verdict.message


@pytest.mark.parametrize("kind", SBOXES.values(), ids=SBOXES)
def test_an_sbox_of_generic_gates_is_the_table(kind: int) -> None:
    subject = sbox("subject", SBox=kind)
    mapped = Circuit(subject.top, subject.sources, subject.parameters, gates=True)
    verdict = compare(sbox("reference"), mapped)
    assert verdict.holds, verdict.message


@pytest.mark.parametrize("target", CellTarget)
@pytest.mark.parametrize("kind", SBOXES.values(), ids=SBOXES)
def test_an_sbox_of_cells_is_the_table(kind: int, target: CellTarget) -> None:
    try:
        liberty = liberty_file(target)
    except ToolError as error:
        pytest.skip(str(error).splitlines()[0])
    subject = sbox("subject", SBox=kind)
    mapped = Circuit(subject.top, subject.sources, subject.parameters, liberty=liberty)
    verdict = compare(sbox("reference"), mapped)
    assert verdict.holds, verdict.message


def test_a_broken_sbox_is_caught_and_the_input_told() -> None:
    broken = mutant(RTL, "aes_sbox_composite.sv", "f1 = u[7] ^ u[4];", "f1 = u[7] ^ u[3];")
    verdict = compare(sbox("reference"), sbox("subject", broken, SBox=1))
    assert not verdict.holds
    assert set(verdict.inputs) == {"direction_i", "encrypt_data_i", "decrypt_data_i"}
    assert "decrypt_data_i=0x" in verdict.message


@pytest.mark.parametrize(
    "top",
    ["aes_sbox_reference", "aes_sbox_subject"],
)
def test_the_harness_is_clean(top: str) -> None:
    lint([*RTL, FORMAL / f"{top}.sv"], top)
