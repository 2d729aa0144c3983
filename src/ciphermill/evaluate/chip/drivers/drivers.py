# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Drivers of cores, and the table of all drivers by kind of ports."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from ciphermill.design import Direction
from ciphermill.evaluate.chip.activity.simulation import SimulationError
from ciphermill.evaluate.chip.drivers.bus_drivers import (
    Accelerator,
    CoprocessorRegisters,
    CoprocessorShell,
)
from ciphermill.evaluate.chip.drivers.driver import PATIENCE_CYCLES, Driver, Operation


@dataclass(frozen=True)
class _Step:
    """A handshake to be made."""

    channel: str
    """Such as ``key`` or ``block``: the first word of its ports."""
    inputs: Mapping[str, int]
    """Its payload, by port."""
    due: int
    """Cycle of the run before which it is not offered."""


class HandshakeCore(Driver):
    """Base class for cores whose inputs are channels with valid and ready."""

    channels: tuple[str, ...]
    """The input channels; each is offered in order."""

    def _reset(self) -> None:
        super()._reset()
        self._poke_settings()

    def load(self, key: bytes) -> None:
        """Hand a key over."""
        self._simulation.poke("key_i", self._number(key))
        self._simulation.poke("key_valid_i", 1)
        self._wait("key_ready_o", 1, "key_ready_o")
        self._simulation.poke("key_valid_i", 0)

    def run(self, operations: Sequence[Operation], period_cycles: int) -> list[bytes]:
        """Run operations through the handshakes; see ``Driver``."""
        return self._exchange(operations, len(operations), period_cycles)

    def _exchange(
        self, operations: Sequence[Operation], count: int, period_cycles: int
    ) -> list[bytes]:
        """Make the handshakes of operations until a number of output blocks came; return these."""
        simulation = self._simulation
        begin, quiet = simulation.cycles, 0
        steps = deque(self._steps(operations, period_cycles))
        results: list[bytes] = []
        while len(results) < count or self._waits():
            now = simulation.cycles - begin
            step = steps[0] if steps and steps[0].due <= now else None
            self._offer(step)
            taken = step is not None and simulation.peek(f"{step.channel}_ready_o") == 1
            given = simulation.peek("block_valid_o") == 1
            if given:
                self._check_tag(len(results))
                results.append(self._output())
            self._look()
            simulation.clock()
            if taken:
                steps.popleft()
            quiet = 0 if taken or given else quiet + 1
            if quiet > PATIENCE_CYCLES + period_cycles:
                raise SimulationError(
                    f"{self._module.name}: {len(results)} of {count} blocks done, "
                    f"and none for {quiet} cycles"
                )
        return results

    @abstractmethod
    def _poke_settings(self) -> None:
        """Set the inputs that do not change during a run."""

    @abstractmethod
    def _steps(self, operations: Sequence[Operation], period_cycles: int) -> Iterator[_Step]:
        """Yield the handshakes of a run, in order."""

    def _waits(self) -> bool:
        """Whether outputs other than blocks are still to come."""
        return False

    def _look(self) -> None:
        """Check the outputs other than blocks, before a clock edge."""

    def _check_tag(self, number: int) -> None:
        """Check the tag of a block."""

    def _output(self) -> bytes:
        """Return the block at the output."""
        return self._block(self._simulation.peek("block_o"))

    def _offer(self, step: _Step | None) -> None:
        simulation = self._simulation
        for channel in self.channels:
            offered = step is not None and step.channel == channel
            simulation.poke(f"{channel}_valid_i", int(offered))
        for port, value in step.inputs.items() if step is not None else ():
            simulation.poke(port, value)


class BlockCore(HandshakeCore):
    """Cores of block ciphers: ``aes_core``, ``aes_unrolled`` and ``present_core``."""

    channels = ("key", "block")

    def _poke_settings(self) -> None:
        simulation = self._simulation
        simulation.poke("key_size_i", self._rtl.key_size_codes[self._key_bits])
        simulation.poke("block_direction_i", int(self._direction is Direction.DECRYPT))
        simulation.poke("block_ready_i", 1)

    def load(self, key: bytes) -> None:
        """Pass a key and wait until blocks can be taken."""
        super().load(key)
        self._wait("block_ready_o", 1, "block_ready_o")

    def _steps(self, operations: Sequence[Operation], period_cycles: int) -> Iterator[_Step]:
        for number, operation in enumerate(operations):
            due = number * period_cycles
            if operation.new_key:
                yield _Step("key", {"key_i": self._number(operation.key)}, due)
            inputs = {"block_i": self._number(operation.data)}
            if "block_tag_i" in self._simulation.inputs:
                inputs["block_tag_i"] = self._tag(number)
            yield _Step("block", inputs, due)

    def _tag(self, number: int) -> int:
        return number & ((1 << self._simulation.inputs["block_tag_i"]) - 1)

    def _check_tag(self, number: int) -> None:
        if "block_tag_i" not in self._simulation.inputs:
            return
        tag = self._simulation.peek("block_tag_o")
        if tag != self._tag(number):
            raise SimulationError(
                f"{self._module.name}: block {number} has tag {tag}, not {self._tag(number)}"
            )


_PORT_BYTES = 16
"""Bytes of a block of messages."""


class _Messages(HandshakeCore):
    """Base class for cores that take messages as blocks of 16 bytes; the last may be shorter."""

    def run(self, operations: Sequence[Operation], period_cycles: int) -> list[bytes]:
        """Run messages in sequence."""
        counts = [len(_cut(operation.answer)) for operation in operations]
        blocks = iter(self._exchange(operations, sum(counts), period_cycles))
        return [b"".join(islice(blocks, count)) for count in counts]

    def _packet(self, data: bytes) -> Iterator[dict[str, int]]:
        """Yield the inputs of the blocks of a packet."""
        blocks = _cut(data)
        for number, block in enumerate(blocks):
            inputs = {
                "block_bytes_i": len(block),
                "block_last_i": int(number == len(blocks) - 1),
            }
            if block:
                inputs["block_i"] = self._number(block.ljust(_PORT_BYTES, b"\0"))
            yield inputs

    def _output(self) -> bytes:
        simulation = self._simulation
        block = simulation.peek("block_o").to_bytes(_PORT_BYTES, self._rtl.byte_order)
        return block[: simulation.peek("block_bytes_o")]


def _cut(packet: bytes) -> list[bytes]:
    """Return the blocks of a packet; an empty packet is a block of no bytes."""
    return [packet[n : n + _PORT_BYTES] for n in range(0, len(packet), _PORT_BYTES)] or [b""]


class MessageCore(_Messages):
    """Cores of authenticated encryption: ``ascon_core``. Tags are checked, too."""

    channels = ("key", "start", "block", "tag")

    def _poke_settings(self) -> None:
        self._simulation.poke("block_ready_i", 1)
        self._simulation.poke("tag_ready_i", 1)
        self._tags: deque[bytes] = deque()

    def load(self, key: bytes) -> None:
        """Hand a key over."""
        super().load(key)
        self.idle(1)

    def _steps(self, operations: Sequence[Operation], period_cycles: int) -> Iterator[_Step]:
        self._tags = deque(operation.tag for operation in operations if operation.tag)
        begun = 0
        for operation in operations:
            due = begun * period_cycles
            if operation.new_key:
                yield _Step("key", {"key_i": self._number(operation.key)}, due)
            verb = self._rtl.operation_flags[operation.verb].bit_length() - 1
            start = {"operation_i": verb, "nonce_i": self._number(operation.nonce)}
            yield _Step("start", start, due)
            digests = operation.verb == "digest"
            for packet in (operation.data,) if digests else (operation.associated, operation.data):
                for inputs in self._packet(packet):
                    yield _Step("block", inputs, begun * period_cycles)
                    begun += bool(inputs["block_bytes_i"])
            if operation.verb == Direction.DECRYPT:
                yield _Step("tag", {"tag_i": self._number(operation.tag)}, due)

    def _waits(self) -> bool:
        return bool(self._tags)

    def _look(self) -> None:
        simulation = self._simulation
        if not simulation.peek("tag_valid_o"):
            return
        wanted = self._number(self._tags.popleft())
        right = (
            simulation.peek("authentic_o") == 1
            if self._direction is Direction.DECRYPT
            else simulation.peek("tag_o") == wanted
        )
        if not right:
            raise SimulationError(f"{self._module.name}: the tag of a message is wrong")


class HashCore(_Messages):
    """Cores of hashes: ``sha2_core``."""

    channels = ("start", "block")

    def _poke_settings(self) -> None:
        self._simulation.poke("block_ready_i", 1)

    def load(self, key: bytes) -> None:
        """Do nothing: a hash has no key."""

    def _steps(self, operations: Sequence[Operation], period_cycles: int) -> Iterator[_Step]:
        taken = 0
        for operation in operations:
            yield _Step("start", self._rtl.selection, 0)
            for inputs in self._packet(operation.data):
                begun = taken // self._algorithm.block_bytes
                yield _Step("block", inputs, begun * period_cycles)
                taken += inputs["block_bytes_i"]


_MINIMAL_CYCLES = 32
"""Cycles of a block of ``present_minimal``."""


class PresentMinimal(Driver):
    """``present_minimal``: has no handshakes; takes key and block in one cycle of 32.

    It cannot idle and cannot wait: between blocks it encrypts its inputs again.
    """

    def prepare(self) -> None:
        """Wait until the cycle before the one in which it takes a block."""
        self._reset()
        self._wait("boundary_o", 1, "boundary_o")
        self._simulation.clock(_MINIMAL_CYCLES - 1)

    def load(self, key: bytes) -> None:
        """Do nothing: keys are taken with each block."""

    def run(self, operations: Sequence[Operation], period_cycles: int) -> list[bytes]:
        """Run operations, one at each boundary, or further apart if cycles are given."""
        simulation = self._simulation
        results: list[bytes] = []
        begun, begin = 0, simulation.cycles
        running = False
        while len(results) < len(operations):
            self._to_boundary()
            if running:
                results.append(self._block(simulation.peek("block_o")))
                running = False
            due = simulation.cycles - begin >= begun * period_cycles
            if begun < len(operations) and due:
                simulation.poke("key_i", self._number(operations[begun].key))
                simulation.poke("block_i", self._number(operations[begun].data))
                begun += 1
                running = True
            simulation.clock()
        return results

    def _to_boundary(self) -> None:
        for _ in range(PATIENCE_CYCLES):
            if self._simulation.peek("boundary_o"):
                return
            self._simulation.clock()
        raise SimulationError(f"{self._module.name}: boundary_o does not come")


class PresentNibble(Driver):
    """``present_nibble``: four bits of key and block a cycle; each block brings its key.

    Encryption only: to decrypt, it must be given the key register's last value.
    """

    def prepare(self) -> None:
        """Reset it."""
        if self._direction is not Direction.ENCRYPT:
            raise SimulationError(f"{self._module.name}: the driver can only encrypt")
        self._reset()
        self._simulation.poke("key_size_i", self._rtl.key_size_codes[self._key_bits])
        self._simulation.clock()

    def load(self, key: bytes) -> None:
        """Do nothing: keys are loaded with each block."""

    def run(self, operations: Sequence[Operation], period_cycles: int) -> list[bytes]:
        """Run operations in sequence."""
        begin = self._simulation.cycles
        results = []
        for number, operation in enumerate(operations):
            self.idle(max(0, begin + number * period_cycles - self._simulation.cycles))
            self._load(operation)
            results.append(self._result())
        return results

    def _load(self, operation: Operation) -> None:
        simulation = self._simulation
        cycles = self._key_bits // 4
        key = f"{self._number(operation.key):0{cycles}x}"
        block = f"{self._number(operation.data):016x}".rjust(cycles, "0")
        simulation.poke("load_i", 1)
        for n in range(cycles):
            simulation.poke("key_i", int(key[n], 16))
            simulation.poke("block_i", int(block[n], 16))
            simulation.poke("start_i", int(n == cycles - 1))
            simulation.clock()
        simulation.poke("load_i", 0)
        simulation.poke("start_i", 0)

    def _result(self) -> bytes:
        simulation = self._simulation
        digits = ""
        for _ in range(PATIENCE_CYCLES):
            if simulation.peek("result_valid_o"):
                digits += f"{simulation.peek('result_o'):x}"
            simulation.clock()
            if len(digits) == 16:
                return self._block(int(digits, 16))
        raise SimulationError(f"{self._module.name}: result_valid_o does not come")


DRIVERS: Mapping[str, type[Driver]] = {
    "block-core": BlockCore,
    "message-core": MessageCore,
    "hash-core": HashCore,
    "present-minimal": PresentMinimal,
    "present-nibble": PresentNibble,
    "coprocessor-registers": CoprocessorRegisters,
    "coprocessor-shell": CoprocessorShell,
    "accelerator": Accelerator,
}
"""Drivers by the ``protocol`` of a module."""
