# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""ECDSA and ECDH on P-256, P-384 and P-521 (FIPS 186-5, SP 800-56A)."""

from __future__ import annotations

from ciphermill.registers import accel

from .algorithm import Algorithm, Rtl, Split, Unit, Vector
from .curves import exchange

_KEY_BITS = (256, 384, 521)
_CYCLES = {
    "generate-key": {256: 34_669, 384: 82_594, 521: 182_696},
    "sign": {256: 39_443, 384: 94_638, 521: 208_422},
    "verify": {256: 75_834, 384: 197_764, 521: 443_185},
    "agree": {256: 66_042, 384: 170_369, 521: 379_717},
}
"""Cycles of the core's default build from start to status (hw/ecc/README.md)."""


def reference(operation: str, key: bytes, data: bytes) -> bytes:
    """Return the secret that a private key shares with the owner of a public key, by AWS-LC.

    Raises:
        ValueError: Another operation, whose results are random.
        ciphermill.InvalidError: The keys are none of the curve.
    """
    # The engine's library is loaded only here: listing algorithms does not need it.
    from ciphermill._engine import Device

    if operation != "agree":
        raise ValueError(f"{operation} has no single right answer")
    curve = {32: "p-256", 48: "p-384", 66: "p-521"}[len(key)]
    return Device("cpu").run("agree", data, algorithm=curve, key=key)[0]


def _agreed(source: str, key: str, x: str, y: str, secret: str) -> Vector:
    given, answer = bytes.fromhex(x + y), bytes.fromhex(secret)
    return Vector(source, given, answer, bytes.fromhex(key), operation="agree")


ECC = Algorithm(
    name="ecc",
    title="ECC",
    standard="FIPS 186-5, SP 800-56A",
    operations=("generate-key", "sign", "verify", "agree"),
    key_bits=_KEY_BITS,
    default_key_bits=256,
    block_bytes=66,  # the longest integer
    integers={"generate-key": (1, 3), "sign": (3, 2), "verify": (5, 0), "agree": (3, 1)},
    exchange=exchange,
    modes={},
    reference=reference,
    vectors=(
        Vector(
            "RFC 6979, A.2.5, SHA-256 of sample",
            bytes.fromhex("af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf"),
            bytes.fromhex(
                "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
            ),
            bytes.fromhex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"),
            iv=bytes.fromhex("a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60"),
            associated=bytes.fromhex(
                "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
                "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
            ),
            operation="sign",
        ),
        _agreed(
            "KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_init.fax, EC, 2",
            "8087ab163864bfa81001c72f736b6d94e7612559ac4c847d06ba2171840684d6",
            "5a3955c54a49645ed818f3774ea10971a1db88c370d8966c5a6e88234ed5d820",
            "03b13f0dad73f64532f42b8b2fa6d1450d9ab24896e95c24674298f2da07ccda",
            "0cb890a0dcc277c3dde0f91b4322a32e6365d7ec85316185d3286b4977849410",
        ),
        _agreed(
            "KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_init.fax, ED, 0",
            "f865418473e5bf7d2e1bbcd9bd5a9270c003a9dd35e778133ca59fcab4bb64fe"
            "24d6800e7047bdd033abc8bfa8db35b5",
            "d1bf2ac21637d66d6398aac01dcd56ac6f065fb45d1f6f16747bab9e9b01b463"
            "0b59b20927aea147355bf41838acb482",
            "4c9e23f1c5a41647d094086bf4ed31708651f21d996c47780688ac10f77deee2"
            "e43b5241b6caecd2fd5444bc50472e0e",
            "a781430e6078a179df3f9ee27cd8fdc6188f161b6c4ccc4053ef6c6ca6fc2229"
            "46883a53c06db08f0a020023ced055aa",
        ),
        _agreed(
            "KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_init.fax, EE, 1",
            "01a23de55fb7ad153e7e65d21ad10c77fdf2072b2a5aa116aaf1bc31a345420c"
            "1fe8eaccbbcdeb07b73ba2fa706c7498e3a4828f348b00af9df1551780e709a7"
            "754c",
            "01474af758238005238b2fa253c4f9c557de664d64c66d7d88f334555997591c"
            "cc242ff3c6d0e34d07fc835aaae024c2bd21f2ba5c0b0a8ac3fdd90e1c479cb8"
            "e538",
            "00a721b04654204ca19064b37a4abf4247413a6d29e9211a0df9d50975c7d8d4"
            "654dc04a478455ea24993f0fef5460f189c4729c15fba385fd85ef42ae7610e3"
            "9450",
            "01e8ff7a8c57b017f8b8266adab65fe2c417173566087e15c5fc972071cc560a"
            "c93908a806468bc44b8312a8a48464886ca0d767db938447387a348f3f56c646"
            "3796",
        ),
    ),
    rtl=Rtl(
        folders=("prim", "ecc"),
        top="ecc_core",
        package="ecc_pkg",
        code=5,
        key_port_bits=0,
        byte_order="big",
        architecture_parameter="Multipliers",
        architectures={"iterative": 1, "unrolled": 2},
        operation_flags={},
        key_size_codes={256: 0, 384: 1, 521: 2},
        key_size_parameter="Curves",
        cycles={  # of a signature (hw/ecc/README.md)
            ("iterative",): _CYCLES["sign"],
            ("unrolled",): {256: 37_294, 384: 71_534, 521: 142_443},
        },
        message_cycles=lambda operation, key_bits, _: _CYCLES[operation][key_bits],
        accelerated=("iterative", "unrolled"),
        protocol="curve-core",
        accelerator_code=accel.CAPABILITY__ALGORITHM__ECC,
    ),
    partitions={
        "software": Split(
            _KEY_BITS,
            {"": ("ciphers/ecc.c", "ciphers/ecc_field.c", "ciphers/ecc_curves.c")},
            block_cycles=400_000_000,
        ),
        "iterative": Split(
            _KEY_BITS,
            {"": ()},
            coprocessor=Unit("coprocessor_ecc", takes=("DataWidth",)),
            core=Unit("ecc_core"),
            block_cycles=100_000,
        ),
        "dma": Split(_KEY_BITS, {"": ()}, block_cycles=100_000),
    },
)
