# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The accelerator's control: errors, abort, zeroise, interrupts."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import reference
import register_map
from accelerator import Accelerator
from ciphermill_dv import residue
from cocotb.triggers import ClockCycles, Timer
from cocotbext.axi import AxiResp, AxiStreamFrame
from reference import BLOCK

ALL_ONES = 0xFFFF_FFFF


async def ready(dut: Any, load: bool = True) -> tuple[Accelerator, bytes]:
    """Return an accelerator after reset with a key in it."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    key = random.randbytes(max(accelerator.key_lengths))
    await accelerator.configure("ecb", "encrypt", len(key))
    if load:
        await accelerator.load_key(key)
    return accelerator, key


async def check_alive(accelerator: Accelerator, key: bytes) -> None:
    """Run a message of each mode with the key that is loaded."""
    for mode in reference.MODES:
        iv, data = random.randbytes(BLOCK), random.randbytes(3 * BLOCK)
        await accelerator.configure(mode, "encrypt", len(key))
        await accelerator.load_iv(iv)
        answer = reference.crypt(mode, "encrypt", key, iv, data)
        assert await accelerator.message(data) == answer.data, mode
    assert not await accelerator.errors()


async def check_early_data(accelerator: Accelerator, key: bytes) -> None:
    """Send data before the start: they are kept, however the last message ended."""
    data = random.randbytes(2 * BLOCK)
    await accelerator.configure("ecb", "encrypt", len(key))
    accelerator.send(data)
    await ClockCycles(accelerator.dut.clk_i, 60)
    await accelerator.start(len(data))
    wanted = reference.crypt("ecb", "encrypt", key, bytes(BLOCK), data)
    assert await accelerator.receive() == wanted.data
    await accelerator.wait_status(busy=0, done=1)


async def check_refused(accelerator: Accelerator, length: int, *errors: str) -> None:
    """Start a message that must be refused with exactly these errors."""
    await accelerator.start(length)
    status = await accelerator.wait_status(busy=0)
    assert status["done"] == 0
    assert await accelerator.errors() == set(errors)


@cocotb.test()
async def registers(dut: Any) -> None:
    """Identification, capabilities, write-only keys, and addresses that do not exist."""
    accelerator, key = await ready(dut)
    accelerator.stall_registers(seed=3)
    assert (await accelerator.read("IDENTIFICATION")).to_bytes(4, "little") == b"CMIL"
    assert await accelerator.fields("VERSION") == {"patch": 0, "minor": 3, "major": 2}
    capability = await accelerator.fields("CAPABILITY")
    assert capability["architecture"] == accelerator.architecture
    assert capability["asynchronous"] == int(accelerator.asynchronous)
    assert capability["decrypt"] == int("decrypt" in accelerator.directions)
    assert capability["gcm"] == int(accelerator.has_gcm)
    assert capability["xts"] == int(accelerator.has_xts)
    await accelerator.write("DATA_UNIT_LENGTH", ALL_ONES)
    there = ALL_ONES if accelerator.has_xts else 0
    assert await accelerator.read("DATA_UNIT_LENGTH") == there
    if not accelerator.has_xts:
        await accelerator.command("load_tweak_key")
        assert await accelerator.errors() == {"unsupported"}
    assert await accelerator.fields("CHANNELS") == {"count": 1, "cores": 1, "index": 0}
    await accelerator.write_pair("AAD_LENGTH", (1 << 64) - 1)
    there = (1 << 61) - 1 if accelerator.has_gcm else 0
    assert await accelerator.read_pair("AAD_LENGTH") == there
    for length in (16, 24, 32):
        assert capability[f"key_{8 * length}"] == int(length in accelerator.key_lengths)
    for name in ("encrypt", "ecb", "cbc", "ctr", "bypass", "sink"):
        assert capability[name] == 1
    geometry = await accelerator.fields("GEOMETRY")
    assert geometry["stream_bytes"] == accelerator.lanes
    assert geometry["input_fifo_blocks"] == geometry["output_fifo_blocks"] == 8
    await accelerator.write_bytes("KEY", key)
    for word in range(8):
        assert await accelerator.read("KEY", word) == 0
    assert await accelerator.read("CONTROL") == 0
    iv = random.randbytes(BLOCK)
    await accelerator.load_iv(iv, blocks=0x1_2345_6789)
    assert await accelerator.read_iv() == iv
    assert await accelerator.read_pair("IV_BLOCKS") == 0x1_2345_6789
    await accelerator.write("IV", 0, index=2)
    assert await accelerator.read_pair("IV_BLOCKS") == 0, "a new IV starts a new count"
    for address in (0x68, 0xAC, 0xFC):
        assert (await accelerator.axil.read(address, 4)).resp == AxiResp.SLVERR
        assert (await accelerator.axil.write(address, b"\x01" * 4)).resp == AxiResp.SLVERR
    await check_alive(accelerator, key)


@cocotb.test()
async def lengths_refused(dut: Any) -> None:
    """ECB and CBC refuse partial blocks: no output, and the sender does not hang."""
    accelerator, key = await ready(dut)
    for mode in ("ecb", "cbc"):
        for length in (1, 15, 17, 1000):
            await accelerator.configure(mode, "encrypt", len(key))
            await check_refused(accelerator, length, "length")
            accelerator.send(random.randbytes(length))
            await accelerator.source.wait()
            assert accelerator.sink.empty()
            assert int(dut.m_axis_tvalid_o.value) == 0
            await accelerator.command("abort")
            await accelerator.wait_status(busy=0)
    await check_refused(accelerator, 15, "length")
    await check_alive(accelerator, key)  # no abort is needed when nothing was sent
    await check_early_data(accelerator, key)


@cocotb.test()
async def keystream_never_twice(dut: Any) -> None:
    """CTR refuses a message that would repeat a counter value of the loaded IV."""
    accelerator, key = await ready(dut)
    for width, limit in ((32, 1 << 32), (64, (1 << 64) - 1), (128, (1 << 64) - 1)):
        iv = random.randbytes(BLOCK)
        await accelerator.configure("ctr", "encrypt", len(key), width)
        await accelerator.load_iv(iv, blocks=limit - 4)
        await check_refused(accelerator, 4 * BLOCK + 1, "counter")
        await check_refused(accelerator, (1 << 64) - 1, "counter")
        assert await accelerator.read_iv() == iv, "no counter was used"
        data = random.randbytes(4 * BLOCK - 3)
        answer = reference.crypt("ctr", "encrypt", key, iv, data, width)
        assert await accelerator.message(data) == answer.data
        assert await accelerator.read_pair("IV_BLOCKS") == limit
        await check_refused(accelerator, 1, "counter")
        await accelerator.load_iv(iv)
        assert len(await accelerator.message(data)) == len(data)
        # Another counter width over the same IV could repeat counter values.
        await accelerator.configure("ctr", "encrypt", len(key), 64 if width == 32 else 32)
        await check_refused(accelerator, 1, "counter")
    # A chaining value is no counter.
    await accelerator.configure("cbc", "encrypt", len(key))
    await accelerator.load_iv(random.randbytes(BLOCK))
    await accelerator.message(random.randbytes(BLOCK))
    await accelerator.configure("ctr", "encrypt", len(key))
    await check_refused(accelerator, 1, "counter")
    await check_alive(accelerator, key)


@cocotb.test()
async def missing_parts(dut: Any) -> None:
    """Refused: no key, or a mode, counter width, direction or key size that does not exist."""
    accelerator, key = await ready(dut, load=False)
    await check_refused(accelerator, BLOCK, "no_key")
    await accelerator.load_key(key)
    there = {0, 1, 2, *[3] * accelerator.has_gcm, *[4] * accelerator.has_xts}
    for mode in set(range(8)) - there:
        await accelerator.write("CONFIGURATION", register_map.pack("CONFIGURATION", mode=mode))
        await check_refused(accelerator, BLOCK, "unsupported")
    word = register_map.pack("CONFIGURATION", mode=2, counter_width=3)
    await accelerator.write("CONFIGURATION", word)
    await check_refused(accelerator, BLOCK, "unsupported")
    if "decrypt" not in accelerator.directions:
        await accelerator.configure("cbc", "decrypt", len(key))
        await check_refused(accelerator, BLOCK, "unsupported")
    sizes = {0: 16, 1: 24, 2: 32, 3: None}
    for size in (n for n, length in sizes.items() if length not in accelerator.key_lengths):
        await accelerator.write_bytes("KEY", random.randbytes(32))
        await accelerator.write("CONFIGURATION", register_map.pack("CONFIGURATION", key_size=size))
        await accelerator.command("load_key")
        assert await accelerator.errors() == {"unsupported"}
        assert int(dut.key.value) == 0, "a refused key lingers"
        await accelerator.write("MESSAGE_LENGTH_LOW", BLOCK)
        await accelerator.command("load_key", "start")
        await accelerator.wait_status(busy=0, done=0, key_loaded=0)
        assert await accelerator.errors() == {"unsupported", "no_key"}
    await accelerator.configure("ecb", "encrypt", len(key))
    await accelerator.load_key(key)
    await check_alive(accelerator, key)


@cocotb.test()
async def incomplete_keys(dut: Any) -> None:
    """A key is loaded only if each of its words was written since the last load."""
    accelerator, key = await ready(dut)
    await accelerator.message(random.randbytes(BLOCK))
    await accelerator.command("load_key")  # its registers were cleared: this would be zero
    assert await accelerator.errors() == {"no_key"}
    await check_refused(accelerator, BLOCK, "no_key")
    for length in accelerator.key_lengths:
        key = random.randbytes(length)
        await accelerator.configure("ecb", "encrypt", length)
        for missing in range(length // 4):
            for word in range(length // 4):
                if word != missing:
                    part = int.from_bytes(key[4 * word : 4 * word + 4], "little")
                    await accelerator.write("KEY", part, word)
            await accelerator.command("load_key")
            assert await accelerator.errors() == {"no_key"}, (length, missing)
            assert (await accelerator.fields("STATUS"))["key_loaded"] == 0, (length, missing)
    await accelerator.write_bytes("KEY", key)
    await accelerator.write("MESSAGE_LENGTH_LOW", 0)
    await accelerator.command("load_key", "start")
    await accelerator.wait_status(done=1, key_loaded=1)
    await check_alive(accelerator, key)
    # Keys in a row, each while the one before may still be on its way.
    for _ in range(8):
        key = random.randbytes(len(key))
        await accelerator.write_bytes("KEY", key)
        await accelerator.start(0)
        await accelerator.command("load_key")
        if await accelerator.errors():
            await accelerator.wait_status(busy=0, key_pending=0)
            await accelerator.write_bytes("KEY", key)
            await accelerator.command("load_key")
    await check_alive(accelerator, key)


@cocotb.test()
async def parts_of_key_words(dut: Any) -> None:
    """A write without all byte strobes changes no key word and does not count as one."""
    accelerator, key = await ready(dut)
    address = register_map.address("KEY")
    # One byte of each word, then every byte of each word, one at a time.
    for offsets in (range(0, len(key), 4), range(len(key))):
        for offset in offsets:
            await accelerator.axil.write(address + offset, key[offset : offset + 1])
        await accelerator.command("load_key")
        assert await accelerator.errors() == {"no_key"}
        await check_refused(accelerator, BLOCK, "no_key")
    # Three bytes of a word: it counts as missing.
    for missing in (0, len(key) // 4 - 1):
        await accelerator.write_bytes("KEY", key[: 4 * missing])
        if key[4 * missing + 4 :]:
            await accelerator.axil.write(address + 4 * missing + 4, key[4 * missing + 4 :])
        await accelerator.axil.write(address + 4 * missing, bytes(3))
        await accelerator.axil.write(address + 4 * missing + 1, bytes(3))
        await accelerator.command("load_key")
        assert await accelerator.errors() == {"no_key"}, missing
    # Partial writes after a whole key leave it unchanged.
    await accelerator.write_bytes("KEY", key)
    for offset in range(len(key)):
        await accelerator.axil.write(address + offset, bytes(min(3 - offset % 3, 3 - offset % 4)))
    await accelerator.command("load_key")
    await check_alive(accelerator, key)
    # Other registers take single bytes.
    await accelerator.load_iv(bytes(BLOCK))
    await accelerator.axil.write(register_map.address("IV") + 5, b"\x5a")
    assert await accelerator.read_iv() == bytes(5) + b"\x5a" + bytes(10)
    await check_alive(accelerator, key)


@cocotb.test()
async def lengths_beyond_a_word(dut: Any) -> None:
    """All 64 bits of a length count, for messages of 4 GiB and more."""
    accelerator, key = await ready(dut)
    engine = accelerator.modes.u_modes
    data = random.randbytes(6 * BLOCK)
    kinds = [("ecb", False), ("cbc", False), ("ctr", False), ("ecb", True)]
    for number, bit in enumerate((32, 33, 35, 36, 37, 47, 63)):
        # If the high bits were ignored, this would be a message of one block.
        mode, bypass = kinds[number % len(kinds)]
        await accelerator.configure(mode, "encrypt", len(key), bypass=bypass, sink=True)
        await accelerator.load_iv(random.randbytes(BLOCK))
        await accelerator.start((1 << bit) + BLOCK)
        await ClockCycles(dut.clk_i, 5)
        assert int(engine.output_left_q.value) == (1 << bit - 4) + 1, bit
        await accelerator.send_part(data, 4 * BLOCK)
        await ClockCycles(dut.clk_i, 700)
        assert (await accelerator.fields("STATUS"))["busy"] == 1, bit
        assert not await accelerator.errors(), bit
        assert await accelerator.read_pair("SINK_BYTES") // BLOCK >= 4, bit
        await accelerator.give_up()
    # The remaining length counts down across the boundary of its words.
    await accelerator.configure("ecb", "encrypt", len(key), sink=True)
    await accelerator.start(1 << 40)
    await ClockCycles(dut.clk_i, 5)
    for left in (engine.issue_left_q, engine.output_left_q):
        left.value = (1 << 32) + 2
    await accelerator.send_part(data, 4 * BLOCK)
    await ClockCycles(dut.clk_i, 700)
    taken = await accelerator.read_pair("SINK_BYTES") // BLOCK
    assert taken >= 4
    assert int(engine.issue_left_q.value) == int(engine.output_left_q.value)
    assert int(engine.output_left_q.value) == (1 << 32) + 2 - taken
    assert not await accelerator.errors()
    await accelerator.give_up()
    await check_alive(accelerator, key)


@cocotb.test()
async def counters_beyond_a_word(dut: Any) -> None:
    """Every counter carries from its low word into its high word."""
    accelerator, key = await ready(dut)
    counters = accelerator.channel.u_counters
    data = random.randbytes(4 * BLOCK)
    await accelerator.configure("ctr", "encrypt", len(key), 64, sink=True)
    await accelerator.load_iv(random.randbytes(BLOCK), blocks=(1 << 32) - 2)
    await accelerator.start(len(data))
    await ClockCycles(dut.clk_i, 5)
    counters.cycles_o.value = (1 << 32) - 2
    counters.sink_bytes_o.value = (1 << 32) - 2 * BLOCK
    await ClockCycles(dut.clk_i, 20)
    accelerator.send(data)
    await accelerator.wait_status(busy=0, done=1)
    assert await accelerator.read_pair("IV_BLOCKS") == (1 << 32) + 2
    assert await accelerator.read_pair("SINK_BYTES") == (1 << 32) + 2 * BLOCK
    assert 1 << 32 < await accelerator.read_pair("CYCLES") < (1 << 32) + 2_000
    # These two have 32 bits and wrap.
    await accelerator.configure("ctr", "encrypt", len(key), 64)
    await accelerator.start(len(data))
    await ClockCycles(dut.clk_i, 5)
    counters.stall_input_o.value = (1 << 32) - 2
    await ClockCycles(dut.clk_i, 400)
    accelerator.sink.pause = True
    longer = random.randbytes(40 * BLOCK)
    accelerator.send(data)
    await accelerator.wait_status(busy=1)
    accelerator.sink.pause = False
    await accelerator.receive()
    await accelerator.wait_status(busy=0, done=1)
    assert 0 < await accelerator.read("STALL_INPUT") < 2_000
    await accelerator.start(len(longer))
    await ClockCycles(dut.clk_i, 5)
    counters.stall_output_o.value = (1 << 32) - 2
    accelerator.sink.pause = True
    accelerator.send(longer)
    await ClockCycles(dut.clk_i, 1_500)
    accelerator.sink.pause = False
    await accelerator.receive()
    await accelerator.wait_status(busy=0, done=1)
    assert 0 < await accelerator.read("STALL_OUTPUT") < 3_000
    await check_alive(accelerator, key)


@cocotb.test()
async def busy_refuses(dut: Any) -> None:
    """During a message, starts, keys and configurations are refused without effect."""
    accelerator, key = await ready(dut)
    iv, data = random.randbytes(BLOCK), random.randbytes(6 * BLOCK)
    await accelerator.configure("ctr", "encrypt", len(key), 128)
    await accelerator.load_iv(iv)
    await accelerator.start(len(data))
    await accelerator.command("start")
    assert await accelerator.errors() == {"busy"}
    await accelerator.write_bytes("KEY", random.randbytes(32))
    await accelerator.command("load_key")
    assert await accelerator.errors() == {"busy"}
    await accelerator.write("CONFIGURATION", 0)
    await accelerator.write_bytes("IV", bytes(16))
    await accelerator.write_pair("IV_BLOCKS", 7)
    await accelerator.write("MESSAGE_LENGTH_LOW", 3)
    accelerator.send(data)
    answer = reference.crypt("ctr", "encrypt", key, iv, data)
    assert await accelerator.receive() == answer.data
    await accelerator.wait_status(busy=0, done=1)
    assert await accelerator.read_iv() == answer.iv
    assert await accelerator.read_pair("IV_BLOCKS") == 6
    await check_alive(accelerator, key)


def frame(data: bytes, keep: list[int] | None = None) -> AxiStreamFrame:
    """Return a stream frame with a given TKEEP."""
    return AxiStreamFrame(tdata=data, tkeep=keep or [1] * len(data))


@cocotb.test()
async def framing(dut: Any) -> None:
    """A misplaced TLAST or a TKEEP with gaps ends a message; an abort recovers."""
    accelerator, key = await ready(dut)
    lanes = accelerator.lanes
    hole = [1] * (5 * BLOCK)
    hole[BLOCK + 2] = 0
    partial = [1] * (5 * BLOCK)
    partial[2 * lanes - 1] = 0
    cases = {
        "early": (5 * BLOCK, frame(bytes(3 * BLOCK))),
        "early by a byte": (5 * BLOCK, frame(bytes(5 * BLOCK - 1))),
        "late by a byte": (5 * BLOCK - 2, frame(bytes(5 * BLOCK - 1))),
        "late": (5 * BLOCK, frame(bytes(9 * BLOCK))),
        "hole": (5 * BLOCK, frame(bytes(5 * BLOCK), hole)),
        "not full before the last": (5 * BLOCK, frame(bytes(5 * BLOCK), partial)),
    }
    for mode, bypass in (("ecb", False), ("cbc", False), ("ctr", False), ("ecb", True)):
        for name, (length, sent) in cases.items():
            if mode != "ctr" and not bypass and length % BLOCK:
                continue
            await accelerator.configure(mode, "encrypt", len(key), bypass=bypass)
            await accelerator.load_iv(random.randbytes(BLOCK))
            await accelerator.start(length)
            accelerator.source.send_nowait(sent)
            status = await accelerator.wait_status(busy=0)
            assert status["done"] == 0, (mode, bypass, name)
            assert await accelerator.errors() == {"framing"}, (mode, bypass, name)
            await accelerator.source.wait()  # the rest is dropped, and the sender does not hang
            await accelerator.command("abort")
            await accelerator.wait_status(busy=0)
            accelerator.drop_streams()
    await check_alive(accelerator, key)


@cocotb.test()
async def abort(dut: Any) -> None:
    """An abort at any point drops the message; the key stays and the next message is right."""
    accelerator, key = await ready(dut)
    for mode in reference.MODES:
        for cycles in (0, 1, 7, 30, 100):
            await accelerator.configure(mode, "encrypt", len(key))
            await accelerator.load_iv(random.randbytes(BLOCK))
            accelerator.sink.pause = cycles == 30
            await accelerator.start(64 * BLOCK)
            accelerator.send(random.randbytes(64 * BLOCK))
            await ClockCycles(dut.clk_i, cycles)
            accelerator.source.pause = True
            await accelerator.command("abort")
            status = await accelerator.wait_status(busy=0)
            assert (status["done"], status["key_loaded"]) == (0, 1)
            assert int(dut.m_axis_tvalid_o.value) == 0
            accelerator.drop_streams()
            accelerator.stall("none")
            await accelerator.command("abort")  # also what came before the abort
            await accelerator.wait_status(busy=0)
            await check_alive(accelerator, key)
    # Data without a message is dropped as well, and an abort does not set `done`.
    await accelerator.write("INTERRUPT_STATE", 0xFFFF_FFFF)
    accelerator.send(random.randbytes(3 * BLOCK))
    await accelerator.source.wait()
    await accelerator.command("abort")
    await accelerator.wait_status(busy=0)
    assert await accelerator.read("INTERRUPT_STATE") == 0
    await check_early_data(accelerator, key)
    await check_alive(accelerator, key)


@cocotb.test()
async def zeroise(dut: Any) -> None:
    """After a zeroise no register or memory holds a word of key, keystream or data."""
    accelerator, key = await ready(dut)
    for mode, stall in (("ctr", "input"), ("ctr", "output"), ("cbc", "output"), ("ecb", "none")):
        key, iv = random.randbytes(len(key)), random.randbytes(BLOCK)
        data = random.randbytes(64 * BLOCK)
        answer = reference.crypt(mode, "encrypt", key, iv, data)
        keystream = reference.crypt("ctr", "encrypt", key, iv, bytes(64 * BLOCK)).data
        secrets = [key, iv, data, answer.data, keystream]
        await accelerator.configure(mode, "encrypt", len(key))
        await accelerator.load_key(key)
        await accelerator.load_iv(iv)
        accelerator.sink.pause = stall == "output"
        await accelerator.start(len(data))
        if stall != "input":
            accelerator.send(data)
        await ClockCycles(dut.clk_i, 300)
        before = residue.find(dut, secrets)
        assert any("memory" in path for path in before), "the search does not see memories"
        assert any("u_core" in path for path in residue.find(dut, [key])), "nor keys in the core"
        accelerator.source.pause = True
        await ClockCycles(dut.clk_i, 2)
        await accelerator.command("zeroise")
        await accelerator.command("start", "load_key")
        refused = await accelerator.errors()
        status = await accelerator.wait_status(zeroising=0)
        accelerator.drop_streams()
        await ClockCycles(dut.clk_i, 2)
        await accelerator.command("abort")
        await accelerator.wait_status(busy=0)
        await Timer(1, "ns")
        assert "busy" in refused, refused
        assert (status["busy"], status["key_loaded"], status["key_pending"]) == (0, 0, 0)
        assert status["done"] == 0
        found = residue.find(dut, secrets)
        assert not found, (mode, stall, found)
        await accelerator.errors()
        await accelerator.configure(mode, "encrypt", len(key))
        await check_refused(accelerator, BLOCK, "no_key")
        accelerator.stall("none")
        accelerator.source.pause = False
        await accelerator.load_key(key)
        await check_alive(accelerator, key)


@cocotb.test()
async def reset_sweeps(dut: Any) -> None:
    """A reset in a message clears everything; STATUS is busy until the sweep has ended."""
    accelerator, key = await ready(dut)
    iv, data = random.randbytes(BLOCK), random.randbytes(32 * BLOCK)
    await accelerator.configure("cbc", "encrypt", len(key))
    await accelerator.load_iv(iv)
    accelerator.sink.pause = True
    await accelerator.start(len(data))
    accelerator.send(data)
    await ClockCycles(dut.clk_i, 300)
    answer = reference.crypt("cbc", "encrypt", key, iv, data)
    assert residue.find(dut, [data, answer.data])
    accelerator.drop_streams()
    await accelerator.reset(wait=False)
    assert (await accelerator.fields("STATUS"))["zeroising"] == 1
    await accelerator.wait_status(zeroising=0)
    accelerator.drop_streams()
    assert not residue.find(dut, [key, iv, data, answer.data])
    accelerator.stall("none")
    await accelerator.configure("ecb", "encrypt", len(key))
    await check_refused(accelerator, BLOCK, "no_key")
    await accelerator.load_key(key)
    await check_alive(accelerator, key)


@cocotb.test()
async def interrupts(dut: Any) -> None:
    """The interrupt line rises for enabled causes only and stays until its state is cleared."""
    accelerator, key = await ready(dut)
    line = dut.interrupt_o
    await accelerator.message(random.randbytes(BLOCK))
    assert int(line.value) == 0
    assert await accelerator.fields("INTERRUPT_STATE") == {"done": 1, "error": 0}
    await accelerator.write("INTERRUPT_STATE", ALL_ONES)
    await accelerator.write("INTERRUPT_ENABLE", register_map.pack("INTERRUPT_ENABLE", done=1))
    await accelerator.message(random.randbytes(2 * BLOCK))
    await ClockCycles(dut.clk_i, 5)
    assert int(line.value) == 1
    await accelerator.write("INTERRUPT_STATE", register_map.pack("INTERRUPT_STATE", error=1))
    await ClockCycles(dut.clk_i, 8)
    assert int(line.value) == 1
    await accelerator.write("INTERRUPT_STATE", register_map.pack("INTERRUPT_STATE", done=1))
    await ClockCycles(dut.clk_i, 8)
    assert int(line.value) == 0
    await accelerator.write("INTERRUPT_ENABLE", register_map.pack("INTERRUPT_ENABLE", error=1))
    await check_refused(accelerator, 1, "length")
    await ClockCycles(dut.clk_i, 8)
    assert int(line.value) == 1
    assert await accelerator.fields("INTERRUPT_STATE") == {"done": 1, "error": 1}
    await accelerator.write("INTERRUPT_STATE", ALL_ONES)
    await ClockCycles(dut.clk_i, 8)
    assert int(line.value) == 0
    await accelerator.start(0)
    await accelerator.wait_status(done=1)
    assert await accelerator.fields("INTERRUPT_STATE") == {"done": 1, "error": 0}
    await check_alive(accelerator, key)


@cocotb.test()
async def every_error_interrupts(dut: Any) -> None:
    """Each bit of ERROR sets INTERRUPT_STATE.error and raises the line; nothing else does."""
    accelerator, key = await ready(dut)
    line = dut.interrupt_o

    async def length() -> None:
        await accelerator.configure("ecb", "encrypt", len(key))
        await accelerator.start(1)

    async def counter() -> None:
        await accelerator.configure("ctr", "encrypt", len(key), 32)
        await accelerator.load_iv(bytes(BLOCK), blocks=1 << 32)
        await accelerator.start(1)

    async def no_key() -> None:
        await accelerator.command("load_key")

    async def unsupported() -> None:
        word = register_map.pack("CONFIGURATION", mode=7)
        await accelerator.write("CONFIGURATION", word)
        await accelerator.start(BLOCK)

    async def busy() -> None:
        await accelerator.configure("ecb", "encrypt", len(key))
        await accelerator.start(BLOCK)
        await accelerator.command("start")

    async def framing() -> None:
        await accelerator.configure("ecb", "encrypt", len(key))
        await accelerator.start(2 * BLOCK)
        accelerator.send(bytes(BLOCK))

    for cause in (length, counter, unsupported, busy, framing, no_key):
        for enable in ("error", "done"):
            await accelerator.write("INTERRUPT_STATE", ALL_ONES)
            word = register_map.pack("INTERRUPT_ENABLE", **{enable: 1})
            await accelerator.write("INTERRUPT_ENABLE", word)
            await cause()
            name = cause.__name__
            if name == "framing":
                await accelerator.wait_status(busy=0)
            await ClockCycles(dut.clk_i, 40)
            state = await accelerator.fields("INTERRUPT_STATE")
            ends = int(name not in ("busy", "no_key"))  # those end no message
            assert state == {"done": ends, "error": 1}, (name, state)
            assert int(line.value) == state[enable], (name, enable)
            assert await accelerator.errors() == {name}
            await accelerator.give_up()
            if name == "no_key":
                await accelerator.load_key(key)
                await accelerator.wait_status(key_pending=0)
    await accelerator.configure("ecb", "encrypt", len(key))
    await check_alive(accelerator, key)
