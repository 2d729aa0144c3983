# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the crypto-suite paper prints, computed again; the manual says what comes out."""

import pytest

from ciphermill.design import find_home
from ciphermill.papers.crypto_suite_sw_vs_hw.entry import (
    AES_CYCLES,
    CryptoSuitePaper,
    back_to_back_mbit_s,
    load,
    misprints,
    report,
)
from ciphermill.papers.page import paper_page


@pytest.fixture
def paper() -> CryptoSuitePaper:
    return load()


def said() -> str:
    text = (find_home() / "docs" / "reference" / "physical.md").read_text(encoding="utf-8")
    return " ".join(text.split())


def test_its_rate_has_the_latency_and_its_energy_has_not(paper: CryptoSuitePaper) -> None:
    aes = paper.of("aes-256-ecb")
    period, latency = 1000 / paper.clock.mhz, aes.added_latency_ns
    with_latency = 1000 * 128 / (AES_CYCLES * period + latency)
    assert with_latency == pytest.approx(aes.throughput_mbit_s, rel=1e-3)
    # 1 mW over 1 Mbit/s is 1 mJ a Mbit.
    without = back_to_back_mbit_s(paper)
    energy = aes.energy_mj_per_mbit or 0.0
    assert aes.power_mw / without == pytest.approx(energy, rel=1e-3)
    assert aes.computed_merit == pytest.approx(aes.merit, rel=1e-3)
    (section,) = report(paper).sections
    for words in (f"{latency} ns", f"{without:,.0f} Mbit/s", f"{without / energy:,.0f}"):
        assert words in said()
        assert words in section.notes[0]
    # 300 MHz are no 5 ns: with them the printed rate does not come out.
    wrong = 1000 * 128 / (AES_CYCLES * paper.clock.printed_period_ns + latency)
    assert wrong < 0.9 * (aes.throughput_mbit_s or 0.0)


def test_what_cannot_be_right_is_computed(paper: CryptoSuitePaper) -> None:
    ecdsa, sha, clock = misprints(paper)
    assert "are 13,421" in ecdsa.computed
    assert "1.5 times" in ecdsa.verdict
    assert "are 112.6 Mbit/s" in sha.computed
    assert "3.33 ns" in clock.verdict
    for words in ("13,421", "112.6 Mbit/s", "3.33 ns", "20,131.61", "113.01"):
        assert words in said()


def test_its_page_needs_no_conclusions(paper: CryptoSuitePaper) -> None:
    page = paper_page(report(paper))
    assert "20,131.61" in page
    assert "Its conclusions" not in page
