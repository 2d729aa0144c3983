# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The energy half of the AES and PRESENT paper, from made-up figures."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from support.reports import invented_system

from ciphermill.design import Core, Direction, SoftCore, make_run
from ciphermill.evaluate.chip.cells.power import Energy
from ciphermill.evaluate.chip.energy import CellEnergy
from ciphermill.evaluate.chip.system_energy import SystemEnergy
from ciphermill.evaluate.chip.toggles import ToggleCount
from ciphermill.papers.aes_present_coprocessors import experiment_energy as coprocessors_energy
from ciphermill.papers.aes_present_coprocessors.energy import energy_sections, published_nj_per_byte
from ciphermill.papers.aes_present_coprocessors.energy_conclusions import energy_conclusions
from ciphermill.papers.aes_present_coprocessors.experiment_energy import (
    CoprocessorsEnergy,
    run_coprocessors_energy,
)
from ciphermill.papers.aes_present_coprocessors.published import Cipher
from ciphermill.papers.aes_present_coprocessors.published import load as load_coprocessors_paper
from ciphermill.papers.aes_present_coprocessors.report import misprints
from ciphermill.papers.paper import Verdict
from ciphermill.toolchain.cells import CellTarget
from ciphermill.toolchain.errors import ClockMissed

PAPER = load_coprocessors_paper()
BYTES = {Cipher.AES: 16, Cipher.PRESENT: 8}


def toggles(per_cycle: int, cycles: int, cipher: Cipher) -> ToggleCount:
    return ToggleCount(
        per_cycle * cycles * 10, cycles * 10, 10, BYTES[cipher], 128, Direction.ENCRYPT, 1000, {}
    )


def standalone(cipher: Cipher, cycles: int, static_mw: float, dynamic_mw: float) -> CellEnergy:
    """Ten blocks at 20 MHz; 1 fJ/ps is 1 mW."""
    duration = cycles * 10 * 50_000.0
    total = Energy(dynamic_mw * duration, 0, static_mw * duration)
    power = SimpleNamespace(
        total=total,
        duration_ps=duration,
        power_mw=static_mw + dynamic_mw,
        leakage_mw=static_mw,
        energy_pj=total.total_fj * 1e-3,
    )
    settled = SimpleNamespace(total=replace(total, switching_fj=total.switching_fj / 2))
    run = SimpleNamespace(cycles=cycles * 10, blocks=10, power=power, settled=settled)
    energy = SimpleNamespace(
        phase=lambda name: run if name == "run" else None,
        clock_mhz=20.0,
        pj_per_bit=lambda: power.energy_pj / (10 * 8 * BYTES[cipher]),
        implementation=SimpleNamespace(mapped=SimpleNamespace(gate_equivalents=1000.0)),
    )
    return cast(CellEnergy, energy)


def system(cipher: Cipher, cycles: int, accelerator_mw: float) -> SystemEnergy:
    """Four blocks."""
    one = make_run(
        {
            "algorithm": cipher,
            "partition": "shell",
            "key_bits": 128 if cipher is Cipher.AES else 80,
            "bytes": BYTES[cipher],
            "messages": 4,
            "fresh_key": True,
        },
        "test",
    )
    return invented_system(one, cycles * 4, accelerator_mw)


def invented(**changes: Any) -> CoprocessorsEnergy:
    """Figures with which all of the paper's conclusions hold."""
    fields: dict[str, Any] = {
        "soft_core": SoftCore.PICORV32,
        "toggles": {
            Cipher.AES: toggles(3000, 12, Cipher.AES),
            Cipher.PRESENT: toggles(1500, 33, Cipher.PRESENT),
        },
        "target": CellTarget.NANGATE45,
        "standalone": {
            Cipher.AES: standalone(Cipher.AES, 12, 1.0, 2.2),
            Cipher.PRESENT: standalone(Cipher.PRESENT, 33, 0.5, 1.0),
        },
        "system": {
            Cipher.AES: system(Cipher.AES, 200, 0.2),
            Cipher.PRESENT: system(Cipher.PRESENT, 150, 0.1),
        },
        "missing": None,
        "measurements": (),
    }
    return CoprocessorsEnergy(**{**fields, **changes})


def verdicts(energy: CoprocessorsEnergy | None) -> list[bool | None]:
    return [one.holds for one in energy_conclusions(PAPER, energy)]


def cells(energy: CoprocessorsEnergy) -> dict[str, list[tuple[str, ...]]]:
    return {one.title.partition(":")[0]: list(one.rows) for one in energy_sections(PAPER, energy)}


LIKE_THE_PAPERS = [True, True, False, True, True, True]
"""That toggles foretell power is refuted by the paper's own tables, whatever ours are."""


def test_all_but_one_hold_with_figures_like_the_papers() -> None:
    assert verdicts(invented()) == LIKE_THE_PAPERS


def test_the_papers_own_tables_refute_that_toggles_foretell_power() -> None:
    foretell = list(energy_conclusions(PAPER, invented()))[2]
    # 2,746 over 3,798 toggles a clock; 3.49 over 40.75 mW.
    assert "toggles a clock 0.723x, dynamic power 0.0856x" in foretell.figures
    assert "own tables refute it" in foretell.reason
    assert "On our cores and by our definition of a toggle they do foretell it" in foretell.reason
    values = {one.what: round(one.value, 4) for one in foretell.evidence}
    assert values == {
        "ours, toggles a clock, PRESENT over AES": 0.5,
        "ours, dynamic power, PRESENT over AES": 0.4545,
        "published, toggles a clock, PRESENT over AES": 0.723,
        "published, dynamic power, PRESENT over AES": 0.0856,
    }
    agreeing = [
        one.model_copy(update={"dynamic_mw": 29.4})
        if (one.what, one.algorithm) == ("standalone", Cipher.PRESENT)
        else one
        for one in PAPER.energy
    ]
    paper = PAPER.model_copy(update={"energy": tuple(agreeing)})
    held, unknown = (
        list(energy_conclusions(paper, energy))[2].verdict for energy in (invented(), None)
    )
    assert (held, unknown) == (Verdict.HOLDS, Verdict.UNTESTED)


def test_every_verdict_states_its_rule_and_its_figures() -> None:
    for one in energy_conclusions(PAPER, invented()):
        assert one.rule.startswith("if ")
        assert len(one.evidence) >= 2


@pytest.mark.parametrize(
    ("changes", "changed"),
    [
        # PRESENT's core takes as much power as AES's; then toggles foretell it no more.
        (
            {
                "standalone": {
                    Cipher.AES: standalone(Cipher.AES, 12, 1.0, 2.2),
                    Cipher.PRESENT: standalone(Cipher.PRESENT, 33, 1.0, 2.5),
                }
            },
            {0},
        ),
        # It takes a tenth: six times the time does not make up for it.
        (
            {
                "standalone": {
                    Cipher.AES: standalone(Cipher.AES, 12, 1.0, 2.2),
                    Cipher.PRESENT: standalone(Cipher.PRESENT, 33, 0.1, 0.2),
                }
            },
            {1},
        ),
        # AES's coprocessor takes most of its system's power: the systems' differ.
        (
            {
                "system": {
                    Cipher.AES: system(Cipher.AES, 200, 9.0),
                    Cipher.PRESENT: system(Cipher.PRESENT, 150, 0.1),
                }
            },
            {3, 4, 5},
        ),
        # PRESENT's system is faster by more than its block is smaller.
        (
            {
                "system": {
                    Cipher.AES: system(Cipher.AES, 200, 0.2),
                    Cipher.PRESENT: system(Cipher.PRESENT, 90, 0.1),
                }
            },
            {4},
        ),
    ],
)
def test_verdicts_follow_from_the_figures(changes: dict[str, Any], changed: set[int]) -> None:
    found = verdicts(invented(**changes))
    differing = {
        number for number, holds in enumerate(LIKE_THE_PAPERS) if found[number] is not holds
    }
    assert differing == changed


def test_toggles_that_miss_our_power_are_said_to() -> None:
    standalones = {
        Cipher.AES: standalone(Cipher.AES, 12, 1.0, 2.2),
        Cipher.PRESENT: standalone(Cipher.PRESENT, 33, 1.0, 2.5),
    }
    foretell = list(energy_conclusions(PAPER, invented(standalone=standalones)))[2]
    assert "On our cores they do not foretell it either" in foretell.reason


def test_without_a_library_toggles_are_what_there_is() -> None:
    why = "no cell library nangate45: get it"
    energy = invented(target=None, standalone={}, system={}, missing=why)
    assert verdicts(energy) == [True, True, False, None, None, None]
    (section,) = energy_sections(PAPER, energy)
    assert why in section.notes[-1]
    assert why in list(energy_conclusions(PAPER, energy))[-1].figures
    fewer = toggles(100, 33, Cipher.PRESENT)
    energy = replace(energy, toggles={**energy.toggles, Cipher.PRESENT: fewer})
    assert verdicts(energy)[:2] == [True, False]


def test_systems_that_fail_leave_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = invented()
    alone = {core: whole.standalone[cipher] for cipher, core in coprocessors_energy.CORES.items()}

    def implement_cells(module: Core, *_: object, **__: object) -> str:
        return module.name

    def misses(*_: object, **__: object) -> SystemEnergy:
        raise ClockMissed("soc_core_picorv32 in osu018 reaches 33 MHz, not 50")

    monkeypatch.setattr(coprocessors_energy, "implement_cells", implement_cells)
    monkeypatch.setattr(coprocessors_energy, "measure_energy", lambda made, _: alone[made])
    monkeypatch.setattr(coprocessors_energy, "of_energy", lambda *_: None)
    monkeypatch.setattr(coprocessors_energy, "system_energy", misses)
    found = run_coprocessors_energy(
        PAPER, SoftCore.PICORV32, whole.toggles, target=CellTarget.OSU018
    )
    assert verdicts(found) == [True, True, False, None, None, None]
    assert "reaches 33 MHz" in list(energy_conclusions(PAPER, found))[-1].figures
    first, *rest = energy_sections(PAPER, found)
    assert "Power and energy of the systems were not taken: soc_core" in first.notes[-1]
    assert len(rest) == 1


def test_without_energy_the_papers_tables_are_what_there_is() -> None:
    assert verdicts(None) == [None, None, False, None, None, None]


def test_ours_stand_beside_theirs() -> None:
    tables = cells(invented())
    toggled = tables["Toggles of the cores alone, at register-transfer level"]
    assert toggled[0] == ("AES-128", "ours", "3,000", "36,000", "2,250")
    assert toggled[1] == ("", "published", "3,798", "45,576", "2,849")
    # 1500 * 33 / 8 over 3000 * 12 / 16.
    assert toggled[-2][-1] == "2.75x"
    notes = next(energy_sections(PAPER, invented())).notes
    assert "1,000 in AES, 1,000 in PRESENT), over 10 encryptions" in notes[0]
    # 3,798 over 3,000.
    assert "1.27x as often as ours a clock in AES" in notes[1]
    alone = tables["Energy of the cores alone"]
    # 3.2 mW for 6 us, by 160 bytes.
    assert alone[0][-1] == "0.120"
    assert alone[1][-1] == "3.46"
    systems = tables["Energy of the systems"]
    # 4.2 mW for 16 us: 67.2 nJ for 64 bytes.
    assert systems[0][2:] == ("16.0", "3.00", "1.20", "0.0672", "1.05")
    parts = tables["Where the systems' energy goes"]
    assert [row[1] for row in parts[:4]] == ["processor", "accelerator", "memory", "all"]
    assert parts[0][-1] == "47.6%"


def test_the_papers_energy_with_its_units_put_right() -> None:
    printed = {(one.what, one.algorithm): one.energy_uj_per_byte for one in PAPER.energy}
    for one in PAPER.energy:
        # Printed in uJ, a thousand times too large.
        assert published_nj_per_byte(one) == pytest.approx(
            printed[one.what, one.algorithm], rel=0.01
        )
    verdict = [one.verdict for one in misprints(PAPER) if "table" in one.source]
    assert verdict == ["every unit is printed 1,000 times too large"] * 4
