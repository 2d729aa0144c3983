# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page of an exploration in a browser: pointer, keyboard, ranges, light and dark, a phone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from playwright import sync_api as playwright
from support.explorations import CYCLES, ENERGY, LUTS, exploration, grid

from ciphermill.report.exploration.page import write_exploration_page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PICTURES = Path(os.environ.get("CIPHERMILL_BUILD", "build")).resolve() / "exploration"
"""Where pictures of the page are left."""
SETTINGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
FIRST, LAST = '.mark[data-place="35"]', '.mark[data-place="1"]'
"""The ends of the front."""


def test_the_page_in_a_browser(tmp_path: Path) -> None:
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no Chromium: apt install chromium")
    write_exploration_page(
        exploration(CYCLES, LUTS, ENERGY, candidates=grid()), tmp_path / "page.html"
    )
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(SETTINGS))
        tab = browser.new_page(viewport={"width": 1280, "height": 1000})
        tab.set_default_timeout(60_000)
        wrong: list[str] = []
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("console", lambda said: said.type == "error" and wrong.append(said.text))
        tab.goto((tmp_path / "page.html").as_uri())
        check_front(tab)
        check_ranges(tab)
        check_table(tab)
        check_layout(tab)
        assert wrong == []
        browser.close()


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
