# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The mutator: what it changes and leaves alone, and how a campaign counts."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from ciphermill_dv.mutation import campaign as campaigns
from ciphermill_dv.mutation import report
from ciphermill_dv.mutation.mutants import BASE, PACKAGE, Mutant, candidates, modules, write
from ciphermill_dv.mutation.record import Job, jobs_of
from ciphermill_dv.simulate import REPOSITORY, lint

HERE = Path(__file__).parent
FIXTURE = HERE / "mutation_fixture.sv"


def test_each_kind_of_change_is_offered_where_it_belongs() -> None:
    found = Counter((mutant.line, mutant.operator) for mutant in candidates(FIXTURE))
    lines = FIXTURE.read_text().splitlines()

    def line(text: str) -> int:
        return next(n for n, content in enumerate(lines, 1) if text in content)

    assert found == Counter(
        [
            (line("assign found_o"), "&& to ||"),
            (line("assign found_o"), "! removed"),
            (line("assign data_o"), "arms of ?: swapped"),
            (line("assign data_o"), "~ removed"),
            (line("if (second_i"), "condition of if negated"),
            (line("if (second_i"), "|| to &&"),
            (line("next = count_q + 1"), "assignment left out"),
            (line("next = count_q + 1"), "+ to -"),
            (line("next = count_q + 1"), "lowest bit of a literal flipped"),
            (line("if (data_i[i]"), "== to !="),
            (line("if (data_i[i]"), "assignment left out"),
            (line("if (data_i[i]"), "lowest bit of a literal flipped"),
            (line("if (first_i)"), "condition of if negated"),
            (line("one = 1'b0"), "lowest bit of a literal flipped"),
            (line("count_q <= '0"), "assignment left out"),
            (line("count_q <= '0"), "literal inverted"),
            (line("state_q <= StateIdle"), "assignment left out"),
            (line("count_q <= next"), "assignment left out"),
            (line("StateIdle: if"), "condition of if negated"),
            (line("StateIdle: if"), "> to >="),
            (line("StateIdle: if"), "assignment left out"),
        ]
    )


def test_a_source_with_every_mutant_is_read_by_verilator(tmp_path: Path) -> None:
    chosen = dict(enumerate(candidates(FIXTURE), 1))
    package, source = tmp_path / "mutation_pkg.sv", tmp_path / FIXTURE.name
    package.write_text(PACKAGE)
    source.write_text(write(FIXTURE.read_bytes(), chosen))
    # The mutants make warnings; errors are what matters here.
    waiver = tmp_path / "all.vlt"
    waiver.write_text("`verilator_config\nlint_off\n")
    done = lint("mutation_fixture", [waiver, package, source])
    assert done.returncode == 0, done.stdout
    numbers = re.findall(rf"32'h({BASE >> 16:04x}[0-9a-f]{{4}})", source.read_text())
    assert {int(number, 16) - BASE for number in numbers} == set(chosen)


def one(operator: str, line: str) -> Mutant:
    lines = FIXTURE.read_text().splitlines()
    (mutant,) = [
        mutant
        for mutant in candidates(FIXTURE)
        if mutant.operator == operator and line in lines[mutant.line - 1]
    ]
    return mutant


def test_a_mutant_is_a_choice_at_run_time() -> None:
    content = FIXTURE.read_bytes()
    mutant = one("&& to ||", "assign found_o")
    assert mutant.original(content) == "first_i && !second_i"
    assert mutant.mutated(content) == "first_i || !second_i"
    text = write(content, {7: mutant})
    assert (
        f"assign found_o = ((mutation_pkg::selected == 32'h{BASE + 7:08x}) ? "
        "(first_i || !second_i) : (first_i && !second_i));" in text
    )


def test_a_mutant_within_another_is_in_both_of_its_halves() -> None:
    outer, inner = one("&& to ||", "assign found_o"), one("! removed", "assign found_o")
    text = write(FIXTURE.read_bytes(), {1: outer, 2: inner})
    choice = f"((mutation_pkg::selected == 32'h{BASE + 2:08x}) ? (!!(second_i)) : (!second_i))"
    assert f"(first_i || {choice}) : (first_i && {choice})" in text


def test_without_mutants_a_source_stays_as_it_is() -> None:
    assert write(FIXTURE.read_bytes(), {}) == FIXTURE.read_text()


def test_a_seed_chooses_the_same_mutants_again_whatever_else_is_offered() -> None:
    offered = candidates(FIXTURE)
    first = campaigns.choose(offered, 1, 6)
    assert first == campaigns.choose(offered, 1, 6)
    assert first != campaigns.choose(offered, 2, 6)
    fewer = [mutant for mutant in offered if mutant not in campaigns.choose(offered, 1, 12)[-1:]]
    assert sum(mutant in first for mutant in campaigns.choose(fewer, 1, 6)) >= 5


def test_modules_that_a_file_instantiates() -> None:
    folder = REPOSITORY / "hw" / "prim" / "rtl"
    found = modules(sorted(folder.glob("prim_fifo_async.sv")))
    assert {"prim_sweep", "prim_synchroniser"} <= found["prim_fifo_async"]


def test_the_benches_that_tests_run_are_recorded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CIPHERMILL_BUILD", str(tmp_path))
    jobs = jobs_of(REPOSITORY / "hw" / "prim" / "dv" / "test_prim.py")
    benches = {Path(job.bench).stem: job for job in jobs}
    assert {"prim_bench", "reset_bench", "split_bench"} <= benches.keys()
    assert benches["reset_bench"].plusargs == ["+verilator+noassert"]
    assert "rules_bench" not in benches, "its tests want it to fail"
    assert {"prim_harness", "prim_axi_lite_split"} <= {job.top for job in jobs}


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> campaigns.Campaign:
    """A campaign on the fixture, whose runs end as its ``outcomes`` say."""
    monkeypatch.setenv("CIPHERMILL_BUILD", str(tmp_path))
    monkeypatch.setattr(campaigns, "IPS", ("fixture",))
    monkeypatch.setattr(campaigns, "_files", lambda _: [FIXTURE])
    monkeypatch.setattr(campaigns.Campaign, "of_ip", lambda self, _: self.chosen)
    monkeypatch.setattr(campaigns, "_numbers_in", lambda _: {1, 2, 3})
    job = Job("test", str(HERE / "none_bench.py"), "mutation_fixture", [str(FIXTURE)])
    monkeypatch.setattr(campaigns, "jobs_of", lambda *_: [job])
    return campaigns.Campaign(seed=1, count=4, say=lambda _: None)


def test_a_campaign_counts_what_its_runs_show(
    campaign: campaigns.Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = []

    def run(job: Job, number: int, limit_s: int | None) -> tuple[str, str, float]:
        ran.append(number)
        outcomes = {2: ("caught", "none_bench.test", 1.0), 3: ("caught", "time-out", 9.0)}
        return outcomes.get(number, ("passed", "", 1.0))

    monkeypatch.setattr(campaign, "_one", run)
    assert " -" in report.render(campaign, ("fixture",)), "a share of what did not run"
    campaign.run(["fixture"])
    assert ran == [0, 0, 1, 2, 3]
    statuses = [campaign.verdict(number).status for number in (1, 2, 3, 4)]
    assert statuses == ["survived", "caught", "caught", "unreached"]
    found = report.summary(campaign, ("fixture",))
    assert found["ips"] == {"fixture": {"survived": 1, "caught": 2, "time-out": 1, "unreached": 1}}
    assert "67 %" not in report.render(campaign, ("fixture",))
    assert " 50 %" in report.render(campaign, ("fixture",))

    # Known results are not run again, in another process either.
    again = campaigns.Campaign(seed=1, count=4, say=lambda _: None)
    monkeypatch.setattr(again, "_one", run)
    again.run(["fixture"])
    assert ran == [0, 0, 1, 2, 3]


def test_a_failed_test_is_read_from_the_output_of_cocotb() -> None:
    said = b"425.00ns WARNING cocotb.regression  \x1b[0mprim_bench.depth \x1b[31mfailed\x1b[0m"
    found = campaigns.FAILED.search(said)
    assert found is not None and found[1] == b"prim_bench.depth"
    assert campaigns.FAILED.search(b"RuntimeError: Command failed with return code: -24") is None
    assert campaigns.STOPPED in b"RuntimeError: Command failed with return code: -24"


def test_a_bench_that_fails_without_a_mutant_ends_the_campaign(
    campaign: campaigns.Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaign, "_one", lambda *_: ("caught", "none_bench.test", 1.0))
    with pytest.raises(RuntimeError, match="fails without a mutant"):
        campaign.run(["fixture"])


def test_an_explanation_fits_one_mutant() -> None:
    mutant = one("&& to ||", "assign found_o")
    line = FIXTURE.read_text().splitlines()[mutant.line - 1].strip()
    row = report.Explanation(
        "hw/dv/tests/mutation_fixture.sv",
        line,
        "first_i && !second_i",
        "first_i || !second_i",
        "a reason",
    )
    assert report.explanation_of(mutant, [row]) == row
    assert report.explanation_of(one("! removed", "assign found_o"), [row]) is None


def test_every_explanation_fits_a_mutant_of_its_file() -> None:
    table = report.explanations()
    for row in table:
        offered = candidates(REPOSITORY / row.file)
        assert any(report.explanation_of(m, [row]) for m in offered), f"{row.file}: {row.line}"
        assert row.reason.strip()
