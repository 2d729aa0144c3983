# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A second reader of Ciphermill's container, written from its specification.

It shares no code with the engine: it is based on docs/reference/container.md and on PyCA's
`cryptography` alone. It reads whole files in memory.
"""

import hashlib
import hmac
import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from cryptography.hazmat.primitives.padding import PKCS7

MAGIC = b"\x89CPM\r\n\x1a\n"
ECB, CBC, CTR, GCM = 1, 2, 3, 4
LAST = 1 << 31


class DamagedError(Exception):
    """The file is not a container, is cut short, or has changed."""


class AuthenticationError(Exception):
    """Wrong password or key, or the file was altered on purpose."""


def read(data: bytes, secret: bytes) -> bytes:
    """The plaintext of a container; `secret` is the password or the key."""
    header, rest = data[:128], data[128:]
    if header[:8] != MAGIC or len(header) < 128:
        raise DamagedError("not a container, or cut short")
    header_hash = header[64:96]
    if hashlib.sha256(header[:64]).digest() != header_hash:
        raise DamagedError("header")
    version, cipher, mode, key_bits, derivation, reserved, chunk_bytes, *parameters = struct.unpack(
        ">HBBHBBI3I", header[8:32]
    )
    salt = header[32:64]
    if (version, cipher, reserved) != (1, 1, 0) or mode not in (ECB, CBC, CTR, GCM):
        raise DamagedError("unknown field")

    master = _master(derivation, parameters, salt, secret)

    def key(label: str, length: int = 32) -> bytes:
        info = f"ciphermill 1 {label}".encode()
        return HKDF(SHA256(), length, salt, info).derive(master)

    tag = hmac.digest(key("header"), header[:96], "sha256")
    if not hmac.compare_digest(tag, header[96:]):
        raise AuthenticationError("header")

    encryption, authentication = key("encryption", key_bits // 8), key("authentication")
    tag_bytes = 16 if mode == GCM else 32
    plaintext = b""
    index = 0
    last = False
    while not last:
        if len(rest) < 4:
            raise DamagedError("cut short")
        field = rest[:4]
        (length,) = struct.unpack(">I", field)
        last = bool(length & LAST)
        length &= ~LAST
        ciphertext, tag = rest[4 : 4 + length], rest[4 + length : 4 + length + tag_bytes]
        if len(tag) < tag_bytes:
            raise DamagedError("cut short")
        rest = rest[4 + length + tag_bytes :]
        number = struct.pack(">Q", index)
        iv = {
            GCM: bytes(4) + number + bytes(4),
            CTR: number + bytes(8),
            CBC: hmac.digest(key("iv"), number, "sha256")[:16],
            ECB: bytes(16),
        }[mode]
        associated = header_hash + number + iv + field
        if mode == GCM:
            try:
                chunk = AESGCM(encryption).decrypt(iv[:12], ciphertext + tag, associated)
            except InvalidTag:
                raise AuthenticationError(f"chunk {index}") from None
        else:
            expected = hmac.digest(authentication, associated + ciphertext, "sha256")
            if not hmac.compare_digest(tag, expected):
                raise AuthenticationError(f"chunk {index}")
            chunk = _decrypt(mode, encryption, iv, ciphertext)
            if last and mode in (ECB, CBC):
                unpadder = PKCS7(128).unpadder()
                chunk = unpadder.update(chunk) + unpadder.finalize()
        full = len(chunk) == chunk_bytes
        if not full and not (last and len(chunk) < chunk_bytes and (chunk or index == 0)):
            raise DamagedError(f"chunk {index} has an impossible length")
        plaintext += chunk
        index += 1
    if rest:
        raise DamagedError("bytes follow the last chunk")
    return plaintext


def _master(derivation: int, parameters: list[int], salt: bytes, secret: bytes) -> bytes:
    first, second, third = parameters
    match derivation:
        case 0:
            return secret
        case 1:
            return Scrypt(salt, 32, 2**first, second, third).derive(secret)
        case 2:
            kdf = Argon2id(salt=salt, length=32, iterations=second, lanes=third, memory_cost=first)
            return kdf.derive(secret)
        case 3:
            return hashlib.pbkdf2_hmac("sha256", secret, salt, first, 32)
    raise DamagedError("unknown key derivation")


def _decrypt(mode: int, key: bytes, iv: bytes, ciphertext: bytes) -> bytes:
    chainings: dict[int, modes.ECB | modes.CBC | modes.CTR] = {
        ECB: modes.ECB(),
        CBC: modes.CBC(iv),
        CTR: modes.CTR(iv),
    }
    decryptor = Cipher(algorithms.AES(key), chainings[mode]).decryptor()
    return decryptor.update(ciphertext) + decryptor.finalize()
