# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A mistyped name is a usage error in every command, and says what may be meant."""

import doctest
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ciphermill import names
from ciphermill.campaign.store import Store
from ciphermill.cli import failures
from ciphermill.cli.main import cli
from ciphermill.design import Measurement


def test_examples() -> None:
    assert doctest.testmod(names).failed == 0


MISTYPED = {
    "weihg x": "no command is called 'weihg'; did you mean weigh?",
    "weigh x --device cpi": "did you mean cpu?",
    "weigh x --device model:aes-iteratve": "did you mean aes-iterative?",
    "encrypt x --device sofware": "did you mean software?",
    "build aes-seral": "did you mean aes-serial?",
    "build nowhere.toml": "nowhere.toml: No such file",
    "serve aes-iteratve --dir board": "did you mean aes-iterative?",
    "cosim partitons": "did you mean partitions?",
    "cosim nowhere.toml": "nowhere.toml: No such file",
    "cosim --partition iteratve": "did you mean iterative?",
    "cosim --partition stream --soft-core vexrisc": "did you mean vexriscv?",
    "cosim --partition software --variant tabel": "did you mean table?",
    "cosim --partition iterative --interface axilite": "did you mean axi-lite?",
    "cosim --partition iterative --platform onchip": "did you mean on-chip?",
    "cosim --partition iterative --energy nangate": "did you mean nangate45?",
    "cosim --partition software --estimate vexrisc": "did you mean vexriscv?",
    "physical aes-iterativ": "did you mean aes-iterative?",
    "physical aes-iterative --target ecp": "did you mean ecp5?",
    "physical aes-iterative --target ecp5 --relative-to presnt-minimal": "present-minimal?",
    "physical present-minimal --part accelerator": "only an accelerator has parts",
    "paper thesis": "did you mean thesis-zynq-ciphers?",
    "paper aes256-hw-sw-partition": "did you mean aes256-hw-sw-partitions?",
    "campaign zedbord": "did you mean zedboard?",
    "campaign zedboard --cores aes-pipelind": "did you mean aes-pipelined?",
    "campaign --device cpi": "did you mean cpu?",
    "export aes-iteratve -o out": "did you mean aes-iterative?",
    "results --mode ctx": "did you mean ctr?",
}


@pytest.mark.parametrize("words", MISTYPED)
def test_a_mistyped_name_is_a_usage_error(
    words: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CIPHERMILL_STORE", str(tmp_path / "store"))
    (tmp_path / "x").write_bytes(b"x")
    arguments = words.split()
    if arguments[0] == "encrypt":
        (tmp_path / "key").write_bytes(bytes(32))
        arguments += ["--key-file", "key"]
    assert failures.run(cli, arguments) == 2
    shown = capfd.readouterr()
    assert shown.out == ""
    assert MISTYPED[words] in shown.err
    assert shown.err.splitlines()[-1].startswith("ciphermill: ")


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store with two runs, of two devices."""
    seen = [
        Measurement(device=device, mode=mode, method="measured", time_total_s=1.0)
        for device, mode in (("software", "ecb"), ("model:aes-serial", "ctr"))
    ]
    path = tmp_path / "store.sqlite"
    with Store(path) as opened:
        for one in seen:
            opened.add_run([one], command="weigh", started=datetime(2026, 1, 2, tzinfo=UTC))
    return str(path)


@pytest.mark.parametrize(
    ("filters", "code", "message"),
    [
        ("--run 99", 2, "has none; there are 2, the last is 2"),
        ("--device nosuch", 2, "has none; there are: model:aes-serial, software"),
        ("--device sofware", 2, "did you mean software? There are: model:aes-serial, software"),
        ("--mode cbc", 2, "has none; did you mean ecb? There are: ctr, ecb"),
        ("--partition stream", 2, "has none; no measurement has one"),
        ("--device software --mode ctr", 0, "has --device software and --mode ctr: omit some"),
        ("--device software --last 1", 0, "has --device software among its last 1 runs"),
    ],
)
def test_filters_that_match_nothing_say_what_there_is(
    filters: str, code: int, message: str, store: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert failures.run(cli, ["results", "--store", store, *filters.split()]) == code
    shown = capfd.readouterr()
    assert shown.out == ""
    assert message in shown.err
    assert "nothing is stored yet" not in shown.err


def test_filters_that_match_together_nothing_are_an_empty_list(
    store: str, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["results", "--store", store, "--device", "software", "--mode", "ctr", "--json"]
    assert failures.run(cli, words) == 0
    assert capfd.readouterr().out == "[]\n"
