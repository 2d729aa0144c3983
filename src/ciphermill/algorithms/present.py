# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""PRESENT: A. Bogdanov et al., CHES 2007 (LNCS 4727); ISO/IEC 29192-2.

The reference follows the specification, one block at a time on integers, unlike firmware
and hardware. It is not constant-time, and is never used with secrets.
"""

from __future__ import annotations

from ciphermill.registers import accel, coprocessor

from .algorithm import Algorithm, Mode, Rtl, Scheme, Split, Unit, Vector

_SBOX = (0xC, 0x5, 0x6, 0xB, 0x9, 0x0, 0xA, 0xD, 0x3, 0xE, 0xF, 0x8, 0x4, 0x7, 0x1, 0x2)
"""Table 1."""
_INVERSE_SBOX = tuple(_SBOX.index(value) for value in range(16))
_TARGETS = tuple(63 if bit == 63 else 16 * bit % 63 for bit in range(64))
"""The position to which the permutation moves each bit (section 3.5)."""


def reference(operation: str, key: bytes, data: bytes) -> bytes:
    """Encrypt or decrypt whole blocks independently; byte 0 is the most significant.

    Raises:
        ValueError: The key has neither 10 nor 16 bytes, or the data are not whole blocks.
    """
    keys = _round_keys(key)
    if len(data) % 8:
        raise ValueError(f"{len(data)} bytes are not whole blocks of 8")
    work = _encrypted if operation == "encrypt" else _decrypted
    states = (int.from_bytes(data[start : start + 8], "big") for start in range(0, len(data), 8))
    return b"".join(work(state, keys).to_bytes(8, "big") for state in states)


def _round_keys(key: bytes) -> list[int]:
    """Return the 32 round keys of 64 bits (section 3; appendix II for 128 bits)."""
    if len(key) not in (10, 16):
        raise ValueError(f"a PRESENT key has 10 or 16 bytes, not {len(key)}")
    bits = 8 * len(key)
    register = int.from_bytes(key, "big")
    counter_shift = 15 if bits == 80 else 62
    substituted = (bits - 4,) if bits == 80 else (bits - 4, bits - 8)
    keys = [register >> (bits - 64)]
    for counter in range(1, 32):
        register = ((register << 61) | (register >> (bits - 61))) & ((1 << bits) - 1)
        for shift in substituted:
            nibble = register >> shift & 0xF
            register ^= (nibble ^ _SBOX[nibble]) << shift
        register ^= counter << counter_shift
        keys.append(register >> (bits - 64))
    return keys


def _encrypted(state: int, keys: list[int]) -> int:
    for key in keys[:-1]:
        state = _substituted(state ^ key, _SBOX)
        state = sum((state >> bit & 1) << target for bit, target in enumerate(_TARGETS))
    return state ^ keys[-1]


def _decrypted(state: int, keys: list[int]) -> int:
    state ^= keys[-1]
    for key in reversed(keys[:-1]):
        state = sum((state >> target & 1) << bit for bit, target in enumerate(_TARGETS))
        state = _substituted(state, _INVERSE_SBOX) ^ key
    return state


def _substituted(state: int, box: tuple[int, ...]) -> int:
    return sum(box[state >> shift & 0xF] << shift for shift in range(0, 64, 4))


def _block(source: str, key: str, given: str, answer: str) -> Vector:
    return Vector(source, bytes.fromhex(given), bytes.fromhex(answer), bytes.fromhex(key))


_PAPER = "Bogdanov et al., CHES 2007, appendix I"
_THESIS = "Poschmann, Lightweight Cryptography, Bochum 2009"  # the paper has no 128-bit vectors
_AUTHORS = "the cipher's authors"
_KEY_BITS = (80, 128)
_MAPPED = ("DataWidth", "BlocksInFlight", "KeySizes")
_QUEUED = (2, 1, 3, 4, 5, 6, 7, 8)
"""Blocks in flight: one in the core and those in the queue of results."""
_SCHEDULE = "ciphers/present_schedule.c"
_CODE = 1
_KINDS = {
    "iterative": coprocessor.IDENTIFICATION__KIND__PRESENT_ITERATIVE,
    "unrolled": coprocessor.IDENTIFICATION__KIND__PRESENT_UNROLLED,
    "serial": coprocessor.IDENTIFICATION__KIND__PRESENT_SERIAL,
}
_ARCHITECTURES = {name: kind - _KINDS["iterative"] for name, kind in _KINDS.items()}


def _mapped(architecture: str) -> Split:
    parameters = {"Architecture": _ARCHITECTURES[architecture]}
    return Split(
        _KEY_BITS,
        {"": ()},
        blocks_in_flight=_QUEUED,
        coprocessor=Unit("coprocessor_present", parameters, _MAPPED),
        core=Unit("present_core", {**parameters, "Directions": 3}, ("KeySizes",)),
    )


PRESENT = Algorithm(
    name="present",
    title="PRESENT",
    standard="ISO/IEC 29192-2",
    operations=("encrypt", "decrypt"),
    key_bits=_KEY_BITS,
    default_key_bits=80,
    block_bytes=8,
    modes={"ecb": Mode(whole_blocks=True)},
    reference=reference,
    vectors=(
        _block(_PAPER, "00" * 10, "00" * 8, "5579c1387b228445"),
        _block(_PAPER, "ff" * 10, "00" * 8, "e72c46c0f5945049"),
        _block(_PAPER, "00" * 10, "ff" * 8, "a112ffc72f68417b"),
        _block(_PAPER, "ff" * 10, "ff" * 8, "3333dcd3213210d2"),
        _block(_THESIS, "00" * 16, "00" * 8, "96db702a2e6900af"),
        _block(_AUTHORS, "ff" * 16, "00" * 8, "13238c710272a5d8"),
        _block(_AUTHORS, "00" * 16, "ff" * 8, "3c6019e5e5edd563"),
        _block(_AUTHORS, "ff" * 16, "ff" * 8, "628d9fbd4218e5b4"),
        _block(_AUTHORS, "0123456789abcdef" * 2, "0123456789abcdef", "0e9d28685e671dd6"),
    ),
    # No software device has it: its outputs are compared with the reference above.
    schemes=(
        Scheme(
            "present",
            "PRESENT",
            ("encrypt", "decrypt"),
            reference=None,
            devices=("model:suite",),
        ),
    ),
    rtl=Rtl(
        folders=("present",),
        top="present_core",
        package="present_pkg",
        code=_CODE,
        key_port_bits=128,
        byte_order="big",
        key_size_codes={
            80: coprocessor.CONTROL__KEY_SIZE__AES_128_PRESENT_80,
            128: coprocessor.CONTROL__KEY_SIZE__AES_192_PRESENT_128,
        },
        architectures=_ARCHITECTURES,
        cycles={("iterative",): {80: 32, 128: 32}},  # hw/present/README.md
        accelerated=("iterative",),
        accelerator_code=accel.CAPABILITY__ALGORITHM__PRESENT,
        mode_codes={"ecb": accel.CONFIGURATION__MODE__ECB},
        self_tests={"present-minimal": "self_test_present_minimal.v.j2"},
    ),
    partitions={
        "software": Split(
            _KEY_BITS,
            {
                "table": ("ciphers/present_table.c", _SCHEDULE),
                "bitsliced": ("ciphers/present_bitsliced.c", _SCHEDULE),
            },
        ),
        "unrolled": _mapped("unrolled"),
        "iterative": _mapped("iterative"),
        "shell": Split(
            (80,),
            {"": ()},
            coprocessor=Unit("coprocessor_shell", {"Algorithm": _CODE}),
            core=Unit(
                "present_core",
                {"Architecture": _ARCHITECTURES["iterative"], "Directions": 1},
                ("KeySizes",),
            ),
        ),
    },
)
