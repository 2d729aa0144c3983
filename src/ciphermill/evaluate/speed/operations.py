# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The table of operations that are repeated, and OpenSSL's own calls for each.

OpenSSL is reached through the Python package ``cryptography``, which is imported where it is
needed: the names of the operations do not need it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ciphermill.registry import AnyDevice

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec

OPENSSL = "openssl"
"""The name of OpenSSL by its own calls, where a device's name is expected."""
Call = Callable[[], bytes]
"""Does the operation once, and returns its output."""


class Calls(Protocol):
    """An operation by OpenSSL's own calls, and the check of an output of any device."""

    def new_key(self) -> bytes:
        """Return a random key, as the engine takes it; empty if there is none."""

    def prepare(self, key: bytes, message: bytes) -> Call:
        """Return the call, its key set."""

    def is_right(self, key: bytes, message: bytes, output: bytes) -> bool:
        """Return whether an output is right."""


@dataclass(frozen=True)
class Repeatable:
    """An operation that is repeated."""

    name: str
    """The name of the workload: ``aes-256-ecb``."""
    title: str
    algorithm: str
    """The engine's name of the algorithm."""
    verb: str
    """The engine's name of the operation."""
    openssl: Calls
    mode: str | None = None
    key_bits: int = 0
    block_bytes: int = 1
    """Messages are whole blocks."""
    message_bytes: int | None = None
    """The only length of a message, such as the digest that is signed; None: any."""

    def is_of(self, device: AnyDevice) -> bool:
        """Return whether a device of the engine has it."""
        return any(
            (algorithm, verb, mode) == (self.algorithm, self.verb, self.mode)
            and self.key_bits in (key_bits or (0,))
            for algorithm, verb, mode, key_bits in device.algorithms
        )


@dataclass(frozen=True)
class _AesEcb:
    key_bits: int

    def new_key(self) -> bytes:
        return os.urandom(self.key_bits // 8)

    def prepare(self, key: bytes, message: bytes) -> Call:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        mode = modes.ECB()  # noqa: S305 - what the paper and `openssl speed` measure
        encryptor = Cipher(algorithms.AES(key), mode).encryptor()
        return lambda: encryptor.update(message)

    def is_right(self, key: bytes, message: bytes, output: bytes) -> bool:
        return self.prepare(key, message)() == output


@dataclass(frozen=True)
class _Sha:
    hash_name: str

    def new_key(self) -> bytes:
        return b""

    def prepare(self, _: bytes, message: bytes) -> Call:
        from cryptography.hazmat.primitives import hashes

        algorithm = getattr(hashes, self.hash_name)()

        def call() -> bytes:
            state = hashes.Hash(algorithm)
            state.update(message)
            return state.finalize()

        return call

    def is_right(self, key: bytes, message: bytes, output: bytes) -> bool:
        return self.prepare(key, message)() == output


@dataclass(frozen=True)
class _EcdsaSign:
    curve_name: str
    hash_name: str
    """The hash whose digest is the message."""
    bits: int
    """Bits of the curve's order."""

    @property
    def key_bytes(self) -> int:
        return -(-self.bits // 8)

    def new_key(self) -> bytes:
        from cryptography.hazmat.primitives.asymmetric import ec

        private = ec.generate_private_key(getattr(ec, self.curve_name)())
        return private.private_numbers().private_value.to_bytes(self.key_bytes, "big")

    def prepare(self, key: bytes, message: bytes) -> Call:
        private, scheme = self._private(key), self._scheme()
        return lambda: private.sign(message, scheme)

    def is_right(self, key: bytes, message: bytes, output: bytes) -> bool:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

        # The engine gives two integers, OpenSSL their DER encoding, which is longer.
        if len(output) == 2 * self.key_bytes:
            parts = output[: self.key_bytes], output[self.key_bytes :]
            output = encode_dss_signature(*(int.from_bytes(part, "big") for part in parts))
        try:
            self._private(key).public_key().verify(output, message, self._scheme())
        except InvalidSignature:
            return False
        return True

    def _private(self, key: bytes) -> ec.EllipticCurvePrivateKey:
        from cryptography.hazmat.primitives.asymmetric import ec

        return ec.derive_private_key(int.from_bytes(key, "big"), getattr(ec, self.curve_name)())

    def _scheme(self) -> ec.ECDSA:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.asymmetric.utils import Prehashed

        return ec.ECDSA(Prehashed(getattr(hashes, self.hash_name)()))


OPERATIONS: Mapping[str, Repeatable] = {
    one.name: one
    for one in (
        Repeatable(
            "aes-256-ecb",
            "AES-256-ECB encryption",
            "aes",
            "encrypt",
            _AesEcb(256),
            mode="ecb",
            key_bits=256,
            block_bytes=16,
        ),
        Repeatable("sha-256", "SHA-256", "sha-256", "digest", _Sha("SHA256")),
        Repeatable(
            "ecdsa-p256-sign",
            "ECDSA signature on P-256",
            "p-256",
            "sign",
            _EcdsaSign("SECP256R1", "SHA256", 256),
            key_bits=256,
            message_bytes=32,
        ),
        Repeatable(
            "ecdsa-p521-sign",
            "ECDSA signature on P-521",
            "p-521",
            "sign",
            _EcdsaSign("SECP521R1", "SHA512", 521),
            key_bits=521,
            message_bytes=64,
        ),
    )
}
"""All operations by name, in the order of tables."""
