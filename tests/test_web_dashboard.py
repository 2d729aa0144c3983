# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The dashboard of ``ciphermill web`` in a browser: by keyboard, wide, narrow, light, dark."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api as playwright
from support import explorations as made
from support.browser import check_contrast, check_layout, press_until
from support.pages import Client, served

from ciphermill.campaign.exploration import State
from ciphermill.campaign.store import Store
from ciphermill.registry import Found, open_device, survey


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with an exploration that has ended and one that runs."""
    path = tmp_path_factory.mktemp("store") / "store.sqlite"
    grid = made.grid()
    waiting = [made.unmeasured(one, State.WAITING) for one in grid[14:20]]
    with Store(path) as store:
        for name, candidates in (("finished", grid), ("under-way", [*grid[:14], *waiting])):
            one = replace(made.exploration(ended=False), name=name)
            number = store.add_exploration(one, key=name)
            store.keep_candidates(number, candidates)
            if name == "finished":
                store.end_exploration(number)
        store.add_run([], command="ciphermill paper thesis-zynq-ciphers")
    return path


class Slow:
    """The device ``cpu``, each of whose runs lasts long enough to be seen."""

    def __init__(self) -> None:
        self._cpu = open_device("cpu")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cpu, name)

    def run(self, *arguments: Any, **asked: Any) -> Any:
        time.sleep(0.02)
        return self._cpu.run(*arguments, **asked)


@pytest.fixture(scope="module")
def page(path: Path) -> Iterator[Client]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ciphermill.web.work.offered", lambda _: [])
        # Opening a process for the device software takes a second.
        slow = Slow()
        cpu: Any = Found("cpu", slow)  # type: ignore[arg-type]
        others = [one for one in survey() if one.reason]
        patch.setattr("ciphermill.web.benchmarks.open_device", lambda _: slow)
        for module in ("devices", "benchmarks"):
            patch.setattr(f"ciphermill.web.{module}.survey", lambda _: [cpu, *others])
        with served(store=str(path)) as client:
            yield client


def test_the_skip_link_and_the_navigation(tab: playwright.Page, page: Client) -> None:
    tab.goto(page.url + "dashboard")
    tab.keyboard.press("Tab")
    box = tab.locator(".skip").bounding_box()
    assert tab.evaluate("document.activeElement.className") == "skip"
    assert box is not None and box["x"] >= 0
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.closest('#content') !== null")
    for words in ("Dashboard", "Devices", "Benchmarks", "Explorations", "Papers"):
        tab.reload()
        press_until(tab, words)
        tab.keyboard.press("Enter")
        tab.wait_for_selector(f"nav a[aria-current]:has-text('{words}')")
        tab.wait_for_function("() => !document.querySelector('[aria-busy]')")
        assert tab.text_content("h1") == words
        check_layout(tab, f"dashboard-{words.lower()}")
        check_contrast(tab)


def test_a_benchmark(tab: playwright.Page, page: Client) -> None:
    tab.goto(page.url + "dashboard/devices")
    press_until(tab, "Benchmark cpu")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#mode option[value=xts]", state="attached")
    assert tab.input_value("#device") == "cpu"
    press_until(tab, "ECB")
    tab.keyboard.type("X")
    assert tab.input_value("#mode") == "xts"
    # XTS has no keys of 192 bits.
    assert tab.locator("#key-bits option").all_text_contents() == ["128", "256"]
    tab.focus("#runs")
    tab.keyboard.press("Control+A")
    tab.keyboard.type("1000")
    press_until(tab, "Start")
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".result.running .strip circle")
    press_until(tab, "Cancel")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#announce:has-text('cancelled')")
    # What had the focus is gone.
    assert tab.evaluate("document.activeElement.id") == "go"
    tab.fill("#runs", "30")
    tab.focus("#go")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#announce:has-text('median')")
    assert tab.locator(".result").count() == 2
    first = tab.locator(".result").first
    assert first.locator(".strip circle").count() == 30
    assert "Measured: wall time" in (first.text_content() or "")
    check_layout(tab, "dashboard-benchmark")
    check_contrast(tab)


def test_an_exploration_that_runs(tab: playwright.Page, page: Client, path: Path) -> None:
    with Store(path) as explorer, explorer.claim("under-way"):
        watch(tab, page, path)
    # Its process has gone.
    tab.wait_for_selector("#live:has-text('No process works on this exploration')")
    assert tab.text_content("#announce") == "Interrupted: 50 % of 36 candidates are done"
    check_layout(tab, "dashboard-interrupted")
    check_contrast(tab)


def watch(tab: playwright.Page, page: Client, path: Path) -> None:
    """Follow it by keyboard while candidates come in."""
    tab.goto(page.url + "dashboard/explorations")
    press_until(tab, "2: under-way")
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".scatter.wide")
    assert "14 of 36 candidates" in (tab.text_content("#live") or "")
    assert tab.text_content("#announce") == "30 % of 36 candidates are done"
    # The other axes, by keyboard; the address keeps them.
    tab.focus("#x")
    tab.keyboard.type("area")
    tab.wait_for_selector(".scatter.wide[aria-label^='area.lut over area.lut']")
    assert "x=area.lut" in tab.url
    tab.focus("#candidates")
    with Store(path) as store:
        store.keep_candidates(2, [replace(one, state=State.DROPPED) for one in made.grid()[14:20]])
    tab.wait_for_selector("#live:has-text('20 of 36 candidates')")
    assert tab.text_content("#announce") == "50 % of 36 candidates are done"
    # The part is new, and the focus is where it was.
    assert tab.evaluate("document.activeElement.id") == "candidates"
    check_layout(tab, "dashboard-exploration")
    check_contrast(tab)
    tab.set_viewport_size({"width": 390, "height": 1000})
    assert tab.locator(".scatter.narrow").is_visible()
    assert tab.locator("#candidates").evaluate("one => one.scrollWidth > one.clientWidth")
    tab.keyboard.press("ArrowRight")
    tab.wait_for_function("() => document.getElementById('candidates').scrollLeft > 0")


def test_a_candidate(tab: playwright.Page, page: Client) -> None:
    tab.goto(page.url + "dashboard/explorations/1")
    tab.wait_for_selector("#row-35")
    tab.focus("#order")
    tab.keyboard.type("by number")
    tab.wait_for_selector("h2:has-text('Candidates, by number')")
    assert "order=number" in tab.url
    tab.focus("#candidates")
    press_until(tab, "1")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("h1:has-text('Candidate 1 of finished')")
    press_until(tab, "origin 1")
    tab.keyboard.press("Enter")
    assert tab.text_content(":target") == "Origin 1"
    check_layout(tab, "dashboard-candidate")
    check_contrast(tab)
    # A dot of the plot leads there too.
    tab.goto(page.url + "dashboard/explorations/1")
    tab.locator(".scatter.wide .dot.front").last.click()
    tab.wait_for_selector("h1:has-text('Candidate 35 of finished')")


def test_a_server_that_ends_is_told(tab: playwright.Page, path: Path) -> None:
    with served(store=str(path)) as other:
        tab.goto(other.url + "dashboard/explorations/2")
        tab.wait_for_selector(".scatter.wide")
    tab.wait_for_selector("#announce.warn:has-text('does not answer')")
    # What was there stays.
    assert tab.locator(".scatter.wide").count() == 1
