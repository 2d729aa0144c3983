# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The self-test of an export: a test bench in Verilog-2005 with published known answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ciphermill.design import Direction, Module
from ciphermill.toolchain.errors import ToolError

from . import registers, templates, vectors

_KEY_SIZES = {"aes": (128, 192, 256), "present": (80, 128)}
"""Key sizes in bits, in the order of ``key_size_e`` of both ciphers' packages."""
_KEY_PORT_BITS = {"aes": 256, "present": 128}
_BLOCK_BITS = {"aes": 128, "present": 64}
_BYTE_0_IS_LOWEST = {"aes": True, "present": False}
"""Which end of a port byte 0 is at (aes_pkg, present_pkg)."""
_DEFAULT_TAG_BITS = 8
_MODES = ("ecb", "cbc", "ctr")
_RAGGED_BYTES = 61
_MOST_CLOCKS = 200_000
"""Clocks after which a test bench gives up: several times what the slowest core takes."""

_TEMPLATES = {
    "block-core": "self_test_block_core.v.j2",
    "accelerator": "self_test_accelerator.v.j2",
    "present-minimal": "self_test_present_minimal.v.j2",
}


_CORE_PORTS = {
    *("clk_i", "rst_ni", "zeroise_i", "busy_o"),
    *("key_valid_i", "key_ready_o", "key_size_i", "key_i"),
    *("block_valid_i", "block_ready_o", "block_direction_i", "block_i"),
    *("block_valid_o", "block_ready_i", "block_o"),
}
"""What a core must have; tags and ``idle_o`` are used where they are there."""


_ACCELERATOR_PARAMETERS = {"StreamWidth", "Asynchronous", "Directions", "KeySizes"}
"""What the accelerator's test bench is written with."""


def has_self_test(module: Module, ports: Collection[str]) -> bool:
    """Whether there is a test bench for a module: one for its protocol, and all that it needs.

    That is key sizes, of which answers are known, and directions; the ports of a core;
    the parameters of an accelerator. A module of a user may lack any.

    Args:
        module: What is exported.
        ports: Names of the top's ports.
    """
    if module.protocol not in _TEMPLATES or not module.directions or not module.key_sizes:
        return False
    if not set(module.key_sizes) <= set(_KEY_SIZES.get(module.cipher or "", ())):
        return False
    if module.protocol == "accelerator":
        return module.parameters.keys() >= _ACCELERATOR_PARAMETERS
    return module.protocol != "block-core" or set(ports) >= _CORE_PORTS


def self_test(module: Module, ports: Collection[str], header: str | None = None) -> str:
    """Return the test bench of a module as Verilog-2005.

    It has one module, ``self_test``, needs no input, and prints a line that begins
    with PASS or FAIL. It tests the SystemVerilog with the module's parameters, or,
    with the macro ``SINGLE_FILE``, the Verilog-2005 version, which has none.

    Args:
        module: One that ``has_self_test``.
        ports: Names of the top's ports.
        header: The C header of its registers, where it has some.

    Raises:
        ToolError: No known answer fits its key sizes and directions.
    """
    assert module.protocol is not None  # noqa: S101 - for the type checker
    directions = [int(d is Direction.DECRYPT) for d in module.directions]
    values: dict[str, object] = {
        "top": module.top,
        "parameters": module.parameters,
        "most_clocks": _MOST_CLOCKS,
    }
    if module.protocol == "accelerator":
        wanted = _message_vectors(module, directions)
        values |= {
            "width": module.parameters["StreamWidth"],
            "asynchronous": module.parameters["Asynchronous"],
            "registers": registers.offsets(header or ""),
        }
    else:
        wanted = _block_vectors(module, directions)
        cipher = module.cipher or ""
        values |= {
            "package": f"{cipher}_pkg",
            "key_bits": _KEY_PORT_BITS[cipher],
            "block_bits": _BLOCK_BITS[cipher],
            "has_tag": {"block_tag_i", "block_tag_o"} <= set(ports),
            "has_idle": "idle_o" in ports,
            "tag_bits": module.parameters.get("TagWidth", _DEFAULT_TAG_BITS),
            "size_range": "[1:0] " if len(_KEY_SIZES[cipher]) > 2 else "",
        }
    if not wanted:
        raise ToolError(f"{module.name}: no known answer fits its key sizes and directions")
    return templates.render(_TEMPLATES[module.protocol], vectors=wanted, **values)


def _number(text: bytes, cipher: str) -> str:
    """Return bytes as the number (hexadecimal) that a port has of them."""
    return (text[::-1] if _BYTE_0_IS_LOWEST[cipher] else text).hex()


def _block_vectors(module: Module, directions: Sequence[int]) -> list[dict[str, object]]:
    cipher = module.cipher or ""
    rows: list[dict[str, object]] = []
    last_key = b""
    for vector in vectors.blocks(cipher, module.key_sizes):
        for direction in directions:
            given, answer = vector.plain, vector.cipher
            if direction:
                given, answer = answer, given
            rows.append(
                {
                    "source": vector.source,
                    "size": _KEY_SIZES[cipher].index(8 * len(vector.key)),
                    "key_bits": 8 * len(vector.key),
                    "key": _number(vector.key, cipher),
                    "new_key": vector.key != last_key,
                    "direction": direction,
                    "given": _number(given, cipher),
                    "answer": _number(answer, cipher),
                }
            )
            last_key = vector.key
    return rows


def _message_vectors(module: Module, directions: Sequence[int]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    last_key = b""

    def add(vector: vectors.Message, direction: int, size: int, what: str) -> None:
        nonlocal last_key
        given, answer = vector.plain[:size], vector.cipher[:size]
        if direction:
            given, answer = answer, given
        rows.append(
            {
                "source": vector.source,
                "what": what,
                "mode": _MODES.index(vector.mode),
                "size": _KEY_SIZES["aes"].index(8 * len(vector.key)),
                "key": _number(vector.key, "aes"),
                "new_key": vector.key != last_key,
                "direction": direction,
                "iv": _number(vector.iv, "aes"),
                "bytes": size,
                "given": _number(given, "aes") or "0",
                "answer": _number(answer, "aes") or "0",
            }
        )
        last_key = vector.key

    for key_size in module.key_sizes:
        for vector in vectors.messages((key_size,)):
            whole = len(vector.plain)
            if vector.mode != "ctr":
                for direction in directions:
                    add(vector, direction, whole, "decrypt" if direction else "encrypt")
            elif 0 in directions:  # CTR decrypts by encrypting, so it needs that direction
                add(vector, 0, whole, "encrypt")
                add(vector, 1, _RAGGED_BYTES, f"decrypt, the first {_RAGGED_BYTES} bytes")
        add(vectors.messages((key_size,), ("ecb",))[0], directions[0], 0, "no bytes")
    return rows
