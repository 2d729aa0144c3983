# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the crypto-suite paper prints, computed again; the manual says what comes out."""

import pytest

from ciphermill.design import find_home
from ciphermill.papers.published import printed_figure

AES_CLOCKS = 14
"""Of an AES-256 block, one round a clock; the paper does not print it."""


def printed(place: str) -> float:
    return float(printed_figure(f"crypto-suite-sw-vs-hw#{place}"))


def said() -> str:
    text = (find_home() / "docs" / "reference" / "physical.md").read_text(encoding="utf-8")
    return " ".join(text.split())


def block_ns(clock_period_ns: float) -> float:
    return AES_CLOCKS * clock_period_ns


def test_its_rate_has_the_latency_and_its_energy_has_not() -> None:
    aes = "hardware.aes-256-ecb"
    period = 1000 / printed("clock.mhz")
    latency = printed(f"{aes}.added_latency_ns")
    with_latency = 1000 * 128 / (block_ns(period) + latency)
    without = 1000 * 128 / block_ns(period)
    assert with_latency == pytest.approx(printed(f"{aes}.throughput_mbit_s"), rel=1e-3)
    # 1 mW over 1 Mbit/s is 1 mJ a Mbit.
    energy = printed(f"{aes}.energy_mj_per_mbit")
    assert printed(f"{aes}.power_mw") / without == pytest.approx(energy, rel=1e-3)
    merit = printed(f"{aes}.throughput_mbit_s") / energy
    assert merit == pytest.approx(printed(f"{aes}.merit"), rel=1e-3)
    assert f"{latency} ns" in said()
    assert f"{without:,.0f} Mbit/s" in said()
    assert f"{without / energy:,.0f}" in said()
    # 300 MHz are no 5 ns: with them the printed rate does not come out.
    wrong = 1000 * 128 / (block_ns(printed("clock.printed_period_ns")) + latency)
    assert wrong < 0.9 * printed(f"{aes}.throughput_mbit_s")
    assert f"{period:.2f} ns" in said()


def test_the_merit_of_ecdsa_is_half_as_large_again_as_its_figures_give() -> None:
    ecdsa = "hardware.ecdsa-p521-sign"
    merit = printed(f"{ecdsa}.operations_s") / printed(f"{ecdsa}.energy_mj_per_operation")
    assert printed(f"{ecdsa}.merit") / merit == pytest.approx(1.5, rel=1e-3)
    assert f"{merit:,.0f}" in said()
    assert f"{printed(f'{ecdsa}.merit'):,.2f}" in said()


def test_the_rate_of_sha_on_one_core_is_not_its_quotient() -> None:
    sha = "software.sha-256"
    rate = printed(f"{sha}.processed_mbit") / printed(f"{sha}.time_s")
    assert f"{rate:.1f}" == "112.6"
    assert abs(rate / printed(f"{sha}.throughput_mbit_s") - 1) > 0.003
    assert f"{rate:.1f} Mbit/s" in said()
    assert f"{printed(f'{sha}.throughput_mbit_s')}" in said()
