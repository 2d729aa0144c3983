# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Public-key operations as functions: ECDSA and ECDH on P-256, P-384 and P-521.

Keys, signatures and secrets are bytes: integers and coordinates, big endian, each as long as the
curve's order (32, 48 or 66 bytes).
"""

from __future__ import annotations

from typing import NamedTuple

from ciphermill._engine import KeyReference
from ciphermill.functions import Bytes, Curve, run
from ciphermill.registry import AnyDevice, open_engine_device


class KeyPair(NamedTuple):
    """A private key and its public key."""

    key: bytes
    """The private key: an integer above zero and below the curve's order."""
    public_key: bytes
    """The public key: the coordinates x and y of a point."""


def generate_key(*, algorithm: Curve = "p-256", device: str | AnyDevice = "cpu") -> KeyPair:
    """A new key pair from the system's random numbers.

    Args:
        algorithm: the curve (SP 800-186).
        device: where to generate it: a name, or a device that is open.

    >>> alice, bob = generate_key(), generate_key()
    >>> agree(bob.public_key, key=alice.key) == agree(alice.public_key, key=bob.key)
    True

    Raises:
        ciphermill.InvalidError: there is no such curve.
        ciphermill.UnsupportedError: the device lacks it.
        ciphermill.DeviceError: the device failed.
    """
    pair = run("generate-key", b"", algorithm=algorithm, device=device)[0]
    key_bytes = len(pair) // 3
    return KeyPair(pair[:key_bytes], pair[key_bytes:])


def hold_key(
    key: Bytes | None = None, *, algorithm: Curve = "p-256", device: str | AnyDevice = "cpu"
) -> KeyReference:
    """Have a device hold a private key, which it never gives out.

    Args:
        key: the private key; when absent the device generates one.
        algorithm: the curve.
        device: which holds the key, and works with it: a name, or a device that is open. ``cpu``
            holds it in the memory of this process.

    >>> with hold_key() as alice, hold_key() as bob:
    ...     signature = alice.sign(bytes(32))
    ...     alice.agree(bob.public_key) == bob.agree(alice.public_key)
    True
    >>> verify(bytes(32), signature, public_key=alice.public_key)
    True

    Raises:
        ciphermill.InvalidError: there is no such curve, or the key is zero, not below the curve's
            order or of a wrong length.
        ciphermill.UnsupportedError: the device holds no keys of this curve.
        ciphermill.NoRoomError: all of the device's key slots are in use.
        ciphermill.DeviceError: the device failed.
    """
    return open_engine_device(device).hold_key(algorithm, None if key is None else bytes(key))


def sign(
    digest: Bytes,
    *,
    key: Bytes,
    algorithm: Curve = "p-256",
    device: str | AnyDevice = "cpu",
) -> bytes:
    """The signature of a digest by ECDSA (FIPS 186-5): the integers r and s.

    On ``cpu`` the nonce is drawn from random numbers, the key and the digest, so that two
    signatures of one digest differ. On accelerators it follows from key and digest (RFC 6979),
    with the hash of SHA-2 whose digests are as long, else SHA-512.

    Args:
        digest: the digest of the message, as :func:`ciphermill.digest` gives it; 1 to 64 bytes,
            of which the first are signed where it is longer than the curve's order.
        key: the private key.
        algorithm: the curve.
        device: where to sign: a name, or a device that is open.

    >>> pair = generate_key()
    >>> signature = sign(bytes(32), key=pair.key)
    >>> len(signature), verify(bytes(32), signature, public_key=pair.public_key)
    (64, True)

    Raises:
        ciphermill.InvalidError: there is no such curve, a length is wrong, or the key is zero or
            not below the curve's order.
        ciphermill.UnsupportedError: the device lacks the operation.
        ciphermill.DeviceError: the device failed.
    """
    return run("sign", digest, algorithm=algorithm, key=key, device=device)[0]


def verify(
    digest: Bytes,
    signature: Bytes,
    *,
    public_key: Bytes,
    algorithm: Curve = "p-256",
    device: str | AnyDevice = "cpu",
) -> bool:
    """Whether the signature of a digest by ECDSA is right.

    Args:
        digest: the digest of the message, as :func:`sign` takes it.
        signature: the integers r and s. Integers that no signature has are no error.
        public_key: of whoever signed.
        algorithm: the curve.
        device: where to verify: a name, or a device that is open.

    >>> verify(bytes(32), bytes(64), public_key=generate_key().public_key)
    False

    Raises:
        ciphermill.InvalidError: there is no such curve, a length is wrong, or the public key is
            the point at infinity, is not on the curve or has a coordinate that is not below the
            curve's prime.
        ciphermill.UnsupportedError: the device lacks the operation.
        ciphermill.DeviceError: the device failed.
    """
    answer, _ = run(
        "verify",
        digest,
        algorithm=algorithm,
        public_key=public_key,
        signature=signature,
        device=device,
    )
    return answer == b"\x01"


def agree(
    public_key: Bytes,
    *,
    key: Bytes,
    algorithm: Curve = "p-256",
    device: str | AnyDevice = "cpu",
) -> bytes:
    """The secret shared with the owner of a public key, by ECDH (SP 800-56A, 5.7.1.2).

    It is the x coordinate of a point, not a random string: derive keys from it.

    Args:
        public_key: the other side's.
        key: the private key of this side.
        algorithm: the curve of both.
        device: where to compute it: a name, or a device that is open.

    >>> len(agree(generate_key().public_key, key=generate_key().key))
    32

    Raises:
        ciphermill.InvalidError: as :func:`sign` of the private key, and as :func:`verify` of the
            public key.
        ciphermill.UnsupportedError: the device lacks the operation.
        ciphermill.DeviceError: the device failed.
    """
    return run("agree", public_key, algorithm=algorithm, key=key, device=device)[0]
