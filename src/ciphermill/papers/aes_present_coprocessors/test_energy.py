# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The energy half of the AES and PRESENT paper, from made-up figures."""

from typing import Any

import pytest
from support.reports import invented_system

from ciphermill.design import Direction, Measurement, Method, make_run
from ciphermill.evaluate.chip.measures import ZERO_DELAY, of_toggles
from ciphermill.evaluate.chip.toggles import ToggleCount
from ciphermill.papers.aes_present_coprocessors.conclusions import ENERGY
from ciphermill.papers.aes_present_coprocessors.energy import energy_sections
from ciphermill.papers.aes_present_coprocessors.experiment import CORES, WORKLOAD
from ciphermill.papers.aes_present_coprocessors.published import TEXTS, Cipher
from ciphermill.papers.aes_present_coprocessors.published import load as load_coprocessors_paper
from ciphermill.papers.aes_present_coprocessors.report import misprints
from ciphermill.papers.aes_present_coprocessors.view import CoprocessorsView, CorePower
from ciphermill.papers.paper import Verdict
from ciphermill.papers.plan import not_taken
from ciphermill.papers.systems import Powers
from ciphermill.toolchain.modules import find_core

PAPER = load_coprocessors_paper()
BYTES = {Cipher.AES: 16, Cipher.PRESENT: 8}


def toggles(per_cycle: int, cycles: int, cipher: Cipher) -> Measurement:
    count = ToggleCount(
        per_cycle * cycles * 10, cycles * 10, 10, BYTES[cipher], 128, Direction.ENCRYPT, 1000
    )
    return of_toggles(find_core(CORES[cipher]), WORKLOAD, count)


def standalone(cipher: Cipher, cycles: int, static_mw: float, dynamic_mw: float) -> CorePower:
    """Ten blocks at 20 MHz; half the dynamic power is glitches."""
    power_mw = static_mw + dynamic_mw
    time_us = cycles / 20
    run = Measurement(
        algorithm=cipher,
        target="nangate45",
        workload=WORKLOAD,
        cycles_per_block=cycles,
        clock_mhz=20.0,
        area_ge=1000.0,
        power_mw=power_mw,
        power_leakage_mw=static_mw,
        energy_pj_per_byte=power_mw * time_us * 1e3 / BYTES[cipher],
        method=Method.SIMULATED,
    )
    settled = {"scope": "run", "kind": ZERO_DELAY, "power_mw": static_mw + dynamic_mw / 2}
    return CorePower(run, {cipher: run.model_copy(update=settled)})


def system(cipher: Cipher, cycles: int, accelerator_mw: float) -> list[Measurement]:
    """Four blocks."""
    fields = {
        "algorithm": cipher,
        "partition": "shell",
        "key_bits": 128 if cipher is Cipher.AES else 80,
        "bytes": BYTES[cipher],
        "messages": 4,
        "fresh_key": True,
    }
    one = make_run(fields, "test")
    if not cycles:
        why = "soc_core_picorv32 in osu018 reaches 33 MHz, not 50"
        return [not_taken(one.system, None, one.workload, why)]
    return invented_system(one, cycles * 4, accelerator_mw).measurements()


def invented(**changes: Any) -> CoprocessorsView:
    """Figures with which all of the paper's conclusions hold."""
    fields: dict[str, Any] = {
        "paper": PAPER,
        "alone": {
            Cipher.AES: toggles(3000, 12, Cipher.AES),
            Cipher.PRESENT: toggles(1500, 33, Cipher.PRESENT),
        },
        "cores_in_cells": {
            Cipher.AES: standalone(Cipher.AES, 12, 1.0, 2.2),
            Cipher.PRESENT: standalone(Cipher.PRESENT, 33, 0.5, 1.0),
        },
        "systems": [*system(Cipher.AES, 200, 0.2), *system(Cipher.PRESENT, 150, 0.1)],
        **changes,
    }
    powers = Powers(fields.pop("systems"), lambda seen: Cipher(seen.algorithm or ""))
    view = CoprocessorsView.__new__(CoprocessorsView)
    vars(view).update(fields, powers=powers)
    return view


NOT_WANTED: dict[str, Any] = {"cores_in_cells": {}, "systems": []}


def verdicts(view: CoprocessorsView) -> list[bool | None]:
    return [one.holds for one in ENERGY(view, TEXTS)]


def cells(view: CoprocessorsView) -> dict[str, list[tuple[str, ...]]]:
    return {one.title.partition(":")[0]: list(one.rows) for one in energy_sections(view)}


LIKE_THE_PAPERS = [True, True, False, True, True, True]
"""That toggles foretell power is refuted by the paper's own tables, whatever ours are."""


def test_all_but_one_hold_with_figures_like_the_papers() -> None:
    assert verdicts(invented()) == LIKE_THE_PAPERS


def test_the_papers_own_tables_refute_that_toggles_foretell_power() -> None:
    foretell = list(ENERGY(invented(), TEXTS))[2]
    # 2,746 over 3,798 toggles a cycle; 3.49 over 40.75 mW.
    assert "toggles a cycle 0.723x, dynamic power 0.0856x" in foretell.figures
    assert "own tables refute it" in foretell.reason
    assert "On our cores and by our definition of a toggle they do foretell it" in foretell.reason
    values = {one.what: round(one.value, 4) for one in foretell.evidence}
    assert values == {
        "ours, toggles a cycle, PRESENT over AES": 0.5,
        "ours, dynamic power, PRESENT over AES": 0.4545,
        "published, toggles a cycle, PRESENT over AES": 0.723,
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
        list(ENERGY(invented(paper=paper, **one), TEXTS))[2].verdict for one in ({}, NOT_WANTED)
    )
    assert (held, unknown) == (Verdict.HOLDS, Verdict.UNTESTED)


def test_every_verdict_states_its_rule_and_its_figures() -> None:
    for one in ENERGY(invented(), TEXTS):
        assert one.rule.startswith("if ")
        assert len(one.evidence) >= 2


@pytest.mark.parametrize(
    ("changes", "changed"),
    [
        # PRESENT's core takes as much power as AES's; then toggles foretell it no more.
        (
            {
                "cores_in_cells": {
                    Cipher.AES: standalone(Cipher.AES, 12, 1.0, 2.2),
                    Cipher.PRESENT: standalone(Cipher.PRESENT, 33, 1.0, 2.5),
                }
            },
            {0},
        ),
        # It takes a tenth: six times the time does not make up for it.
        (
            {
                "cores_in_cells": {
                    Cipher.AES: standalone(Cipher.AES, 12, 1.0, 2.2),
                    Cipher.PRESENT: standalone(Cipher.PRESENT, 33, 0.1, 0.2),
                }
            },
            {1},
        ),
        # AES's coprocessor takes most of its system's power: the systems' differ.
        (
            {"systems": [*system(Cipher.AES, 200, 9.0), *system(Cipher.PRESENT, 150, 0.1)]},
            {3, 4, 5},
        ),
        # PRESENT's system is faster by more than its block is smaller.
        (
            {"systems": [*system(Cipher.AES, 200, 0.2), *system(Cipher.PRESENT, 90, 0.1)]},
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
    foretell = list(ENERGY(invented(cores_in_cells=standalones), TEXTS))[2]
    assert "On our cores they do not foretell it either" in foretell.reason


def test_without_a_library_toggles_are_what_there_is() -> None:
    why = "soc_core_picorv32 in osu018 reaches 33 MHz"
    none: dict[str, Any] = {"cores_in_cells": {}, "systems": system(Cipher.AES, 0, 0)}
    view = invented(**none)
    assert verdicts(view) == [True, True, False, None, None, None]
    (section,) = energy_sections(view)
    assert why in section.notes[-1]
    assert why in list(ENERGY(view, TEXTS))[-1].figures
    fewer = {**view.alone, Cipher.PRESENT: toggles(100, 33, Cipher.PRESENT)}
    assert verdicts(invented(alone=fewer, **none))[:2] == [True, False]


def test_systems_that_fail_leave_the_cores() -> None:
    found = invented(systems=[*system(Cipher.AES, 200, 0.2), *system(Cipher.PRESENT, 0, 0)])
    assert verdicts(found) == [True, True, False, None, None, None]
    assert "reaches 33 MHz" in list(ENERGY(found, TEXTS))[-1].figures
    first, *rest = energy_sections(found)
    assert "Power and energy of the systems were not taken: soc_core" in first.notes[-1]
    assert len(rest) == 1


def test_without_energy_the_papers_tables_are_what_there_is() -> None:
    assert verdicts(invented(**NOT_WANTED)) == [None, None, False, None, None, None]
    assert list(energy_sections(invented(**NOT_WANTED))) == []


def test_ours_stand_beside_theirs() -> None:
    tables = cells(invented())
    toggled = tables["Toggles of the cores alone, at register-transfer level"]
    assert toggled[0] == ("AES-128", "ours", "3,000", "36,000", "2,250")
    assert toggled[1] == ("", "published", "3,798", "45,576", "2,849")
    # 1500 * 33 / 8 over 3000 * 12 / 16.
    assert toggled[-2][-1] == "2.75x"
    notes = next(energy_sections(invented())).notes
    assert "1,000 in AES, 1,000 in PRESENT), over 10 encryptions" in notes[0]
    # 3,798 over 3,000.
    assert "1.27x as often as ours a cycle in AES" in notes[1]
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
        assert one.nj_per_byte == pytest.approx(printed[one.what, one.algorithm], rel=0.01)
    verdict = [one.verdict for one in misprints(PAPER) if "table" in one.source]
    assert verdict == ["every unit is printed 1,000 times too large"] * 4
