# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The bus fronts themselves: refused accesses, bursts, turns, and cycles."""

from __future__ import annotations

import cocotb
from bus import FIXED, INCREMENT, OKAY, SLAVE_ERROR, WRAP, Axi4, AxiLite, BusError
from coprocessor import CONTROL, DATA_IN, DATA_OUT, ID, KEY, MAGIC, MAP, Coprocessor

STALLS = ("never", "sparse", "alternate", "heavy")


async def started(dut) -> Coprocessor:
    device = Coprocessor(dut)
    await device.start()
    await device.settle()
    return device


@cocotb.test()
async def addresses_beyond_the_registers_are_refused(dut):
    device = await started(dut)
    for pattern in STALLS:
        device.bus.pause(pattern)
        for address in (0x1000 + CONTROL, 0x2000 + CONTROL, 0x8000 + CONTROL, 0xF004):
            try:
                await device.bus.write_word(address, 0xF)
            except BusError:
                pass
            else:
                raise AssertionError("a write beyond the registers was answered OKAY")
            try:
                await device.bus.read_word(address)
            except BusError:
                pass
            else:
                raise AssertionError("a read beyond the registers was answered OKAY")
            assert await device.bus.read_word(CONTROL) == 0, "a refused write did something"


@cocotb.test()
async def refused_bursts_touch_nothing(dut):
    device = await started(dut)
    bus = device.bus
    if not isinstance(bus, Axi4):
        return
    size = bus.width
    code = 2 * size
    bursts = [
        # address, size, beats, kind
        (CONTROL & -size, size, 1, FIXED),
        (CONTROL & -size, size, 4, FIXED),
        (CONTROL & -size, size, 4, WRAP),
        (0, size, 1, 3),
        (0, code, 2, INCREMENT),
        (0, 128, 1, INCREMENT),
        (2, 4, 2, INCREMENT),
        (size // 2, size, 2, INCREMENT),
        (0x1000 - size, size, 2, INCREMENT),
        (0x0FF0, 4, 16, INCREMENT),
        (0xFFF0, 4, 16, INCREMENT),
    ]
    for pattern in STALLS:
        bus.pause(pattern)
        for address, beat, count, kind in bursts:
            data = b"\x0f" * (beat * count)
            assert await bus.write_burst(address, data, beat, kind) == SLAVE_ERROR, (address, kind)
            answer, found = await bus.read_burst(address, count, min(beat, size), kind)
            if beat <= size:
                assert answer == SLAVE_ERROR, (address, kind)
                assert not any(found)
            assert await bus.read_word(CONTROL) == 0, "a refused burst did something"
    # The last beat within the registers is taken.
    assert await bus.write_burst(0x1000 - 2 * size, bytes(2 * size), size) == OKAY


@cocotb.test()
async def the_longest_bursts(dut):
    """Bursts of 256 beats: at 16 bytes a beat they fill the 4 KiB, at 32 bytes they leave them."""
    device = await started(dut)
    bus = device.bus
    if not isinstance(bus, Axi4):
        return
    size = 4
    while size <= bus.width:
        wanted = OKAY if 256 * size <= 0x1000 else SLAVE_ERROR
        answer, found = await bus.read_burst(0, 256, size)
        assert answer == wanted, size
        assert (int.from_bytes(found[:2], "little") == MAGIC) == (wanted == OKAY)
        assert await bus.write_burst(0, bytes(256 * size), size) == wanted, size
        size *= 2


@cocotb.test()
async def addresses_that_wait_do_not_mix(dut):
    """Each channel accepts one transfer ahead; none is lost or mixed up."""
    device = await started(dut)
    bus = device.bus
    assert isinstance(bus, Axi4 | AxiLite)
    await device.load_random_key()
    for pattern in STALLS:
        bus.pause(pattern)
        for n in range(8):
            address = CONTROL if n % 2 else 0x0FC
            ready = [int(bus.channels[name].ready.value) for name in ("aw", "w", "ar")]
            assert n or all(ready), "an idle front takes everything at once"
            if isinstance(bus, AxiLite):
                bus.channels["aw"].items.append({"addr": address, "prot": 0})
                bus.channels["w"].items.append({"data": n, "strb": 15})
                bus.channels["ar"].items.append({"addr": (ID, CONTROL)[n % 2], "prot": 0})
            else:
                lane, place = address % bus.width, (ID, CONTROL)[n % 2]
                request = {"id": n % 4, "addr": address, "len": 0, "size": 2, "burst": INCREMENT}
                bus.channels["aw"].items.append(request)
                bus.channels["w"].items.append(
                    {"data": n << 8 * lane, "strb": 15 << lane, "last": 1}
                )
                bus.channels["ar"].items.append({**request, "addr": place})
        answers = await bus.run_until("r", 8)
        written = await bus.run_until("b", 8)
        for n, answer in enumerate(answers):
            word = answer["data"] >> 8 * ((ID, CONTROL)[n % 2] % bus.width) & 0xFFFF_FFFF
            if n % 2:
                assert word in range(16), "CONTROL"
            else:
                assert MAP.unpack("IDENTIFICATION", word)["magic"] == MAGIC, "ID"
            if isinstance(bus, Axi4):
                assert answer["id"] == written[n]["id"] == n % 4
        assert await bus.read_word(CONTROL) == 7


@cocotb.test()
async def bursts_of_every_beat_size(dut):
    device = await started(dut)
    bus = device.bus
    if not isinstance(bus, Axi4):
        return
    for pattern in STALLS:
        bus.pause(pattern)
        size = 4
        while size <= bus.width:
            key = device.random.randbytes(32)
            await device.control(2, 0)
            assert await bus.write_burst(KEY, key, size) == OKAY
            blocks = device.limit
            data = device.random.randbytes(16 * blocks)
            if 16 * blocks >= size:
                assert await bus.write_burst(DATA_IN, data, size) == OKAY
                answer, found = await bus.read_burst(
                    DATA_OUT, 16 * blocks // min(size, 16), min(size, 16)
                )
                assert answer == OKAY
                for n in range(0, len(data), 16):
                    wanted = device.cipher.reference(0, key, data[n : n + 16])
                    assert found[n : n + 16] == wanted, (size, n)
            size *= 2


@cocotb.test()
async def a_read_and_a_write_take_turns(dut):
    """Reads and writes offered all the time: neither starves."""
    device = await started(dut)
    bus = device.bus
    assert isinstance(bus, Axi4 | AxiLite)
    for pattern in ("never", "sparse"):
        bus.pause(pattern)
        for n in range(10):
            if isinstance(bus, AxiLite):
                bus.channels["aw"].items.append({"addr": CONTROL, "prot": 0})
                bus.channels["w"].items.append({"data": n, "strb": 15})
                bus.channels["ar"].items.append({"addr": ID, "prot": 0})
            else:
                lane = CONTROL % bus.width
                request = {"id": 1, "addr": CONTROL, "len": 0, "size": 2, "burst": INCREMENT}
                beat = {"data": n << 8 * lane, "strb": 15 << lane, "last": 1}
                bus.channels["aw"].items.append(request)
                bus.channels["w"].items.append(beat)
                bus.channels["ar"].items.append({**request, "addr": ID})
        await bus.run_until("b", 5)
        assert 3 <= len(bus.channels["r"].items) <= 7, "reads and writes do not take turns"
        await bus.run_until("r", 10)
        await bus.run_until("b", 5)
        assert await bus.read_word(CONTROL) == 9


@cocotb.test()
async def a_reset_takes_back_answers(dut):
    """A reset drops waiting answers, and the next transfers are answered."""
    device = await started(dut)
    bus = device.bus
    assert isinstance(bus, Axi4 | AxiLite)
    requests = [bus.channels[name] for name in ("aw", "w", "ar")]
    answers = [bus.channels[name] for name in ("b", "r")]
    lane = CONTROL % bus.width if isinstance(bus, Axi4) else 0
    kind = {"id": 1, "len": 0, "size": 2, "burst": INCREMENT}
    address = kind if isinstance(bus, Axi4) else {"prot": 0}
    beat = {"data": 15 << 8 * lane, "strb": 15 << lane}
    requests[0].items.append({**address, "addr": CONTROL})
    requests[1].items.append({**beat, "last": 1} if isinstance(bus, Axi4) else beat)
    requests[2].items.append({**address, "addr": ID})
    for channel in answers:
        channel.ready.value = 0
    for _ in range(20):
        for channel in requests:
            channel.drive()
        await bus.step()
        for channel in requests:
            channel.look()
    assert all(int(channel.valid.value) for channel in answers)
    dut.rst_ni.value = 0
    for _ in range(2):
        await bus.step()
        assert not any(int(channel.valid.value) for channel in answers)
    dut.rst_ni.value = 1
    await device.settle()
    assert await bus.read_word(CONTROL) == 0
    assert MAP.unpack("IDENTIFICATION", await bus.read_word(ID))["magic"] == MAGIC


@cocotb.test()
async def cycles_of_a_transfer(dut):
    """The README's figures: two cycles a single access, one more for each beat."""
    device = await started(dut)
    bus = device.bus
    start = bus.cycles
    await bus.write_word(CONTROL, 0)
    assert bus.cycles - start == 2
    start = bus.cycles
    await bus.read_word(ID)
    assert bus.cycles - start == 2
    if isinstance(bus, Axi4):
        # The registers take 16 bytes a cycle, so a beat of 32 bytes waits for one cycle.
        cycles = 1 + 8 * max(1, bus.width // 16)
        start = bus.cycles
        assert await bus.write_burst(0x400, bytes(8 * bus.width), bus.width) == OKAY
        assert bus.cycles - start == cycles
        start = bus.cycles
        assert (await bus.read_burst(0x400, 8, bus.width))[0] == OKAY
        assert bus.cycles - start == cycles
