# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Usage errors: messages and exit codes for arguments."""

import json
import re
import subprocess
import time
from pathlib import Path

import pytest

from .conftest import COMMAND, Ciphermill

COMMANDS = (
    *("encrypt", "decrypt", "inspect", "digest", "devices"),
    *("weigh", "results", "build", "serve"),
)

REFUSED = {
    "no command": ["fly"],
    "no option": ["encrypt", "--fly"],
    "no mode": ["encrypt", "plain", "--mode", "ofb"],
    "no key size": ["encrypt", "plain", "--key-bits", "512"],
    "no derivation": ["encrypt", "plain", "--kdf", "md5"],
    "no number": ["encrypt", "plain", "--chunk", "many"],
    "chunk of no whole blocks": ["encrypt", "plain", "--key-file", "KEY", "--chunk", "100"],
    "chunk of nothing": ["encrypt", "plain", "--key-file", "KEY", "--chunk", "0"],
    "chunk too large": ["encrypt", "plain", "--key-file", "KEY", "--chunk", "999999999999"],
    "no device": ["encrypt", "plain", "--key-file", "KEY", "--device", "abacus"],
    "design name that is a path": ["encrypt", "plain", "--key-file", "KEY", "--device", "model:"],
    "two secrets": ["encrypt", "plain", "--key-file", "KEY", "--password-file", "KEY"],
    "derivation of a key": ["encrypt", "plain", "--key-file", "KEY", "--kdf", "scrypt"],
    "iterations of our format": ["encrypt", "plain", "--key-file", "KEY", "--iterations", "9"],
    "derivation of openssl": ["encrypt", "plain", "--format", "openssl", "--kdf", "scrypt"],
    "key for openssl": ["encrypt", "plain", "--format", "openssl", "--key-file", "KEY"],
    "gcm of openssl": ["encrypt", "plain", "--format", "openssl", "--mode", "gcm"],
    "mode when decrypting": ["decrypt", "sealed.cm", "--mode", "ctr", "--key-file", "KEY"],
    "name without suffix": ["decrypt", "plain", "--key-file", "KEY"],
    "mode that the device lacks": [
        *("encrypt", "plain", "--key-file", "KEY"),
        *("--device", "model:aes-iterative", "--mode", "gcm"),
    ],
    "no hash": ["digest", "plain", "--algorithm", "md5"],
    "hash that the device lacks": ["digest", "plain", "--device", "software+"],
    "nothing to build": ["build"],
    "nowhere to serve": ["serve", "aes-iterative"],
    "nothing to weigh": ["weigh"],
    "two things to weigh": ["weigh", "plain", "--example"],
    "no such store": ["results", "--store", "nowhere"],
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(
    name: str, ciphermill: Ciphermill, plain: bytes, key: object
) -> None:
    arguments = [str(key) if word == "KEY" else word for word in REFUSED[name]]
    before = ciphermill.files()
    outcome = ciphermill(*arguments, CIPHERMILL_PASSWORD="secret")
    if name == "design name that is a path":
        assert outcome.code in (2, 3)
        outcome.failed(outcome.code)
    else:
        outcome.failed(2)
    assert outcome.out == b""
    assert ciphermill.files() == before


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples(name: str, ciphermill: Ciphermill) -> None:
    outcome = ciphermill(name, "--help")
    assert outcome.code == 0
    assert b"Examples:\n" in outcome.out
    assert f"  ciphermill {name} ".encode() in outcome.out or name == "devices"


def test_help_lists_the_commands(ciphermill: Ciphermill) -> None:
    outcome = ciphermill("--help")
    assert outcome.code == 0
    for name in COMMANDS:
        assert re.search(rf"^  {name} +\w", outcome.out.decode(), re.MULTILINE)


def test_version(ciphermill: Ciphermill) -> None:
    outcome = ciphermill("--version")
    assert (outcome.code, outcome.err) == (0, "")
    assert re.fullmatch(rb"ciphermill \d+\.\d+\.\d+\n", outcome.out)


def test_start_is_fast() -> None:
    """Heavy modules are imported only where they are needed."""
    code = "import sys, ciphermill.cli.main, ciphermill.cli.encrypt; print(*sys.modules)"
    python = COMMAND.with_name("python")
    loaded = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"matplotlib", "numpy", "pydantic", "rich", "jinja2", "sqlite3"}
    assert not heavy & set(loaded.stdout.split())
    begin = time.monotonic()
    subprocess.run([COMMAND, "--version"], capture_output=True, check=True)
    assert time.monotonic() - begin < 5


def test_devices_as_json(ciphermill: Ciphermill) -> None:
    outcome = ciphermill("devices", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    devices = {device["device"]: device for device in json.loads(outcome.out)}
    assert {"cpu", "software"} <= set(devices)
    assert {"mode": "gcm", "direction": "decrypt"} in devices["cpu"]["operations"]
    assert devices["cpu"]["key_bits"] == [128, 192, 256]
    assert devices["cpu"]["algorithms"][:2] == ["aes", "sha-224"]
    assert devices["software"]["algorithms"] == ["aes"]
    assert "clock.mhz" not in devices["cpu"]


def test_devices_as_table(ciphermill: Ciphermill) -> None:
    outcome = ciphermill("devices")
    assert (outcome.code, outcome.err) == (0, "")
    assert re.search(r"^ ?cpu .*gcm", outcome.out.decode(), re.MULTILINE)


def test_results_of_an_empty_store(ciphermill: Ciphermill) -> None:
    assert ciphermill("results", "--json").out == b"[]\n"
    assert "nothing is stored yet" in ciphermill("results").err


@pytest.mark.parametrize("command", [["devices", "--json"], ["--help"], ["--version"]])
def test_output_that_cannot_be_written_is_an_error(
    command: list[str], ciphermill: Ciphermill
) -> None:
    with Path("/dev/full").open("wb") as full:
        ciphermill(*command, stdout=full.fileno()).failed(1, "No space left")
