# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Results of ``make linux``: what files give, and what bad ones are told."""

import json
from pathlib import Path
from typing import Any

import pytest

from ciphermill.design import DesignError, Method
from ciphermill.papers.thesis_zynq_ciphers.kernel import kernel_measurements, kernel_rows

GOOD: dict[str, Any] = {
    "boot": "engine-model",
    "application": "throughput",
    "algorithm": "aes",
    "mode": "ctr",
    "bytes": 6_000_000,
    "streams": 6,
    "core_cycles": 400_000,
    "core_clock_mhz": 100,
    "host_s": 12.5,
    "kernel": "6.1.158",
    "card": "RTL, 6 rings",
}
IN_SOFTWARE = {**GOOD, "boot": "engine", "core_cycles": None, "core_clock_mhz": None}
DIGEST = {**GOOD, "algorithm": "sha-256", "mode": None}


def written(folder: Path, content: Any, name: str = "engine.json") -> Path:
    """A folder with one file."""
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_cycles_and_host_seconds_are_two_measurements(tmp_path: Path) -> None:
    card, host = kernel_measurements(written(tmp_path, [GOOD]))
    assert (card.method, host.method) == (Method.SIMULATED, Method.MEASURED)
    # 400,000 cycles at 100 MHz are 4 ms; 6 MB in 4 ms.
    assert (card.cycles_total, card.time_total_s) == (400_000, 0.004)
    assert card.throughput_mb_s == pytest.approx(1500)
    assert (host.time_total_s, host.throughput_mb_s, host.cycles_total) == (12.5, None, None)


def test_rows_keep_cycles_and_host_seconds_apart(tmp_path: Path) -> None:
    folder = written(tmp_path, [GOOD, IN_SOFTWARE, DIGEST])
    simulated, software, digest = kernel_rows(kernel_measurements(folder))
    assert simulated.card and simulated.card.cycles_total == 400_000
    assert simulated.host.time_total_s == 12.5
    assert software.card is None
    assert digest.card and digest.card.mode is None


@pytest.mark.parametrize("missing", [True, False])
def test_without_a_file_there_is_nothing(tmp_path: Path, missing: bool) -> None:
    assert kernel_measurements(tmp_path / "results" if missing else tmp_path) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "engine.json: no JSON"),
        ("[{", "engine.json: no JSON"),
        ("[" * 100_000, "engine.json: no JSON"),
        ("[" + " " * (1 << 20) + "]", "larger than 1,048,576 bytes"),
        (GOOD, "is no list of objects"),
        ([7], "object 0: is no object"),
        ([GOOD, GOOD], "object 1: tells of the same streams as .*object 0"),
        ('[{"boot": "a", "boot": "b"}]', "the key 'boot' is there twice"),
        ([{k: v for k, v in GOOD.items() if k != "host_s"}], "host_s: is missing"),
        ([{**GOOD, "colour": "red"}], "colour: is not a field here"),
        ([{**GOOD, "bytes": 0}], "bytes: "),
        ([{**GOOD, "bytes": "6000000"}], "bytes: "),
        ([{**GOOD, "streams": True}], "streams: "),
        ([{**GOOD, "core_cycles": -1}], "core_cycles"),
        ([{**GOOD, "core_cycles": None}], "both numbers, or both null"),
        ('[{"host_s": NaN}]', "host_s: "),
        ([{**GOOD, "algorithm": "rot13"}], "algorithm: .*rot13"),
        ([{**GOOD, "mode": "ofb"}], "mode is 'ofb'; aes has: .*ctr"),
        ([{**GOOD, "mode": None}], "mode is null, but aes has"),
        ([{**DIGEST, "mode": "ctr"}], "sha-256 has: null alone"),
        ([{**GOOD, "kernel": "6.1\u001b[31m"}], "kernel: "),
        ([{**GOOD, "card": ""}], "card: "),
    ],
)
def test_a_bad_file_is_refused_with_its_place(tmp_path: Path, content: Any, said: str) -> None:
    with pytest.raises(DesignError, match=said):
        kernel_measurements(written(tmp_path, content))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "engine.json").write_bytes(b"\xff\xfe\x80")
    with pytest.raises(DesignError, match=r"engine\.json: no JSON"):
        kernel_measurements(tmp_path)


def test_a_folder_by_the_name_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "engine.json").mkdir()
    with pytest.raises(DesignError, match=r"engine\.json: "):
        kernel_measurements(tmp_path)
