# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Errors report side and descriptor, nothing hangs, and the next transfer works."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from ciphermill_dv.residue import find
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiStreamFrame
from dma_driver import DESCRIPTOR_BYTES, REGISTERS, Engine, Transfer
from memory_bus import PAGE, SIZE

HALF = SIZE // 2
PLACES = [0x400 + DESCRIPTOR_BYTES * n for n in (5, 0, 7, 2)]
LENGTH = 160


async def begin(dut: Any) -> Engine:
    """Return an engine after reset, memory full of random bytes."""
    engine = Engine(dut)
    engine.memory.data[:] = random.randbytes(SIZE)
    await engine.reset()
    return engine


async def failed(engine: Engine, error: str, descriptor: int, completed: int | None = None) -> None:
    """Wait for the end of a failing transfer, and check the error registers."""
    await engine.wait_idle()
    assert await engine.read("ERROR_DESCRIPTOR") == descriptor
    assert (await engine.fields("INTERRUPT_STATE"))["error"] == 1
    assert await engine.errors() == {error}
    await engine.write("INTERRUPT_STATE", REGISTERS.pack("INTERRUPT_STATE", error=1, done=1))
    if completed is not None:
        assert await engine.read("COMPLETED") == completed
    engine.memory.refuse_reads = engine.memory.refuse_writes = range(0)
    engine.drop_streams()


async def works(engine: Engine) -> None:
    """Run a transfer each way and compare."""
    data = random.randbytes(LENGTH + 3)
    source, destination = PAGE + 8, HALF + PAGE + 4
    await engine.start(Transfer(source, destination, len(data)))
    assert await engine.receive() == engine.memory.get(source, len(data))
    engine.send(data)
    await engine.wait_idle()
    assert engine.memory.get(destination, len(data)) == data
    assert engine.sink.empty()
    assert await engine.errors() == set()


def chain() -> list[Transfer]:
    """Return four transfers, each of its own message."""
    return [
        Transfer(PAGE + 1024 * n, HALF + 1024 * n, LENGTH, interrupt=True)
        for n in range(len(PLACES))
    ]


@cocotb.test()
async def read_errors(dut: Any) -> None:
    """After a failed read, the data before it have been sent and nothing else."""
    engine = await begin(dut)
    for which in (0, 2):
        completed = await engine.read("COMPLETED")
        transfers = [Transfer(t.source, 0, t.length, write=False) for t in chain()]
        at = transfers[which].source + 64
        engine.memory.refuse_reads = range(at, at + 1)
        await engine.start_chain(transfers, PLACES)
        await engine.wait_idle()
        for transfer in transfers[:which]:
            assert await engine.receive() == engine.memory.get(transfer.source, transfer.length)
        assert engine.sink.empty()
        part = b"".join(bytes(frame) for frame in engine.sink.read_queue)
        good = at // engine.data_bytes * engine.data_bytes - transfers[which].source
        assert len(part) <= good
        await failed(engine, "read", PLACES[which], completed + which)
        await works(engine)
    engine.memory.refuse_reads = range(PAGE, PAGE + 4)
    await engine.start(Transfer(PAGE, HALF, LENGTH))
    await failed(engine, "read", 1)
    await works(engine)


@cocotb.test()
async def write_errors(dut: Any) -> None:
    """A failed write is reported with its descriptor, early or late in the transfer."""
    engine = await begin(dut)
    for which, offset in ((0, 0), (1, LENGTH - 4), (3, 80)):
        completed = await engine.read("COMPLETED")
        transfers = chain()
        at = transfers[which].destination + offset
        engine.memory.refuse_writes = range(at, at + 1)
        for _ in transfers:
            engine.send(random.randbytes(LENGTH))
        await engine.start_chain(transfers, PLACES)
        await failed(engine, "write", PLACES[which], completed + which)
        await works(engine)


@cocotb.test()
async def error_of_the_very_last_beat(dut: Any) -> None:
    """A failure of the very last beat is reported as any other, and no message ends."""
    engine = await begin(dut)
    for length in (4, LENGTH):
        transfers = chain()
        last = transfers[-1]
        last.length = length
        completed = await engine.read("COMPLETED")
        at = last.source + length - 1
        engine.memory.refuse_reads = range(at, at + 1)
        for transfer in transfers:
            transfer.write = False
        await engine.start_chain(transfers, PLACES)
        for _ in transfers[:-1]:
            await engine.receive()
        await engine.wait_idle()
        assert engine.sink.empty(), "a message without its last bytes"
        await failed(engine, "read", PLACES[-1], completed + len(transfers) - 1)

        completed = await engine.read("COMPLETED")
        at = last.destination + length - 1
        engine.memory.refuse_writes = range(at, at + 1)
        for transfer in transfers:
            transfer.read, transfer.write = False, True
            engine.send(random.randbytes(transfer.length))
        await engine.start_chain(transfers, PLACES)
        await failed(engine, "write", PLACES[-1], completed + len(transfers) - 1)
        await works(engine)


@cocotb.test()
async def answers_during_an_abort(dut: Any) -> None:
    """An abort waits for all responses; a write that fails then is reported, a read is not."""
    engine = await begin(dut)
    for refused in ("nothing", "reads", "writes"):
        if refused == "reads":
            engine.memory.refuse_reads = range(PAGE, HALF)
        elif refused == "writes":
            engine.memory.refuse_writes = range(HALF, SIZE)
        for channel in ("r", "b"):
            engine.bus.channels[channel].pause = True
        engine.send(random.randbytes(LENGTH))
        ways = {"read": refused != "writes", "write": refused != "reads"}
        await engine.start(Transfer(PAGE, HALF, LENGTH, **ways))
        await ClockCycles(dut.clk_i, 120)
        await engine.write("CONTROL", REGISTERS.pack("CONTROL", abort=1))
        await ClockCycles(dut.clk_i, 300)
        status = await engine.fields("STATUS")
        assert status == {"busy": 1, "ready": 0, "stopping": 1}, "answers are still to come"
        for channel in ("r", "b"):
            engine.bus.channels[channel].pause = False
        if refused == "writes":
            await failed(engine, "write", 1)
        else:
            await engine.wait_idle()
            assert await engine.errors() == set()
            engine.memory.refuse_reads = range(0)
            engine.drop_streams()
        await works(engine)


@cocotb.test()
async def fetch_errors(dut: Any) -> None:
    """A descriptor that cannot be read: all before it are completed first."""
    engine = await begin(dut)
    for which in (0, 3):
        completed = await engine.read("COMPLETED")
        engine.memory.refuse_reads = range(PLACES[which] + 12, PLACES[which] + 13)
        data = [random.randbytes(LENGTH) for _ in range(which)]
        for message in data:
            engine.send(message)
        await engine.start_chain(chain(), PLACES)
        await engine.wait_idle()
        for transfer, message in zip(chain(), data, strict=False):
            assert engine.memory.get(transfer.destination, LENGTH) == message
        await failed(engine, "fetch", PLACES[which], completed + which)
        await works(engine)


@cocotb.test()
async def interrupt_of_an_error(dut: Any) -> None:
    """An error raises the line if that is enabled, until its state is cleared."""
    engine = await begin(dut)
    for enabled in (0, 1):
        await engine.write("INTERRUPT_ENABLE", REGISTERS.pack("INTERRUPT_ENABLE", error=enabled))
        engine.memory.refuse_reads = range(PAGE, PAGE + 4)
        await engine.start(Transfer(PAGE, 0, LENGTH, write=False))
        await engine.wait_idle()
        assert int(dut.interrupt_o.value) == enabled
        await failed(engine, "read", 1)
        await ClockCycles(dut.clk_i, 3)
        assert int(dut.interrupt_o.value) == 0
    await works(engine)


@cocotb.test()
async def interrupt_of_a_busy_error(dut: Any) -> None:
    """An ignored start raises the interrupt line as any other error does."""
    engine = await begin(dut)
    engine.bus.channels["r"].pause = True
    await engine.write("INTERRUPT_ENABLE", REGISTERS.pack("INTERRUPT_ENABLE", error=1))
    for start in ("LENGTH", "CHAIN"):
        await engine.start_chain([Transfer(PAGE, 0, LENGTH, write=False)], PLACES)
        await ClockCycles(dut.clk_i, 10)
        assert int(dut.interrupt_o.value) == 0
        await engine.write(start, 64)
        await engine.cycles_until(lambda: int(dut.interrupt_o.value) == 1, 10)
        assert await engine.fields("INTERRUPT_STATE") == {"done": 0, "error": 1}
        assert await engine.errors() == {"busy"}
        await engine.write("INTERRUPT_STATE", REGISTERS.pack("INTERRUPT_STATE", error=1))
        await engine.cycles_until(lambda: int(dut.interrupt_o.value) == 0, 10)
        engine.bus.channels["r"].pause = False
        await engine.receive()
        await engine.wait_idle()
        engine.bus.channels["r"].pause = True
    engine.bus.channels["r"].pause = False
    await works(engine)


@cocotb.test()
async def descriptor_of_the_first_error(dut: Any) -> None:
    """ERROR_DESCRIPTOR keeps the first error until ERROR is cleared; `busy` does not set it."""
    engine = await begin(dut)
    bad = chain()
    bad[1].source += 1
    impossible = Transfer(PAGE + 1, 0, 16, write=False)
    for bit, other in (("descriptor", "read"), ("read", "descriptor")):
        if bit == "descriptor":
            for transfer in bad:
                transfer.write = False
            await engine.start_chain(bad, PLACES)
            await engine.receive()
        else:
            engine.memory.refuse_reads = range(bad[0].source, bad[0].source + 4)
            await engine.start_chain(bad, PLACES)
        await engine.wait_idle()
        first = PLACES[1] if bit == "descriptor" else PLACES[0]
        assert await engine.read("ERROR_DESCRIPTOR") == first
        if other == "read":
            engine.memory.refuse_reads = range(PAGE, PAGE + 4)
            await engine.start(Transfer(PAGE, 0, LENGTH, write=False))
        else:
            await engine.start(impossible)
        await engine.wait_idle()
        assert await engine.read("ERROR_DESCRIPTOR") == first, "a later error took its place"
        assert await engine.errors() == {bit, other}
        engine.memory.refuse_reads = range(0)
        engine.drop_streams()
        await engine.start(impossible)
        await failed(engine, "descriptor", 1)

    engine.bus.channels["r"].pause = True
    await engine.start_chain([Transfer(PAGE, 0, LENGTH, write=False)], PLACES)
    await engine.write("LENGTH", 16)
    engine.bus.channels["r"].pause = False
    await engine.receive()
    await engine.wait_idle()
    await engine.start_chain([impossible], PLACES[2:])
    await engine.wait_idle()
    assert await engine.read("ERROR_DESCRIPTOR") == PLACES[2], "busy has no descriptor to keep"
    assert await engine.errors() == {"busy", "descriptor"}
    await works(engine)


@cocotb.test()
async def parts_of_a_word(dut: Any) -> None:
    """A write with a byte strobe low changes nothing and starts nothing."""
    engine = await begin(dut)
    await engine.write("SOURCE", PAGE)
    await engine.write("DESTINATION", HALF)
    await engine.write("FLAGS", Transfer().flags)
    for name, word in (("LENGTH", 0x10101010), ("CHAIN", PLACES[0]), ("SOURCE", 0x04040404)):
        before = await engine.read(name)
        for strobes in (0b0001, 0b1000, 0b0111, 0b1111):
            await engine.write_part(name, word, strobes)
        assert await engine.read(name) == before
    await engine.write_part("CONTROL", 1, 0b0001)
    await ClockCycles(dut.clk_i, 20)
    assert await engine.fields("STATUS") == {"busy": 0, "ready": 1, "stopping": 0}
    assert await engine.errors() == set()
    assert await engine.read("COMPLETED") == 0
    await works(engine)


@cocotb.test()
async def impossible_transfers(dut: Any) -> None:
    """Bad transfers are refused before a byte is moved; unused fields are not checked."""
    engine = await begin(dut)
    piece = engine.lanes + 4
    for transfer in (
        Transfer(PAGE + 1, HALF, 16),
        Transfer(PAGE, HALF + 2, 16),
        Transfer(2**32 - 16, HALF, 17),
        Transfer(2**32 - 16, HALF, 20),
        Transfer(PAGE, 2**32 - 16, 17),
        Transfer(PAGE, 2**32 - 4, 8),
        Transfer(PAGE, HALF, 2**32 - 4),
        Transfer(PAGE, HALF, piece, message_end=False),
        Transfer(PAGE, HALF, piece, write=False, message_end=False),
    ):
        before = bytes(engine.memory.data)
        await engine.start(transfer)
        await failed(engine, "descriptor", 1)
        assert bytes(engine.memory.data) == before
    await engine.start(Transfer(PAGE, 3, 16, write=False))
    await engine.receive()
    await engine.wait_idle()
    assert await engine.errors() == set()

    transfers = chain()
    transfers[1].destination += 1
    engine.send(random.randbytes(LENGTH))
    completed = await engine.read("COMPLETED")
    await engine.start_chain(transfers, PLACES)
    await failed(engine, "descriptor", PLACES[1], completed + 1)
    await engine.write("CHAIN", PLACES[0] + 4)
    await failed(engine, "descriptor", PLACES[0])
    await works(engine)


def broken_frames(lanes: int) -> list[AxiStreamFrame]:
    """Return messages that are not of LENGTH bytes, or have a gap."""
    gap = [1] * LENGTH
    gap[lanes + 1] = 0
    return [
        AxiStreamFrame(tdata=bytes(LENGTH - lanes)),
        AxiStreamFrame(tdata=bytes(LENGTH + 1)),
        AxiStreamFrame(tdata=bytes(LENGTH - 1)),
        AxiStreamFrame(tdata=bytes(LENGTH), tkeep=gap),
        AxiStreamFrame(tdata=b"\0"),
    ]


@cocotb.test()
async def framing_errors(dut: Any) -> None:
    """A message whose length is not that of its transfer is reported with its descriptor."""
    engine = await begin(dut)
    for frame in broken_frames(engine.lanes):
        completed = await engine.read("COMPLETED")
        engine.bus.stall(random.getrandbits(32))  # so that the one before ends late
        good = random.randbytes(LENGTH)
        engine.send(good)
        engine.source.send_nowait(frame)
        await engine.start_chain(chain(), PLACES)
        await engine.wait_idle()
        assert engine.memory.get(chain()[0].destination, LENGTH) == good
        engine.bus.stall(None)
        await failed(engine, "framing", PLACES[1])
        # The transfer before is written; its source may or may not have been read to the end.
        assert await engine.read("COMPLETED") in (completed, completed + 1)
        await works(engine)


@cocotb.test()
async def abort_at_any_point(dut: Any) -> None:
    """An abort ends all transfers without an error, and the next ones are right."""
    engine = await begin(dut)
    for n in range(10):
        engine.stall(random.getrandbits(32))
        for _ in chain():
            engine.send(random.randbytes(LENGTH))
        await engine.start_chain(chain(), PLACES)
        await ClockCycles(dut.clk_i, random.randint(0, 12 * (n + 1)))
        await engine.write("CONTROL", REGISTERS.pack("CONTROL", abort=1))
        await engine.wait_idle()
        assert await engine.errors() == set()
        engine.stall(None)
        engine.drop_streams()
        await works(engine)


@cocotb.test()
async def reset_at_any_point(dut: Any) -> None:
    """A reset ends all transfers, and every register has its reset value."""
    engine = await begin(dut)
    for n in range(10):
        engine.stall(random.getrandbits(32))
        for _ in chain():
            engine.send(random.randbytes(LENGTH))
        await engine.start_chain(chain(), PLACES)
        await ClockCycles(dut.clk_i, random.randint(0, 12 * (n + 1)))
        engine.stall(None)
        dut.rst_ni.value = 0
        engine.drop_streams()
        await ClockCycles(dut.clk_i, 2)
        for name in ("m_axi_arvalid_o", "m_axi_awvalid_o", "m_axi_wvalid_o", "m_axis_tvalid_o"):
            assert not int(getattr(dut, name).value), f"{name} is high during a reset"
        await engine.reset()
        assert await engine.errors() == set()
        assert await engine.read("COMPLETED") == 0
        await works(engine)


@cocotb.test()
async def abort_leaves_no_data(dut: Any) -> None:
    """After an abort no register or memory of the engine holds a word of the data."""
    engine = await begin(dut)
    engine.source.pause = True
    await engine.start(Transfer(PAGE, HALF, 1024))
    engine.send(random.randbytes(1024))
    engine.sink.pause = True
    engine.source.pause = False
    await ClockCycles(dut.clk_i, 200)
    secrets = [engine.memory.get(PAGE, 64)]
    assert find(dut, secrets), "the search would find data that are there"
    await engine.write("CONTROL", REGISTERS.pack("CONTROL", abort=1))
    await engine.wait_idle()
    engine.sink.pause = False
    engine.drop_streams()
    await ClockCycles(dut.clk_i, 2)
    assert [path for path in find(dut, secrets) if "axi_r" not in path] == []
    await works(engine)


@cocotb.test()
async def busy_errors(dut: Any) -> None:
    """A start while STATUS.ready is zero is reported and changes nothing."""
    engine = await begin(dut)
    data = random.randbytes(LENGTH)
    engine.bus.channels["r"].pause = True
    await engine.start_chain([Transfer(PAGE, HALF, LENGTH)], PLACES)
    await engine.start(Transfer(PAGE, 0, 64))
    assert await engine.errors() == {"busy"}
    engine.bus.channels["r"].pause = False
    engine.send(data)
    await engine.wait_idle()
    assert engine.memory.get(HALF, LENGTH) == data
    assert await engine.read("COMPLETED") == 1
