# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``weigh``, end to end on a small file."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ciphermill.design import DOTTED_KEYS

from .conftest import Ciphermill

SIMULATED = ("model:aes-iterative", "model:aes-pipelined")
MODES = {
    **dict.fromkeys(("software", "software+", "cpu"), ("ecb", "cbc", "ctr", "gcm", "xts")),
    **dict.fromkeys(SIMULATED, ("ecb", "cbc", "ctr")),
}
DONE = [
    (device, mode, way)
    for device, modes in MODES.items()
    for mode in modes
    for way in ("encrypt", "decrypt")
]


def test_the_main_job(ciphermill: Ciphermill, plain: bytes, tmp_path: Path) -> None:
    outcome = ciphermill("weigh", "plain")
    assert outcome.code == 0, outcome
    table = outcome.out.decode()
    for device, modes in MODES.items():
        found = re.findall(rf"^{re.escape(device)} ", table, re.MULTILINE)
        assert len(found) == 2 * len(modes)
    assert "All outputs agree byte for byte." in table
    assert "128 bits" in table
    assert len(re.findall("simulated *$", table, re.MULTILINE)) == 12
    report = tmp_path / "data" / "ciphermill" / "weigh-1.html"
    assert table.rstrip().endswith(f"Report: {report}")
    check_page(report.read_text(encoding="utf-8"))
    check_results(ciphermill)


def check_page(page: str) -> None:
    assert "All outputs agree byte for byte." in page
    assert page.count("<svg") == 4
    assert page.count('role="img" aria-label="') == 4
    # The page loads nothing: its only addresses are the namespaces of SVG and XLink.
    addresses = set(re.findall(r"https?://[^\s\"'<)]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert not re.search(r"<(script|link|img|iframe|object)\b", page)
    assert not re.search(r"@import|url\((?!#)", page)
    assert "prefers-color-scheme: dark" in page
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(svg)
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))


def check_results(ciphermill: Ciphermill) -> None:
    stored = json.loads(ciphermill("results", "--json").out)
    assert [(m["device"], m["mode"], m["operation"]) for m in stored] == DONE
    everything = ciphermill("results").out.decode()
    assert "…" not in everything
    assert all(everything.count(device) >= 6 for device in MODES)
    listed = ciphermill("results", "--last", "1", "--mode", "ctr", "--device", "software")
    assert listed.code == 0
    assert listed.out.count(b"software") == 2


def test_json_is_a_list_of_measurements_and_nothing_else(
    ciphermill: Ciphermill, plain: bytes, tmp_path: Path
) -> None:
    store, report = tmp_path / "s.sqlite", tmp_path / "r" / "page.html"
    outcome = ciphermill(
        *("weigh", "plain", "--json", "--key-bits", "128", "--store", store, "--report", report),
        *("--device", "cpu", "--device", "model:aes-pipelined"),
    )
    assert outcome.code == 0, outcome
    measurements = json.loads(outcome.out)
    assert report.exists()
    assert store.exists()
    assert str(report) in outcome.err
    assert [m["device"] for m in measurements] == ["cpu"] * 10 + ["model:aes-pipelined"] * 6
    for seen in measurements:
        assert set(seen) <= set(DOTTED_KEYS)
        assert seen["correct"] is True
        assert seen["key_bits"] == 128
        whole = seen["mode"] in ("ctr", "gcm")
        assert seen["bytes"] == (len(plain) if whole else -(-len(plain) // 16) * 16)
        assert seen["provenance"]["command"].startswith("ciphermill weigh plain --json")
        assert 0 not in seen.values()
        if seen["device"] == "cpu":
            assert seen["method"] == "measured"
            assert "cycles.total" not in seen
        else:
            assert seen["method"] == "simulated"
            assert seen["clock.mhz"] == 100.0
            assert seen["interface"] == "axi4-stream-128"
            assert seen["device"] == f"model:aes-{seen['architecture']}"
            seconds = seen["cycles.total"] / 100e6
            assert seen["time.total_s"] >= 0.99 * seconds


def test_simulated_figures_are_the_same_every_time(ciphermill: Ciphermill, plain: bytes) -> None:
    runs = [
        json.loads(ciphermill("weigh", "plain", "--json", "--device", "model:aes-iterative").out)
        for _ in range(2)
    ]
    one, other = ([m["cycles.total"] for m in run] for run in runs)
    assert one == other
    # AES-256 in one round a cycle: 14 rounds, and a few cycles to start and end.
    blocks = -(-len(plain) // 16)
    assert all(14 * blocks <= cycles <= 15 * blocks + 200 for cycles in one)


def test_a_clock_behind_the_device_s_name_turns_the_same_cycles_into_other_seconds(
    ciphermill: Ciphermill, plain: bytes
) -> None:
    names = ("model:aes-iterative", "model:aes-iterative,clock_mhz=25")
    wanted = [word for name in names for word in ("--device", name)]
    seen = json.loads(ciphermill("weigh", "plain", "--json", *wanted).out)
    own, slow = ([one for one in seen if one["device"] == name] for name in names)
    assert len(own) == len(slow) == 6
    for one, other in zip(own, slow, strict=True):
        assert (one["clock.mhz"], other["clock.mhz"]) == (100.0, 25.0)
        assert one["cycles.total"] == other["cycles.total"]
        assert other["time.total_s"] == pytest.approx(4 * one["time.total_s"])
        assert other["throughput.mb_s"] == pytest.approx(one["throughput.mb_s"] / 4)
        assert one["design"] == other["design"] == "aes-iterative"
        assert one["design.digest"] == other["design.digest"]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("clock_mhz=0", "clock_mhz is a number from 0.001 to 1000000, not"),
        ("clock_mhz=-5", "clock_mhz is a number from 0.001 to 1000000, not"),
        ("clock_mhz=NaN", "clock_mhz is a number from 0.001 to 1000000, not"),
        ("clock_mhz=fast", "clock_mhz is a number from 0.001 to 1000000, not"),
        ("kernel=tables", "there is clock_mhz=NUMBER"),
        ("clock_mhz=50,clock_mhz=60", "clock_mhz is given twice"),
    ],
)
def test_a_bad_setting_is_answered_with_what_is_allowed(
    setting: str, said: str, ciphermill: Ciphermill, plain: bytes
) -> None:
    outcome = ciphermill("weigh", "plain", "--device", f"model:aes-iterative,{setting}")
    outcome.failed(2, said)


@pytest.mark.parametrize(
    ("algorithm", "verbs", "title", "family", "model"),
    [
        (
            "ascon-aead128",
            ["encrypt", "decrypt"],
            "Ascon-AEAD128",
            "ascon",
            "ascon-iterative-stream",
        ),
        ("ascon-hash256", ["digest"], "Ascon-Hash256", "ascon", "ascon-iterative-stream"),
        ("sha-256", ["digest"], "SHA-256", "sha-256", "sha2-stream"),
    ],
)
def test_whole_messages_on_the_processor_and_on_the_accelerator_s_model(
    algorithm: str,
    verbs: list[str],
    title: str,
    family: str,
    model: str,
    ciphermill: Ciphermill,
    tmp_path: Path,
) -> None:
    (ciphermill.folder / "some").write_bytes(bytes(range(256)) * 3)
    outcome = ciphermill("weigh", "some", "--algorithm", algorithm)
    assert outcome.code == 0, outcome
    table = outcome.out.decode()
    assert "All outputs agree byte for byte." in table
    assert re.findall(rf"^{title} (\w+)", table, re.MULTILINE) == verbs
    page = (tmp_path / "data" / "ciphermill" / "weigh-1.html").read_text(encoding="utf-8")
    check_page(page)
    assert f"{title}, 768 bytes" in page
    assert "AES" not in page.split("How each figure was obtained")[0]
    stored = json.loads(ciphermill("results", "--json", "--algorithm", family).out)
    devices = ("cpu", f"model:{model}")
    assert [(m["device"], m["operation"]) for m in stored] == [
        (device, verb) for device in devices for verb in verbs
    ]
    assert all("mode" not in m and m["bytes"] == 768 for m in stored)
    assert f"{family.upper()} {verbs[0]}" in ciphermill("results").out.decode()


def test_a_key_that_an_algorithm_has_not(ciphermill: Ciphermill, plain: bytes) -> None:
    words = ("weigh", "plain", "--key-bits", "192", "--algorithm")
    ciphermill(*words, "ascon-aead128").failed(2, "128")
    ciphermill(*words, "ascon-hash256").failed(2, "no key")


def test_devices_without_the_algorithm(ciphermill: Ciphermill, plain: bytes) -> None:
    """Nothing is weighed, and no run without a measurement is stored."""
    done = ciphermill("weigh", "plain", "--algorithm", "ascon-hash256", "--device", "software")
    done.failed(2, "software cannot compute Ascon-Hash256: name another --device")
    assert ciphermill("results", "--json").out == b"[]\n"


def test_one_byte_twice_gives_two_pages(ciphermill: Ciphermill, tmp_path: Path) -> None:
    (ciphermill.folder / "one").write_bytes(b"x")
    for number in (1, 2):
        assert ciphermill("weigh", "one", "--device", "cpu").code == 0
        assert (tmp_path / "data" / "ciphermill" / f"weigh-{number}.html").exists()


@pytest.mark.parametrize("name", ["nowhere", "folder", "empty"])
def test_what_cannot_be_weighed(name: str, ciphermill: Ciphermill, tmp_path: Path) -> None:
    (ciphermill.folder / "folder").mkdir()
    (ciphermill.folder / "empty").write_bytes(b"")
    ciphermill("weigh", name).failed(2 if name == "empty" else 1, name)
    assert not (tmp_path / "data").exists()


def test_no_such_design(ciphermill: Ciphermill, plain: bytes) -> None:
    ciphermill("weigh", "plain", "--device", "model:nothing").failed(2, "nothing")


def test_store_and_report_that_cannot_be_written(
    ciphermill: Ciphermill, plain: bytes, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    inside = tmp_path / "file" / "x"
    ciphermill("weigh", "plain", "--store", inside).failed(1, str(inside))
    store = tmp_path / "s"
    ciphermill("weigh", "plain", "--store", store, "--report", inside).failed(1, str(inside))


def test_a_foreign_file_as_store(ciphermill: Ciphermill, plain: bytes) -> None:
    outcome = ciphermill("weigh", "plain", "--store", "plain")
    outcome.failed(1, "plain", "--store")
    assert (ciphermill.folder / "plain").read_bytes() == plain


MALFORMED = {
    "no toml": "cipher = ",
    "unknown field": 'kind = "accelerator"\nname = "x"\ncipher = "aes"\ncolour = "red"\n',
    "wrong architecture": 'kind = "accelerator"\nname = "x"\narchitecture = "magic"\n',
    "nothing": "",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_designs(name: str, ciphermill: Ciphermill) -> None:
    path = ciphermill.folder / "x.toml"
    path.write_text(MALFORMED[name])
    for command in (["build", "x.toml"], ["serve", "x.toml", "--dir", "board"]):
        outcome = ciphermill(*command)
        assert outcome.code == 3, outcome
        assert "Traceback" not in outcome.err
        assert outcome.err.startswith("ciphermill: ")
        assert "x.toml" in outcome.err
    assert ciphermill.files() == ["x.toml"]
