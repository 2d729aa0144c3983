# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Elliptic curves on the accelerator, its model and its board: the processor's answers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import cryptography_vectors
import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

import ciphermill
from ciphermill import Device, Error
from ciphermill._engine import Model
from ciphermill.functions import Curve
from ciphermill.registers import accel
from ciphermill.toolchain.model import ensure_model

from .conftest import Ciphermill

CURVES: tuple[Curve, ...] = get_args(Curve)
KEY_BYTES = {"p-256": 32, "p-384": 48, "p-521": 66}
OF_CRYPTOGRAPHY = {"p-256": ec.SECP256R1(), "p-384": ec.SECP384R1(), "p-521": ec.SECP521R1()}
ORDERS = {
    "p-256": 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    "p-384": 2**384 - 0x389CB27E0BC8D220A7E5F24DB74F58851313E695333AD68D,
    "p-521": 2**521 - 0x5AE79787C40D069948033FEB708F65A2FC44A36477663B851449048E16EC79BF7,
}
PREHASHED = ec.ECDSA(utils.Prehashed(hashes.SHA256()))
DIGEST = hashlib.sha256(b"message").digest()


@pytest.fixture(scope="module")
def library() -> Path:
    return ensure_model("ecc-stream")


@pytest.fixture(scope="module")
def model(library: Path) -> Device:
    return Device("model:ecc-stream", models=library.parent)


def octets(curve: Curve, *numbers: int) -> bytes:
    return b"".join(number.to_bytes(KEY_BYTES[curve]) for number in numbers)


def public_octets(curve: Curve, key: ec.EllipticCurvePublicKey) -> bytes:
    return octets(curve, key.public_numbers().x, key.public_numbers().y)


def deterministic(curve: Curve) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield private key, digest and signature of RFC 6979, appendices A.2.5 to A.2.7."""
    [path] = Path(cryptography_vectors.__file__).parent.glob("asymmetric/ECDSA/RFC6979/*.txt")
    text, name = path.read_text(encoding="utf-8"), curve.upper()
    [pem] = re.findall(rf"PrivateKey={name}_PRIV\n(-+BEGIN.*?-+END.*?-+\n)", text, re.DOTALL)
    key = serialization.load_pem_private_key(pem.encode(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    private = octets(curve, key.private_numbers().private_value)
    for hash_name, message, der in re.findall(
        rf'DigestSign = SHA(\d+)\nKey = {name}_PRIV\n.*\nInput = "(\w+)"\nOutput = (\w+)', text
    ):
        digest = hashlib.new(f"sha{hash_name}", message.encode()).digest()
        # The nonce is computed with the hash whose digests are as long.
        if hash_name in ("224", "256", "384", "512"):
            signature = utils.decode_dss_signature(bytes.fromhex(der))
            yield private, digest, octets(curve, *signature)


@pytest.mark.parametrize("curve", CURVES)
def test_signatures_are_those_of_rfc_6979(model: Device, curve: Curve) -> None:
    vectors = list(deterministic(curve))
    assert len(vectors) == 8
    for key, digest, signature in vectors:
        assert model.run("sign", digest, algorithm=curve, key=key)[0] == signature


@pytest.mark.parametrize("curve", CURVES)
def test_openssl_and_the_model_take_each_other_s_keys_and_signatures(
    model: Device, curve: Curve
) -> None:
    size = KEY_BYTES[curve]
    pair, timing = model.run("generate-key", b"", algorithm=curve)
    assert timing.method == "simulated"
    private, public = pair[:size], pair[size:]
    key = ec.derive_private_key(int.from_bytes(private), OF_CRYPTOGRAPHY[curve])
    assert public == public_octets(curve, key.public_key())
    signature = ciphermill.sign(DIGEST, key=private, algorithm=curve, device=model)
    parts = (int.from_bytes(signature[:size]), int.from_bytes(signature[size:]))
    key.public_key().verify(utils.encode_dss_signature(*parts), DIGEST, PREHASHED)
    theirs = octets(curve, *utils.decode_dss_signature(key.sign(DIGEST, PREHASHED)))
    for given, right in ((theirs, True), (theirs[::-1], False)):
        verified = ciphermill.verify(
            DIGEST, given, public_key=public, algorithm=curve, device=model
        )
        assert verified is right
    peer = ec.generate_private_key(OF_CRYPTOGRAPHY[curve])
    secret = ciphermill.agree(
        public_octets(curve, peer.public_key()), key=private, algorithm=curve, device=model
    )
    assert secret == peer.exchange(ec.ECDH(), key.public_key())


def outcome(device: Device, operation: str, data: bytes, **others: bytes | str) -> object:
    """Return what a device answers: its output, or its error."""
    try:
        return device.run(operation, data, **others)[0]
    except Error as error:
        return type(error), str(error)


@pytest.mark.parametrize("curve", CURVES)
def test_refusals_are_the_processor_s(model: Device, curve: Curve) -> None:
    cpu, order, size = Device("cpu"), ORDERS[curve], KEY_BYTES[curve]
    good = ciphermill.generate_key(algorithm=curve)
    x, y = good.public_key[:size], good.public_key[size:]
    off_curve = x + y[:-1] + bytes([y[-1] ^ 1])
    bad_points = (bytes(2 * size), off_curve, b"\x01" + b"\xff" * (2 * size - 1))
    bad_keys = (bytes(size), octets(curve, order), octets(curve, order + 1))
    asked: list[tuple[str, bytes, dict[str, bytes]]] = [
        *(("sign", DIGEST, {"key": key}) for key in bad_keys),
        *(("agree", good.public_key, {"key": key}) for key in bad_keys),
        *(("agree", point, {"key": good.key}) for point in bad_points),
    ]
    one, zero, most = octets(curve, 1), bytes(size), octets(curve, order)
    for public_key in (good.public_key, *bad_points):
        for signature in (one + one, zero + one, one + most):
            asked.append(("verify", DIGEST, {"public_key": public_key, "signature": signature}))
    for operation, data, others in asked:
        wanted = outcome(cpu, operation, data, algorithm=curve, **others)
        got = outcome(model, operation, data, algorithm=curve, **others)
        assert got == wanted, (operation, others)
        assert wanted == b"\x00" or isinstance(wanted, tuple)


def test_signatures_with_given_nonces_are_those_of_fips_186(library: Path) -> None:
    """The nonce is an operand of the device, which a driver of one's own may give."""
    model, count = Model(library), 0
    text = cryptography_vectors.open_vector_file("asymmetric/ECDSA/FIPS_186-3/SigGen.txt", "r")
    with text as file:
        section = file.read().split("[P-256,SHA-256]")[1].split("[")[0]
    names = ("Msg", "d", "k", "R", "S")
    found = [re.findall(rf"^{name} = (\w+)$", section, re.MULTILINE) for name in names]
    for message, d, k, r, s in list(zip(*found, strict=True))[:4]:
        digest = hashlib.sha256(bytes.fromhex(message)).digest()
        operands = bytes.fromhex(d) + bytes.fromhex(k) + digest
        operation = accel.CONFIGURATION__OPERATION.word(accel.CONFIGURATION__OPERATION__SIGN)
        model.write(accel.CONFIGURATION, operation)
        model.write(accel.MESSAGE_LENGTH_LOW, len(operands))
        model.write(accel.CONTROL, accel.CONTROL__START.word())
        assert model.push(0, operands, True) == len(operands)
        while model.read(accel.STATUS) & accel.STATUS__BUSY.word():
            model.advance(10_000)
        assert bytes(model.pull(0)).hex() == (r + s).lower()
        count += 1
    assert count == 4


def test_a_board_signs_and_verifies_over_its_files(ciphermill: Ciphermill, tmp_path: Path) -> None:
    ciphermill.serve(tmp_path / "board", "ecc-stream")
    board, cpu = Device(f"stream:{tmp_path / 'board'}"), Device("cpu")
    pair, _ = board.run("generate-key", b"", algorithm="p-256")
    key, public_key = pair[:32], pair[32:]
    signature, _ = board.run("sign", DIGEST, algorithm="p-256", key=key)
    for digest, right in ((DIGEST, b"\x01"), (DIGEST[::-1], b"\x00")):
        given = {"public_key": public_key, "signature": signature}
        for device in (board, cpu):
            assert device.run("verify", digest, algorithm="p-256", **given)[0] == right
