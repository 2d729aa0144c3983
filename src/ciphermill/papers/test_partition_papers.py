# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Co-simulation in tables, plots and beside the papers, from made-up results."""

import doctest
import html
import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console
from support.reports import cut_off, invented_system

from ciphermill.campaign import run as campaign
from ciphermill.campaign.run import Point
from ciphermill.campaign.store import Store
from ciphermill.design import (
    CellLibrary,
    Core,
    Direction,
    Fpga,
    Measurement,
    Method,
    Partition,
    Provenance,
    Run,
    SoftCore,
    System,
    Variant,
    make_run,
)
from ciphermill.evaluate.chip.area import SystemArea
from ciphermill.evaluate.chip.measures import of_toggles
from ciphermill.evaluate.chip.toggles import ToggleCount
from ciphermill.evaluate.system.evaluator import InstructionSet
from ciphermill.evaluate.system.image import Result
from ciphermill.evaluate.system.instruction_set import measurement
from ciphermill.evaluate.system.run import CosimResult
from ciphermill.evaluate.system.show import Shown, ShownArray
from ciphermill.papers import paper, texts
from ciphermill.papers.aes256_hw_sw_partitions import experiment as partitions_paper
from ciphermill.papers.aes256_hw_sw_partitions.published import load as load_partitions_paper
from ciphermill.papers.aes256_hw_sw_partitions.report import misprints, partitions_report
from ciphermill.papers.aes256_hw_sw_partitions.report import published as partitions_published
from ciphermill.papers.aes_present_coprocessors import experiment as coprocessors_paper
from ciphermill.papers.aes_present_coprocessors.experiment import WORKLOAD
from ciphermill.papers.aes_present_coprocessors.published import Cipher
from ciphermill.papers.aes_present_coprocessors.published import load as load_coprocessors_paper
from ciphermill.papers.aes_present_coprocessors.report import coprocessors_report
from ciphermill.papers.aes_present_coprocessors.report import published as coprocessors_published
from ciphermill.papers.aes_present_coprocessors.view import CoprocessorsView
from ciphermill.papers.compared import Standing
from ciphermill.papers.overview import of_paper
from ciphermill.papers.page import paper_page, stored_report
from ciphermill.papers.plan import Plan, evaluate_plan
from ciphermill.papers.published import printed_figure
from ciphermill.papers.systems import Wanted
from ciphermill.report import cosim_table, dot_plot, fit, length_plot
from ciphermill.report.cosim_page import cosim_page
from ciphermill.report.section import section_table
from ciphermill.toolchain.cells import CellTarget
from ciphermill.toolchain.errors import ClockMissed
from ciphermill.toolchain.yosys import AreaXc7

CYCLES = {
    Partition.SOFTWARE: 9000,
    Partition.UNROLLED: 57,
    Partition.ITERATIVE: 57,
    Partition.ROUND: 900,
    Partition.LINEAR_LAYER: 1500,
    Partition.INSTRUCTION: 70,
    Partition.STREAM: 42,
    Partition.DMA: 20,
    Partition.SHELL: 100,
}
LUTS = {
    Partition.SOFTWARE: 0,
    Partition.UNROLLED: 20000,
    Partition.ITERATIVE: 3000,
    Partition.ROUND: 1500,
    Partition.LINEAR_LAYER: 500,
}


def result(run: Run, cycles: int) -> CosimResult:
    blocks = run.workload.bytes * run.workload.messages // run.system.block_bytes
    total = 100 + cycles * blocks * (1 + run.system.memory_read_wait)
    if run.system.key_caching is False or run.workload.fresh_key:
        total += 50 * run.workload.messages
    counters = Result(0, total, total - 3 * blocks, blocks, 2 * blocks, 5, 8 * blocks, 9, 7, 0, 0)
    return CosimResult(run.system, run.workload, counters, 1000, None, 0.1)


def area(luts: int) -> AreaXc7:
    return AreaXc7(luts, 0, 0, 0, 0, 0, 0, 0)


@pytest.fixture
def invented(monkeypatch: pytest.MonkeyPatch) -> dict[Partition, int]:
    """The cycles that both papers' experiments give; they can be changed."""
    cycles = dict(CYCLES)
    monkeypatch.setitem(globals(), "CYCLES", cycles)
    return cycles


def answer(point: Point) -> list[Measurement]:
    """What an evaluator might answer."""
    system, platform, work = point.design, point.platform, point.workload
    if isinstance(system, Core):
        return [of_toggles(system, WORKLOAD, toggles(Cipher(system.algorithm or "")))]
    if isinstance(work, ShownArray):
        return Shown(system, work.words, 10, 20, "", None, True).measurements()
    if isinstance(platform, CellLibrary):
        return invented_system(Run(system, work), 1000, 1.0).measurements()
    if isinstance(platform, Fpga):
        luts = LUTS.get(system.partition, 700)
        hardware = area(luts) if luts else None
        return SystemArea(area(1000), hardware, hardware, None).measurements(system)
    cycles = CYCLES[system.partition]
    if isinstance(platform, InstructionSet):
        found = result(Run(system, work), 2 * cycles)
        return [measurement(found, processor=platform.host.processor)]
    return [result(Run(system, work), cycles // (8 if table(system) else 1)).measurement()]


def answers(plan: Plan) -> list[Measurement]:
    """What a run of a plan stores."""
    return [*(seen for point in plan.points for seen in answer(point)), *plan.known]


def toggles(cipher: Cipher) -> ToggleCount:
    """Ten encryptions in 103 cycles of AES, 330 of PRESENT."""
    aes = cipher is Cipher.AES
    cycles, block_bytes, key_bits = (103, 16, 128) if aes else (330, 8, 80)
    return ToggleCount(1000, cycles, 10, block_bytes, key_bits, Direction.ENCRYPT, 100)


def table(system: System) -> bool:
    return system.variant is Variant.TABLE


def partitions(soft_core: SoftCore = SoftCore.VEXRISCV, **options: Any) -> paper.PaperReport:
    printed = load_partitions_paper()
    plan = partitions_paper.plan(printed, Wanted(soft_core, **options))
    return partitions_report(printed, answers(plan))


def coprocessors(soft_core: SoftCore = SoftCore.VEXRISCV, **options: Any) -> paper.PaperReport:
    printed = load_coprocessors_paper()
    plan = coprocessors_paper.plan(printed, Wanted(soft_core, **options))
    return coprocessors_report(printed, answers(plan))


def verdicts(report: paper.PaperReport) -> dict[str, bool | None]:
    return {one.statement[:24]: one.holds for one in report.conclusions}


def shown(report: paper.PaperReport) -> str:
    console = Console(width=200, no_color=True)
    with console.capture() as capture:
        for part in report.renderables():
            console.print(part)
    return capture.get()


def test_examples() -> None:
    for module in (cosim_table, dot_plot, fit, length_plot, paper, texts):
        assert doctest.testmod(module).failed == 0


def test_an_estimate_shows_its_total_and_no_parts() -> None:
    run = make_run({"partition": "software", "bytes": 1600}, "test")
    guessed = measurement(result(run, 100), processor="sa1110")
    assert guessed.cycles_processor, "it has parts"
    cycles, _ = cosim_table.a_block(guessed)
    assert cycles == ("101", "-", "-", "-")
    page = cosim_page([guessed], "2026-01-02T03:04:05+00:00")
    assert re.search(r'part-4" x="0.000%" y="0" width="100.000%"', page)
    assert 'class="part-1"' not in page
    assert "an estimate, which has no parts" in page


def test_the_partitions_paper_beside_ours(invented: dict[Partition, int]) -> None:
    report = partitions()
    found = verdicts(report)
    assert {name for name, holds in found.items() if holds is None} == {
        "more hardware takes more",
        "round and linear layer t",
        "iterative takes little m",
    }, "all that is of energy, which was not taken"
    assert found["iterative is the best de"] is True
    text = re.sub(" +", " ", shown(report))
    # 9,000 cycles a block and 100 to start, at 100 words; theirs; the ratio.
    assert "225,100 92,993,825" in text
    assert "413x" in text
    # The line through the published points: 400 + 501 a block.
    assert "400 501.0" in text
    assert "does not hold" in text
    assert "rewards area" in text


def without_ours(name: str, plan: Plan) -> tuple[set[str], set[str]]:
    """What is not run after a plan, and what has a row in a table but none of ours."""
    found = of_paper(name, [(1, answers(plan))])
    rows = [row for row in found.rows if row.table]
    missing = {row.figure for row in rows if row.ours is None}
    return {row.figure for row in found.with_(Standing.NOT_RUN)}, missing


def test_the_page_of_all_papers_finds_every_figure_that_was_run() -> None:
    wanted = Wanted(SoftCore.VEXRISCV, energy=True, target=CellTarget.NANGATE45)
    plan = partitions_paper.plan(load_partitions_paper(), wanted)
    assert without_ours("aes256-hw-sw-partitions", plan) == (set(), set())
    plan = coprocessors_paper.plan(load_coprocessors_paper(), wanted)
    not_run, missing = without_ours("aes-present-coprocessors", plan)
    assert not_run == set()
    # The evaluator of this file answers nothing for cores in cells.
    powers = [f"{cipher}.{what}_mw" for cipher in Cipher for what in ("quiescent", "dynamic")]
    assert missing == {f"energy.standalone.{one}" for one in powers}


def test_the_key_is_sent_with_every_block_where_the_paper_s_program_sends_it() -> None:
    wanted = Wanted(SoftCore.VEXRISCV, areas=False)
    found = of_paper(
        "aes256-hw-sw-partitions",
        [(1, answers(partitions_paper.plan(load_partitions_paper(), wanted)))],
    )
    ours = {row.figure: row.ours.value for row in found.rows if row.ours}
    # 100 to start and 57 a block; with the key, 50 more for each of 25 messages.
    assert ours["partition.iterative.cycles_encrypt.0"] == 100 + (57 + 50) * 25
    assert ours["partition.round.cycles_encrypt.0"] == 100 + 900 * 25


def test_a_run_of_an_earlier_version_is_still_shown() -> None:
    """It has the key with every block in one direction at one length."""
    printed = load_partitions_paper()
    stored = answers(partitions_paper.plan(printed, Wanted(SoftCore.VEXRISCV, areas=False)))
    old = [
        seen
        for seen in stored
        if seen.bytes != 16 or (seen.messages, seen.operation) == (100, "encrypt")
    ]
    assert len(old) < len(stored)
    assert shown(partitions_report(printed, old)) == shown(partitions_report(printed, stored))
    rows = of_paper("aes256-hw-sw-partitions", [(2, old), (1, stored)]).rows
    runs = {row.figure: row.run for row in rows}
    assert runs["partition.iterative.cycles_encrypt.3"] == 2
    assert runs["partition.iterative.cycles_encrypt.0"] == 1


def test_verdicts_follow_from_the_figures(invented: dict[Partition, int]) -> None:
    before = verdicts(partitions())
    invented[Partition.ROUND] = 20
    after = verdicts(partitions())
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"iterative is the best de", "the more of the algorith"}
    invented[Partition.ROUND] = 900
    invented[Partition.UNROLLED] = 40
    assert verdicts(partitions())["a faster core does not m"] is False


def test_a_core_without_the_port_leaves_those_conclusions_open(
    invented: dict[Partition, int],
) -> None:
    assert verdicts(partitions(SoftCore.IBEX))["custom instructions (TIE"] is None
    assert "no port" in shown(coprocessors(SoftCore.IBEX))


def test_without_areas_their_conclusions_are_open(invented: dict[Partition, int]) -> None:
    assert verdicts(partitions(areas=False))["iterative is the best de"] is None
    assert verdicts(coprocessors(areas=False))["what wraps a core weighs"] is None


def test_the_coprocessors_paper_beside_ours(invented: dict[Partition, int]) -> None:
    report = coprocessors()
    text = shown(report)
    # Ours: 100 + 100 x (100 + 50) cycles through the shell; theirs 77,428 and 64.5 times.
    assert "15,100" in text
    assert "77,428" in text
    assert "64.5x" in text
    # Estimated: twice the cycles of a block.
    assert "25,100" in text
    assert verdicts(report)["PRESENT needs less power"] is None
    # The hardware alone is measured: 10.3 cycles an encryption, 1,030 of all.
    assert "1,030" in text
    assert "10.3 cycles an encryption of AES" in text
    cycles = {one.design: one.cycles_per_block for one in report.measurements if one.design}
    assert cycles["aes-iterative-128-encrypt"] == 10.3


def test_a_claimed_factor_is_held_to_what_is_claimed(invented: dict[Partition, int]) -> None:
    overhead = "the overhead of the syst"
    # 15,100 cycles over 1,030 are 14.7 times; 65 are claimed.
    assert verdicts(coprocessors())[overhead] is False
    invented[Partition.SHELL] = 300
    assert verdicts(coprocessors())[overhead] is True


def test_memory_is_judged_on_every_row(
    invented: dict[Partition, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = "memory off the chip cost"
    report = coprocessors()
    assert verdicts(report)[memory] is True
    one = next(one for one in report.conclusions if one.statement.startswith(memory))
    assert [row.what.partition(",")[0] for row in one.evidence] == [
        f"{cipher} {partition}"
        for cipher in ("AES", "PRESENT")
        for partition in ("software with tables", "shell")
    ]
    # One row of four that does not cost twice as much is enough.
    whole = CoprocessorsView.find

    def cached(
        self: Any, cipher: Any, partition: Any, variant: Any = None, memory: Any = None
    ) -> Any:
        slow = (cipher, partition) != (Cipher.PRESENT, Partition.SHELL)
        return whole(self, cipher, partition, variant, memory if slow else None)

    monkeypatch.setattr(CoprocessorsView, "find", cached)
    assert verdicts(coprocessors())[memory] is False


def test_every_verdict_states_its_rule_and_its_figures(invented: dict[Partition, int]) -> None:
    for report in (partitions(), coprocessors()):
        for one in report.conclusions:
            if one.verdict in (paper.Verdict.HOLDS, paper.Verdict.DOES_NOT_HOLD):
                assert one.rule, one.statement
                assert one.evidence, one.statement


def test_the_key_with_every_block_is_compared_with_the_same(
    invented: dict[Partition, int],
) -> None:
    (section,) = (one for one in partitions().sections if one.title.startswith("Like with like"))
    rows = [row[1:] for row in section.rows]
    # 100 and 57 a block and 50 a key, over 100 blocks; 50,500 published cycles.
    assert rows[0] == ("the key with every block", "108", "505", "4.68x")
    assert rows[1] == ("better use: the key in place, one message", "58.0", "-", "-")
    assert [row[0] for row in section.rows] == ["unrolled", "", "iterative", ""]


@pytest.mark.parametrize("name", ["partitions", "coprocessors"])
def test_every_published_row_is_printed(name: str) -> None:
    rows = (
        partitions_published(load_partitions_paper())
        if name == "partitions"
        else coprocessors_published(load_coprocessors_paper())
    )
    identity = {"key_bits", "bytes", "messages", "fresh_key"}
    for row in rows:
        printed = [printed_figure(one.removeprefix("published:")) for one in row.inputs or ()]
        # Watts are printed, milliwatts stored.
        printed += [one * 1000 for one in printed]
        numbers = {
            field: value
            for field, value in row.model_dump(exclude_none=True).items()
            if isinstance(value, int | float) and field not in identity
        }
        assert numbers
        assert all(value in printed for value in numbers.values()), row


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_no_figure_of_a_paper_is_cut(invented: dict[Partition, int], width: int) -> None:
    for report in (partitions(), coprocessors()):
        for section in report.sections:
            assert cut_off(section_table(section), width) == []


def test_the_page_has_every_verdict_with_what_it_rests_on(invented: dict[Partition, int]) -> None:
    for report in (partitions(), coprocessors()):
        page = html.unescape(paper_page(report))
        for one in report.conclusions:
            assert one.statement in page
            assert f">{one.verdict}</span>: {one.figures}" in page
            assert all(seen.what in page for seen in one.evidence)
            assert f"Holds {one.rule}." in page or not one.rule
        assert all(one.computed in page for one in report.misprints)
        assert all(section.title in page for section in report.sections)
        assert page.count("<svg") == 2 * len(report.plots) > 0


def test_the_summary_fits_on_a_screen(invented: dict[Partition, int]) -> None:
    for report in (partitions(), coprocessors()):
        console = Console(width=100, no_color=True)
        with console.capture() as capture:
            for part in report.summary():
                console.print(part)
        text = capture.get()
        assert text.count("\n") < 50
        assert all(f"{one.verdict}: " in text for one in report.conclusions)


@pytest.mark.parametrize("areas", [True, False])
@pytest.mark.parametrize("target", [None, CellTarget.NANGATE45])
def test_a_page_is_made_again_from_what_was_stored(
    invented: dict[Partition, int], areas: bool, target: CellTarget | None
) -> None:
    names = {"aes256-hw-sw-partitions": partitions, "aes-present-coprocessors": coprocessors}
    for name, experiment in names.items():
        origin = Provenance(command=f"ciphermill paper {name} --json")
        # Cores alone in cells have answers in test_energy.
        energy: dict[str, Any] = (
            {"energy": True, "target": target} if name.startswith("aes256") else {}
        )
        report = experiment(areas=areas, **energy)
        ours = [one for one in report.measurements if one.method is not Method.PUBLISHED]
        stamped = [one.model_copy(update={"provenance": origin}) for one in ours]
        stored = [Measurement.from_json(json.loads(json.dumps(one.to_json()))) for one in stamped]
        again = stored_report(stored)
        assert again
        page = paper_page(again)
        assert page == paper_page(replace(report, measurements=tuple(stored)))
        assert ("Power and energy of the systems" in page) is bool(energy and target)
        with pytest.raises(KeyError):
            stored_report([one for one in stored if one.workload])
    assert stored_report([measured(1, 2)]) is None


def test_a_run_of_a_paper_goes_on_where_it_was_killed(
    invented: dict[Partition, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    printed = load_partitions_paper()
    wanted = Wanted(SoftCore.PICORV32, areas=False, energy=True, target=CellTarget.OSU018)
    plan = partitions_paper.plan(printed, wanted)
    origin = Provenance(commit="1" * 40, command="ciphermill paper aes256-hw-sw-partitions")
    asked: list[Point] = []

    def evaluate(design: Any, platform: Any, workload: Any, **_: Any) -> list[Measurement]:
        point = Point(design, platform, workload)
        asked.append(point)
        if isinstance(platform, CellLibrary):
            if killed:
                raise KeyboardInterrupt
            if design.partition is Partition.UNROLLED:
                raise ClockMissed("aes_unrolled in osu018 reaches 12 MHz, not 50")
        return answer(point)

    monkeypatch.setattr(campaign, "evaluate", evaluate)
    nothing = SimpleNamespace(prepare=None, alone=lambda _: True)
    monkeypatch.setattr(campaign, "find_evaluator", lambda *_: nothing)
    with Store(tmp_path / "store.sqlite") as store:
        killed = True
        with pytest.raises(KeyboardInterrupt):
            evaluate_plan(plan, store, origin, lambda _: None)
        killed = False
        asked.clear()
        run = evaluate_plan(plan, store, origin, lambda _: None)
        assert {type(one.platform) for one in asked} == {CellLibrary}
        stored = [record.measurement for record in store.records(run=run.number)]
    report = stored_report(stored)
    assert report
    found = {one.statement: one for one in report.conclusions}
    assert "12 MHz, not 50" in found["more hardware takes more power"].figures
    assert found["round and linear layer take the same power"].holds is True
    (section,) = (one for one in report.sections if one.title.startswith("Power"))
    (row,) = (row for row in section.rows if row[0] == "unrolled")
    assert row[1:7] == (*("-",) * 5, "1.275")
    assert "unrolled was not taken: aes_unrolled in osu018 reaches" in section.notes[-1]


def test_energy_is_of_a_soft_core_that_has_any(invented: dict[Partition, int]) -> None:
    wanted = Wanted(SoftCore.IBEX, energy=True, target=CellTarget.NANGATE45)
    for plan in (
        partitions_paper.plan(load_partitions_paper(), wanted),
        coprocessors_paper.plan(load_coprocessors_paper(), wanted),
    ):
        points = [one for one in plan.points if isinstance(one.platform, CellLibrary)]
        cells = [one.design for one in points if isinstance(one.design, System)]
        assert {one.soft_core for one in cells} == {SoftCore.PICORV32}


def test_units_that_cannot_be_right_are_computed(invented: dict[Partition, int]) -> None:
    found = coprocessors().misprints
    times = [one for one in found if "1,000 times too large" in one.verdict]
    assert len(times) == 4
    assert "take 6 us" in times[0].computed
    assert "3.46 nJ/byte" in times[0].computed
    assert "3.49 Gbit/s" in found[-1].computed
    (metric,) = misprints(load_partitions_paper())
    assert "unrolled" in metric.computed


def test_json_is_the_vocabulary_and_says_who_measured(invented: dict[Partition, int]) -> None:
    for report in (partitions(), coprocessors()):
        values = json.loads(json.dumps(report.to_json()))
        methods = {Measurement.from_json(one).method for one in values["measurements"]}
        assert methods - {Method.ESTIMATED} == {Method.SIMULATED, Method.PUBLISHED}
        assert {one["verdict"] for one in values["conclusions"]} <= set(paper.Verdict)
        assert list(paper.Verdict) == [
            "holds",
            "does not hold",
            "follows from the inputs",
            "cannot be tested here",
        ]


def measured(blocks: int, cycles: int, **fields: Any) -> Measurement:
    return Measurement.from_json(
        {
            "algorithm": "aes",
            "key_bits": 256,
            "mode": "ecb",
            "operation": "encrypt",
            "partition": "dma",
            "soft_core": "ibex",
            "bytes": 16 * blocks,
            "messages": 1,
            "cycles.total": cycles,
            "cycles.per_block": cycles / blocks,
            "correct": True,
            "method": "simulated",
            **fields,
        }
    )


def printed_tables(measurements: list[Measurement]) -> str:
    console = Console(width=120, no_color=True)
    with console.capture() as capture:
        for one in cosim_table.cosim_tables(measurements):
            console.print(one)
    return capture.get()


def test_a_table_names_messages_and_wrong_outputs_where_they_tell() -> None:
    one, other = measured(10, 1000), measured(20, 1900)
    text = printed_tables([one])
    assert "AES-256 ECB encrypt, 1 x 160 bytes" in text
    assert "output" not in text
    text = printed_tables([one, other.model_copy(update={"correct": False})])
    assert "1 x 320 bytes" in text
    assert text.count("wrong") == 1
    assert text.count("right") == 1


def test_a_line_and_its_error() -> None:
    points = [measured(10, 1100), measured(20, 2100), measured(30, 3130)]
    (found,) = length_plot.fits(points).values()
    assert found.slope == pytest.approx(101.5)
    assert found.worst_error == pytest.approx(10.0)
    svg = length_plot.length_svg(points)
    ElementTree.fromstring(svg)
    assert svg == length_plot.length_svg(points)


def test_other_ciphers_on_the_same_system_are_not_on_its_line() -> None:
    present = measured(20, 900).model_copy(update={"algorithm": "present", "key_bits": 80})
    assert length_plot.fits([measured(10, 1000), present]) == {}
    lines = length_plot.fits([measured(10, 1000), measured(20, 2000), present])
    assert list(lines) == ["AES-256 ECB encrypt, dma, ibex"]


def test_an_estimate_is_told_beside_what_it_estimates() -> None:
    exact, guess = measured(10, 1000), measured(10, 1100, method="estimated")
    other = measured(20, 1900, method="estimated")
    assert cosim_table.estimate_errors([exact, guess, other]) == [
        "dma, ibex, estimated, 1 x 160 bytes: +10.0% of 1,000 cycles"
    ]


def test_one_length_has_no_line(tmp_path: Path) -> None:
    assert length_plot.fits([measured(10, 1000)]) == {}
    ElementTree.fromstring(length_plot.length_svg([measured(10, 1000)]))
    with pytest.raises(ValueError, match="two different places"):
        fit.linear_fit([1, 1], [2, 3])
