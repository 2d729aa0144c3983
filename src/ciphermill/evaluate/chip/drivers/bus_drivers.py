# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Drivers of designs with a bus: coprocessors and whole accelerators.

They make the accesses of a processor's driver, with no cycles in between, so the figures
are of hardware that is as busy as its bus allows.
"""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence

from ciphermill.design import Direction
from ciphermill.evaluate.chip.activity.simulation import SimulationError
from ciphermill.evaluate.chip.drivers.driver import PATIENCE_CYCLES, Driver, Operation
from ciphermill.registers import accel
from ciphermill.registers import coprocessor as block
from ciphermill.registers import coprocessor_shell as shell

_WORD_BYTES = 4


def _words(data: bytes) -> list[int]:
    """Return bytes as words of the bus, the last one filled with zeros."""
    padded = data + bytes(-len(data) % _WORD_BYTES)
    return [
        int.from_bytes(padded[n : n + _WORD_BYTES], "little")
        for n in range(0, len(padded), _WORD_BYTES)
    ]


def _bytes(words: Iterable[int]) -> bytes:
    """Return words of the bus as bytes."""
    return b"".join(word.to_bytes(_WORD_BYTES, "little") for word in words)


class _Bus(Driver):
    """What is behind a bus of registers."""

    @abstractmethod
    def _write(self, address: int, word: int) -> None:
        """Write a register."""

    @abstractmethod
    def _read(self, address: int) -> int:
        """Read a register."""

    def _write_words(self, address: int, data: bytes) -> None:
        """Write bytes to a register array, word by word."""
        for number, word in enumerate(_words(data)):
            self._write(address + _WORD_BYTES * number, word)

    def _read_bytes(self, address: int, count: int) -> bytes:
        """Read bytes from a register array."""
        return _bytes(self._read(address + n) for n in range(0, count, _WORD_BYTES))


class _Coprocessor(_Bus):
    """The coprocessors' register bus (hw/coprocessor/README.md, "Register bus")."""

    in_flight = 2
    """Blocks that may be pushed before a result is read."""

    def run(self, operations: Sequence[Operation], period_cycles: int) -> list[bytes]:
        """Push blocks as they are due, read a result when no more may be in flight."""
        begin = self._simulation.cycles
        results: list[bytes] = []
        self._begin(operations)
        for number, operation in enumerate(operations):
            due = begin + number * period_cycles
            while len(results) < number and (
                number - len(results) == self.in_flight or self._simulation.cycles < due
            ):
                results.append(self._result())
            self.idle(max(0, due - self._simulation.cycles))
            self._push(operation)
        while len(results) < len(operations):
            results.append(self._result())
        self.idle(1)  # end of the transfer
        return results

    def _begin(self, operations: Sequence[Operation]) -> None:
        """Prepare a run; does nothing unless a coprocessor overrides it."""

    @abstractmethod
    def _push(self, operation: Operation) -> None:
        """Write a block, and its key if it has one of its own."""

    @abstractmethod
    def _result(self) -> bytes:
        """Read the oldest result."""

    def _write(self, address: int, word: int) -> None:
        self._transfer(address, word)

    def _read(self, address: int) -> int:
        return self._transfer(address, None)

    def _transfer(self, address: int, word: int | None) -> int:
        """Write a word in its lane, or read one if ``data`` is None."""
        simulation = self._simulation
        lane = address // _WORD_BYTES % (simulation.inputs["bus_wdata_i"] // 32)
        simulation.poke("bus_valid_i", 1)
        simulation.poke("bus_write_i", int(word is not None))
        simulation.poke("bus_address_i", address)
        simulation.poke("bus_wstrb_i", 0xF << _WORD_BYTES * lane)
        if word is not None:
            simulation.poke("bus_wdata_i", word << 32 * lane)
        for _ in range(PATIENCE_CYCLES):
            ready = simulation.peek("bus_ready_o")
            read = 0 if word is not None or not ready else simulation.peek("bus_rdata_o")
            simulation.clock()
            if ready:
                simulation.poke("bus_valid_i", 0)
                return read >> 32 * lane & 0xFFFF_FFFF
        raise SimulationError(
            f"{self._module.name}: address {address:#x} did not answer in {PATIENCE_CYCLES} cycles"
        )


class CoprocessorRegisters(_Coprocessor):
    """The block coprocessors: CONTROL, KEY and windows of data."""

    def prepare(self) -> None:
        """Reset it, wait until it is not busy, and set key size and direction."""
        super().prepare()
        if self._module.parameters.get("BlocksInFlight") == 1:
            self.in_flight = 1
        size = self._rtl.key_size_codes[self._key_bits]
        decrypt = int(self._direction is Direction.DECRYPT)
        control = block.CONTROL__KEY_SIZE.word(size) | block.CONTROL__DECRYPT.word(decrypt)
        self._write(block.CONTROL, control)
        self.idle(1)

    def load(self, key: bytes) -> None:
        """Write the key and wait until it is expanded."""
        self._write_words(block.KEY, key)
        self._wait("busy_o", 0, "the end of the key's load")

    def _push(self, operation: Operation) -> None:
        if operation.new_key:
            self._write_words(block.KEY, operation.key)
        self._write_words(block.DATA_IN, operation.data)

    def _result(self) -> bytes:
        return self._read_bytes(block.DATA_OUT, self._algorithm.block_bytes)


class CoprocessorShell(_Coprocessor):
    """The coprocessor shell, in its stream modes."""

    def load(self, key: bytes) -> None:
        """Load the key word by word and wait until it is expanded."""
        for number, word in enumerate(_words(key)):
            self._write(shell.DATA_IN, word)
            index = shell.COMMAND__INDEX.word(number)
            self._write(shell.COMMAND, shell.COMMAND__INSTRUCTION__LOAD_KEY | index)
        self._wait("busy_o", 0, "the end of the key's load")

    def _begin(self, operations: Sequence[Operation]) -> None:
        fresh = any(operation.new_key for operation in operations)
        mode = (
            shell.COMMAND__INSTRUCTION__STREAM_KEY if fresh else shell.COMMAND__INSTRUCTION__STREAM
        )
        decrypt = shell.COMMAND__DECRYPT.word(int(self._direction is Direction.DECRYPT))
        self._write(shell.COMMAND, mode | decrypt)

    def _push(self, operation: Operation) -> None:
        key = _words(operation.key) if operation.new_key else []
        for word in (*key, *_words(operation.data)):
            self._write(shell.DATA_IN, word)

    def _result(self) -> bytes:
        count = self._algorithm.block_bytes // _WORD_BYTES
        return _bytes(self._read(shell.DATA_OUT) for _ in range(count))


class Accelerator(_Bus):
    """A whole accelerator: registers over AXI4-Lite, data over AXI4-Stream.

    Blocks with one key are sent as a message in ECB. Algorithms with messages get each separately.
    """

    _configured: int | None = None
    """The present value of CONFIGURATION."""

    def prepare(self) -> None:
        """Reset it and wait until its memories are overwritten."""
        if self._module.parameters.get("Asynchronous"):
            raise SimulationError(
                f"{self._module.name}: the driver supports one clock, and the design has two"
            )
        self._reset()
        simulation = self._simulation
        simulation.poke("core_rst_ni", 1)
        simulation.poke("m_axis_tready_i", 1)
        simulation.poke("s_axil_bready_i", 1)
        simulation.poke("s_axil_rready_i", 1)
        simulation.poke("s_axil_wstrb_i", 0xF)
        self._wait_for_status(accel.STATUS__BUSY.word() | accel.STATUS__ZEROISING.word())
        self._configure(self._direction or "digest")

    def _configure(self, verb: str) -> None:
        """Write CONFIGURATION, unless it has the value that the operation needs."""
        mode = verb if self._algorithm.whole_messages else "ecb"
        word = (
            accel.CONFIGURATION__MODE.word(self._rtl.mode_codes[mode])
            | accel.CONFIGURATION__KEY_SIZE.word(self._rtl.key_size_codes.get(self._key_bits, 0))
            | accel.CONFIGURATION__DIRECTION.word(int(verb == Direction.DECRYPT))
            | accel.CONFIGURATION__HASH.word(self._rtl.hash_code)
        )
        if word != self._configured:
            self._write(accel.CONFIGURATION, word)
            self._configured = word

    def load(self, key: bytes) -> None:
        """Write the key, command its load, and wait until the core has it; a hash has none."""
        if not key:
            return
        self._write_words(accel.KEY, key)
        self._write(accel.CONTROL, accel.CONTROL__LOAD_KEY.word())
        self._wait_for_status(accel.STATUS__KEY_PENDING.word())

    def run(self, operations: Sequence[Operation], period_cycles: int) -> list[bytes]:
        """Run operations: blocks with the same key as one message, others one by one."""
        begin, done = self._simulation.cycles, 0
        results: list[bytes] = []
        for message in self._messages(operations):
            first, data = message[0], b"".join(operation.data for operation in message)
            due = begin + done * period_cycles
            if first.new_key:
                self.idle(max(0, due - self._simulation.cycles))
                self.load(first.key)
            self._configure(first.verb)
            if first.nonce:
                self._write_words(accel.IV, first.nonce)
                self._write(accel.AAD_LENGTH_LOW, len(first.associated))
            self._write(accel.MESSAGE_LENGTH_LOW, len(data))
            self._write(accel.CONTROL, accel.CONTROL__START.word())
            decrypts = first.verb == Direction.DECRYPT
            packets = (first.associated, data, first.tag if decrypts else b"")
            output = io.BytesIO(
                self._stream(packets, sum(len(one.answer) for one in message), due, period_cycles)
            )
            results += [output.read(len(one.answer)) for one in message]
            done += -(-len(first.associated + data) // self._algorithm.block_bytes)
            self._wait_for_status(accel.STATUS__BUSY.word())
            if error := self._read(accel.ERROR):
                raise SimulationError(f"{self._module.name}: ERROR is {error:#x}")
            if first.tag and not self._tag_is_right(first):
                raise SimulationError(f"{self._module.name}: the tag of a message is wrong")
        return results

    def _tag_is_right(self, message: Operation) -> bool:
        """Whether the tag in TAG is the message's; in decryption the device has compared it."""
        if message.verb == Direction.DECRYPT:
            return bool(self._read(accel.STATUS) & accel.STATUS__DONE.word())
        return self._read_bytes(accel.TAG, len(message.tag)) == message.tag

    def _messages(self, operations: Sequence[Operation]) -> Iterator[list[Operation]]:
        message: list[Operation] = []
        for operation in operations:
            if message and (operation.new_key or self._algorithm.whole_messages):
                yield message
                message = []
            message.append(operation)
        if message:
            yield message

    def _stream(
        self, packets: Sequence[bytes], answer_bytes: int, due: int, period_cycles: int
    ) -> bytes:
        """Send packets as beats, each block when it is due, and receive a number of bytes."""
        simulation = self._simulation
        width = simulation.inputs["s_axis_tdata_i"] // 8
        beats_per_block = max(1, self._algorithm.block_bytes // width)
        beats = [
            (packet[n : n + width], n + width >= len(packet))
            for packet in packets
            for n in range(0, len(packet), width)
        ]
        sent, taken, quiet = 0, bytearray(), 0
        while sent < len(beats) or len(taken) < answer_bytes:
            offered = (
                sent < len(beats)
                and due + sent // beats_per_block * period_cycles <= simulation.cycles
            )
            simulation.poke("s_axis_tvalid_i", int(offered))
            if offered:
                beat, last = beats[sent]
                simulation.poke("s_axis_tkeep_i", (1 << len(beat)) - 1)
                simulation.poke("s_axis_tdata_i", int.from_bytes(beat, "little"))
                simulation.poke("s_axis_tlast_i", int(last))
            accepted = offered and simulation.peek("s_axis_tready_o") == 1
            given = simulation.peek("m_axis_tvalid_o") == 1
            if given:
                taken += simulation.peek("m_axis_tdata_o").to_bytes(width, "little")
            simulation.clock()
            sent += accepted
            quiet = 0 if accepted or given else quiet + 1
            if quiet > PATIENCE_CYCLES:
                raise SimulationError(
                    f"{self._module.name}: {len(taken)} of {answer_bytes} bytes came out, and "
                    f"none for {quiet} cycles"
                )
        simulation.poke("s_axis_tvalid_i", 0)
        return bytes(taken)

    def _wait_for_status(self, bits: int) -> None:
        """Read STATUS until some bits are zero."""
        for _ in range(PATIENCE_CYCLES):
            if not self._read(accel.STATUS) & bits:
                return
        raise SimulationError(
            f"{self._module.name}: STATUS kept a bit of {bits:#x} for {PATIENCE_CYCLES} reads"
        )

    def _write(self, address: int, word: int) -> None:
        """Write a register: address and data are offered together."""
        simulation = self._simulation
        simulation.poke("s_axil_awaddr_i", address)
        simulation.poke("s_axil_wdata_i", word)
        waiting = {"aw", "w"}
        for channel in waiting:
            simulation.poke(f"s_axil_{channel}valid_i", 1)
        for _ in range(PATIENCE_CYCLES):
            ready = {one for one in waiting if simulation.peek(f"s_axil_{one}ready_o")}
            answered = simulation.peek("s_axil_bvalid_o") == 1
            response = simulation.peek("s_axil_bresp_o")
            simulation.clock()
            for channel in ready:
                simulation.poke(f"s_axil_{channel}valid_i", 0)
            waiting -= ready
            if answered:
                self._check_response(response, address)
                return
        raise SimulationError(f"{self._module.name}: no answer to a write of {address:#x}")

    def _read(self, address: int) -> int:
        simulation = self._simulation
        simulation.poke("s_axil_araddr_i", address)
        simulation.poke("s_axil_arvalid_i", 1)
        waiting = True
        for _ in range(PATIENCE_CYCLES):
            taken = waiting and simulation.peek("s_axil_arready_o") == 1
            answered = simulation.peek("s_axil_rvalid_o") == 1
            word, response = simulation.peek("s_axil_rdata_o"), simulation.peek("s_axil_rresp_o")
            simulation.clock()
            if taken:
                simulation.poke("s_axil_arvalid_i", 0)
                waiting = False
            if answered:
                self._check_response(response, address)
                return word
        raise SimulationError(f"{self._module.name}: no answer to a read of {address:#x}")

    def _check_response(self, response: int, address: int) -> None:
        if response:
            raise SimulationError(
                f"{self._module.name}: register {address:#x} answered with {response}, not OKAY"
            )
