# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""SHA-256 and SHA-512, FIPS 180-4, and HMAC with them, FIPS 198-1.

The reference is Python's hashlib and hmac.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

from ciphermill.registers import accel

from .algorithm import Algorithm, Rtl, Scheme, Split, Unit, Vector

_WEIGHED = ("cpu", "model:sha2-stream")


def _reference(function: str) -> Callable[[str, bytes, bytes], bytes]:
    """Return the reference of a function, by its name in hashlib."""

    def reference(operation: str, key: bytes, data: bytes) -> bytes:
        if operation == "authenticate":
            return hmac.digest(key, data, function)
        if operation != "digest" or key:
            raise ValueError(f"a hash has no key and no {operation}")
        return hashlib.new(function, data).digest()

    return reference


def _digest(file: str, message: str, digest: str) -> Vector:
    given = bytes.fromhex(message)
    source = f"NIST CAVP, {file}, {len(given)} bytes"
    return Vector(source, given, bytes.fromhex(digest), operation="digest")


_HMAC_KEY_BITS = (128, 160, 192, 256)
_PORT_BYTES = 16
"""Bytes of a block of the core's streams."""
_START_CYCLES = 7
"""Cycles of a message on the core besides its rounds, until the digest comes."""


def _message_cycles(
    rounds: int, block_bytes: int, digest_bytes: int
) -> Callable[[str, int, int], int]:
    """Return the cycles of a message on ``sha2_core`` with a round a cycle (hw/sha2/README.md).

    HMAC is two messages: the key's block and the text, the key's block and the first digest.
    """
    length_bytes = block_bytes // 8  # of the padding, with at least one byte before it

    def cycles(operation: str, _key_bits: int, message_bytes: int) -> int:
        if operation == "authenticate":
            texts = (message_bytes, digest_bytes)
            return sum(cycles("digest", 0, block_bytes + text_bytes) for text_bytes in texts)
        hash_blocks = (message_bytes + length_bytes) // block_bytes + 1
        return _START_CYCLES + rounds * hash_blocks + digest_bytes // _PORT_BYTES

    return cycles


def _algorithm(
    bits: int, block_bytes: int, function: int, code: int, vectors: tuple[Vector, ...]
) -> Algorithm:
    """Return the function with digests of some bits.

    Args:
        bits: Bits of its digest.
        block_bytes: Bytes of its hash blocks.
        function: Its number in the RTL (``sha2_pkg``).
        code: Its number in systems (``soc_pkg``).
        vectors: Published answers.
    """
    rounds = 64 if block_bytes == 64 else 80
    word_sizes = {"WordSizes": 1 if block_bytes == 64 else 2}
    return Algorithm(
        name=f"sha-{bits}",
        title=f"SHA-{bits}",
        standard="FIPS 180-4",
        operations=("digest", "authenticate"),
        key_bits=(),
        default_key_bits=0,
        block_bytes=block_bytes,
        modes={},
        digest_bytes=bits // 8,
        authentication_key_bits=_HMAC_KEY_BITS,
        reference=_reference(f"sha{bits}"),
        vectors=vectors,
        schemes=(Scheme(f"sha-{bits}", f"SHA-{bits}", ("digest",), "cpu", _WEIGHED),),
        rtl=Rtl(
            folders=("prim", "sha2"),
            top="sha2_core",
            package="sha2_pkg",
            code=code,
            key_port_bits=0,
            byte_order="big",
            architecture_parameter="RoundsPerCycle",
            architectures={"iterative": 1, "two-rounds": 2},
            operation_flags={},
            selection={"function_i": function},
            cycles={("iterative",): {0: rounds}, ("two-rounds",): {0: rounds // 2}},
            message_cycles=_message_cycles(rounds, block_bytes, bits // 8),
            accelerated=("iterative",),
            protocol="hash-core",
            accelerator_code=accel.CAPABILITY__ALGORITHM__SHA2,
            hash_code=getattr(accel, f"CONFIGURATION__HASH__SHA_{bits}"),
            mode_codes={"digest": accel.CONFIGURATION__MODE__DIGEST},
        ),
        partitions={
            "software": Split(_HMAC_KEY_BITS, {"": ("ciphers/sha2.c", f"ciphers/sha{bits}.c")}),
            "iterative": Split(
                _HMAC_KEY_BITS,
                {"": ()},
                coprocessor=Unit("coprocessor_sha2", word_sizes, takes=("DataWidth",)),
                core=Unit("sha2_core", word_sizes),
            ),
            "dma": Split(_HMAC_KEY_BITS, {"": ()}),
        },
    )


SHA_256 = _algorithm(
    256,
    64,
    1,
    3,
    (
        _digest(
            "SHA256ShortMsg.rsp",
            "",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ),
        _digest(
            "SHA256ShortMsg.rsp",
            "d3",
            "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1",
        ),
        _digest(
            "SHA256ShortMsg.rsp",
            "3ebfb06db8c38d5ba037f1363e118550aad94606e26835a01af05078533cc25f"
            "2f39573c04b632f62f68c294ab31f2a3e2a1a0d8c2be51",
            "6595a2ef537a69ba8583dfbf7f5bec0ab1f93ce4c8ee1916eff44a93af5749c4",
        ),
        _digest(
            "SHA256ShortMsg.rsp",
            "2d52447d1244d2ebc28650e7b05654bad35b3a68eedc7f8515306b496d75f3e7"
            "3385dd1b002625024b81a02f2fd6dffb6e6d561cb7d0bd7a",
            "cfb88d6faf2de3a69d36195acec2e255e2af2b7d933997f348e09f6ce5758360",
        ),
        _digest(
            "SHA256ShortMsg.rsp",
            "5a86b737eaea8ee976a0a24da63e7ed7eefad18a101c1211e2b3650c5187c2a8"
            "a650547208251f6d4237e661c7bf4c77f335390394c37fa1a9f9be836ac28509",
            "42e61e174fbb3897d6dd6cef3dd2802fe67b331953b06114a65c772859dfc1aa",
        ),
    ),
)

SHA_512 = _algorithm(
    512,
    128,
    3,
    4,
    (
        _digest(
            "SHA512ShortMsg.rsp",
            "",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
            "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
        ),
        _digest(
            "SHA512ShortMsg.rsp",
            "21",
            "3831a6a6155e509dee59a7f451eb35324d8f8f2df6e3708894740f98fdee2388"
            "9f4de5adb0c5010dfb555cda77c8ab5dc902094c52de3278f35a75ebc25f093a",
        ),
        _digest(
            "SHA512ShortMsg.rsp",
            "324533e685f1852e358eea8ea8b81c288b3f3beb1f2bc2b8d3fdbac318382e3d"
            "7120de30c9c237aa0a34831deb1e5e060a7969cd3a9742ec1e64b354f7eb290c"
            "ba1c681c66cc7ea994fdf5614f604d1a2718aab581c1c94931b1387e4b7dc736"
            "35bf3a7301174075fa70a9227d85d3",
            "3b26c5170729d0814153becb95f1b65cd42f9a6d0649d914e4f69d938b5e9dc0"
            "41cd0f5c8da0b484d7c7bc7b1bdefb08fe8b1bfedc81109345bc9e9a399feedf",
        ),
        _digest(
            "SHA512ShortMsg.rsp",
            "518985977ee21d2bf622a20567124fcbf11c72df805365835ab3c041f4a9cd8a"
            "0ad63c9dee1018aa21a9fa3720f47dc48006f1aa3dba544950f87e627f369bc2"
            "793ede21223274492cceb77be7eea50e5a509059929a16d33a9f54796cde5770"
            "c74bd3ecc25318503f1a41976407aff2",
            "c00926a374cde55b8fbd77f50da1363da19744d3f464e07ce31794c5a61b6f9c"
            "85689fa1cfe136553527fd876be91673c2cac2dd157b2defea360851b6d92cf4",
        ),
        _digest(
            "SHA512ShortMsg.rsp",
            "fd2203e467574e834ab07c9097ae164532f24be1eb5d88f1af7748ceff0d2c67"
            "a21f4e4097f9d3bb4e9fbf97186e0db6db0100230a52b453d421f8ab9c9a6043"
            "aa3295ea20d2f06a2f37470d8a99075f1b8a8336f6228cf08b5942fc1fb4299c"
            "7d2480e8e82bce175540bdfad7752bc95b577f229515394f3ae5cec870a4b2f8",
            "a21b1077d52b27ac545af63b32746c6e3c51cb0cb9f281eb9f3580a6d4996d5c"
            "9917d2a6e484627a9d5a06fa1b25327a9d710e027387fc3e07d7c4d14c6086cc",
        ),
    ),
)
