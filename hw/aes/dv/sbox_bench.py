# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""All S-boxes over all 256 inputs, and the column mixers (cocotb tests)."""

from __future__ import annotations

from random import Random

import cocotb
from aes_reference import field_times, sub_byte
from cocotb.triggers import Timer

SUB_BYTES = [sub_byte(value) for value in range(256)]
INVERSE_SUB_BYTES = [SUB_BYTES.index(value) for value in range(256)]


@cocotb.test()
async def all_inputs(dut):
    """Each implementation, direction and width gives the table of FIPS 197."""
    for value in range(256):
        dut.data_i.value = value
        for direction, table in enumerate((SUB_BYTES, INVERSE_SUB_BYTES)):
            dut.direction_i.value = direction
            await Timer(1, unit="ns")
            for name in ("table_both_o", "composite_both_o", "decoder_both_o"):
                assert int(getattr(dut, name).value) == table[value], (name, direction, value)
            for name in ("table_word_o", "composite_word_o", "decoder_word_o", "steered_word_o"):
                assert int(getattr(dut, name).value) == 0x01010101 * table[value], (name, value)
        for name in ("table", "composite", "decoder"):
            assert int(getattr(dut, f"{name}_encrypt_o").value) == SUB_BYTES[value], name
            assert int(getattr(dut, f"{name}_decrypt_o").value) == INVERSE_SUB_BYTES[value], name


def mixed(column: bytes, factors: tuple[int, ...]) -> int:
    """Return a column times the circulant matrix with these factors (FIPS 197, 5.1.3)."""
    result = bytearray(4)
    for i in range(4):
        for j in range(4):
            result[i] ^= field_times(column[j], factors[(j - i) % 4])
    return int.from_bytes(result, "little")


@cocotb.test()
async def columns(dut):
    """MixColumns and InvMixColumns, each alone and shared, on random and unit columns."""
    random = Random(1)
    inputs = [bytes(8 * [0])[:4]]
    inputs += [(1 << bit).to_bytes(4, "little") for bit in range(32)]
    inputs += [random.randbytes(4) for _ in range(200)]
    for column in inputs:
        dut.column_i.value = int.from_bytes(column, "little")
        forward, inverse = mixed(column, (2, 3, 1, 1)), mixed(column, (14, 11, 13, 9))
        for direction, both in enumerate((forward, inverse)):
            dut.direction_i.value = direction
            await Timer(1, unit="ns")
            assert int(dut.mix_both_o.value) == both
        assert int(dut.mix_encrypt_o.value) == forward
        assert int(dut.mix_decrypt_o.value) == inverse
