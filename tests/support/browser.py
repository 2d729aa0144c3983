# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium: pages whose scripts must not fail, their layout, contrast and focus."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright import sync_api as playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PICTURES = Path(os.environ.get("CIPHERMILL_BUILD", "build")).resolve() / "web"
"""Where pictures of the pages are left; docs/images/web.png is one of them."""
SETTINGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
_LOW_CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d");
  const parts = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const [r, g, b] = parts(colour).map((one) => one / 255)
      .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    for (; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (parts(colour)[3]) return colour;
    }
    return "white";
  };
  const low = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const one = node.parentElement;
    if (!node.data.trim() || one.closest("title, option, :disabled")) continue;
    if (!one.checkVisibility()) continue;
    const style = getComputedStyle(one);
    const both = [one instanceof SVGElement ? style.fill : style.color, behind(one)].map(luminance);
    const ratio = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    if (ratio < 4.5) low.push(`${node.data.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return low;
}"""
_FOCUS = """() => {
  const one = document.activeElement;
  const style = getComputedStyle(one);
  return [(one.textContent || one.id).trim().replace(/\\s+/g, " "), style.outlineStyle !== "none"
    || one.closest(".drop, label")?.matches(":focus-within") || one.matches(".skip")];
}"""


@contextlib.contextmanager
def launched() -> Iterator[playwright.Browser]:
    """Start Chromium; the test is skipped without it."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no Chromium: apt install chromium")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=list(SETTINGS))
        yield opened
        opened.close()


@contextlib.contextmanager
def tab_of(browser: playwright.Browser) -> Iterator[playwright.Page]:
    """Open a page whose scripts must not fail, nor break the policy of their server."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(60_000)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
    yield page
    context.close()
    # The console lists the status of a refused file, and a server that has gone.
    expected = ("status of 4", "net::ERR_CONNECTION_REFUSED")
    assert [text for text in wrong if not any(one in text for one in expected)] == []


def check_layout(tab: playwright.Page, name: str) -> None:
    """Keep pictures of the page, wide and narrow, in both colour schemes; nothing sticks out."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for scheme in ("dark", "light"):
        tab.emulate_media(color_scheme=scheme)
        for width in (390, 1280):
            tab.set_viewport_size({"width": width, "height": 1000})
            assert tab.evaluate("document.documentElement.scrollWidth") == width
            tab.screenshot(path=PICTURES / f"{name}-{scheme}-{width}.png", full_page=True)


def check_contrast(tab: playwright.Page) -> None:
    """Every text has the contrast of WCAG's level AA, 4.5 to 1, in both colour schemes."""
    for scheme in ("dark", "light"):
        tab.emulate_media(color_scheme=scheme)
        low = tab.evaluate(_LOW_CONTRAST)
        assert low == [], (scheme, low)


def press_until(tab: playwright.Page, words: str, key: str = "Tab", most: int = 60) -> None:
    """Press a key until the focus is on what begins with these words; it is always visible."""
    for _ in range(most):
        tab.keyboard.press(key)
        text, visible = tab.evaluate(_FOCUS)
        assert visible, f"no visible focus on {text!r}"
        if text.startswith(words):
            return
    raise AssertionError(f"{words!r} is not reached by {key}")
