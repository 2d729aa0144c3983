# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tables, plots and the page say what the measurements say."""

import doctest
import re
from xml.etree import ElementTree

import pytest
from rich.console import Console

from ciphermill.algorithms import AES
from ciphermill.design import Measurement, Method, Provenance
from ciphermill.design.operations import streamed_operations
from ciphermill.report import format as human
from ciphermill.report import html_page, plots, section, weigh_page
from ciphermill.report.comparison import Comparison
from ciphermill.report.weigh_table import weigh_table

SECONDS = {"software": 8e-3, "software+": 1e-3, "model:a<b>": 2e-3}
STARTED = "2026-01-02T03:04:05+00:00"


def measurement(device: str, mode: str, direction: str) -> Measurement:
    seconds = SECONDS[device]
    simulated = device.startswith("model:")
    return Measurement(
        device=device,
        mode=mode,
        operation=direction,
        key_bits=256,
        bytes=16_000,
        time_total_s=seconds,
        throughput_mb_s=16_000 / seconds / 1e6,
        cycles_total=15_000 if simulated else None,
        cycles_per_block=(150.0 if (mode, direction) == ("cbc", "encrypt") else 15.0)
        if simulated
        else None,
        clock_mhz=100 if simulated else None,
        interface="axi4-stream-128" if simulated else None,
        correct=True,
        workload="<evil> & file.jpg",
        method=Method.SIMULATED if simulated else Method.MEASURED,
        provenance=Provenance(
            commit="abc",
            tools={"python": "3"},
            command="ciphermill weigh '<'",
            processor="A <processor>",
        ),
    )


@pytest.fixture
def weighing() -> list[Measurement]:
    return [measurement(d, o.mode, o.verb) for d in SECONDS for o in streamed_operations(AES)]


def test_examples() -> None:
    for module in (human, html_page, section, weigh_page):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (9.999, "10.0"),
        (99.95, "100"),
        (0.9999, "1.00"),
        (999.9, "1,000"),
        (1e-12, "0.00000000000100"),
    ],
)
def test_rounding_at_the_edges(value: float, text: str) -> None:
    assert human.significant(value) == text


def test_speedup_is_over_software_in_the_same_operation(weighing: list[Measurement]) -> None:
    comparison = Comparison.of(weighing)
    for row in comparison.rows:
        assert row.speedup == pytest.approx(8e-3 / SECONDS[row.device])
    without = [m for m in weighing if m.device != "software"]
    assert {row.speedup for row in Comparison.of(without).rows} == {None}


def shown(weighing: list[Measurement], width: int = 80) -> str:
    console = Console(width=width, no_color=True)
    with console.capture() as capture:
        console.print(weigh_table(weighing))
    return capture.get()


def test_table_fits_a_terminal_and_marks_simulated_time() -> None:
    SECONDS["model:aes-pipelined"] = 2e-3
    weighing = [measurement("model:aes-pipelined", "ctr", "encrypt")]
    del SECONDS["model:aes-pipelined"]
    text = shown(weighing)
    assert re.search(r"model:aes-pipelined +2.00 ms +8.00 MB/s +15.0 +simulated", text)
    assert "speedup" not in text


def test_table_names_wrong_outputs_only_where_there_are_any(weighing: list[Measurement]) -> None:
    assert "output" not in shown(weighing)
    weighing[3] = weighing[3].model_copy(update={"correct": False})
    text = shown(weighing, 100)
    assert text.count("differs") == 1
    assert text.count("agrees") == 17


def test_page_is_well_formed_and_escapes_what_it_is_given(weighing: list[Measurement]) -> None:
    text = weigh_page.weigh_page(weighing, STARTED)
    body = re.sub(r"<!DOCTYPE html>|<meta [^>]*>", "", text).replace("<br>", "")
    ElementTree.fromstring(body)
    assert "&lt;evil&gt; &amp; file.jpg, weighed" in text
    assert "<evil>" not in text
    assert "A &lt;processor&gt;" in text
    assert "weigh &#39;&lt;&#39;" in text


def test_page_has_plots_for_a_telephone_and_no_caption_that_a_table_can_cut(
    weighing: list[Measurement],
) -> None:
    text = weigh_page.weigh_page(weighing, STARTED)
    assert "<caption" not in text
    widths = [float(width) for width in re.findall(r'<svg [^>]*viewBox="0 0 ([0-9.]+) ', text)]
    # Beside text, and on 390 pixels: there a point must be about a pixel.
    assert [width < 350 for width in widths] == [False, True, False, True]
    assert "@media (max-width: 40rem)" in text


def test_page_says_what_was_found(weighing: list[Measurement]) -> None:
    text = weigh_page.weigh_page(weighing, STARTED)
    assert "All outputs agree byte for byte." in text
    assert "18 outputs of 3 devices" in text
    assert "4.00x" in text
    assert "10.0x" in text
    assert "15.0 cycles" in text
    assert "16.0 kB" in text
    assert text.count(">simulated<") == 6


def test_page_of_wrong_outputs_says_so_first(weighing: list[Measurement]) -> None:
    update = {"correct": False, "wrong_byte": 17, "device": "model:x"}
    weighing[0] = weighing[0].model_copy(update=update)
    text = weigh_page.weigh_page(weighing, STARTED)
    assert "All outputs agree" not in text
    assert "ECB encrypt on model:x differs from software at byte 17." in text


def test_plots_have_every_figure_and_are_the_same_every_time(weighing: list[Measurement]) -> None:
    comparison = Comparison.of(weighing)
    svg = plots.throughput_svg(comparison)
    assert svg == plots.throughput_svg(comparison)
    assert svg.count("16.0 MB/s") == 6
    assert svg.count("8.00 MB/s") == 6
    assert "model:a&lt;b&gt; (simulated)" in svg
    # Each colour has become a variable of the page.
    assert not re.search(r"#0[1-5]0[1-5]0[1-6]", svg)
    for number in (1, 2, 3):
        assert f"var(--series-{number})" in svg


def test_cycles_are_plotted_only_where_they_are_counted(weighing: list[Measurement]) -> None:
    comparison = Comparison.of(weighing)
    svg = plots.cycles_svg(comparison)
    assert svg is not None
    assert "150" in svg
    software = Comparison.of([m for m in weighing if m.device == "software"])
    assert plots.cycles_svg(software) is None


def test_standalone_plot_needs_no_page(weighing: list[Measurement]) -> None:
    svg = plots.throughput_svg(Comparison.of(weighing), plots.STANDALONE)
    ElementTree.fromstring(svg)
    assert "var(" not in svg


def test_page_of_software_alone(weighing: list[Measurement]) -> None:
    alone = [m for m in weighing if m.device == "software"]
    text = weigh_page.weigh_page(alone, STARTED)
    assert text.count("<svg") == 2, "for wide and narrow windows"
    assert "Simulated:" not in text


def test_each_panel_of_a_narrow_plot_has_its_own_axis(weighing: list[Measurement]) -> None:
    drawn = plots.throughput_svg(Comparison.of(weighing), narrow=True)
    for label in ("1 MB/s", "10 MB/s"):
        assert drawn.count(f">{label}</text>") == 2


def test_each_cell_names_its_column_and_an_empty_one_repeats_what_is_above() -> None:
    heads = (
        '<th scope="col">design</th><th scope="col" class="bar">cycles</th><th scope="col"></th>'
    )
    rows = "".join(
        f'<tr class="row"><td class="word">{first}</td><td class="bar"></td><td>2</td></tr>'
        for first in ("first", "")
    )
    page = html_page.named_cells(f"<table>{heads}{rows}</table>")
    assert page.count('<td class="bar"></td><td data-name="cycles">2</td>') == 2
    assert '<td class="word"><span class="narrow">first</span></td>' in page
