# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page of an exploration in a browser: pointer, keyboard, ranges, light and dark, a phone."""

from __future__ import annotations

import os
from pathlib import Path

from playwright import sync_api as playwright
from support.browser import check_contrast, press_until
from support.explorations import CYCLES, ENERGY, LUTS, exploration, grid, measured, with_figures

from ciphermill.report.exploration.page import write_exploration_page

PICTURES = Path(os.environ.get("CIPHERMILL_BUILD", "build")).resolve() / "exploration"
"""Where pictures of the page are left."""
FIRST, LAST = '.mark[data-place="35"]', '.mark[data-place="1"]'
"""The ends of the front."""


def test_the_page_in_a_browser(tab: playwright.Page, tmp_path: Path) -> None:
    write_exploration_page(
        exploration(CYCLES, LUTS, ENERGY, candidates=grid()), tmp_path / "page.html"
    )
    tab.goto((tmp_path / "page.html").as_uri())
    check_front(tab)
    check_ranges(tab)
    check_table(tab)
    check_links(tab)
    check_layout(tab)
    check_contrast(tab)
    check_phone(tab)


def test_a_field_called_as_a_column_of_the_table(tab: playwright.Page, tmp_path: Path) -> None:
    """Such a field sorts by its own values, also where a candidate lacks it."""
    fields: tuple[dict[str, object], ...] = ({"place": 3}, {"place": 1}, {"other": 1})
    found = [measured(place, own, 9.0 + place, 9.0) for place, own in enumerate(fields)]
    write_exploration_page(exploration(candidates=tuple(found)), tmp_path / "page.html")
    tab.goto((tmp_path / "page.html").as_uri())
    tab.get_by_role("button", name="place").click()
    ids = tab.locator("#candidate-table tbody").evaluate_all("all => all.map((one) => one.id)")
    assert ids == ["candidate-2", "candidate-1", "candidate-0"]
    # The line of the candidate without the field begins there too.
    assert tab.locator("#axes-plot .line").count() == 3


def test_values_near_the_limits_of_floating_point_are_not_drawn(
    tab: playwright.Page, tmp_path: Path
) -> None:
    found = with_figures((1.0, 1e308, -1e308, 1e-300, 2.0), [9] * 5)
    write_exploration_page(exploration(candidates=found), tmp_path / "page.html")
    tab.goto((tmp_path / "page.html").as_uri())
    drawn = tab.locator("#front-plot .mark").evaluate_all("all => all.map((a) => a.dataset.place)")
    assert sorted(drawn) == ["0", "4"]
    assert "Not drawn: values of cycles.per_block beyond 1e+150" in tab.inner_text(
        ".warn >> nth=-1"
    )
    drawing = tab.inner_html("#front-plot") + tab.inner_html("#axes-plot")
    assert "NaN" not in drawing
    assert "Infinity" not in drawing
    assert tab.locator("#axes-plot .line").count() == 2
    assert tab.inner_text("#candidate-1 td[data-name='cycles.per_block']") == "1.00e+308"


def check_front(tab: playwright.Page) -> None:
    """Pointer and focus show a candidate; arrows walk; other axes draw another plot."""
    tab.hover(FIRST)
    assert "Candidate 35: on the front" in tab.inner_text(".tip")
    assert "iterative" in tab.inner_text(".tip")
    tab.mouse.move(1, 1)
    assert tab.query_selector(".tip") is None
    tab.focus("#front-plot .mark[tabindex='0']")
    tab.keyboard.press("Home")
    assert "Candidate 35" in tab.inner_text(".tip")
    tab.keyboard.press("End")
    assert "Candidate 1:" in tab.inner_text(".tip")
    steps = tab.get_attribute(".step", "d")
    tab.select_option("#axis-y", label="energy.pj_per_bit")
    assert tab.get_attribute(".step", "d") != steps
    tab.select_option("#axis-y", label="throughput.mb_s")
    assert tab.query_selector(".step") is None, "it is no objective"
    tab.select_option("#axis-y", label="area.lut")
    before = tab.get_attribute(LAST, "d")
    tab.uncheck("#log-x")
    assert tab.get_attribute(LAST, "d") != before
    tab.check("#log-x")


def check_ranges(tab: playwright.Page) -> None:
    """A range by keyboard and one by pointer fade the other candidates and leave the table."""
    limit = tab.get_by_role("slider", name="Lower limit of design.partition")
    limit.focus()
    for _ in range(3):
        tab.keyboard.press("ArrowUp")
    assert limit.get_attribute("aria-valuetext") == "iterative"
    assert tab.inner_text("#range-note") == "9 of 35 candidates are in the ranges."
    assert tab.locator("#candidate-table tbody:visible").count() == 9
    assert tab.locator("#front-plot .mark.front:not(.faded)").count() == 4
    tab.click("#clear-ranges")
    assert tab.locator("#candidate-table tbody:visible").count() == 35
    box = tab.locator(".brush").nth(4).bounding_box()  # area.lut
    assert box is not None
    across = box["x"] + box["width"] / 2
    tab.mouse.move(across, box["y"] + box["height"] - 1)
    tab.mouse.down()
    tab.mouse.move(across, box["y"] + box["height"] / 2, steps=3)
    tab.mouse.up()
    shown = tab.locator("#candidate-table tbody:visible td[data-name='area.lut']")
    luts = [text.replace(",", "") for text in shown.all_inner_texts()]
    assert 5 < len(luts) < 35
    assert all(float(one) <= 1100 + (5240 - 1100) / 2 for one in luts)
    tab.click("#clear-ranges")


def check_table(tab: playwright.Page) -> None:
    """It sorts, and a candidate of the plot opens to its figures, design and origin."""
    first = tab.locator("#candidate-table tbody").first
    assert first.get_attribute("id") == "candidate-35"
    heading = tab.locator("th[data-sort='area.lut'] button")
    heading.click()
    assert first.get_attribute("id") == "candidate-1"
    heading.click()
    assert first.get_attribute("id") == "candidate-30"
    tab.focus(FIRST)
    tab.keyboard.press("Enter")
    opened = tab.inner_text("#candidate-35 tr.more")
    assert 'partition = "iterative"' in opened
    assert "cycles.per_block 48.6 simulated origin 1" in opened
    tab.locator("#candidate-24 button").click()
    tab.locator("#candidate-24 summary").click()
    assert "%Error: core.sv:12: timeout" in tab.inner_text("#candidate-24 tr.more")


def check_links(tab: playwright.Page) -> None:
    """What the page recommends, and reasons, lead to a row; a row leads to its origin."""
    limit = tab.get_by_role("slider", name="Lower limit of design.partition")
    limit.focus()
    tab.keyboard.press("End")
    assert tab.locator("#candidate-17").is_hidden(), "it is outside the range"
    press_until(tab, "candidate 35", "Shift+Tab")
    tab.keyboard.press("Enter")
    assert tab.locator("#candidate-35 tr.more").is_visible()
    tab.evaluate("location.hash = 'candidate-17'")
    assert tab.locator("#candidate-17 tr.more").is_visible()
    assert "No log: only a failed measurement keeps one." in tab.inner_text("#candidate-17 tr.more")
    tab.locator("#candidate-17 tr.more a").first.click()
    assert tab.evaluate("location.hash") == "#origin-1"
    tab.locator("#candidate-17 tr.more a", has_text="command").first.click()
    assert tab.evaluate("document.querySelector(':target').textContent") == "Provenance"
    tab.click("#clear-ranges")


def check_phone(tab: playwright.Page) -> None:
    """Rows have no headings there: a list of them sorts, by keyboard too."""
    tab.set_viewport_size({"width": 390, "height": 1000})
    first = tab.locator("#candidate-table tbody").first
    assert tab.locator("#candidate-table thead").is_hidden()
    tab.focus("#sort-by")
    # The order that a heading chose before.
    assert (tab.input_value("#sort-by"), tab.is_checked("#sort-down")) == ("area.lut", True)
    tab.keyboard.type("cycles")
    assert first.get_attribute("id") == "candidate-1"
    press_until(tab, "sort-down")
    tab.keyboard.press("Space")
    assert first.get_attribute("id") == "candidate-35"
    tab.set_viewport_size({"width": 1280, "height": 1000})
    assert tab.locator("#sort-by").is_hidden()
    heading = tab.locator("th[data-sort='cycles.per_block']")
    assert heading.get_attribute("aria-sort") == "ascending"


def check_layout(tab: playwright.Page) -> None:
    """Leave pictures, wide and narrow, in both colour schemes; nothing sticks out."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for scheme, width in (("light", 1280), ("dark", 390)):
        tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        tab.set_viewport_size({"width": width, "height": 1000})
        tab.wait_for_function(
            "width => document.querySelector('#front-plot svg').viewBox.baseVal.width <= width",
            arg=width,
        )
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        tab.screenshot(path=PICTURES / f"page-{scheme}-{width}.png", full_page=True)
