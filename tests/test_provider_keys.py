# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Keys of elliptic curves in the OpenSSL provider: ECDSA and ECDH by the real ``openssl``."""

from __future__ import annotations

import subprocess

import pytest
from support.openssl import OpenSsl, needs_provider

from ciphermill.toolchain.model import ensure_model

pytestmark = needs_provider

CURVES = ["P-256", "P-384", "P-521"]
Environment = dict[str, str]


def did(ran: subprocess.CompletedProcess[bytes]) -> bytes:
    assert ran.returncode == 0, ran
    return ran.stdout


def make_key(openssl: OpenSsl, environment: Environment, name: str, curve: str) -> None:
    """Write a key pair to NAME.pem, and its public key to NAME.pub."""
    group = ("-algorithm", "EC", "-pkeyopt", f"group:{curve}")
    did(openssl(environment, "genpkey", *group, "-out", f"{name}.pem"))
    did(openssl(environment, "pkey", "-in", f"{name}.pem", "-pubout", "-out", f"{name}.pub"))


@pytest.fixture
def ours(openssl: OpenSsl) -> Environment:
    return openssl.configure(keys="yes")


@pytest.mark.parametrize("curve", CURVES)
def test_each_provider_verifies_the_other_s_signatures(
    curve: str, openssl: OpenSsl, ours: Environment
) -> None:
    plain = openssl.plain()
    (openssl.folder / "message").write_bytes(b"message")
    (openssl.folder / "other").write_bytes(b"Message")
    for maker in (ours, plain):
        make_key(openssl, maker, "key", curve)
        did(openssl(plain, "pkey", "-in", "key.pem", "-check", "-noout"))
        for digest in ("sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256"):
            for signer, verifier in ((ours, plain), (plain, ours)):
                sign = ("dgst", f"-{digest}", "-sign", "key.pem", "-out", "signature", "message")
                did(openssl(signer, *sign))
                verify = ("dgst", f"-{digest}", "-verify", "key.pub", "-signature", "signature")
                assert did(openssl(verifier, *verify, "message")) == b"Verified OK\n"
                refused = openssl(verifier, *verify, "other")
                assert (refused.returncode, refused.stdout) == (1, b"Verification failure\n")


def test_the_provider_itself_signs_and_verifies(openssl: OpenSsl, ours: Environment) -> None:
    make_key(openssl, openssl.plain(), "key", "P-256")
    (openssl.folder / "digest").write_bytes(bytes(32))
    arguments = ("pkeyutl", "-sign", "-inkey", "key.pem", "-in", "digest", "-out", "signature")
    did(openssl(ours, *arguments))
    assert openssl.log()[-1]["software_bytes"] == 32
    verify = ("pkeyutl", "-verify", "-pubin", "-inkey", "key.pub", "-in", "digest")
    did(openssl(ours, *verify, "-sigfile", "signature"))
    assert openssl.log()[-1]["software_bytes"] == 32
    without = openssl.configure(keys="no")
    did(openssl(without, *arguments))
    assert openssl.log()[-1]["software_bytes"] == 0


@pytest.mark.parametrize("curve", CURVES)
def test_each_provider_derives_the_other_s_secret(
    curve: str, openssl: OpenSsl, ours: Environment
) -> None:
    plain = openssl.plain()
    make_key(openssl, ours, "one", curve)
    make_key(openssl, plain, "other", curve)

    def secret(environment: Environment, own: str, peer: str) -> bytes:
        keys = ("-inkey", f"{own}.pem", "-peerkey", f"{peer}.pub")
        return did(openssl(environment, "pkeyutl", "-derive", *keys))

    expected = secret(plain, "one", "other")
    assert len(expected) >= 32
    assert secret(ours, "one", "other") == expected
    assert secret(ours, "other", "one") == expected
    assert openssl.log()[-1]["software_bytes"] == len(expected)


@pytest.fixture
def on_model(openssl: OpenSsl) -> Environment:
    models = ensure_model("ecc-stream").parent
    device = {"device": "model:ecc-stream", "models": str(models), "on_failure": "fail"}
    return openssl.configure(keys="yes", **device)


def test_a_device_signs(openssl: OpenSsl, on_model: Environment) -> None:
    make_key(openssl, openssl.plain(), "key", "P-256")
    (openssl.folder / "message").write_bytes(b"message")
    sign = ("dgst", "-sha256", "-sign", "key.pem", "-out", "signature", "message")
    did(openssl(on_model, *sign))
    assert [one["device_bytes"] for one in openssl.log()] == [32]
    verify = ("dgst", "-sha256", "-verify", "key.pub", "-signature", "signature", "message")
    assert did(openssl(openssl.plain(), *verify)) == b"Verified OK\n"


@pytest.mark.parametrize("curve", CURVES)
def test_a_device_verifies_and_agrees(curve: str, openssl: OpenSsl, on_model: Environment) -> None:
    plain = openssl.plain()
    for name in ("key", "peer"):
        make_key(openssl, plain, name, curve)
    (openssl.folder / "message").write_bytes(b"message")
    (openssl.folder / "other").write_bytes(b"Message")
    sign = ("dgst", "-sha512", "-sign", "key.pem", "-out", "signature", "message")
    did(openssl(plain, *sign))
    verify = ("dgst", "-sha512", "-verify", "key.pub", "-signature", "signature")
    assert did(openssl(on_model, *verify, "message")) == b"Verified OK\n"
    refused = openssl(on_model, *verify, "other")
    assert (refused.returncode, refused.stdout) == (1, b"Verification failure\n")
    derive = ("pkeyutl", "-derive", "-inkey", "key.pem", "-peerkey", "peer.pub")
    secret = did(openssl(plain, *derive))
    assert did(openssl(on_model, *derive)) == secret
    assert [one["device_bytes"] for one in openssl.log()] == [64, 64, 2 * len(secret)]


def test_a_key_is_shown_and_converted_as_the_default_provider_does(
    openssl: OpenSsl, ours: Environment
) -> None:
    make_key(openssl, openssl.plain(), "key", "P-384")
    for arguments in (
        ("pkey", "-in", "key.pem", "-text", "-noout"),
        ("pkey", "-in", "key.pem", "-outform", "DER"),
        ("ec", "-in", "key.pem", "-conv_form", "compressed", "-pubout"),
        ("pkey", "-pubin", "-in", "key.pub", "-text_pub", "-noout"),
    ):
        assert did(openssl(ours, *arguments)) == did(openssl(openssl.plain(), *arguments))


def test_a_certificate_is_signed_by_the_provider(openssl: OpenSsl, ours: Environment) -> None:
    made = openssl(
        ours,
        *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
        *("-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=localhost", "-days", "2"),
    )
    did(made)
    check = ("verify", "-CAfile", "cert.pem", "-check_ss_sig", "cert.pem")
    for environment in (ours, openssl.plain()):
        assert did(openssl(environment, *check)) == b"cert.pem: OK\n"
    text = did(openssl(openssl.plain(), "x509", "-in", "cert.pem", "-noout", "-text"))
    assert text.count(b"Signature Algorithm: ecdsa-with-SHA256") == 2


def test_another_curve_stays_with_the_default_provider(openssl: OpenSsl, ours: Environment) -> None:
    make_key(openssl, openssl.plain(), "key", "secp256k1")
    (openssl.folder / "message").write_bytes(b"message")
    did(openssl(ours, "dgst", "-sha256", "-sign", "key.pem", "-out", "signature", "message"))
    assert openssl.log()[-1]["software_bytes"] == 0
    refused = openssl(ours, "genpkey", "-algorithm", "EC", "-pkeyopt", "group:secp256k1")
    assert refused.returncode != 0
    assert b"fetch EC with provider=default" in refused.stderr


def test_keys_are_offered_when_they_are_asked_for(openssl: OpenSsl) -> None:
    for keys in ("yes", "no"):
        for kind in ("signature", "key-exchange"):
            ran = openssl(openssl.configure(keys=keys), "list", f"-{kind}-algorithms")
            assert (b"@ ciphermill" in ran.stdout) == (keys == "yes")
