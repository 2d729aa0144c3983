# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Key generation, signatures and key agreement through the Python module."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import cryptography_vectors
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

import ciphermill
from ciphermill.functions import Curve
from ciphermill.registry import openssl

CURVES: tuple[Curve, ...] = get_args(Curve)
KEY_BYTES = {"p-256": 32, "p-384": 48, "p-521": 66}
DOMAINS = {"p-256": "EC", "p-384": "ED", "p-521": "EE"}
"""Names of the curves in NIST's vectors of SP 800-56A."""
OF_CRYPTOGRAPHY = {"p-256": ec.SECP256R1(), "p-384": ec.SECP384R1(), "p-521": ec.SECP521R1()}
PREHASHED = ec.ECDSA(utils.Prehashed(hashes.SHA256()))


def vectors(path: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the section and the fields of each of NIST's vectors in a file."""
    section, fields = "", dict[str, str]()
    with cryptography_vectors.open_vector_file(f"asymmetric/{path}", "r") as file:
        for line in [*file, "\n"]:
            name, equals, value = line.partition("=")
            if line.startswith("["):
                section = line.strip()[1:-1]
            elif equals:
                fields[name.strip()] = value.strip()
            elif fields:
                yield section, fields
                fields = {}


def octets(curve: Curve, *integers: str | int) -> bytes:
    """Return integers, or their hexadecimal digits, as the engine takes them."""
    numbers = (one if isinstance(one, int) else int(one, 16) for one in integers)
    return b"".join(number.to_bytes(KEY_BYTES[curve]) for number in numbers)


def digest_of(section: str, vector: dict[str, str]) -> bytes:
    """Return the digest of a vector's message by the hash of its section ("P-256,SHA-256")."""
    name = section.partition(",")[2].replace("-", "")
    return hashlib.new(name, bytes.fromhex(vector["Msg"])).digest()


@pytest.mark.parametrize("curve", CURVES)
def test_signatures_of_fips_186_are_judged_as_published(curve: Curve) -> None:
    verdicts = []
    for section, vector in vectors("ECDSA/FIPS_186-3/SigVer.rsp"):
        if not section.startswith(f"{curve.upper()},"):
            continue
        signature = octets(curve, vector["R"], vector["S"])
        public_key = octets(curve, vector["Qx"], vector["Qy"])
        digest = digest_of(section, vector)
        right = ciphermill.verify(digest, signature, public_key=public_key, algorithm=curve)
        assert right == vector["Result"].startswith("P"), vector
        verdicts.append(right)
    # Fifteen with each of five hashes.
    assert len(verdicts) == 75
    assert set(verdicts) == {True, False}


@pytest.mark.parametrize("curve", CURVES)
def test_keys_of_fips_186_sign_for_their_public_keys(curve: Curve) -> None:
    count = 0
    for section, vector in vectors("ECDSA/FIPS_186-3/SigGen.txt"):
        if not section.startswith(f"{curve.upper()},"):
            continue
        digest, key = digest_of(section, vector), octets(curve, vector["d"])
        published = octets(curve, vector["R"], vector["S"])
        for signature in (published, ciphermill.sign(digest, key=key, algorithm=curve)):
            public_key = octets(curve, vector["Qx"], vector["Qy"])
            assert ciphermill.verify(digest, signature, public_key=public_key, algorithm=curve)
        count += 1
    assert count >= 60


@pytest.mark.parametrize("curve", CURVES)
def test_secrets_of_sp_800_56a_are_as_published(curve: Curve) -> None:
    results = []
    for role in ("init", "resp"):
        path = f"ECDH/KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_{role}.fax"
        for section, vector in vectors(path):
            if not section.startswith(f"{DOMAINS[curve]} - "):
                continue
            result = vector["Result"]
            key = octets(curve, vector["dsIUT"])
            peer = octets(curve, vector["QsCAVSx"], vector["QsCAVSy"])
            right = result.startswith("P")
            try:
                secret = ciphermill.agree(peer, key=key, algorithm=curve)
            except ciphermill.InvalidError as error:
                refused = "public key" if "CAVS's Static public key" in result else "private key"
                assert (right, refused in str(error)) == (False, True), vector
            else:
                assert "CAVS's Static public key" not in result, vector
                assert (secret == octets(curve, vector["Z"])) == right, vector
            results.append(result)
    assert len(results) >= 50


@pytest.mark.parametrize("curve", CURVES)
def test_public_keys_of_fips_186_are_judged_as_published(curve: Curve) -> None:
    pair = ciphermill.generate_key(algorithm=curve)
    count = 0
    for section, vector in vectors("ECDSA/FIPS_186-3/PKV.rsp"):
        if section != curve.upper():
            continue
        result = vector["Result"]
        try:
            public_key = octets(curve, vector["Qx"], vector["Qy"])
        except OverflowError:
            # A coordinate out of range that is too long for the key's bytes.
            assert result.startswith("F (1")
            continue
        if result.startswith("P"):
            assert ciphermill.agree(public_key, key=pair.key, algorithm=curve)
        else:
            reason = "not below the prime" if result.startswith("F (1") else "is not a point of"
            with pytest.raises(ciphermill.InvalidError, match=reason):
                ciphermill.agree(public_key, key=pair.key, algorithm=curve)
        count += 1
    assert count >= 8


def private_key_of(curve: Curve, pair: ciphermill.KeyPair) -> ec.EllipticCurvePrivateKey:
    """Return a pair as a key of ``cryptography``, which checks that its parts belong together."""
    half = KEY_BYTES[curve]
    x, y = (int.from_bytes(part) for part in (pair.public_key[:half], pair.public_key[half:]))
    public = ec.EllipticCurvePublicNumbers(x, y, OF_CRYPTOGRAPHY[curve])
    return ec.EllipticCurvePrivateNumbers(int.from_bytes(pair.key), public).private_key()


@pytest.mark.parametrize("curve", CURVES)
def test_cryptography_and_ciphermill_take_each_other_s_keys_and_signatures(curve: Curve) -> None:
    pair = ciphermill.generate_key(algorithm=curve)
    theirs = private_key_of(curve, pair)
    digest = ciphermill.digest(b"message")
    ours = ciphermill.sign(digest, key=pair.key, algorithm=curve)
    half = KEY_BYTES[curve]
    r, s = int.from_bytes(ours[:half]), int.from_bytes(ours[half:])
    theirs.public_key().verify(utils.encode_dss_signature(r, s), digest, PREHASHED)
    with pytest.raises(InvalidSignature):
        theirs.public_key().verify(utils.encode_dss_signature(s, r), digest, PREHASHED)
    signature = octets(curve, *utils.decode_dss_signature(theirs.sign(digest, PREHASHED)))
    assert ciphermill.verify(digest, signature, public_key=pair.public_key, algorithm=curve)
    other = ec.generate_private_key(OF_CRYPTOGRAPHY[curve])
    numbers = other.public_key().public_numbers()
    secret = ciphermill.agree(octets(curve, numbers.x, numbers.y), key=pair.key, algorithm=curve)
    assert secret == other.exchange(ec.ECDH(), theirs.public_key())


def test_openssl_verifies_a_signature_and_makes_one(tmp_path: Path) -> None:
    pair = ciphermill.generate_key()
    key = private_key_of("p-256", pair).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    digest = ciphermill.digest(b"message")
    ours = ciphermill.sign(digest, key=pair.key)
    r, s = int.from_bytes(ours[:32]), int.from_bytes(ours[32:])
    for name, data in {
        "key": key,
        "message": b"message",
        "ours": utils.encode_dss_signature(r, s),
    }.items():
        (tmp_path / name).write_bytes(data)

    def run(*arguments: str) -> None:
        command = ["openssl", "dgst", "-sha256", *arguments, "message"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    run("-prverify", "key", "-signature", "ours")
    run("-sign", "key", "-out", "theirs")
    theirs = utils.decode_dss_signature((tmp_path / "theirs").read_bytes())
    assert ciphermill.verify(digest, octets("p-256", *theirs), public_key=pair.public_key)


PAIR = {"key": bytes(31) + b"\1"}


@pytest.mark.parametrize(
    ("operation", "arguments", "reason"),
    [
        ("sign", {}, "p-256 needs a key"),
        ("sign", {"key": bytes(32)}, "the private key is zero"),
        ("sign", {"key": b"\xff" * 32}, "not below the order of p-256"),
        ("sign", {"key": bytes(31)}, "a private key of 32 bytes, not 31"),
        ("sign", {**PAIR, "data": bytes(65)}, "hash the message"),
        ("sign", {**PAIR, "mode": "ecb"}, "leave mode out"),
        ("sign", {**PAIR, "public_key": bytes(64)}, "leave public_key out"),
        ("generate-key", PAIR, "leave key out"),
        ("generate-key", {"data": b"x"}, "from no data"),
        ("agree", {**PAIR, "data": bytes(64)}, "the point at infinity of p-256"),
        ("agree", {**PAIR, "data": b"\1" * 64}, "not a point of p-256"),
        ("agree", {**PAIR, "data": b"\4" + b"\1" * 64}, "a public key of 64 bytes, not 65"),
        ("verify", {"public_key": bytes(64)}, "verify needs signature"),
        ("verify", {"signature": bytes(64)}, "verify needs public_key"),
        ("verify", {**PAIR, "public_key": b"", "signature": b""}, "leave key out"),
        ("verify", {"public_key": bytes(64), "signature": bytes(63)}, "a signature of 64 bytes"),
    ],
)
def test_what_cannot_be_is_refused(operation: Any, arguments: dict[str, Any], reason: str) -> None:
    data = b"" if operation == "generate-key" else bytes(32)
    arguments = {"data": data, "algorithm": "p-256", **arguments}
    with pytest.raises(ciphermill.InvalidError, match=reason):
        ciphermill.run(operation, **arguments)


def test_an_unknown_curve_is_told_those_that_there_are() -> None:
    with pytest.raises(ciphermill.InvalidError, match="choose p-256, p-384 or p-521"):
        ciphermill.generate_key(algorithm="p-192")  # type: ignore[arg-type]


def test_a_device_without_curves_says_so() -> None:
    with pytest.raises(ciphermill.UnsupportedError, match="cannot generate-key by p-256"):
        ciphermill.generate_key(device=openssl())
