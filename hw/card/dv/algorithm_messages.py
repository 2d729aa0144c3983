# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Messages of every algorithm for the rings of a card, with the answers of the references.

The references are PyCA cryptography (AES), hashlib and hmac (SHA-2), and those of the cores of
PRESENT, Ascon and ECC, none of which knows the card.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace
from typing import Any

import ascon_reference as ascon
import ecc_reference as ecc
import present_modes
import register_map
from card_driver import TAG_PACKET, Descriptor, Host, Message, configuration
from ecc_curves import P256
from reference import AEAD, BLOCK, DIGEST, DIRECTIONS, MODES

HASHES = {
    "sha_224": "sha224",
    "sha_256": "sha256",
    "sha_384": "sha384",
    "sha_512": "sha512",
    "sha_512_224": "sha512_224",
    "sha_512_256": "sha512_256",
}
"""Names of CONFIGURATION.hash, and of hashlib."""
HASH_NUMBERS = register_map.values("CONFIGURATION", "hash")
PRESENT_WIDTH = 1
"""CONFIGURATION.counter_width of PRESENT: 64 bits."""
IMPORT, ERASE = 5, 6
"""Operations on a key slot of the accelerator; the others are those of the core."""


def octets(operands: list[int]) -> bytes:
    """Return operands on P-256 as a message has them."""
    return b"".join(number.to_bytes(P256.bytes) for number in operands)


class AlgorithmHost(Host):
    """Makes messages of each algorithm. Every maker takes the options of ``Host.place``."""

    def present(self, mode: str, direction: str, slot: int, length: int, **options: Any) -> Message:
        """Return a message of PRESENT with a random text of so many bytes."""
        iv, text = self.random.randbytes(present_modes.BLOCK), self.random.randbytes(length)
        return self.present_text(mode, direction, slot, iv, text, **options)

    def present_text(
        self, mode: str, direction: str, slot: int, iv: bytes, text: bytes, **options: Any
    ) -> Message:
        """Return a message of PRESENT."""
        key = self.ring.keys[slot][0]
        answer = present_modes.crypt(mode, direction, key, iv, text).data
        descriptor = Descriptor(
            configuration=configuration(mode, direction, PRESENT_WIDTH),
            slot=slot,
            iv=iv,
            length=len(text),
        )
        return self.place(descriptor, text, answer, **options)

    def aead(
        self, direction: str, slot: int, length: int, associated: int, **options: Any
    ) -> Message:
        """Return a message of Ascon-AEAD128 at random."""
        parts = [self.random.randbytes(size) for size in (BLOCK, associated, length)]
        return self.aead_text(direction, slot, *parts, **options)

    def aead_text(
        self,
        direction: str,
        slot: int,
        nonce: bytes,
        aad: bytes,
        text: bytes,
        *,
        wrong_bit: int | None = None,
        **options: Any,
    ) -> Message:
        """Return a message of Ascon-AEAD128; a decryption may have a wrong bit in its source."""
        coded, tag = ascon.encrypt(self.ring.keys[slot][0], nonce, aad, text)
        source = aad + (text if direction == "encrypt" else coded + tag)
        if wrong_bit is not None:
            number = int.from_bytes(source, "little") ^ 1 << wrong_bit % (8 * len(source))
            source = number.to_bytes(len(source), "little")
        descriptor = Descriptor(
            configuration=configuration(AEAD, direction, 0),
            flags=TAG_PACKET if direction == "decrypt" else 0,
            slot=slot,
            iv=nonce,
            length=len(text),
            associated=len(aad),
        )
        if direction == "decrypt":
            return self.place(descriptor, source, text, **options)
        return self.place(descriptor, source, coded, tag, **options)

    def ascon_hash(self, data: bytes, **options: Any) -> Message:
        """Return a message of Ascon-Hash256."""
        word = configuration(DIGEST, "encrypt", 0)
        descriptor = Descriptor(configuration=word, length=len(data))
        return self.place(descriptor, data, ascon.hash256(data), **options)

    def sha2(self, function: str, data: bytes, key: bytes | None = None, **options: Any) -> Message:
        """Return a message of SHA-2, or with a key of HMAC."""
        name = HASHES[function]
        answer = hashlib.new(name, data).digest() if key is None else hmac.digest(key, data, name)
        descriptor = Descriptor(
            configuration=configuration(
                DIGEST,
                "encrypt",
                0,
                hash=HASH_NUMBERS[function],
                authenticate=int(key is not None),
            ),
            length=len(data),
            associated=len(key or b""),
        )
        return self.place(descriptor, (key or b"") + data, answer, **options)

    def curve(
        self,
        operation: int,
        operands: list[int],
        results: list[int],
        *,
        offsets: tuple[int, int] | None = None,
        **fields: int,
    ) -> Message:
        """Return an operation on P-256 with the results that it must give."""
        fields = {"curve": P256.code, **fields}
        word = register_map.pack("CONFIGURATION", operation=operation, **fields)
        data = octets(operands)
        return self.place(
            Descriptor(word, length=len(data)), data, octets(results), offsets=offsets
        )

    def referenced(self, operation: int, operands: list[int]) -> Message:
        """Return an operation on P-256 with the results of the reference."""
        status, results = ecc.answer(P256, operation, operands)
        assert status == ecc.GOOD
        return self.curve(operation, operands, results)

    # ------------------------------------------------------------ at random

    def options(self) -> dict[str, Any]:
        """Return options of ``place``: lists of up to five segments."""
        return {"most_segments": self.random.choice([1, 1, 2, 5])}

    def some_aes(self) -> Message:
        """Return a message of AES, or on this channel of SHA-2."""
        mode = self.random.choice([*MODES, "gcm"])
        direction = "encrypt" if mode == "ctr" else self.random.choice(DIRECTIONS)
        length = self.random.choice([1, 16, 33, self.random.randint(1, 500)])
        if mode in ("ecb", "cbc"):
            length = -(-length // BLOCK) * BLOCK
        associated = self.random.choice([0, 1, 16, 37]) if mode == "gcm" else 0
        in_place = self.random.random() < 0.2
        most = 1 if in_place else self.options()["most_segments"]
        return self.message(
            mode, direction, self.slot(), length, associated, most_segments=most, in_place=in_place
        )

    def some_present(self) -> Message:
        """Return a message of PRESENT."""
        mode, direction = self.random.choice(MODES), self.random.choice(DIRECTIONS)
        length = self.random.randint(1, 200)
        if mode != "ctr":
            length = -(-length // present_modes.BLOCK) * present_modes.BLOCK
        options = {"in_place_at": 0} if self.random.random() < 0.2 else self.options()
        return self.present(mode, direction, self.slot(), length, **options)

    def some_ascon(self) -> Message:
        """Return a message of Ascon: AEAD in either direction, or a hash."""
        length = self.random.choice([0, 1, 16, self.random.randint(0, 150)])
        kind = self.random.choice([*DIRECTIONS, DIGEST])
        if kind == DIGEST:
            return self.ascon_hash(self.random.randbytes(length), **self.options())
        associated = self.random.choice([0, 1, 16, 50])
        if length and self.random.random() < 0.2:
            return self.aead(kind, self.slot(), length, associated, in_place_at=associated)
        return self.aead(kind, self.slot(), length, associated, **self.options())

    def some_sha2(self) -> Message:
        """Return a message of SHA-2 or HMAC."""
        data = self.random.randbytes(self.random.choice([0, 1, 55, 64, 128, 200]))
        key = self.random.choice([None, b"", b"k", bytes(range(64)), bytes(range(131))])
        return self.sha2(self.random.choice(list(HASHES)), data, key, **self.options())

    def slot(self) -> int:
        """Return one of the ring's slots that have a key."""
        return self.random.choice(list(self.ring.keys))


def broken(message: Message, **fields: Any) -> Message:
    """Return a message whose descriptor says something else."""
    return replace(message, descriptor=replace(message.descriptor, **fields))
