# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The instruction units behind one port: each function, whole blocks, errors, cycles."""

from __future__ import annotations

from pathlib import Path
from random import Random

import cocotb
from bus import LIMIT
from ciphermill_dv import residue, stall
from ciphermill_dv.registers import RegisterMap
from ciphers import (
    AES,
    INVERSE_MIX,
    INVERSE_SBOX,
    exclusive_or,
    half_column,
    mix_column,
    round_keys,
    zkn,
)
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from coprocessor import AVAILABLE, BUSY, ERROR, control_word
from coprocessor import ZEROISE as ERASE

MAP = RegisterMap(Path(__file__).resolve().parents[1] / "coprocessor_instruction.rdl")
ZKN, COLUMN, BLOCK, STREAM = (
    MAP.constant(unit, "funct3") for unit in ("ZKN", "COLUMN", "BLOCK", "STREAM")
)
ZKN_OPERATIONS = MAP.values("ZKN", "operation")
KEYS = {f"key_{bits}": bits // 64 for bits in (128, 192, 256)}
"""Functions that put a pair of words of a key, and its pairs."""
FUNCTIONS = MAP.values("BLOCK", "funct7")
KEY, ENCRYPT, DECRYPT, GET, BLOCK_STATUS, BLOCK_ZEROISE = (
    FUNCTIONS[name] for name in ("key_128", "encrypt", "decrypt", "get", "status", "zeroise")
)
PUSH, PULL, PUSH_KEY, CONTROL, STREAM_STATUS = MAP.values("STREAM", "funct7").values()
KNOWN = {
    ZKN: {select << 5 | low for select in range(4) for low in ZKN_OPERATIONS.values()},
    COLUMN: set(range(8)),
    BLOCK: {
        *(FUNCTIONS[name] + pair for name, pairs in KEYS.items() for pair in range(pairs)),
        *(function + pair for function in (ENCRYPT, DECRYPT) for pair in range(2)),
        *(GET + word for word in range(4)),
        BLOCK_STATUS,
        BLOCK_ZEROISE,
    },
    STREAM: set(MAP.values("STREAM", "funct7").values()),
}
STALLS = ("never", "sparse", "heavy")
KEPT = frozenset(
    {
        "running_direction_q",
        "running_bank_q",
        "newest_bank_q",
        "input_decrypt_q",
        "key_index_q",
        "last_index_q",
        "index_q",
        "phase_q",
        "constant_q",
        "key_size_q",
        "address_q",
        "count_q",
    }
)
"""Control state that a zeroise keeps, without key or data: bank, direction and progress."""


def words(data: bytes) -> list[int]:
    """Return the words of a key or block."""
    return [int.from_bytes(data[n : n + 4], "little") for n in range(0, len(data), 4)]


class Port:
    """The processor's side of the instruction port."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.random = Random(1)
        self.cycles = 0
        self.pauses = stall.never(self.random)

    async def start(self) -> None:
        dut = self.dut
        dut.instruction_valid_i.value = 0
        dut.instruction_function_i.value = 0
        cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
        dut.rst_ni.value = 0
        await ClockCycles(dut.clk_i, 3)
        dut.rst_ni.value = 1
        for status in ((BLOCK, BLOCK_STATUS), (STREAM, STREAM_STATUS)):
            while await self.issue(*status) & BUSY:
                pass

    async def step(self) -> None:
        await RisingEdge(self.dut.clk_i)
        self.cycles += 1

    async def issue(self, unit: int, function: int, a: int = 0, b: int = 0) -> int:
        """Execute an instruction and return its result; an unknown one completes at once."""
        dut = self.dut
        while next(self.pauses):
            await self.step()
        dut.instruction_function_i.value = function << 3 | unit
        dut.instruction_a_i.value = a
        dut.instruction_b_i.value = b
        dut.instruction_valid_i.value = 1
        for cycle in range(LIMIT):
            await self.step()
            known = int(dut.instruction_known_o.value)
            assert known == (function in KNOWN.get(unit, ())), (unit, hex(function))
            if int(dut.instruction_ready_o.value):
                result = int(dut.instruction_result_o.value)
                dut.instruction_valid_i.value = 0
                dut.instruction_a_i.value = self.random.getrandbits(32)
                dut.instruction_b_i.value = self.random.getrandbits(32)
                assert known or result == 0
                if (unit, function) in ((BLOCK, BLOCK_STATUS), (STREAM, STREAM_STATUS)):
                    assert result < 16, "bits without a meaning are not zero"
                return result
            assert known, "an unknown function waits"
            assert unit in (BLOCK, STREAM), f"cycle {cycle} of an instruction without state"
        raise AssertionError(f"unit {unit} waits for ever in function {function:#x}")

    async def block_key(self, key: bytes) -> None:
        size = len(key) // 8 - 2
        pairs = words(key)
        for n in range(0, len(pairs), 2):
            await self.issue(BLOCK, KEY | size << 2 | n // 2, pairs[n], pairs[n + 1])

    async def block_put(self, direction: int, block: bytes) -> None:
        w = words(block)
        function = DECRYPT if direction else ENCRYPT
        await self.issue(BLOCK, function, w[0], w[1])
        await self.issue(BLOCK, function | 1, w[2], w[3])

    async def block_get(self) -> bytes:
        found = [await self.issue(BLOCK, GET | n) for n in range(4)]
        return b"".join(word.to_bytes(4, "little") for word in found)

    async def stream_control(self, direction: int, key: bytes) -> None:
        await self.issue(STREAM, CONTROL, control_word(direction, len(key) // 8 - 2))

    async def stream_push(self, function: int, data: bytes) -> None:
        w = words(data)
        for n in range(0, len(w), 2):
            await self.issue(STREAM, function, w[n], w[n + 1])

    async def stream_pull(self) -> bytes:
        found = [await self.issue(STREAM, PULL) for _ in range(4)]
        return b"".join(word.to_bytes(4, "little") for word in found)

    def fresh(self) -> tuple[bytes, int, bytes]:
        key = self.random.randbytes(self.random.choice(AES.key_bytes))
        return key, self.random.getrandbits(1), self.random.randbytes(16)


@cocotb.test()
async def unknown_functions_answer_zero(dut):
    port = Port(dut)
    await port.start()
    for unit in range(8):
        for function in range(128):
            if function not in KNOWN.get(unit, ()):
                assert await port.issue(unit, function, 0x1234_5678, 0x9ABC_DEF0) == 0
    for status in ((BLOCK, BLOCK_STATUS), (STREAM, STREAM_STATUS)):
        assert not await port.issue(*status) & (ERROR | AVAILABLE)


@cocotb.test()
async def zkn_instructions(dut):
    """Every function and every byte value, compared with the definition."""
    port = Port(dut)
    await port.start()
    for function in sorted(KNOWN[ZKN]):
        for value in range(256):
            a, b = port.random.getrandbits(32), port.random.getrandbits(32)
            shift = 8 * (function >> 5)
            b = b & ~(255 << shift) | value << shift
            assert await port.issue(ZKN, function, a, b) == zkn(function, a, b), hex(function)


@cocotb.test()
async def a_block_by_zkn(dut):
    """A whole block as software computes it, with the standard instructions."""
    port = Port(dut)
    await port.start()
    for size in AES.key_bytes:
        for decrypt in (0, 1):
            key, block = port.random.randbytes(size), port.random.randbytes(16)
            found = await block_by_columns(port, key, block, decrypt, zkn_column)
            assert found == AES.reference(decrypt, key, block)


@cocotb.test()
async def half_column_instructions(dut):
    port = Port(dut)
    await port.start()
    for function in sorted(KNOWN[COLUMN]):
        for _ in range(300):
            a, b = port.random.getrandbits(32), port.random.getrandbits(32)
            assert await port.issue(COLUMN, function, a, b) == half_column(function, a, b)


@cocotb.test()
async def a_block_by_half_columns(dut):
    port = Port(dut)
    await port.start()
    for size in AES.key_bytes:
        for decrypt in (0, 1):
            key, block = port.random.randbytes(size), port.random.randbytes(16)
            found = await block_by_columns(port, key, block, decrypt, half_columns)
            assert found == AES.reference(decrypt, key, block)


@cocotb.test()
async def words_by_half_columns(dut):
    """SubWord and InvMixColumns of a word, as the README says."""
    port = Port(dut)
    await port.start()
    for _ in range(20):
        x = port.random.getrandbits(32)
        y = await port.issue(COLUMN, 4, x, x) ^ await port.issue(COLUMN, 5, x, x)
        assert y.to_bytes(4, "little").translate(INVERSE_SBOX) == x.to_bytes(4, "little")
        z = await port.issue(COLUMN, 2, y, y) ^ await port.issue(COLUMN, 3, y, y)
        assert z.to_bytes(4, "little") == mix_column(x.to_bytes(4, "little"), INVERSE_MIX)


async def zkn_column(port: Port, state: list[int], n: int, decrypt: int, last: bool) -> int:
    """Return a column of the next state without its key, by four byte instructions."""
    name = f"aes32{'d' if decrypt else 'e'}s{'' if last else 'm'}i"
    function = ZKN_OPERATIONS[name]
    step = -1 if decrypt else 1
    word = 0
    for row in range(4):
        word = await port.issue(ZKN, row << 5 | function, word, state[(n + step * row) % 4])
    return word


async def half_columns(port: Port, state: list[int], n: int, decrypt: int, last: bool) -> int:
    """Return the same by two half-column instructions."""
    function = decrypt << 1 | int(last) << 2
    step = -1 if decrypt else 1
    operands = [state[(n + step * row) % 4] for row in range(4)]
    first = await port.issue(COLUMN, function, operands[0], operands[1])
    return first ^ await port.issue(COLUMN, function | 1, operands[2], operands[3])


async def block_by_columns(port: Port, key: bytes, block: bytes, decrypt: int, column) -> bytes:
    """Return a block, by the cipher or the equivalent inverse cipher (FIPS 197, 5.3.5)."""
    keys = round_keys(key)
    if decrypt:
        keys.reverse()
        keys[1:-1] = [
            b"".join(mix_column(k[n : n + 4], INVERSE_MIX) for n in range(0, 16, 4))
            for k in keys[1:-1]
        ]
    state = words(exclusive_or(block, keys[0]))
    for round_key in keys[1:]:
        last = round_key is keys[-1]
        mixed = [await column(port, state, n, decrypt, last) for n in range(4)]
        state = [a ^ b for a, b in zip(mixed, words(round_key), strict=True)]
    return b"".join(word.to_bytes(4, "little") for word in state)


@cocotb.test()
async def blocks_by_whole_block_instructions(dut):
    port = Port(dut)
    await port.start()
    for pattern in STALLS:
        port.pauses = stall.PATTERNS[pattern](port.random)
        expected: list[bytes] = []
        key, direction, _ = port.fresh()
        await port.block_key(key)
        for _ in range(40):
            if port.random.random() < 0.3:
                key, direction, _ = port.fresh()
                await port.block_key(key)
            block = port.random.randbytes(16)
            await port.block_put(direction, block)
            expected.append(AES.reference(direction, key, block))
            if len(expected) == 2 or port.random.random() < 0.5:
                assert await port.block_get() == expected.pop(0)
        for wanted in expected:
            assert await port.block_get() == wanted
    assert not await port.issue(BLOCK, BLOCK_STATUS) & (ERROR | AVAILABLE | BUSY)


@cocotb.test()
async def blocks_by_the_stream(dut):
    port = Port(dut)
    await port.start()
    for pattern in STALLS:
        port.pauses = stall.PATTERNS[pattern](port.random)
        expected: list[bytes] = []
        for n in range(60):
            if n == 0 or port.random.random() < 0.4:
                key, direction, _ = port.fresh()
                await port.stream_control(direction, key)
                await port.stream_push(PUSH_KEY, key)
            block = port.random.randbytes(16)
            await port.stream_push(PUSH, block)
            expected.append(AES.reference(direction, key, block))
            while len(expected) == 4 or (expected and port.random.random() < 0.4):
                assert await port.stream_pull() == expected.pop(0)
        for wanted in expected:
            assert await port.stream_pull() == wanted
    assert not await port.issue(STREAM, STREAM_STATUS) & (ERROR | AVAILABLE | BUSY)


@cocotb.test()
async def a_full_stream_takes_keys(dut):
    """Any number of keys is accepted while all blocks are in flight and none is pulled."""
    port = Port(dut)
    await port.start()
    expected = []
    for _ in range(4):
        key, direction, block = port.fresh()
        await port.stream_control(direction, key)
        await port.stream_push(PUSH_KEY, key)
        await port.stream_push(PUSH, block)
        expected.append(AES.reference(direction, key, block))
    for _ in range(3):
        await port.stream_push(PUSH_KEY, key)
    for wanted in expected:
        assert await port.stream_pull() == wanted


@cocotb.test()
async def cycles_with_a_fresh_key_for_each_block(dut):
    """With an instruction in every cycle, a block takes no cycles besides the instructions."""
    port = Port(dut)
    await port.start()
    for direction in (0, 1):
        expected = []
        await port.stream_control(direction, bytes(16))
        blocks = 20
        start = port.cycles
        for n in range(blocks + 2):
            if n < blocks:
                key, block = port.random.randbytes(16), port.random.randbytes(16)
                await port.stream_push(PUSH_KEY, key)
                await port.stream_push(PUSH, block)
                expected.append(AES.reference(direction, key, block))
            if n >= 2:
                assert await port.stream_pull() == expected.pop(0)
        # Two keys, two words and four results: 8 instructions. The core needs 11 cycles for
        # encryption with a key each, 13 for decryption.
        cycles = (port.cycles - start) / blocks
        assert cycles <= (11, 14)[direction] + 2, (direction, cycles)


@cocotb.test()
async def errors(dut):
    port = Port(dut)
    await port.start()
    block_status, stream_status = (BLOCK, BLOCK_STATUS), (STREAM, STREAM_STATUS)
    key, direction, block = port.fresh()
    # Nothing in flight.
    assert await port.issue(BLOCK, GET | 3) == 0
    assert await port.issue(*block_status) & ERROR
    assert await port.issue(STREAM, PULL) == 0
    assert await port.issue(*stream_status) & ERROR
    # No key.
    for way in ("key", "limit"):
        await port.issue(BLOCK, BLOCK_ZEROISE)
        await port.issue(STREAM, CONTROL, ERASE)
        while (await port.issue(*block_status) | await port.issue(*stream_status)) & BUSY:
            pass
        assert not (await port.issue(*block_status) | await port.issue(*stream_status)) & ERROR
        if way == "limit":
            await port.block_key(key)
            await port.stream_control(direction, key)
            await port.stream_push(PUSH_KEY, key)
            for _ in range(2):
                await port.block_put(direction, block)
            for _ in range(4):
                await port.stream_push(PUSH, block)
            assert not (await port.issue(*block_status) | await port.issue(*stream_status)) & ERROR
        await port.block_put(direction, block)
        await port.stream_push(PUSH, block)
        assert await port.issue(*block_status) & ERROR
        assert await port.issue(*stream_status) & ERROR
    wanted = AES.reference(direction, key, block)
    for _ in range(2):
        assert await port.block_get() == wanted
    for _ in range(4):
        assert await port.stream_pull() == wanted
    # A key size that does not exist:
    await port.issue(STREAM, CONTROL, ERASE)
    await port.issue(STREAM, CONTROL, control_word(0, 3))
    await port.stream_push(PUSH_KEY, bytes(24))
    assert not await port.issue(*stream_status) & ERROR, "before its last pair"
    await port.stream_push(PUSH_KEY, bytes(8))
    assert await port.issue(*stream_status) & ERROR
    # Half a block and half a key before CONTROL are forgotten.
    await port.issue(STREAM, CONTROL, ERASE)
    await port.issue(STREAM, PUSH_KEY, 1, 2)
    await port.issue(STREAM, PUSH, 3, 4)
    await port.stream_control(direction, key)
    await port.stream_push(PUSH_KEY, key)
    await port.stream_push(PUSH, block)
    assert await port.stream_pull() == wanted


@cocotb.test()
async def a_key_without_its_last_pair_is_none(dut):
    """For each size and unit: a pair that was not written counts as zero."""
    port = Port(dut)
    await port.start()
    block_status, stream_status = (BLOCK, BLOCK_STATUS), (STREAM, STREAM_STATUS)
    for length in AES.key_bytes:
        key, block = port.random.randbytes(length), port.random.randbytes(16)
        pairs, last = words(key)[:-2], words(key)[-2:]
        size = length // 8 - 2
        await port.issue(BLOCK, BLOCK_ZEROISE)
        await port.issue(STREAM, CONTROL, ERASE)
        while (await port.issue(*block_status) | await port.issue(*stream_status)) & BUSY:
            pass
        await port.stream_control(0, key)
        for n in range(0, len(pairs), 2):
            await port.issue(BLOCK, KEY | size << 2 | n // 2, pairs[n], pairs[n + 1])
            await port.issue(STREAM, PUSH_KEY, pairs[n], pairs[n + 1])
        await port.block_put(0, block)
        await port.stream_push(PUSH, block)
        assert await port.issue(*block_status) == ERROR, length
        assert await port.issue(*stream_status) == ERROR, length
        # The last pair of a key comes, then that of another key without its other pairs.
        await port.issue(BLOCK, KEY | size << 2 | len(pairs) // 2, *last)
        await port.issue(STREAM, PUSH_KEY, *last)
        await port.block_put(0, block)
        await port.stream_push(PUSH, block)
        wanted = AES.reference(0, key, block)
        assert await port.block_get() == wanted and await port.stream_pull() == wanted
        await port.issue(BLOCK, KEY | size << 2 | len(pairs) // 2, *last)
        await port.block_put(0, block)
        rest = bytes(length - 8) + key[-8:]
        assert await port.block_get() == AES.reference(0, rest, block)


@cocotb.test()
async def a_stream_begins_anew_with_a_reset(dut):
    """Half a key and half a block before a reset are forgotten; CONTROL is zero after it."""
    port = Port(dut)
    await port.start()
    for _ in range(3):
        key, block = port.random.randbytes(16), port.random.randbytes(16)
        await port.stream_push(PUSH_KEY, key)
        await port.stream_push(PUSH, block)
        assert await port.stream_pull() == AES.reference(0, key, block)
        await port.issue(STREAM, PUSH_KEY, 1, 2)
        await port.issue(STREAM, PUSH, 3, 4)
        await port.issue(STREAM, PULL)
        await port.start()
        assert not await port.issue(STREAM, STREAM_STATUS) & ERROR


@cocotb.test()
async def nothing_to_get_right_after_a_zeroise(dut):
    """In the cycle after a zeroise, every word of a result reads zero."""
    port = Port(dut)
    await port.start()
    for word in range(4):
        await port.issue(BLOCK, BLOCK_ZEROISE)
        assert await port.issue(BLOCK, GET | word) == 0
        await port.issue(STREAM, CONTROL, ERASE)
        assert await port.issue(STREAM, PULL) == 0


@cocotb.test()
async def a_block_without_its_first_pair(dut):
    """A pair that was not written counts as zero, not as that of the block before."""
    port = Port(dut)
    await port.start()
    for length in AES.key_bytes:
        key, block = port.random.randbytes(length), port.random.randbytes(16)
        await port.block_key(key)
        await port.block_put(0, block)
        assert await port.block_get() == AES.reference(0, key, block)
        await port.issue(BLOCK, ENCRYPT | 1, *words(block)[2:])
        assert await port.block_get() == AES.reference(0, key, bytes(8) + block[8:])


@cocotb.test()
async def zeroise_and_reset_leave_no_secret(dut):
    port = Port(dut)
    await port.start()
    for way in ("zeroise", "reset"):
        key, direction, block = port.fresh()
        part = port.random.randbytes(16)
        await port.block_key(key)
        await port.block_put(direction, block)
        await port.issue(BLOCK, KEY, *words(part)[:2])
        await port.issue(BLOCK, ENCRYPT, *words(part)[2:])
        await port.stream_control(direction, key)
        await port.stream_push(PUSH_KEY, key)
        for _ in range(4):
            await port.stream_push(PUSH, block)
        await port.issue(STREAM, PUSH_KEY, *words(part)[:2])
        await port.issue(STREAM, PUSH, *words(part)[2:])
        await ClockCycles(dut.clk_i, 40)
        secrets = [key, part, AES.reference(direction, key, block)]
        assert residue.find(dut, secrets)
        if way == "zeroise":
            await port.issue(BLOCK, BLOCK_ZEROISE)
            await port.issue(STREAM, CONTROL, ERASE)
        else:
            await port.start()
        for status in ((BLOCK, BLOCK_STATUS), (STREAM, STREAM_STATUS)):
            while (found := await port.issue(*status)) & BUSY:
                pass
            assert not found & (AVAILABLE | ERROR)
        left = residue.find(dut, secrets)
        assert not left, left
        left = residue.nonzero_registers(dut, KEPT)
        assert not left, left
        await port.block_put(direction, block)
        await port.stream_push(PUSH, block)
        assert await port.issue(BLOCK, BLOCK_STATUS) & ERROR
        assert await port.issue(STREAM, STREAM_STATUS) & ERROR
        await port.issue(BLOCK, BLOCK_ZEROISE)
        await port.issue(STREAM, CONTROL, ERASE)
