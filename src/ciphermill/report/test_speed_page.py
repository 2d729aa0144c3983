# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Repeated operations are shown from their stored measurements alone."""

import re
from xml.etree import ElementTree

import pytest

from ciphermill.design import Measurement
from ciphermill.report.dot_plot import dot_plot
from ciphermill.report.pages import pages
from ciphermill.report.speed_table import speed_parts, speed_sections


def seen(device: str, threads: int, length: int | None, powered: bool) -> Measurement:
    data = length is not None
    power = {
        "power.mw": 9000.0,
        "power.idle_mw": 5000.0,
        "power.over_time": [[0.5, 8000.0], [1.0, 10000.0]],
        ("energy.pj_per_bit" if data else "energy.uj_per_op"): 12.5,
    }
    return Measurement.from_json(
        {
            "workload": "sha-256" if data else "ecdsa-p256-sign",
            "device": device,
            "operation": "digest" if data else "sign",
            "threads": threads,
            "messages": 1000 * threads,
            "time.total_s": 2.0,
            "time.worst_message_s": 0.25,
            "method": "measured",
            "correct": True,
            **({"bytes": length, "throughput.mb_s": 500.0 * threads} if data else {}),
            **(power if powered else {"notes": ["No energy: none."]}),
        }
    )


def stored(powered: bool) -> list[Measurement]:
    data = [
        seen(device, threads, length, powered)
        for device in ("cpu", "openssl")
        for threads in (1, 2)
        for length in (16, 1024)
    ]
    return [*data, *(seen("openssl", threads, None, powered) for threads in (1, 2))]


def test_tables_have_rates_by_length_then_the_longest_message() -> None:
    rates, longest, signatures = speed_sections(stored(False))
    assert rates.columns == ("device", "threads", "16", "1,024")
    assert rates.rows[1] == ("cpu", "2", "1,000", "1,000")
    assert longest.title == "SHA-256, messages of 1,024 bytes"
    assert longest.rows[1] == ("cpu", "2", "2,000", "2.00", "1,000", "2.00x", "2.00 ms", "250 ms")
    assert signatures.columns[4] == "operations/s"
    assert signatures.rows[1][4:7] == ("1,000", "2.00x", "2.00 ms")


def test_energy_stands_there_where_it_was_measured() -> None:
    _, longest, signatures = speed_sections(stored(True))
    assert longest.columns[-2:] == ("added W", "pJ a bit")
    assert longest.rows[0][-2:] == ("4.00", "12.5")
    assert signatures.columns[-1] == "µJ an operation"
    assert speed_parts(stored(False))[-1] == "No energy: none."


@pytest.mark.parametrize("powered", [True, False])
def test_a_page_draws_rates_and_power(powered: bool) -> None:
    ((page, shown),) = pages([Measurement.from_json(one.to_json()) for one in stored(powered)])
    assert page.name == "speed"
    text = page.html(shown, "2026-01-02T03:04:05+00:00")
    ElementTree.fromstring(re.sub(r"<!DOCTYPE html>|<meta [^>]*>", "", text))
    assert text.count("<svg") == 2 * (2 + 3 * powered), "in two widths"
    assert ("power over time, cpu" in text) == powered
    assert "All outputs are right." in text


def test_a_wrong_output_is_the_first_thing_on_the_page() -> None:
    one, *others = stored(False)
    ((page, shown),) = pages([one.model_copy(update={"correct": False}), *others])
    assert "<strong>Outputs are wrong.</strong> SHA-256 on cpu" in page.html(
        shown, "2026-01-02T03:04:05+00:00"
    )


def test_a_dot_plot_is_higher_by_each_line_of_its_legend() -> None:
    def height_pt(sources: int) -> float:
        values = {f"a source with a long name, {n}": 1.0 + n for n in range(sources)}
        found = re.search(
            r'viewBox="0 0 [\d.]+ ([\d.]+)"', dot_plot([("row", values)], "x", "plot")
        )
        assert found
        return float(found[1])

    assert height_pt(5) - height_pt(1) == pytest.approx(4 * 0.2 * 72)
