# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The accelerator behind a serial line: frames, messages and refusals (cocotb tests)."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import cocotb
import vectors
from ciphermill_dv import residue
from ciphermill_dv.parameters import parameter, ports_only
from cocotb.triggers import Timer
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from serial_line import BIT_PS, BUS_PS, BYTE_PS, SimulatedLine, as_host

import serial_accelerator as host  # isort: skip
import serial_bridge as protocol  # isort: skip
from serial_bridge import REPLY_MARK, REQUEST_MARK, Operation, Status, frame  # isort: skip

ADDRESS = host.MAP.address
TIMEOUT_PS = parameter("TimeoutCycles", 1 << 22) * BUS_PS
ASYNCHRONOUS = parameter("Asynchronous", 1)


async def started(dut) -> SimulatedLine:
    line = SimulatedLine(dut)
    await line.begin()
    return line


async def reply(line: SimulatedLine, sequence: int) -> tuple[int, bytes]:
    """Return status and payload of the next frame, which must be whole."""
    head = await line.receive(4)
    assert len(head) == 4, "no reply"
    rest = await line.receive(head[3] + 2)
    assert head[0] == REPLY_MARK and head[1] == sequence
    assert head + rest == frame(REPLY_MARK, sequence, head[2], rest[:-2])
    return head[2], rest[:-2]


async def request(line, operation: int, payload: bytes = b"", sequence: int = 0x33):
    await line.send(frame(REQUEST_MARK, sequence, operation, payload))
    return await reply(line, sequence)


async def read_register(line: SimulatedLine, name: str) -> int:
    status, payload = await request(line, Operation.READ, ADDRESS(name).to_bytes(2, "little"))
    assert status == Status.DONE
    return int.from_bytes(payload, "little")


def write_frame(name: str, word: int, sequence: int = 0x44) -> bytes:
    payload = ADDRESS(name).to_bytes(2, "little") + word.to_bytes(4, "little")
    return frame(REQUEST_MARK, sequence, Operation.WRITE, payload)


@cocotb.test()
async def a_request_is_answered(dut):
    line = await started(dut)
    status, payload = await request(line, Operation.IDENTIFY)
    assert status == Status.DONE
    assert payload == bytes((protocol.VERSION, protocol.MAX_BYTES, 8, 4))
    await line.send(write_frame("IV", 0x0123_4567))
    assert await reply(line, 0x44) == (Status.DONE, b"")
    assert await read_register(line, "IV") == 0x0123_4567
    # A stray byte and an idle line in front of a frame are ignored.
    await line.send(b"\x00\x5a\xff")
    await Timer(20 * BYTE_PS, "ps")
    assert await read_register(line, "IV") == 0x0123_4567


@cocotb.test()
async def registers_one_after_the_other(dut):
    """As many as a request names, in order."""
    line = await started(dut)
    words = bytes(range(1, 17))
    start = ADDRESS("IV").to_bytes(2, "little")
    assert await request(line, Operation.WRITE, start + words) == (Status.DONE, b"")
    for place in range(4):
        status, payload = await request(
            line, Operation.READ, (ADDRESS("IV") + 4 * place).to_bytes(2, "little")
        )
        assert (status, payload) == (Status.DONE, words[4 * place :][:4])
    start = (ADDRESS("IV") + 12).to_bytes(2, "little")
    status, payload = await request(line, Operation.WRITE, start + words[4:8])
    assert (status, payload) == (Status.DONE, b"")
    status, payload = await request(line, Operation.READ, start)
    assert payload == words[4:8]


@cocotb.test()
async def published_vectors(dut):
    line = await started(dut)

    def run(accelerator):
        accelerator.bridge.resynchronise()
        for vector in list(vectors.sp_800_38a())[::7]:  # each mode, and each size of keys
            accelerator.load_key(vector.key)
            iv = b"" if vector.mode == "ecb" else vector.iv
            decrypt = vector.direction == "decrypt"
            output = accelerator.message(vector.mode, vector.data, iv, decrypt)
            assert output == vector.answer, vector.source

    await as_host(line, run)


@cocotb.test()
async def messages_of_any_length(dut):
    """Longer than a frame and than the FIFOs, and ragged, compared with PyCA's cryptography."""
    line = await started(dut)
    generator = random.Random(5)
    key, counter = generator.randbytes(32), generator.randbytes(16)

    def run(accelerator):
        accelerator.load_key(key)
        for length in (0, 1, 3, 16, 129, 240, 501):
            data = generator.randbytes(length)
            cipher = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()
            assert accelerator.message("ctr", data, counter) == cipher.update(data), length

    await as_host(line, run)


@cocotb.test()
async def idle_between_bytes_and_other_clocks(dut):
    """Gaps within a frame, and a sender whose clock differs by 3 %."""
    line = await started(dut)
    for number, (gap, share) in enumerate(((0, 0.97), (0, 1.03), (1, 1.0), (7, 1.0), (60, 1.0))):
        line.gap_bits, line.bit_ps = gap, int(BIT_PS * share)
        await line.send(write_frame("IV", 0xA5A5_5A00 + number))
        assert await reply(line, 0x44) == (Status.DONE, b"")
        assert await read_register(line, "IV") == 0xA5A5_5A00 + number


@cocotb.test()
async def a_glitch_is_no_byte(dut):
    line = await started(dut)
    whole = write_frame("IV", 0x77)
    await line.send(whole[:5])
    dut.rx_i.value = 0
    await Timer(2 * BUS_PS, "ps")
    dut.rx_i.value = 1
    await Timer(2 * BIT_PS, "ps")
    await line.send(whole[5:])
    assert await reply(line, 0x44) == (Status.DONE, b"")


@cocotb.test()
async def damaged_frames_do_nothing(dut):
    """Any bit of a frame flipped: it is answered as damaged or late, or ignored, never run."""
    line = await started(dut)
    generator = random.Random(9)
    await line.send(write_frame("IV", 0x1111_1111))
    await reply(line, 0x44)
    whole = write_frame("IV", 0x2222_2222)
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << generator.randrange(8)
        await line.send(bytes(damaged))
        answer = await line.receive(6)
        if place == 0:  # no mark: no frame
            assert answer == b""
        else:
            status = Status.LATE if damaged[3] > whole[3] else Status.DAMAGED
            sequence = damaged[1] if place == 1 else 0x44
            assert answer == frame(REPLY_MARK, sequence, status)
        assert await line.receive(1) == b""  # also ends a frame that has become longer
        assert await read_register(line, "IV") == 0x1111_1111, place


@cocotb.test()
async def a_missing_stop_bit_is_damage(dut):
    line = await started(dut)
    whole = write_frame("IV", 0x3333_3333)
    await line.send(whole[:7], stop_bit=0)
    await Timer(BIT_PS, "ps")
    await line.send(whole[7:])
    assert await reply(line, 0x44) == (Status.DAMAGED, b"")
    assert await read_register(line, "IV") == 0


@cocotb.test()
async def frames_that_end_early_are_late(dut):
    line = await started(dut)
    whole = write_frame("IV", 0x4444_4444)
    for length in range(1, len(whole)):
        await line.send(whole[:length])
        await Timer(TIMEOUT_PS, "ps")
        sequence = 0x44 if length > 1 else 0
        assert await reply(line, sequence) == (Status.LATE, b""), length
    assert await read_register(line, "IV") == 0


@cocotb.test()
async def refusals(dut):
    line = await started(dut)
    word = bytes(4)
    for operation, payload, status in (
        (6, b"", Status.OPERATION),
        (255, b"123", Status.OPERATION),
        (Operation.IDENTIFY, b"\0", Status.LENGTH),
        (Operation.READ, b"", Status.LENGTH),
        (Operation.READ, bytes(3), Status.LENGTH),
        (Operation.WRITE, bytes(5), Status.LENGTH),
        (Operation.WRITE, bytes(2), Status.LENGTH),
        (Operation.WRITE, bytes(7), Status.LENGTH),
        (Operation.WRITE, bytes(8), Status.LENGTH),
        (Operation.WRITE, b"\xfc\x00" + 2 * word, Status.BUS),
        (Operation.PUSH, b"", Status.LENGTH),
        (Operation.PUSH, bytes(5), Status.LENGTH),
        (Operation.PUSH_LAST, b"", Status.LENGTH),
        (Operation.PUSH, bytes(241), Status.LENGTH),
        (Operation.PUSH_LAST, frame(REQUEST_MARK, 1, 0) * 42, Status.LENGTH),
        (Operation.TAKE, b"", Status.LENGTH),
        (Operation.TAKE, b"\x00", Status.LENGTH),
        (Operation.TAKE, b"\x05", Status.LENGTH),
        (Operation.TAKE, b"\xf4", Status.LENGTH),
        (Operation.READ, b"\x01\x00", Status.ADDRESS),
        (Operation.READ, b"\x02\x00", Status.ADDRESS),
        (Operation.READ, b"\x00\x01", Status.ADDRESS),
        (Operation.READ, b"\x00\x80", Status.ADDRESS),
        (Operation.WRITE, b"\x02\x00" + word, Status.ADDRESS),
        (Operation.READ, b"\xfc\x00", Status.BUS),
        (Operation.WRITE, b"\xfc\x00" + word, Status.BUS),
    ):
        assert await request(line, operation, payload) == (status, b""), (operation, payload)
        assert await line.receive(1) == b"", "more than a reply"
    assert (await request(line, Operation.IDENTIFY))[0] == Status.DONE


@cocotb.test()
async def a_request_during_another_is_ignored(dut):
    line = await started(dut)
    await line.send(frame(REQUEST_MARK, 1, Operation.IDENTIFY))
    await line.send(frame(REQUEST_MARK, 2, Operation.IDENTIFY))
    assert (await reply(line, 1))[0] == Status.DONE
    assert await line.receive(1) == b""


@cocotb.test()
async def a_full_stream_stalls(dut):
    """More than the FIFOs hold is taken in part, and the rest later: no byte twice."""
    line = await started(dut)
    key, counter, data = bytes(range(16)), bytes(16), random.Random(3).randbytes(320)
    cipher = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()

    def run(accelerator):
        accelerator.load_key(key)
        sent, stalled = 0, 0
        while not stalled:
            part = data[sent : sent + 120]
            taken = accelerator.bridge.push(part, last=False)
            stalled = len(part) - taken
            sent += taken
        assert sent % 4 == 0 and 128 <= sent < len(data) - 4
        assert accelerator.bridge.push(data[sent:][:8], last=False) == 0
        settings = host.MAP.pack("CONFIGURATION", mode=2, counter_width=2)
        accelerator.write("CONFIGURATION", settings)
        accelerator.write_bytes("IV", counter)
        accelerator.write("MESSAGE_LENGTH_LOW", len(data))
        assert accelerator.bridge.take(240) == (b"", False)  # nothing is there yet
        accelerator.command("start")
        output, last = b"", False
        while not last:
            if rest := data[sent : sent + 60]:
                sent += accelerator.bridge.push(rest, last=sent + len(rest) == len(data))
            part, last = accelerator.bridge.take(100)
            output += part
        assert output == cipher.update(data)

    await as_host(line, run)


@cocotb.test(skip=not ASYNCHRONOUS)
async def a_core_without_a_clock_stalls(dut):
    """Register accesses end without an answer, and the bridge goes on when the clock does."""
    line = await started(dut)
    line.stop_core()
    for _ in range(3):
        status, payload = await request(
            line, Operation.READ, ADDRESS("STATUS").to_bytes(2, "little")
        )
        assert (status, payload) == (Status.STALLED, b"")
    line.start_core()
    await Timer(2 * BYTE_PS, "ps")
    await line.send(write_frame("IV", 0x5555_5555))
    assert await reply(line, 0x44) == (Status.DONE, b"")
    assert await read_register(line, "IV") == 0x5555_5555


@cocotb.test()
async def the_host_finds_the_bridge_again(dut):
    """A frame that was cut off, of any length, is ended by the host's zeros."""
    line = await started(dut)
    whole = frame(REQUEST_MARK, 9, Operation.PUSH_LAST, bytes(range(200)))

    def run(accelerator):
        for length in (1, 3, 4, 100, 205):
            line.write(whole[:length])
            accelerator.bridge.resynchronise()
            assert accelerator.read("STATUS")["busy"] == 0

    await as_host(line, run)


@cocotb.test()
async def what_is_not_a_message_is_refused(dut):
    line = await started(dut)

    def run(accelerator):
        try:
            accelerator.message("ecb", bytes(16))
        except host.MessageError as error:
            assert "no_key" in str(error)
        else:
            raise AssertionError("a message without a key ran")
        accelerator.load_key(bytes(16))
        try:
            accelerator.message("cbc", bytes(17), bytes(16))
        except host.MessageError as error:
            assert "length" in str(error)
        else:
            raise AssertionError("a message with half a block ran")
        assert accelerator.message("ecb", bytes(16)).hex() == "66e94bd4ef8a2c3b884cfa59ca342b2e"

    await as_host(line, run)


@cocotb.test(skip=ports_only())
async def nothing_of_a_frame_stays(dut):
    """After its reply no byte of a key or of data is in the bridge; after zeroise, nowhere."""
    line = await started(dut)
    generator = random.Random(8)
    key, data = generator.randbytes(32), generator.randbytes(96)
    outputs: list[bytes] = []

    def run(accelerator):
        accelerator.load_key(key)
        outputs.append(accelerator.message("ecb", data))

    async def bridge_is_empty() -> None:
        """The buffer has bytes, which a search for words would not find."""
        await Timer(260 * BUS_PS, "ps")
        assert not any(int(word.value) for word in dut.u_bridge.memory)
        assert residue.find(dut.u_bridge, [key, data, *outputs]) == []

    await as_host(line, run)
    await bridge_is_empty()
    await line.send(frame(REQUEST_MARK, 1, Operation.PUSH, data + b"x"))  # refused
    await reply(line, 1)
    await bridge_is_empty()
    await line.send(frame(REQUEST_MARK, 2, Operation.PUSH, data)[:-1])  # late
    await reply(line, 2)
    await bridge_is_empty()
    await as_host(line, lambda accelerator: accelerator.zeroise())
    assert residue.find(dut, [key, data, *outputs]) == []


@cocotb.test()
async def a_program_through_a_serial_port(dut):
    """The host's program, on a pseudo-terminal: termios and file descriptors are real."""
    line = await started(dut)
    ours, theirs = os.openpty()
    os.set_blocking(ours, False)
    program = Path(host.__file__)
    process = subprocess.Popen(
        [sys.executable, str(program), os.ttyname(theirs), "--timeout", "60"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        while process.poll() is None:
            if line.received:
                written = os.write(ours, line.received)
                del line.received[:written]
            try:
                data = os.read(ours, 256)
            except BlockingIOError:
                await Timer(BYTE_PS, "ps")
            else:
                await line.send(data)
        output = process.communicate()[0]
    finally:
        process.kill()
        os.close(ours)
        os.close(theirs)
    assert process.returncode == 0, output
    assert output.count("right  SP 800-38A") == 18 and "\n0 wrong" in output, output
