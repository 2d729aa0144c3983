# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""AES: FIPS 197, with the modes of SP 800-38A, 38D and 38E."""

from __future__ import annotations

from ciphermill.registers import accel

from .algorithm import Algorithm, Mode, Rtl, Scheme, Split, Unit, Vector

_KEY_BITS = (128, 192, 256)
_QUEUED = (2, 1, 3, 4, 5, 6, 7, 8)
"""Blocks in flight of a core with a queue of results: one in the core and one in the queue."""
_SCHEDULE = "ciphers/aes_schedule.c"


def reference(operation: str, key: bytes, data: bytes) -> bytes:
    """Encrypt or decrypt whole blocks independently (ECB), with OpenSSL.

    Raises:
        ciphermill.DeviceError: There is no OpenSSL 3.
        ciphermill.InvalidError: A length is wrong.
    """
    # The engine's library is loaded only here: listing algorithms does not need it.
    from ciphermill._engine import Device, UnsupportedError

    try:
        openssl = Device("software+")
    except UnsupportedError:
        openssl = Device("software")
    direction = "encrypt" if operation == "encrypt" else "decrypt"
    return openssl.transform(data, mode="ecb", direction=direction, key=key)[0]


def _block(source: str, key: str, given: str, answer: str) -> Vector:
    return Vector(source, bytes.fromhex(given), bytes.fromhex(answer), bytes.fromhex(key))


_C_PLAIN = "00112233445566778899aabbccddeeff"
_C_KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
_FIPS_197 = (
    _block(
        "FIPS 197, appendix B",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    ),
    _block("FIPS 197, C.1", _C_KEY[:32], _C_PLAIN, "69c4e0d86a7b0430d8cdb78070b4c55a"),
    _block("FIPS 197, C.2", _C_KEY[:48], _C_PLAIN, "dda97ca4864cdfe06eaf70a0ec0d7191"),
    _block("FIPS 197, C.3", _C_KEY, _C_PLAIN, "8ea2b7ca516745bfeafc49904b496089"),
)

# SP 800-38A, appendix F: one plaintext of four blocks for all examples.
_PLAIN = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
_KEYS = (
    "2b7e151628aed2a6abf7158809cf4f3c",
    "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
)
_EXAMPLES = {
    ("ecb", "F.1", bytes(16)): (
        "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
        "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
        "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef"
        "ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
        "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870"
        "b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
    ),
    ("cbc", "F.2", bytes(range(16))): (
        "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
        "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
        "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
        "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
        "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
        "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
    ),
    ("ctr", "F.5", bytes(range(0xF0, 0x100))): (
        "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
        "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
        "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
        "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
        "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
        "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
    ),
}
_SP_800_38A = tuple(
    Vector(
        f"SP 800-38A, {section}, AES-{4 * len(key)}",
        _PLAIN,
        bytes.fromhex(answer),
        bytes.fromhex(key),
        mode,
        iv,
    )
    for (mode, section, iv), answers in _EXAMPLES.items()
    for key, answer in zip(_KEYS, answers, strict=True)
)

_MAPPED = ("DataWidth", "BlocksInFlight", "KeySizes", "SBox")
_PIPELINED = Unit("aes_core", {"Architecture": 1}, ("KeySizes", "SBox"))
_ITERATIVE = Unit("aes_core", {"Architecture": 0}, ("KeySizes", "SBox"))
_SBOXES = ("table", "composite", "decoder")

AES = Algorithm(
    name="aes",
    title="AES",
    standard="FIPS 197",
    operations=("encrypt", "decrypt"),
    key_bits=_KEY_BITS,
    default_key_bits=256,
    block_bytes=16,
    modes={
        "ecb": Mode(whole_blocks=True, streamed=True),
        "cbc": Mode(whole_blocks=True, iv_bytes=16, streamed=True),
        "ctr": Mode(whole_blocks=False, iv_bytes=16, streamed=True),
        "gcm": Mode(whole_blocks=False, iv_bytes=12, tag_bytes=16),
        # Whole blocks only: the accelerators have no ciphertext stealing. SP 800-38E excludes
        # AES-192.
        "xts": Mode(whole_blocks=True, iv_bytes=16, keys=2, data_units=True, key_bits=(128, 256)),
    },
    reference=reference,
    vectors=(*_FIPS_197, *_SP_800_38A),
    schemes=(
        Scheme(
            "aes",
            "AES",
            ("encrypt", "decrypt"),
            reference="software",
            devices=("software", "software+", "cpu", "model:aes-iterative", "model:aes-pipelined"),
        ),
    ),
    rtl=Rtl(
        folders=("aes",),
        top="aes_core",
        repeated=("aes_pipelined_round",),
        package="aes_pkg",
        code=0,
        key_port_bits=256,
        byte_order="little",
        key_size_codes={
            128: accel.CONFIGURATION__KEY_SIZE__BITS_128,
            192: accel.CONFIGURATION__KEY_SIZE__BITS_192,
            256: accel.CONFIGURATION__KEY_SIZE__BITS_256,
        },
        architectures={
            "iterative": accel.CAPABILITY__ARCHITECTURE__ITERATIVE,
            "pipelined": accel.CAPABILITY__ARCHITECTURE__PIPELINED,
            "serial": accel.CAPABILITY__ARCHITECTURE__SERIAL,
        },
        sboxes={
            "table": accel.CAPABILITY__SBOX__TABLE,
            "composite": accel.CAPABILITY__SBOX__COMPOSITE,
            "decoder": accel.CAPABILITY__SBOX__DECODER,
        },
        cycles={  # hw/aes/README.md
            ("iterative",): {128: 10, 192: 12, 256: 14},
            ("pipelined",): {128: 1, 192: 1, 256: 1},
            ("serial",): {128: 44, 192: 52, 256: 60},
            ("serial", "on-the-fly", "encrypt"): {128: 54, 192: 60, 256: 72},
            ("serial", "on-the-fly", "decrypt"): {128: 54, 192: 68, 256: 72},
        },
        accelerated=("iterative", "pipelined", "serial"),
        accelerator_code=accel.CAPABILITY__ALGORITHM__AES,
        shared=True,
        ghash_digits={"iterative": 16, "pipelined": 128, "serial": 4},
        mode_codes={
            "ecb": accel.CONFIGURATION__MODE__ECB,
            "cbc": accel.CONFIGURATION__MODE__CBC,
            "ctr": accel.CONFIGURATION__MODE__CTR,
        },
    ),
    partitions={
        "software": Split(
            _KEY_BITS,
            {
                "portable": ("ciphers/aes_portable.c", _SCHEDULE),
                "table": ("ciphers/aes_table.c", _SCHEDULE),
                "bitsliced": ("ciphers/aes_bitsliced.c", "ciphers/aes_sbox_circuit.c", _SCHEDULE),
                "zkn": ("ciphers/aes_zkn.c", _SCHEDULE),
            },
            instructions=("zkn",),
        ),
        "unrolled": Split(
            _KEY_BITS,
            {"": ()},
            blocks_in_flight=tuple(range(9)),
            sboxes=_SBOXES,
            coprocessor=Unit("coprocessor_unrolled", takes=_MAPPED),
            core=_PIPELINED,
            combinational_core=Unit("aes_unrolled", takes=("KeySizes", "SBox")),
        ),
        "iterative": Split(
            _KEY_BITS,
            {"": ()},
            blocks_in_flight=_QUEUED,
            sboxes=_SBOXES,
            coprocessor=Unit("coprocessor_iterative", takes=_MAPPED),
            core=_ITERATIVE,
        ),
        "round": Split(
            _KEY_BITS,
            {"": (_SCHEDULE,)},
            sboxes=_SBOXES,
            coprocessor=Unit("coprocessor_round", takes=("DataWidth", "SBox")),
        ),
        "linear-layer": Split(
            _KEY_BITS,
            {"": (_SCHEDULE,)},
            coprocessor=Unit("coprocessor_linear_layer", takes=("DataWidth",)),
        ),
        "instruction": Split(
            _KEY_BITS,
            {"column": (_SCHEDULE,), "block": ()},
            sboxes=_SBOXES,
            instructions=("column", "block"),
        ),
        "stream": Split(
            _KEY_BITS,
            {"": ()},
            blocks_in_flight=(4, 1, 2, 3, 5, 6, 7, 8),
            sboxes=_SBOXES,
            instructions=("",),
        ),
        "dma": Split(_KEY_BITS, {"": ()}, sboxes=_SBOXES),
        "shell": Split(
            (128,),
            {"": ()},
            coprocessor=Unit("coprocessor_shell", {"Algorithm": 0}),
            core=_ITERATIVE,
            # Each block has a key of its own, so storing round keys has no use. A composite S-box
            # has a third of a table's area.
            smallest={"KeyStorage": 0, "SBox": 1},
        ),
    },
)
