# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A campaign of streams is shown from its stored measurements alone."""

import re
from xml.etree import ElementTree

import pytest

from ciphermill.design import Measurement
from ciphermill.report.pages import pages


@pytest.fixture
def stored() -> list[Measurement]:
    return [
        Measurement(
            platform="zedboard",
            device=device,
            application="throughput",
            destination="sink",
            mode="ctr",
            operation=direction,
            key_bits=256,
            bytes=kib * 1024,
            time_total_s=kib / rate / 1000,
            time_inside_write_s=kib / rate / 2000,
            throughput_mb_s=rate * 1.024,
            throughput_inside_write_mb_s=rate * 2.048,
            method="modelled",
        )
        for device, rate in (("software", 20.0), ("hardware", 80.0))
        for direction in ("encrypt", "decrypt")
        for kib in (64, 1024)
    ]


def test_a_campaign_has_a_page_and_tables(stored: list[Measurement]) -> None:
    ((page, shown),) = pages([Measurement.from_json(one.to_json()) for one in stored])
    assert page.name == "campaign"
    assert shown == stored
    text = page.html(shown, "2026-01-02T03:04:05+00:00")
    ElementTree.fromstring(re.sub(r"<!DOCTYPE html>|<meta [^>]*>", "", text))
    assert "Streams on zedboard" in text
    assert text.count("<svg") == 2 * 2 * 2, "two quantities, directions and widths"
    assert page.tables(shown)
