# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The self-tests of modules that stand alone: by the top module, since each has its own ports.

Answers are published ones; a FIFO and the DMA engine, which compute nothing, are checked for
every word or byte that they move.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ciphermill.algorithms import ALGORITHMS, Algorithm, Vector
from ciphermill.design import Core
from ciphermill.registers import (
    accel,
    card,
    card_ring,
    coprocessor,
    coprocessor_shell,
    dma,
)

from .verilog2005 import Port

MEASURED_LATENCIES = (1, 16, 64, 128, 256)
"""Of memory, in cycles: those at which the self-test of ``dma`` measures a copy."""
_MOST_CYCLES = 200_000
_MOST_CURVE_CYCLES = 3_000_000

Values = dict[str, Any]


@dataclass(frozen=True)
class UnitTest:
    """A test bench of a module."""

    template: str
    values: Callable[[Core, Mapping[str, Port]], Values]
    """What the template needs."""
    ports: Collection[str]
    """Ports that it connects, by which a module of the same name is told from another one."""
    most_cycles: int = _MOST_CYCLES


def unit_test(module: Core, ports: Collection[str]) -> UnitTest | None:
    """Return the test bench of a module that stands alone; None if there is none."""
    found = _TESTS.get(module.top)
    return found if found and set(ports) >= set(found.ports) else None


def values(test: UnitTest, module: Core, ports: Mapping[str, Port]) -> Values:
    """Return all values that a test bench's template needs."""
    common = {
        "top": module.top,
        "parameters": module.parameters,
        "most_cycles": test.most_cycles,
    }
    return common | test.values(module, ports)


def _lanes(text: bytes) -> str:
    """Return bytes as a hexadecimal number, byte 0 in the low bits."""
    return text[::-1].hex() or "0"


# McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B: H, the padded
# associated data and ciphertext with their lengths, GHASH.
_GHASH = (
    (
        "GCM, test case 2",
        "66e94bd4ef8a2c3b884cfa59ca342b2e",
        "0388dace60b6a392f328c2b971b2fe7800000000000000000000000000000080",
        "f38cbb1ad69223dcc3457ae5b6b0f885",
    ),
    (
        "GCM, test case 4",
        "b83b533708bf535d0aa6e52980d53b78",
        "feedfacedeadbeeffeedfacedeadbeefabaddad2000000000000000000000000"
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
        "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e09100000000"
        "00000000000000a000000000000001e0",
        "698e57f70e6ecc7fd9463b7260a9ae5f",
    ),
)


def _ghash(_module: Core, _ports: Mapping[str, Port]) -> Values:
    rows = []
    for source, key, data, answer in _GHASH:
        blocks = [data[at : at + 32] for at in range(0, len(data), 32)]
        rows.append(
            {
                "source": source,
                "key": _lanes(bytes.fromhex(key)),
                "blocks": [_lanes(bytes.fromhex(one)) for one in blocks],
                "answer": _lanes(bytes.fromhex(answer)),
            }
        )
    return {"vectors": rows}


def _fifo(module: Core, ports: Mapping[str, Port]) -> Values:
    return {"width": ports["data_i"].bits, "depth": module.parameters["Depth"]}


def _blocks(module: Core, *, little: bool) -> list[Values]:
    """Return the known blocks of a cipher for a module's key sizes and directions."""
    algorithm = ALGORITHMS[module.algorithm or ""]
    rows = []
    for vector in algorithm.blocks(module.key_sizes):
        for direction in module.directions:
            pair = (vector.given, vector.answer)
            given, answer = pair if direction.value == "encrypt" else pair[::-1]
            order = _lanes if little else bytes.hex
            rows.append(
                {
                    "source": vector.source,
                    "direction": int(direction.value == "decrypt"),
                    "size": algorithm.cores.key_size_codes[8 * len(vector.key)],
                    "key_bits": 8 * len(vector.key),
                    "key": order(vector.key),
                    "given": order(given),
                    "answer": order(answer),
                }
            )
    return rows


def _nibble(module: Core, _ports: Mapping[str, Port]) -> Values:
    package = ALGORITHMS[module.algorithm or ""].cores.package
    return {"vectors": _blocks(module, little=False), "package": package}


def _coprocessor(module: Core, _ports: Mapping[str, Port]) -> Values:
    shell = module.top == "coprocessor_shell"
    numbers = coprocessor_shell if shell else coprocessor
    known = vars(numbers)
    magic = known["IDENTIFICATION__MAGIC_VALUE"]
    return {
        "shell": shell,
        "r": known,
        "magic": f"32'd{magic}" if shell else f"16'd{magic}",
        "block_bytes": ALGORITHMS[module.algorithm or ""].block_bytes,
        "vectors": _blocks(module, little=True),
    }


def _messages(module: Core, _ports: Mapping[str, Port]) -> Values:
    algorithm = ALGORITHMS[module.algorithm or ""]
    verbs = {"encrypt": 0, "decrypt": 1, "digest": 2}
    flags = algorithm.cores.operation_flags
    there = module.parameters.get(algorithm.cores.operation_parameter, sum(flags.values()))
    rows: list[Values] = []
    last_key = b""

    def add(vector: Vector, what: str, given: bytes, answer: bytes, tag: bytes) -> None:
        nonlocal last_key
        verb = what.partition(",")[0]
        if not there & flags[verb]:
            return
        rows.append(
            {
                "source": vector.source,
                "what": what,
                "verb": verbs[verb],
                "new_key": bool(vector.key) and vector.key != last_key,
                "key": _lanes(vector.key),
                "iv": _lanes(vector.iv),
                "aad_bytes": len(vector.associated),
                "aad": _lanes(vector.associated),
                "bytes": len(given),
                "given": _lanes(given),
                "answer_bytes": len(answer),
                "answer": _lanes(answer),
                "tag": _lanes(tag),
                "forged": int("wrong" in what),
            }
        )
        last_key = vector.key or last_key

    for vector in algorithm.vectors:
        if vector.operation == "digest":
            add(vector, "digest", vector.given, vector.answer, b"")
            continue
        text, tag = vector.answer[: len(vector.given)], vector.answer[len(vector.given) :]
        wrong = bytes([*tag[:-1], tag[-1] ^ 0x80])
        add(vector, "encrypt", vector.given, text, tag)
        add(vector, "decrypt", text, vector.given, tag)
        add(vector, "decrypt, the tag is wrong", text, vector.given, wrong)
    return {"vectors": rows, "package": algorithm.cores.package, "most_bytes": _longest(rows, 48)}


def _longest(rows: Sequence[Values], least: int) -> int:
    keys = ("bytes", "answer_bytes")
    lengths: list[int] = [row[key] for row in rows for key in keys if key in row]
    return -(-max(least, *lengths) // 16) * 16 + 16


_CURVES = ALGORITHMS["ecc"]
_GOOD, _PRIVATE, _INVALID = 0, 2, 8
"""Statuses of ``ecc_core`` (``ecc_pkg``)."""


def _curves(module: Core, _ports: Mapping[str, Port]) -> Values:
    bits = min(
        size
        for size, code in _CURVES.cores.key_size_codes.items()
        if module.parameters.get("Curves", 7) >> code & 1
    )
    rows: list[Values] = []

    def add(vector: Vector, what: str, verb: int, given: bytes, answer: bytes, end: int) -> None:
        rows.append(
            {
                "source": vector.source,
                "what": what,
                "verb": verb,
                "curve": _CURVES.cores.key_size_codes[bits],
                "bytes": len(given),
                "given": given.hex(),
                "answer_bytes": len(answer),
                "answer": answer.hex() or "0",
                "outcome": end,
            }
        )

    for vector in _CURVES.vectors:
        if len(vector.key) != -(-bits // 8):
            continue
        if vector.operation == "agree":
            add(vector, "agree", 4, vector.key + vector.given, vector.answer, _GOOD)
            nothing = bytes(len(vector.key))
            add(vector, "a private key of zero", 4, nothing + vector.given, b"", _PRIVATE)
            continue
        add(vector, "sign", 2, vector.key + vector.iv + vector.given, vector.answer, _GOOD)
        signed = vector.associated + vector.answer
        add(vector, "verify", 3, signed + vector.given, b"", _GOOD)
        other = bytes([*vector.given[:-1], vector.given[-1] ^ 1])
        add(vector, "verify, the signature is wrong", 3, signed + other, b"", _INVALID)
    return {
        "vectors": rows,
        "package": _CURVES.cores.package,
        "most_bytes": _longest(rows, 64),
    }


def _modes(algorithm: Algorithm, key_bits: int) -> list[Vector]:
    return list(algorithm.messages(key_bits))


def _board(module: Core, ports: Mapping[str, Port]) -> Values:
    banks = ports["memory_valid_o"].bits
    rows = []
    for vector in _modes(ALGORITHMS["aes"], 128):
        if vector.mode != "ctr":
            continue
        whole = len(vector.given)
        for length, what in ((whole, ""), (whole - 3, ", without its last three bytes")):
            rows.append(
                {
                    "source": vector.source,
                    "what": what,
                    "key": _lanes(vector.key),
                    "iv": _lanes(vector.iv),
                    "bytes": length,
                    "given": _lanes(vector.given[:length]),
                    "answer": _lanes(vector.answer[:length]),
                }
            )
    return {
        "vectors": rows,
        "banks": banks,
        "address_width": ports["memory_address_o"].bits // banks,
        "length_bits": ports["bytes_i"].bits,
        "most_bytes": 64,
    }


def _dma(module: Core, ports: Mapping[str, Port]) -> Values:
    return {
        "r": vars(dma),
        "magic": f"32'd{dma.IDENTIFICATION__MAGIC_VALUE}",
        "data_bits": ports["m_axi_rdata_i"].bits,
        "stream_bits": ports["s_axis_tdata_i"].bits,
        "refuses": not module.parameters.get("ByteAlignment", 0),
        "latencies": MEASURED_LATENCIES,
    }


_KEY_SIZES = {
    128: accel.CONFIGURATION__KEY_SIZE__BITS_128,
    192: accel.CONFIGURATION__KEY_SIZE__BITS_192,
    256: accel.CONFIGURATION__KEY_SIZE__BITS_256,
}


def _card(module: Core, ports: Mapping[str, Port]) -> Values:
    algorithm = ALGORITHMS["aes"]
    rows: list[Values] = []
    last_key = b""
    for key_bits in (128, 256):
        for vector in _modes(algorithm, key_bits):
            pair = (vector.given, vector.answer)
            for direction, (given, answer) in enumerate((pair, pair[::-1])):
                mode = algorithm.cores.mode_codes[vector.mode]
                configuration = (
                    accel.CONFIGURATION__MODE.word(mode)
                    | accel.CONFIGURATION__DIRECTION.word(direction)
                    | accel.CONFIGURATION__COUNTER_WIDTH.word(2)
                )
                rows.append(
                    {
                        "source": vector.source,
                        "what": "decrypt" if direction else "encrypt",
                        "configuration": f"32'd{configuration}",
                        "size": _KEY_SIZES[key_bits],
                        "key": _lanes(vector.key),
                        "new_key": vector.key != last_key,
                        "iv": _lanes(vector.iv),
                        "bytes": len(given),
                        "given": _lanes(given),
                        "answer": _lanes(answer),
                    }
                )
                last_key = vector.key
    return {
        "vectors": rows,
        "c": vars(card),
        "r": vars(card_ring),
        "page": 4096,
        "bar_bits": ports["s_axil_awaddr_i"].bits,
        "rings": ports["interrupt_o"].bits,
        "data_bits": ports["m_axi_rdata_i"].bits,
        "most_bytes": 64,
    }


_TESTS = {
    "ghash": UnitTest("self_test_ghash.v.j2", _ghash, ("key_i", "block_last_i", "hash_o")),
    "prim_fifo": UnitTest("self_test_fifo.v.j2", _fifo, ("clear_i", "busy_o", "data_o")),
    "present_nibble": UnitTest("self_test_present_nibble.v.j2", _nibble, ("load_i", "result_o")),
    "coprocessor_iterative": UnitTest(
        "self_test_coprocessor.v.j2", _coprocessor, ("bus_valid_i", "irq_o")
    ),
    "coprocessor_shell": UnitTest(
        "self_test_coprocessor.v.j2", _coprocessor, ("bus_valid_i", "irq_o")
    ),
    "ascon_core": UnitTest("self_test_message_core.v.j2", _messages, ("nonce_i", "authentic_o")),
    "ecc_core": UnitTest(
        "self_test_curve_core.v.j2", _curves, ("operand_i", "status_o"), _MOST_CURVE_CYCLES
    ),
    "board_ctr": UnitTest("self_test_board.v.j2", _board, ("core_clk_i", "memory_valid_o")),
    "dma": UnitTest("self_test_dma.v.j2", _dma, ("m_axi_araddr_o", "s_axis_tdata_i")),
    "card": UnitTest("self_test_card.v.j2", _card, ("m_axi_araddr_o", "interrupt_o")),
}
"""By the top module."""
