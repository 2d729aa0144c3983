# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The crypto-suite paper: its formula, its misprints, and what our figures say to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from ciphermill.algorithms import AES, ECC, SCHEMES, Scheme
from ciphermill.design import Core, Measurement, Provenance, find_home, load_design
from ciphermill.evaluate.speed.operations import OPERATIONS
from ciphermill.papers.compared import Compared, Standing
from ciphermill.papers.crypto_suite_sw_vs_hw import experiment
from ciphermill.papers.crypto_suite_sw_vs_hw.conclusions import CONCLUSIONS
from ciphermill.papers.crypto_suite_sw_vs_hw.formula import (
    CARRIED_BITS,
    added_latency_ns,
    derived_cycles,
    merit,
    printed_formula,
)
from ciphermill.papers.crypto_suite_sw_vs_hw.published import TEXTS, CryptoSuitePaper, load
from ciphermill.papers.crypto_suite_sw_vs_hw.report import misprints, suite_report
from ciphermill.papers.crypto_suite_sw_vs_hw.view import SuiteView
from ciphermill.papers.overview import of_paper
from ciphermill.papers.page import paper_page, stored_report
from ciphermill.papers.paper import PaperReport, Verdict
from ciphermill.papers.published import printed_figure
from ciphermill.report.section import Section

ORIGIN = Provenance(command="ciphermill paper crypto-suite-sw-vs-hw")


@pytest.fixture
def paper() -> CryptoSuitePaper:
    return load()


def software(powered: bool = False, times: float = 20.0) -> list[Measurement]:
    """Software that is so many times as fast as the paper's, one operation in 3 ms worst."""
    found = []
    for printed in load().software:
        operation = OPERATIONS[printed.algorithm]
        data = operation.message_bytes is None
        rate = printed.rate * times
        fields: dict[str, Any] = {
            "device": "openssl",
            "workload": operation.name,
            "threads": printed.cores,
            "messages": round(rate * 3e6 / 8 / 16384) if data else round(rate * 3),
            "time.total_s": 3.0,
            "time.worst_message_s": 3e-3,
            "method": "measured",
        }
        if data:
            fields |= {"bytes": 16384, "throughput.mb_s": rate / 8}
        if powered:
            added = 4000.0 * printed.cores
            power = [[0.1, 20_000 + added], [0.2, 20_100 + added]]
            fields |= {"power.mw": 20_000 + added, "power.idle_mw": 20_000.0}
            fields |= {"power.over_time": power}
        else:
            fields |= {"notes": ["No energy: no counter."]}
        found.append(Measurement.from_json({**fields, "provenance": ORIGIN.model_dump()}))
    return found


def behind_dma(cycles: float = 17.0, algorithm: str = "aes", verb: str = "encrypt") -> Measurement:
    return Measurement(
        algorithm=algorithm,
        operation=verb,
        partition="dma",
        soft_core="ibex",
        interface="axi4-32",
        bytes=16384,
        messages=8,
        cycles_total=round(8 * 1024 * cycles),
        cycles_per_block=cycles,
        cycles_worst_message=round(1024 * cycles) + 500,
        method="simulated",
    )


def in_cells(clock_mhz: float = 600.0) -> list[Measurement]:
    own = {"design": "aes-iterative-256", "algorithm": "aes", "target": "nangate45"}
    return [
        Measurement(**own, clock_mhz=clock_mhz, cycles_per_block=14, method="estimated"),
        Measurement(
            **own,
            clock_mhz=300.0,
            power_mw=9.0,
            energy_pj_per_bit=3.5,
            workload="stream",
            method="simulated",
        ),
    ]


def section(report: PaperReport, beginning: str) -> Section:
    return next(one for one in report.sections if one.title.startswith(beginning))


def verdicts(stored: Sequence[Measurement]) -> list[Verdict]:
    return [one.verdict for one in CONCLUSIONS(SuiteView(load(), stored), TEXTS)]


@pytest.mark.parametrize(
    ("algorithm", "cycles"), [("aes-256-ecb", 14), ("sha-256", 64), ("ecdsa-p521-sign", 329_358)]
)
def test_equation_1_gives_the_printed_rate(
    paper: CryptoSuitePaper, algorithm: str, cycles: int
) -> None:
    printed = paper.of(algorithm)
    formula = printed_formula(paper, printed)
    assert formula.cycles == cycles
    assert derived_cycles(paper, printed) == pytest.approx(cycles, rel=1e-3)
    assert formula.rate == pytest.approx(printed.rate, rel=1e-4)


@pytest.mark.parametrize("algorithm", CARRIED_BITS)
def test_the_added_latency_is_the_bits_over_the_bandwidth(
    paper: CryptoSuitePaper, algorithm: str
) -> None:
    added = added_latency_ns(paper.dma, *CARRIED_BITS[algorithm])
    assert added == pytest.approx(paper.of(algorithm).added_latency_ns, abs=0.01)


def test_another_clock_scales_core_and_bus_cycle_for_cycle(paper: CryptoSuitePaper) -> None:
    formula = printed_formula(paper, paper.of("aes-256-ecb"))
    fast = formula.at(560)
    assert fast.rate == pytest.approx(formula.rate * 560 / 300)
    assert fast.core_rate == pytest.approx(128 * 560 / 14)
    assert fast.total_cycles == pytest.approx(formula.total_cycles)
    rows = section(suite_report(paper, software()), "Other clocks").rows
    assert ("highest, 45 nm", "560", "5,120", "2,500") in [row[2:] for row in rows]
    assert ("highest, 7 nm", "2,800", "25,600", "12,502") in [row[2:] for row in rows]


@pytest.mark.parametrize("cores", [1, 2, 4])
@pytest.mark.parametrize("algorithm", CARRIED_BITS)
def test_printed_rates_energies_and_merits_of_software_agree(
    paper: CryptoSuitePaper, algorithm: str, cores: int
) -> None:
    printed = paper.on(algorithm, cores)
    energy = printed.power_mw / printed.rate
    if (algorithm, cores) == ("sha-256", 4):
        assert energy == pytest.approx(3.41, rel=1e-3)
        assert printed.energy_mj == 3.14
    else:
        assert energy == pytest.approx(printed.energy_mj, rel=0.01)
    assert merit(printed.rate, printed.energy_mj) == pytest.approx(printed.merit, rel=2e-3)
    if (algorithm, cores) != ("sha-256", 1):
        assert printed.processed / printed.time_s == pytest.approx(printed.rate, rel=1e-4)


def said() -> str:
    text = (find_home() / "docs" / "reference" / "physical.md").read_text(encoding="utf-8")
    return " ".join(text.split())


def test_its_rate_has_the_latency_and_its_energy_has_not(paper: CryptoSuitePaper) -> None:
    for printed in paper.hardware:
        formula = printed_formula(paper, printed)
        core = printed.power_mw / formula.core_rate
        assert core == pytest.approx(printed.energy_mj, rel=1e-3)
    aes = paper.of("aes-256-ecb")
    rate = printed_formula(paper, aes).core_rate
    notes = section(suite_report(paper, software()), "Table V").notes
    for words in (f"{aes.added_latency_ns} ns", f"{rate:,.0f} Mbit/s", f"{rate / 0.00656:,.0f}"):
        assert words in said()
        assert words in notes[0]


def test_what_cannot_be_right_is_computed(paper: CryptoSuitePaper) -> None:
    clock, energy, ecdsa, sha, four, scaling = misprints(paper)
    assert "300 MHz are 3.33 ns" in clock.computed
    assert "AES would have 1,077 Mbit/s, not 1,339.53" in clock.computed
    assert "18 mW over that rate are 0.01344 mJ a Mbit" in energy.computed
    assert "2.05 times as large" in energy.verdict
    assert "are 13,421" in ecdsa.computed
    assert "1.5 times" in ecdsa.verdict
    assert "are 112.6 Mbit/s" in sha.computed
    assert "1380 mW over 404.63 Mbit/s are 3.41 mJ a Mbit" in four.computed
    assert "must be 118.64" in four.verdict
    assert "it is 2,500 Mbit/s; 5,120 Mbit/s are those of the core alone" in scaling.computed
    for words in (
        "13,421",
        "112.6 Mbit/s",
        "3.33 ns",
        "20,131.61",
        "113.01",
        "0.01344",
        "2,500",
        "3.41",
    ):
        assert words in said()


def test_a_misprint_is_computed_from_the_figures(paper: CryptoSuitePaper) -> None:
    right = paper.clock.model_copy(update={"mhz": 200})
    clock, *_ = misprints(paper.model_copy(update={"clock": right}))
    assert "200 MHz are 5.00 ns" in clock.computed


def test_hardware_that_is_not_there_says_so(paper: CryptoSuitePaper) -> None:
    report = suite_report(paper, [*software(), behind_dma(), *in_cells()])
    aes, sha, ecdsa = section(report, "Table IV").rows
    assert aes[1:7] == ("1,340", "2,259", "18.0", "9.00", "0.00656", "0.00350")
    assert aes[7] == (
        "rate: simulated behind DMA, ibex; "
        "power: aes-iterative-256 in cells at 300 MHz, gate by gate"
    )
    for row in (sha, ecdsa):
        assert row[2] == row[4] == row[6] == "-"
    assert ecdsa[7] == "not simulated in this run; no cells in this run"


def test_a_signature_has_its_rate_and_its_energy(paper: CryptoSuitePaper) -> None:
    core = experiment.core_of(ECC, paper.of("ecdsa-p521-sign"))
    assert core is not None
    signs = Measurement(
        design=core.name,
        algorithm="ecc",
        target="nangate45",
        clock_mhz=280.0,
        power_mw=50.0,
        energy_uj_per_op=40.0,
        method="simulated",
    )
    behind = behind_dma(algorithm="ecc", verb="sign").model_copy(
        update={"messages": 8, "cycles_total": 8 * 240_000, "cycles_per_block": None}
    )
    report = suite_report(paper, [*software(powered=True), behind, signs])
    *_, ecdsa = section(report, "Table IV").rows
    assert ecdsa[2:7] == ("1,250", "61.8", "50.0", "0.0678", "0.0400"), "300 MHz over 240,000"
    assert ecdsa[7] == (
        "rate: simulated behind DMA, ibex; power: ecc-p521 in cells at 280 MHz, gate by gate"
    )
    *_, merits = section(report, "Table V").rows
    assert merits[-1] == "31,250"


def test_hardware_appears_with_its_entry_in_the_table(
    paper: CryptoSuitePaper, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert AES.rtl is not None
    scheme = Scheme("sha-256", "SHA-256", ("digest",), "cpu", ("cpu",))
    without = replace(AES, name="new", title="New", rtl=None)
    monkeypatch.setitem(SCHEMES, "sha-256", (without, scheme))
    _, sha, _ = section(suite_report(paper, software()), "Table IV").rows
    assert sha[7] == "New: no hardware yet"
    rtl = replace(AES.rtl, cycles={("iterative",): {0: 64}})
    monkeypatch.setitem(SCHEMES, "sha-256", (replace(without, rtl=rtl), scheme))
    _, sha, _ = section(suite_report(paper, software()), "Table IV").rows
    assert sha[7].startswith("not simulated in this run")
    report = suite_report(paper, [*software(), behind_dma(80.0, "new", "digest")])
    _, sha, _ = section(report, "Table IV").rows
    assert sha[2] == "1,920", "512 bits in 80 cycles at 300 MHz"
    assert section(report, "Equation 1 beside co-simulation with DMA: SHA-256").rows


def test_the_experiment_takes_hardware_from_the_table(
    paper: CryptoSuitePaper, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"seconds": 1.0, "soft_core": "ibex", "area": False}
    planned = experiment.plan(paper, asked).points
    systems = [one for one in planned if hasattr(one.design, "partition")]
    assert {one.workload.algorithm for one in systems} == {"aes", "sha-256", "ecc"}
    assert systems[-1].workload.operation == "sign"
    assert [one.workload.bytes for one in systems[:4]] == [16, 128, 1024, 8192]
    assert {one.design.interface for one in systems} == {"axi4-32"}, "9.6 Gbit/s at 300 MHz"
    for table in ("SCHEMES", "ALGORITHMS"):
        monkeypatch.setattr(experiment, table, {})
    assert len(experiment.plan(paper, asked).points) == len(planned) - len(systems)


def test_the_core_is_the_one_with_the_papers_key_sizes(paper: CryptoSuitePaper) -> None:
    core = experiment.core_of(AES, paper.of("aes-256-ecb"))
    assert core == load_design("aes-iterative-256", Core)
    other = paper.of("aes-256-ecb").model_copy(update={"key_bits": (64,)})
    assert experiment.core_of(AES, other) is None


def test_conclusions_follow_the_figures() -> None:
    fast, slow = software(powered=True), software(powered=True, times=0.1)
    hardware = [behind_dma(), *in_cells()]
    holds, fails, open_ = Verdict.HOLDS, Verdict.DOES_NOT_HOLD, Verdict.UNTESTED
    assert verdicts([*fast, *hardware]) == [fails, holds, fails, fails, holds, holds]
    assert verdicts([*slow, *hardware])[:3] == [holds, holds, holds]
    assert verdicts(fast) == [open_, open_, open_, open_, open_, holds]
    assert verdicts([*software(), *hardware])[1:3] == [open_, open_]
    assert verdicts([*fast, behind_dma(22.0), *in_cells(500)])[3:5] == [holds, fails]
    prompt = [one.model_copy(update={"time_worst_message_s": 1e-3}) for one in fast]
    assert verdicts([*prompt, *hardware])[5] == fails


def test_latency_has_the_worst_beside_the_mean(paper: CryptoSuitePaper) -> None:
    rows = section(suite_report(paper, [*software(), behind_dma()]), "Time of one").rows
    (ours,) = (row for row in rows if row[1].startswith("our hardware"))
    assert ours[2:6] == ("16,384", "58.0 µs", "59.7 µs", "1.03x")
    theirs = next(row for row in rows if row[:2] == ("SHA-256", "published hardware"))
    assert theirs[2] == "64"
    one_core = next(
        row for row in rows if row[:2] == ("ECDSA signature on P-521", "openssl, 1 thread")
    )
    assert one_core[2:6] == ("-", "1.77 ms", "3.00 ms", "1.69x")


def test_the_page_is_made_from_the_store_and_draws_power() -> None:
    stored = [*software(powered=True), behind_dma(), *in_cells()]
    again = [Measurement.from_json(one.to_json()) for one in stored]
    report = stored_report(again)
    assert report is not None
    page = paper_page(report)
    assert page == paper_page(suite_report(load(), stored))
    for words in (
        "20,131.61",
        "Its conclusions",
        "Power over time, SHA-256",
        "1,515.79",
        "hardware, op/s",
    ):
        assert words in page
    without = paper_page(suite_report(load(), software()))
    assert "Power over time" not in without
    assert "No energy: no counter." in without


def test_printed_figures_are_named_by_their_place(paper: CryptoSuitePaper) -> None:
    printed = [one for one in suite_report(paper, software()).measurements if one.inputs]
    assert len(printed) == len(paper.hardware) + len(paper.software)
    for one in printed:
        _, power = (name.removeprefix("published:") for name in one.inputs or ())
        assert printed_figure(power) == one.power_mw


def of_all_papers(stored: Sequence[Measurement]) -> dict[str, Compared]:
    found = of_paper("crypto-suite-sw-vs-hw", [(1, stored)])
    return {row.figure.removeprefix("hardware.aes-256-ecb."): row for row in found.rows}


def test_a_rate_is_not_beaten_at_a_clock_that_the_cells_do_not_meet() -> None:
    stored = [behind_dma(), *in_cells()]
    stored[-1] = stored[-1].model_copy(update={"clock_mhz": 150.0})
    slow, fast = of_all_papers(stored), of_all_papers([behind_dma(), *in_cells()])
    rates = [one["throughput_mbit_s"].ours for one in (slow, fast)]
    merits = [one["merit"].ours for one in (slow, fast)]
    # 128 bits in 17 cycles.
    assert [one and one.value for one in rates] == pytest.approx([128 / 17 * 150, 128 / 17 * 300])
    assert [one and one.value for one in merits] == pytest.approx(
        [128 / 17 * 150 / 0.0035, 128 / 17 * 300 / 0.0035]
    )
    assert slow["throughput_mbit_s"].standing is Standing.MISSED
    assert fast["throughput_mbit_s"].standing is Standing.BEATEN


def test_software_on_another_processor_has_no_verdict() -> None:
    rows = of_all_papers(software(powered=True))
    row = rows["software.sha-256.4.throughput_mbit_s"]
    assert row.ratio == pytest.approx(20, rel=0.01)
    assert row.standing is Standing.NOT_COMPARABLE
