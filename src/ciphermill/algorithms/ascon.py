# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Ascon-AEAD128 and Ascon-Hash256: NIST SP 800-232. The reference is RustCrypto's (engine)."""

from __future__ import annotations

from ciphermill.registers import accel, coprocessor_ascon

from .algorithm import Algorithm, Rtl, Scheme, Split, Unit, Vector

_KEY_BITS = (128,)
_WEIGHED = ("cpu", "model:ascon-iterative-stream")


def reference(
    operation: str, key: bytes, data: bytes, nonce: bytes = b"", associated: bytes = b""
) -> bytes:
    """Encrypt, decrypt or digest a message.

    A ciphertext is followed by its tag of 16 bytes, as output and as input.

    Raises:
        ciphermill.AuthenticationError: The tag is wrong.
        ciphermill.InvalidError: Key or nonce does not have 16 bytes.
    """
    # The engine's library is loaded only here: listing algorithms does not need it.
    from ciphermill._engine import Device

    cpu = Device("cpu")
    if operation == "digest":
        return cpu.run("digest", data, algorithm="ascon-hash256")[0]
    answer, _ = cpu.run(
        operation, data, algorithm="ascon-aead128", key=key, iv=nonce, associated_data=associated
    )
    return answer


_COUNTING = bytes(range(64))
"""Keys, nonces, texts and messages of the designers' vectors are the first bytes of this."""


def _sealed(text: int, associated: int, answer: str) -> Vector:
    return Vector(
        f"LWC_AEAD_KAT_128_128.txt of ascon-c, {text} bytes, associated data of {associated}",
        _COUNTING[:text],
        bytes.fromhex(answer),
        _COUNTING[:16],
        iv=_COUNTING[:16],
        associated=_COUNTING[:associated],
    )


def _digest(length: int, answer: str) -> Vector:
    return Vector(
        f"LWC_HASH_KAT_128_256.txt of ascon-c, {length} bytes",
        _COUNTING[:length],
        bytes.fromhex(answer),
        operation="digest",
    )


ASCON = Algorithm(
    name="ascon",
    title="Ascon",
    standard="NIST SP 800-232",
    operations=("encrypt", "decrypt", "digest"),
    key_bits=_KEY_BITS,
    default_key_bits=128,
    block_bytes=16,
    modes={},
    nonce_bytes=16,
    tag_bytes=16,
    digest_bytes=32,
    reference=reference,
    vectors=(
        _sealed(0, 0, "4427d64b8e1e1451fc445960f0839bb0"),
        _sealed(0, 1, "103ab79d913a0321287715a979bb8585"),
        _sealed(1, 0, "e79f58f1f541fc51b5d438f8e1dd03f147"),
        _sealed(7, 15, "b03e607317a251ccf75d8ecb57ba7863e7596eb262a0fb"),
        _sealed(16, 16, "6a28215e4a6023fae42095318b187f99e0c479771a09b5d29afd05825b013d0d"),
        _sealed(
            32,
            32,
            "4c086d27a3b51a2333cfc7f22172a9bcad88b8d4d77e5062"
            "2d788345fa7bee4468915d3f9422289f2349d6a3b4160397",
        ),
        _digest(0, "0b3be5850f2f6b98caf29f8fdea89b64a1fa70aa249b8f839bd53baa304d92b2"),
        _digest(7, "3e4d273ba69b3b9c53216107e88b75cdbeedbcbf8faf0219c3928ab62b116577"),
        _digest(8, "b88e497ae8e6fb641b87ef622eb8f2fca0ed95383f7ffebe167acf1099ba764f"),
        _digest(32, "bd9d3d60a66b53868eab2a5c74539a518a1f60f01eb176c60e43dee81680b33e"),
    ),
    # OpenSSL has neither algorithm, so the engine's software on the processor is the reference.
    schemes=(
        Scheme("ascon-aead128", "Ascon-AEAD128", ("encrypt", "decrypt"), "cpu", _WEIGHED),
        Scheme("ascon-hash256", "Ascon-Hash256", ("digest",), "cpu", _WEIGHED),
    ),
    rtl=Rtl(
        folders=("prim", "ascon"),
        top="ascon_core",
        package="ascon_pkg",
        code=2,
        key_port_bits=128,
        byte_order="little",
        architecture_parameter="RoundsPerCycle",
        architectures={"iterative": 1, "unrolled": 4},
        operation_parameter="Operations",
        operation_flags={
            "encrypt": 1 << coprocessor_ascon.MESSAGE__OPERATION__ENCRYPT,
            "decrypt": 1 << coprocessor_ascon.MESSAGE__OPERATION__DECRYPT,
            "digest": 1 << coprocessor_ascon.MESSAGE__OPERATION__DIGEST,
        },
        cycles={("iterative",): {128: 8}, ("unrolled",): {128: 2}},  # hw/ascon/README.md
        accelerated=("iterative", "unrolled"),
        protocol="message-core",
        accelerator_code=accel.CAPABILITY__ALGORITHM__ASCON,
        mode_codes={
            "encrypt": accel.CONFIGURATION__MODE__AEAD,
            "decrypt": accel.CONFIGURATION__MODE__AEAD,
            "digest": accel.CONFIGURATION__MODE__DIGEST,
        },
    ),
    partitions={
        "software": Split(_KEY_BITS, {"": ("ciphers/ascon.c",)}),
        "iterative": Split(
            _KEY_BITS,
            {"": ()},
            coprocessor=Unit("coprocessor_ascon", takes=("DataWidth",)),
            core=Unit("ascon_core", {"RoundsPerCycle": 1}),
        ),
        "instruction": Split(_KEY_BITS, {"": ()}, instructions=("",)),
        "dma": Split(_KEY_BITS, {"": ()}),
    },
)
