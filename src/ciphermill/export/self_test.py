# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The self-test of an export: a test bench in Verilog-2005 with published known answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ciphermill.algorithms import ALGORITHMS, Algorithm, Rtl, Vector
from ciphermill.design import Core, Direction
from ciphermill.registers import accel
from ciphermill.toolchain.errors import ToolError

from . import registers, templates, unit_tests
from .verilog2005 import Port

_DEFAULT_TAG_BITS = 8
_RAGGED_BYTES = 61
_MOST_BYTES = 64
"""Bytes of the longest packet, unless a known answer has a longer one."""
_MOST_CYCLES = 200_000
"""Cycles after which a test bench times out: several times those of the slowest core."""
_MOST_CURVE_CYCLES = 2_000_000
"""As above, of elliptic curves."""

_TEMPLATES = {
    "block-core": "self_test_block_core.v.j2",
    "accelerator": "self_test_accelerator.v.j2",
    "hash-core": "self_test_hash_core.v.j2",
}


_CORE_PORTS = {
    *("clk_i", "rst_ni", "zeroise_i", "busy_o"),
    *("key_valid_i", "key_ready_o", "key_size_i", "key_i"),
    *("block_valid_i", "block_ready_o", "block_direction_i", "block_i"),
    *("block_valid_o", "block_ready_i", "block_o"),
}
"""The required ports of a core; tags and ``idle_o`` are optional."""


_HASH_CORE = "hash-core"
_HASH_CORE_PORTS = {
    *("clk_i", "rst_ni", "drop_i", "zeroise_i", "busy_o", "idle_o"),
    *("start_valid_i", "start_ready_o", "function_i", "start_message_i"),
    *("block_valid_i", "block_ready_o", "block_i", "block_bytes_i", "block_last_i"),
    *("block_valid_o", "block_ready_i", "block_o", "block_bytes_o", "block_last_o"),
    *("block_message_i", "block_message_o"),
}
"""The required ports of a core of a hash."""


_ACCELERATOR_PARAMETERS = {"StreamWidth", "Asynchronous", "Directions"}
_SHA2_PARAMETERS = {"StreamWidth", "Asynchronous", "Sha2WordSizes"}
_CURVE_PARAMETERS = {"StreamWidth", "Asynchronous", "Curves"}
"""The parameters that the accelerator's test bench needs, those for SHA-2 alone, and those for
elliptic curves."""

_KEY_SIZES = {
    80: accel.CONFIGURATION__KEY_SIZE__BITS_80,
    128: accel.CONFIGURATION__KEY_SIZE__BITS_128,
    192: accel.CONFIGURATION__KEY_SIZE__BITS_192,
    256: accel.CONFIGURATION__KEY_SIZE__BITS_256,
}
"""Value of ``CONFIGURATION.key_size`` in the accelerator by key size in bits."""
_WORD_SIZES = {64: 1, 128: 2}
"""Bit of the parameter ``Sha2WordSizes`` by bytes of a hash block."""


def has_self_test(module: Core, ports: Mapping[str, Port]) -> bool:
    """Whether a test bench supports a module: its protocol, ports and parameters.

    It needs key sizes with known answers, and directions, but for a hash; the ports of a core;
    the parameters of an accelerator. A user's module may lack any of them.

    Args:
        module: The module to export.
        ports: The top's ports by name.
    """
    if unit_tests.unit_test(module, ports):
        return True
    algorithm = ALGORITHMS.get(module.algorithm or "")
    if algorithm is None or module.protocol not in {**_TEMPLATES, **algorithm.cores.self_tests}:
        return False
    if module.protocol == _HASH_CORE:
        return "digest" in algorithm.operations and set(ports) >= _HASH_CORE_PORTS
    if algorithm.is_hash and module.protocol == "accelerator":
        return module.parameters.keys() >= _SHA2_PARAMETERS
    if _has_curves(algorithm) and module.protocol == "accelerator":
        return bool(module.key_sizes) and module.parameters.keys() >= _CURVE_PARAMETERS
    if not module.directions or not module.key_sizes:
        return False
    if not set(module.key_sizes) <= set(algorithm.key_bits):
        return False
    if module.protocol == "accelerator":
        return module.parameters.keys() >= _ACCELERATOR_PARAMETERS
    return module.protocol != "block-core" or set(ports) >= _CORE_PORTS


def self_test(module: Core, ports: Mapping[str, Port]) -> str:
    """Return the test bench of a module as Verilog-2005.

    It has one module, ``self_test``, needs no input, and prints a line that begins
    with PASS or FAIL. It tests the SystemVerilog with the module's parameters, or, with the
    macro ``SINGLE_FILE``, the Verilog-2005 version, which has no parameters.

    Args:
        module: One that ``has_self_test``.
        ports: The top's ports by name.

    Raises:
        ToolError: No known answer fits its key sizes and directions.
    """
    if alone := unit_tests.unit_test(module, ports):
        return templates.render(alone.template, **unit_tests.values(alone, module, ports))
    algorithm = ALGORITHMS[module.algorithm or ""]
    rtl = algorithm.cores
    directions = [int(d is Direction.DECRYPT) for d in module.directions]
    values: dict[str, object] = {
        "top": module.top,
        "parameters": module.parameters,
        "most_cycles": _MOST_CURVE_CYCLES if _has_curves(algorithm) else _MOST_CYCLES,
    }
    if module.protocol == "accelerator":
        wanted = _message_vectors(module, directions)
        values |= {
            "width": module.parameters["StreamWidth"],
            "asynchronous": module.parameters["Asynchronous"],
            "registers": registers.verilog_constants(),
            "keyed": not algorithm.is_hash and not _has_curves(algorithm),
            "curves": _has_curves(algorithm),
            "key_sizes": {bits: int(bits in module.key_sizes) for bits in _KEY_SIZES},
            "most_bytes": max(_MOST_BYTES, *(row["bytes"] for row in wanted)),
        }
    elif module.protocol == _HASH_CORE:
        wanted = _digest_vectors(algorithm)
        values |= {
            "package": rtl.package,
            "function": rtl.selection["function_i"],
            "answer_blocks": len(wanted) * len(_blocks(bytes(algorithm.digest_bytes))),
        }
    else:
        wanted = _block_vectors(module, directions)
        values |= {
            "package": rtl.package,
            "key_bits": rtl.key_port_bits,
            "block_bits": 8 * algorithm.block_bytes,
            "has_tag": {"block_tag_i", "block_tag_o"} <= set(ports),
            "has_idle": "idle_o" in ports,
            "tag_bits": module.parameters.get("TagWidth", _DEFAULT_TAG_BITS),
            "size_range": "[1:0] " if max(rtl.key_size_codes.values()) > 1 else "",
        }
    if not wanted:
        raise ToolError(f"{module.name}: no known answer fits its key sizes and directions")
    return templates.render(
        {**_TEMPLATES, **rtl.self_tests}[module.protocol or ""], vectors=wanted, **values
    )


def _has_curves(algorithm: Algorithm) -> bool:
    return "agree" in algorithm.operations


def _hashes(module: Core) -> list[Algorithm]:
    """Return the hashes of SHA-2 that an accelerator has, and that have known answers."""
    sizes = module.parameters.get("Sha2WordSizes", 0)
    return [
        one for one in ALGORITHMS.values() if one.is_hash and sizes & _WORD_SIZES[one.block_bytes]
    ]


def _number(text: bytes, rtl: Rtl) -> str:
    """Return bytes as the hexadecimal number of a port."""
    return (text[::-1] if rtl.byte_order == "little" else text).hex()


def _lanes(text: bytes) -> str:
    """Return bytes as the hexadecimal number of registers and streams, byte 0 in the low bits."""
    return text[::-1].hex() or "0"


def _digest_vectors(algorithm: Algorithm) -> list[dict[str, object]]:
    """Return the messages of a hash and their digests, as blocks of the core's ports."""
    return [
        {
            "source": vector.source,
            "given": _blocks(vector.given),
            "answer": _blocks(vector.answer),
        }
        for vector in algorithm.vectors
        if vector.operation == "digest"
    ]


def _blocks(data: bytes) -> list[dict[str, object]]:
    """Return the blocks of 16 bytes of some data, big-endian; no data is one block of none."""
    return [
        {
            "value": data[at : at + 16].ljust(16, b"\0").hex(),
            "bytes": len(data[at : at + 16]),
            "last": int(at + 16 >= len(data)),
        }
        for at in range(0, len(data) or 1, 16)
    ]


def _block_vectors(module: Core, directions: Sequence[int]) -> list[dict[str, object]]:
    algorithm = ALGORITHMS[module.algorithm or ""]
    rtl = algorithm.cores
    rows: list[dict[str, object]] = []
    last_key = b""
    for vector in algorithm.blocks(module.key_sizes):
        for direction in directions:
            given, answer = vector.given, vector.answer
            if direction:
                given, answer = answer, given
            rows.append(
                {
                    "source": vector.source,
                    "size": rtl.key_size_codes[8 * len(vector.key)],
                    "key_bits": 8 * len(vector.key),
                    "key": _number(vector.key, rtl),
                    "new_key": vector.key != last_key,
                    "direction": direction,
                    "given": _number(given, rtl),
                    "answer": _number(answer, rtl),
                }
            )
            last_key = vector.key
    return rows


_NO_CURVE = {"operation": 0, "curve": 0, "outcome": accel.STATUS__OUTCOME__GOOD}
"""The fields of a message that has no elliptic curve."""


def _curve_vectors(module: Core) -> list[dict[str, Any]]:
    """Return operations on the smallest curve of a module: simulators are slow."""
    algorithm = ALGORITHMS[module.algorithm or ""]
    bits = min(module.key_sizes)
    size = -(-bits // 8)
    rows: list[dict[str, Any]] = []

    def add(vector: Vector, name: str, operands: bytes, answer: bytes, outcome: int = 0) -> None:
        rows.append(
            {
                "source": vector.source,
                "what": name if not outcome else f"{name}, the signature is wrong",
                "operation": getattr(accel, f"CONFIGURATION__OPERATION__{name.upper()}"),
                "curve": algorithm.cores.key_size_codes[bits],
                "outcome": outcome,
                **{"mode": 0, "hash": 0, "size": 0, "key": "0", "new_key": False},
                **{"direction": 0, "iv": "0", "aad_bytes": 0, "aad": "0"},
                **{"has_tag": 0, "tag": "0", "forged": 0},
                "bytes": len(operands),
                "given": _lanes(operands),
                "answer_bytes": len(answer),
                "answer": _lanes(answer),
            }
        )

    for vector in algorithm.vectors:
        if len(vector.key) != size:
            continue
        if vector.operation == "agree":
            add(vector, "agree", vector.key + vector.given, vector.answer)
            continue
        add(vector, "sign", vector.key + vector.iv + vector.given, vector.answer)
        signed = vector.associated + vector.answer
        add(vector, "verify", signed + vector.given, b"")
        other = bytes([*vector.given[:-1], vector.given[-1] ^ 1])
        add(vector, "verify", signed + other, b"", accel.STATUS__OUTCOME__INVALID)
    return rows


def _message_vectors(module: Core, directions: Sequence[int]) -> list[dict[str, Any]]:
    """Return the messages of the accelerator's test bench and the expected answers."""
    algorithm = ALGORITHMS[module.algorithm or ""]
    rows: list[dict[str, Any]] = []
    last_key = b""

    def add(
        rtl: Rtl,
        vector: Vector,
        direction: int,
        size: int,
        what: str,
        *,
        tag: bytes = b"",
        forged: bool = False,
    ) -> None:
        nonlocal last_key
        text = vector.answer[: len(vector.answer) - len(tag)]
        given, answer = vector.given[:size], text if vector.operation == "digest" else text[:size]
        if direction:
            given, answer = answer, given
        key = vector.key or last_key
        rows.append(
            {
                "source": vector.source,
                "what": what,
                "mode": rtl.mode_codes[vector.mode or vector.operation],
                "hash": rtl.hash_code,
                **_NO_CURVE,
                "size": _KEY_SIZES.get(8 * len(key), 0),
                "key": _lanes(key),
                "new_key": key != last_key,
                "direction": direction,
                "iv": _lanes(vector.iv),
                "aad_bytes": len(vector.associated),
                "aad": _lanes(vector.associated),
                "bytes": size,
                "given": _lanes(given),
                "answer_bytes": len(answer),
                "answer": _lanes(answer),
                "has_tag": int(bool(tag)),
                "tag": _lanes(tag),
                "forged": int(forged),
            }
        )
        last_key = key

    def whole_messages(algorithm: Algorithm) -> None:
        rtl = algorithm.cores
        for vector in algorithm.vectors:
            whole = len(vector.given)
            if vector.operation == "digest":
                add(rtl, vector, 0, whole, "digest")
                continue
            tag = vector.answer[whole:]
            if 0 in directions:
                add(rtl, vector, 0, whole, "encrypt", tag=tag)
            if 1 in directions:
                add(rtl, vector, 1, whole, "decrypt", tag=tag)
                wrong = bytes([*tag[:-1], tag[-1] ^ 0x80])
                add(rtl, vector, 1, whole, "decrypt, the tag is wrong", tag=wrong, forged=True)

    def modes(algorithm: Algorithm, key_size: int) -> None:
        rtl = algorithm.cores
        blocks = (replace(one, mode="ecb") for one in algorithm.blocks((key_size,)))
        for vector in algorithm.messages(key_size) or blocks:
            whole = len(vector.given)
            if vector.mode != "ctr":
                for direction in directions:
                    add(rtl, vector, direction, whole, "decrypt" if direction else "encrypt")
            elif 0 in directions:  # CTR decrypts with the cipher's encryption
                add(rtl, vector, 0, whole, "encrypt")
                what = f"decrypt, the first {_RAGGED_BYTES} bytes"
                add(rtl, vector, 1, _RAGGED_BYTES, what)
        nothing = replace(algorithm.blocks((key_size,))[0], mode="ecb")
        add(rtl, nothing, directions[0], 0, "no bytes")

    if algorithm.modes:
        for key_size in module.key_sizes:
            modes(algorithm, key_size)
    elif _has_curves(algorithm):
        rows += _curve_vectors(module)
    elif not algorithm.is_hash:
        whole_messages(algorithm)
    for one in _hashes(module):
        whole_messages(one)
    return rows
