# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A design's page and the comparison say what the results say, on a circuit of ten cells."""

import doctest
import re
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console
from support.netlists import ten_cells, uniform_activity
from support.reports import cut_off, invented_system

from ciphermill.design import Core, Direction, Measurement, Method, Provenance, make_run
from ciphermill.design.measurement import design_fields
from ciphermill.evaluate.chip.cells.power import estimate_power
from ciphermill.evaluate.chip.cells.timing import analyse_timing
from ciphermill.evaluate.chip.energy import CellEnergy, Phase
from ciphermill.evaluate.chip.implement import CellImplementation
from ciphermill.evaluate.chip.measures import of_cells, of_energy, of_parts, of_phases
from ciphermill.evaluate.chip.workloads import CoreWorkload
from ciphermill.report import physical_figures
from ciphermill.report.physical_comparison import comparison_rows, physical_comparison
from ciphermill.report.physical_page import physical_page
from ciphermill.report.physical_summary import summaries
from ciphermill.report.physical_table import breakdown_tables, path_tables, physical_tables
from ciphermill.toolchain.cell_synthesis import MappedNetlist, Strategy
from ciphermill.toolchain.cells import CellTarget

MOMENT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
STARTED = MOMENT.isoformat()
ORIGIN = Provenance(commit="abc", tools={"yosys": "9"}, command="ciphermill physical '<'")
MODULE = Core(
    name="ten-cells",
    description="ten <cells>",
    algorithm="aes",
    key_sizes=(128,),
    directions=(Direction.ENCRYPT,),
    block_bits=8,
    cycles_per_block=2,
    top="ten",
    folders=("prim",),
    parameters={"Width": 3},
)
WORKLOAD = CoreWorkload("a & b", "blocks", 500)


@pytest.fixture
def made() -> CellImplementation:
    netlist = ten_cells()
    mapped = MappedNetlist(
        top="ten",
        json=Path("ten.json"),
        liberty=Path("ten.lib"),
        cells={"INV": 3, "NAND": 2, "XOR": 2, "DFF": 2, "GATE": 1},
        area_um2=netlist.area_um2,
        gate_equivalents=20.0,
        sequential_um2=17.0,
        clock_gates=1,
        load_ff=4.0,
    )
    timing = analyse_timing(netlist, "clk")
    target = CellTarget.NANGATE45
    return CellImplementation(
        MODULE, target, mapped, netlist, timing, None, Strategy.AREA, asked_mhz=100.0
    )


@pytest.fixture
def energy(made: CellImplementation) -> CellEnergy:
    def phase(name: str, blocks: int, toggles: float, settled: float) -> Phase:
        powers = (
            estimate_power(
                made.netlist,
                made.timing,
                uniform_activity(made.netlist, made.timing, period_ps=1e4, toggles_per_cycle=count),
            )
            for count in (toggles, settled)
        )
        return Phase(name, 1000, blocks, *powers)

    phases = (phase("load", 0, 0.2, 0.2), phase("run", 500, 0.8, 0.4), phase("idle", 0, 0.0, 0.0))
    return CellEnergy(made, WORKLOAD, 128, Direction.ENCRYPT, 100.0, phases)


def stored(*measurements: Measurement) -> list[Measurement]:
    """Return measurements as a store gives them back: nothing else reaches a page."""
    own = {**design_fields(MODULE), "provenance": ORIGIN}
    return [Measurement.from_json(one.model_copy(update=own).to_json()) for one in measurements]


@pytest.fixture
def result(made: CellImplementation, energy: CellEnergy) -> list[Measurement]:
    return stored(of_cells(made), of_energy(energy), *of_phases(energy), *of_parts(made, energy))


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.split("</style>")[1]).split())


def well_formed(page: str) -> None:
    text = re.sub(r"<!DOCTYPE html>|<meta [^>]*>", "", page).replace("<br>", "")
    ElementTree.fromstring(re.sub(r"<details open>", "<details>", text).replace("&nbsp;", " "))
    assert not re.search(r"(src|href)=\"(?!#)", page), "it loads nothing"


def test_examples() -> None:
    assert doctest.testmod(physical_figures).failed == 0


def test_page_is_well_formed_and_escapes_what_it_is_given(result: list[Measurement]) -> None:
    page = physical_page(result, STARTED)
    well_formed(page)
    assert "ten &lt;cells&gt;" in page
    assert "a &amp; b" in page
    assert "physical &#39;&lt;&#39;" in page
    assert page == physical_page(result, STARTED)


def test_page_says_energy_by_phase_and_what_glitches_are(
    result: list[Measurement], energy: CellEnergy
) -> None:
    text = words(physical_page(result, STARTED))
    run = energy.phase("run")
    assert run is not None
    counted, settled = (power.energy_pj / 500 / 8 for power in (run.power, run.settled))
    assert counted > settled
    share = round(100 * (1 - settled / counted))
    assert f"With the cells' delays {counted:.3g}" in text
    assert f"settles at once {settled:.3g}" in text
    assert f"Glitches in “run”: {share} % of the energy" in text
    assert re.search(r"Load a key 1,000 \u2013", text)
    assert re.search(r"Run 1,000 500 ", text)
    assert re.search(r"Idle 1,000 \u2013 .* 0 %", text)


def test_kinds_add_up_to_the_headline(result: list[Measurement], energy: CellEnergy) -> None:
    text = words(physical_page(result, STARTED))
    rows = [
        [float(v) for v in re.findall(r"[\d.]+", found[1])[:4]]
        for name in ("Flip-flops and latches", "Logic", "Clock network", "All")
        if (found := re.search(rf"{name} ((?:[\d.]+ ){{4}})", text))
    ]
    assert len(rows) == 4
    assert rows[3][3] == pytest.approx(energy.pj_per_bit(), rel=0.01)
    for column in range(4):
        parts = sum(row[column] for row in rows[:3])
        assert parts == pytest.approx(rows[3][column], rel=0.01)
    for switching, internal, leakage, total in rows:
        assert switching + internal + leakage == pytest.approx(total, rel=0.01)


def test_page_maps_area_and_power_by_module(result: list[Measurement]) -> None:
    page = physical_page(result, STARTED)
    assert page.count('class="treemap"') == 2
    assert 'aria-label="Treemap of area by module. ten 62 %, u_half 38 %."' in page
    assert "<title>u_half: 11.0 µm², 38 %</title>" in page


def test_page_lists_the_longest_path(result: list[Measurement], made: CellImplementation) -> None:
    text = words(physical_page(result, STARTED))
    timing = made.timing
    assert "Longest path Of the netlist made for 100 MHz" in text
    for step in timing.longest_path:
        assert f"{step.cell or 'port'} {step.pin} {step.net} {step.edge}" in text
    assert f"{timing.clock_period_ps:,.0f} ps" in text


def test_timing_that_is_not_met_is_said(
    result: list[Measurement], made: CellImplementation
) -> None:
    assert "Timing is not met" not in physical_page(result, STARTED)
    late = replace(made, asked_mhz=99_000.0)
    missed = stored(of_cells(late))
    assert "Timing is not met: 99,000 MHz were asked for" in words(physical_page(missed, STARTED))


def test_page_without_cells_has_figures_only() -> None:
    fpga = Measurement(
        design="ten-cells", target="xc7", area_lut=7, merit_mb_s_per_lut=0.0473, method="estimated"
    )
    page = physical_page([fpga], STARTED)
    well_formed(page)
    assert "<svg" not in page
    assert "Throughput a LUT 47.3 kB/s estimated" in words(page)


def test_page_of_a_design_that_nothing_can_run(made: CellImplementation) -> None:
    static = stored(of_cells(made), *of_parts(made, None))
    page = physical_page(static, STARTED)
    well_formed(page)
    assert page.count('class="treemap"') == 1
    assert "Energy a bit" not in page


def test_summary_takes_area_from_what_was_made_and_energy_from_the_run(
    result: list[Measurement], made: CellImplementation
) -> None:
    fast = result[0].model_copy(
        update={"clock_mhz": 90_000.0, "clock_asked_mhz": 8000.0, "area_ge": 30.0}
    )
    (table,) = summaries([result[1], result[0], fast])
    rows = {row.name: row for row in table.rows}
    assert rows["Gate equivalents"].values == ("20 GE",)
    assert rows["Gate equivalents at the highest clock"].values == ("30 GE",)
    assert rows["Highest clock"].values == ("90,000 MHz",)
    assert rows["Clock"].values == (f"{1e6 / made.period_ps:,.0f} MHz",)
    assert rows["Clock of the simulation"].values == ("100 MHz",)
    assert rows["Energy a bit"].methods == ("simulated",)
    assert rows["Area"].methods == ("estimated",)


def test_summary_of_an_fpga_with_relative_energy() -> None:
    seen = Measurement(
        target="ecp5",
        area_lut=9,
        clock_mhz=50,
        timing_by="nextpnr",
        energy_relative=1.5,
        energy_reference="other",
        workload="stream",
        method="estimated",
    )
    (table,) = summaries([seen])
    rows = {row.name: row for row in table.rows}
    assert rows["LUTs"].values == ("9",)
    assert rows["Clock"].how == "routed, by nextpnr"
    assert rows["Dynamic energy a byte, relative"].values == ("1.50 x",)
    assert "(other)" in rows["Dynamic energy a byte, relative"].how


def test_tables_leave_out_what_nothing_has_and_give_small_figures_their_unit() -> None:
    about = {"target": "nangate45", "algorithm": "aes", "key_bits": 128}
    made = cells("a", **about, area_um2=1234.5, area_ge=5.0)
    ran = cells("a", **about, workload="stream", power_mw=1.5, power_leakage_mw=0.0269,
                energy_uj_per_op=0.000134, method="simulated")  # fmt: skip
    console = Console(width=120, file=StringIO())
    for table in physical_tables([made, ran, made.model_copy(update={"scope": "part"})]):
        console.print(table)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    rows = [line.split() for line in lines if line.startswith("nangate45")]
    assert rows == [
        ["nangate45", "100", "1,234", "5"],
        ["nangate45", "stream,", "128", "bits", "1.50", "26.9", "µW", "134", "pJ"],
    ]


def cells(design: str, **fields: object) -> Measurement:
    about = {"design": design, "algorithm": "aes", "target": "sky130", "clock_asked_mhz": 100.0}
    return Measurement.model_validate({**about, "method": "estimated", **fields})


def test_comparison_joins_a_run_with_the_netlist_it_ran_on() -> None:
    seen = [
        cells("a", area_um2=10.0, area_ge=5.0, clock_mhz=400.0, throughput_mb_s=9.0),
        cells("a", area_um2=12.0, area_ge=6.0, clock_mhz=500.0, throughput_mb_s=10.0),
        cells("a", area_um2=10.0, area_ge=5.0, clock_mhz=100.0, throughput_mb_s=1.0,
              workload="stream", energy_pj_per_bit=2.0, method="simulated"),
        cells("b", area_um2=11.0, area_ge=5.5, clock_mhz=100.0, throughput_mb_s=1.0,
              workload="stream", energy_pj_per_bit=3.0, method="simulated"),
    ]  # fmt: skip
    a, b = comparison_rows(seen)
    assert a.values["clock_mhz"] == 400.0
    assert a.values["throughput_mb_s"] == 9.0
    assert a.values["energy_pj_per_bit"] == 2.0
    assert "clock_mhz" not in b.values, "the simulation's clock is not the highest"


def test_comparison_keeps_the_last_and_puts_published_figures_at_the_end() -> None:
    published = cells("0-paper", energy_pj_per_bit=6.56, area_ge=1.0).model_copy(
        update={"method": Method.PUBLISHED, "provenance": Provenance(command="table 4")}
    )
    rows = comparison_rows([published, cells("z", area_ge=7.0), cells("z", area_ge=8.0)])
    assert [row.design for row in rows] == ["z", "0-paper"]
    assert rows[0].values == {"area_ge": 8.0}
    assert rows[1].source == "table 4"
    page = physical_comparison([published, cells("z", area_ge=8.0)], moment=MOMENT)
    assert "0-paper published 100 MHz" not in words(page)
    assert re.search(r"0-paper published for 100 MHz \(table 4\) 1 6\.56", words(page))


def test_comparison_marks_the_best_of_a_cipher() -> None:
    seen = [
        cells("small", area_ge=5.0, clock_mhz=400.0),
        cells("fast", area_ge=6.0, clock_mhz=500.0),
        cells("other", algorithm="present", area_ge=1.0, clock_mhz=900.0),
    ]
    page = physical_comparison(seen, moment=MOMENT)
    well_formed(page)
    assert re.findall(r'<td[^>]* class="best">([^<]+)</td>', page) == ["500", "5"]


def test_key_sizes_are_compared_apart() -> None:
    seen = [cells("a", key_bits=256, area_ge=9.0), cells("b", key_bits=128, area_ge=5.0)]
    page = physical_comparison(seen, moment=MOMENT)
    assert words(page).index("AES-128 b") < words(page).index("AES-256 a")
    assert 'class="best"' not in page


def test_embedded_systems_are_not_among_the_designs() -> None:
    one = make_run({"partition": "iterative", "bytes": 64}, "test")
    system = invented_system(one, 240, 1.0).measurements()
    page = physical_comparison(
        [cells("a", target="nangate45", key_bits=256, area_ge=9.0), *system],
        moment=MOMENT,
    )
    assert "1 design on 1 target" in words(page)
    assert page.count("<tr") == 1 + 1 + 1, "heading, group, the design"
    with pytest.raises(ValueError, match="no measurement of area"):
        physical_comparison(system, moment=MOMENT)


def test_comparison_of_nothing_is_refused() -> None:
    timed = Measurement(device="cpu", time_total_s=1.0, method="measured")
    with pytest.raises(ValueError, match="no measurement of area"):
        physical_comparison([timed], moment=MOMENT)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_no_figure_of_a_path_or_breakdown_is_cut(
    made: CellImplementation, energy: CellEnergy, width: int
) -> None:
    alone = stored(of_cells(made), *of_parts(made, None))
    shown = stored(of_cells(made), *of_parts(made, energy))
    for table in (*path_tables(shown), *breakdown_tables(shown), *breakdown_tables(alone)):
        assert table.row_count
        assert cut_off(table, width) == []
