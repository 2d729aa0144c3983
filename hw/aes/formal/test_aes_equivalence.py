# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The S-boxes equal the tables of FIPS 197, the column mixers its matrices, the rounds its text.

A round is proven with its S-boxes replaced by what they are proven to be, the tables
(``models/``), so that no proof has both S-boxes and column mixers in it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.equivalence import Circuit, compare, compare_bits
from ciphermill_dv.formal import mutant
from ciphermill_dv.simulate import REPOSITORY, assert_clean, rtl_sources

pytestmark = pytest.mark.synthesis

HOME = REPOSITORY
FORMAL = HOME / "hw" / "aes" / "formal"
RTL = rtl_sources("aes")
MIXER = FORMAL / "aes_mix_columns_reference.sv"
SBOXES = {"table": 0, "composite": 1, "decoder": 2}
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


def test_a_broken_sbox_is_caught_and_the_input_told() -> None:
    broken = mutant(RTL, "aes_sbox_composite.sv", "f1 = u[7] ^ u[4];", "f1 = u[7] ^ u[3];")
    verdict = compare(sbox("reference"), sbox("subject", broken, SBox=1))
    assert not verdict.holds
    assert set(verdict.inputs) == {"direction_i", "encrypt_data_i", "decrypt_data_i"}
    assert "decrypt_data_i=0x" in verdict.message


@pytest.mark.parametrize("directions", DIRECTIONS.values(), ids=DIRECTIONS)
def test_a_decoder_is_its_model_and_quiet_where_it_is_not_asked(directions: int) -> None:
    parameters = {"Directions": directions}
    model = Circuit("aes_sbox_decoder", tuple(with_models(RTL)), parameters)
    verdict = compare(model, Circuit("aes_sbox_decoder", tuple(RTL), parameters))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize("directions", DIRECTIONS.values(), ids=DIRECTIONS)
def test_a_column_mixer_is_the_matrix(directions: int) -> None:
    parameters = {"Directions": directions}
    verdict = compare_bits(
        Circuit(MIXER.stem, (*RTL, MIXER), parameters),
        Circuit("aes_mix_columns", tuple(RTL), parameters),
    )
    assert verdict.holds, verdict.message


def with_models(rtl: list[Path]) -> list[Path]:
    """Return the files with S-boxes replaced by what they are proven to be."""
    models = {path.name: path for path in (FORMAL / "models").glob("*.sv")}
    assert models.keys() == {"aes_sbox_steered.sv", "aes_sbox_decoder.sv"}
    return [*(models.get(path.name, path) for path in rtl), FORMAL / "aes_sbox_reference.sv"]


def a_round(top: str, rtl: list[Path] = RTL, **parameters: int) -> Circuit:
    name = f"aes_round_{top}"
    return Circuit(name, (*with_models(rtl), MIXER, FORMAL / f"{name}.sv"), parameters)


# Behind S-boxes of their own, and SBox of aes_iterative_round: what is plain and quiet.
ROUNDS = {"layer": {"Layer": 1}, "plain": {"SBox": 0}, "quiet": {"SBox": 2}}


@pytest.mark.parametrize("directions", DIRECTIONS.values(), ids=DIRECTIONS)
@pytest.mark.parametrize("kind", ROUNDS.values(), ids=ROUNDS)
def test_a_round_is_that_of_the_standard(kind: dict[str, int], directions: int) -> None:
    subject = a_round("subject", Directions=directions, **kind)
    verdict = compare_bits(a_round("reference", Directions=directions), subject)
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(
    ("file", "old", "new", "kind"),
    [
        ("aes_functions_pkg.sv", "^ carry ^ (carry << 1)", "^ carry ^ (carry << 2)", "layer"),
        ("aes_functions_pkg.sv", "{c2[31:24], c1[23:16],", "{c2[31:24], c2[23:16],", "plain"),
        ("aes_iterative_round.sv", "(decrypt || last_i) ? key", "decrypt ? key", "plain"),
        (
            "aes_iterative_quiet_round.sv",
            "decrypt_i ? 32'h0 : key",
            "last_i ? 32'h0 : key",
            "quiet",
        ),
        (
            "aes_iterative_quiet_round.sv",
            ".data_i     (state_i[8*n+:8])",
            ".data_i     (state_i[8*(15-n)+:8])",
            "quiet",
        ),
    ],
    ids=["times-x", "shift-rows", "last-key", "key-twice", "sbox-operand"],
)
def test_a_broken_round_is_caught(file: str, old: str, new: str, kind: str) -> None:
    broken = a_round("subject", mutant(RTL, file, old, new), **ROUNDS[kind])
    verdict = compare_bits(a_round("reference"), broken)
    assert not verdict.holds
    assert "state_o[" in verdict.message


@pytest.mark.parametrize(
    "circuit",
    [
        sbox("reference"),
        sbox("subject"),
        Circuit(MIXER.stem, (*RTL, MIXER)),
        a_round("reference"),
        a_round("subject"),
        a_round("subject", Layer=1),
        Circuit("aes_sbox_decoder", tuple(with_models(RTL))),
        Circuit("aes_sbox_steered", tuple(with_models(RTL))),
    ],
    ids=lambda circuit: f"{circuit.top}{dict(circuit.parameters) or ''}",
)
def test_the_harness_is_clean(circuit: Circuit) -> None:
    assert_clean(circuit.top, circuit.sources, circuit.parameters)
