# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Private keys that the OpenSSL provider holds and never gives out (``keys = held``)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.openssl import OpenSsl, compile_guest, needs_provider

from ciphermill.design import Accelerator, load_design
from ciphermill.toolchain.model import ensure_model

pytestmark = needs_provider


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A C program that works with a generated key."""
    return compile_guest("provider_held_keys", tmp_path_factory.mktemp("held"))


@pytest.fixture
def held(openssl: OpenSsl) -> dict[str, str]:
    return openssl.configure(keys="held", on_failure="fail", threshold="never")


@pytest.mark.parametrize("curve", ["P-256", "P-384", "P-521"])
def test_a_generated_key_works_and_is_never_given_out(
    curve: str, program: Path, openssl: OpenSsl, held: dict[str, str]
) -> None:
    request = openssl.folder / "request.pem"
    ran = subprocess.run([program, curve, request], env=held, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    checked = openssl(openssl.plain(), "req", "-in", "request.pem", "-verify", "-noout")
    assert b"verify OK" in checked.stderr
    (counted,) = openssl.log()
    # Signatures of the request, of the certificate and of the handshake; two secrets of the test's
    # own and two of the handshake.
    assert counted["device_updates"] == 7
    assert counted["device_failures"] == 0


def test_key_slots_hold_keys_of_openssl(program: Path, openssl: OpenSsl) -> None:
    library = ensure_model("ecc-keys")
    device = {"device": "model:ecc-keys", "models": str(library.parent)}
    environment = openssl.configure(keys="held", on_failure="fail", **device)
    slots = str(load_design("ecc-keys", Accelerator).key_slots)
    ran = subprocess.run(
        [program, "P-256", "request.pem", slots],
        cwd=openssl.folder,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    checked = openssl(openssl.plain(), "req", "-in", "request.pem", "-verify", "-noout")
    assert b"verify OK" in checked.stderr


@pytest.fixture(scope="session")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A C program that tries keys, digests and signatures."""
    return compile_guest("provider_refusals", tmp_path_factory.mktemp("refusals"))


@pytest.mark.parametrize("keys", ["yes", "held"])
def test_what_the_default_provider_refuses_is_refused(
    keys: str, refusals: Path, openssl: OpenSsl
) -> None:
    environment = openssl.configure(keys=keys, on_failure="fail")
    taken = {}
    for provider in ("default", "ciphermill"):
        command = [refusals, f"provider={provider}"]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        taken[provider] = dict(line.split("=") for line in ran.stdout.splitlines())
    assert taken["ciphermill"] == taken["default"]
    right = {name for name, value in taken["ciphermill"].items() if value == "1"}
    assert right == {"sign", "verify", "verify_by_the_pair", "derive", "point"}


def test_a_new_key_is_not_written(openssl: OpenSsl, held: dict[str, str]) -> None:
    group = ("-algorithm", "EC", "-pkeyopt", "group:P-256")
    ran = openssl(held, "genpkey", *group, "-out", "key.pem")
    assert ran.returncode != 0
    assert b"never given out (keys = held)" in ran.stderr
    assert b"PRIVATE KEY" not in (openssl.folder / "key.pem").read_bytes()


def test_a_key_of_a_file_signs_a_request(openssl: OpenSsl, held: dict[str, str]) -> None:
    plain = openssl.plain()
    group = ("-algorithm", "EC", "-pkeyopt", "group:P-256")
    assert openssl(plain, "genpkey", *group, "-out", "key.pem").returncode == 0
    request = ("req", "-new", "-key", "key.pem", "-subj", "/CN=localhost", "-out", "request.pem")
    assert openssl(held, *request).returncode == 0
    assert openssl.log()[-1]["software_bytes"] == 32
    checked = openssl(plain, "req", "-in", "request.pem", "-verify", "-noout")
    assert b"verify OK" in checked.stderr
