# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The interface of drivers, which pass blocks to a core.

A driver works with any ``Simulation``. Each of its methods ends directly after a cycle,
where windows may begin and end. Between blocks inputs keep their last values, as on a bus.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from ciphermill.algorithms import Algorithm
from ciphermill.design import Core, Direction
from ciphermill.evaluate.chip.activity.simulation import Simulation, SimulationError

PATIENCE_CYCLES = 20_000
"""Cycles without progress after which a core counts as hung."""
RESET_CYCLES = 3


@dataclass(frozen=True)
class Operation:
    """A block to encrypt or decrypt, or a message if the algorithm takes messages."""

    key: bytes
    data: bytes
    answer: bytes
    """The expected output, without the tag."""
    new_key: bool
    """The key to load before it; None if it uses the loaded one."""
    verb: str = "encrypt"
    """``encrypt``, ``decrypt`` or ``digest``."""
    nonce: bytes = b""
    associated: bytes = b""
    """Associated data of authenticated encryption."""
    tag: bytes = b""
    """The tag of authenticated encryption."""


class Driver(ABC):
    """Works a core: reset, waiting, and blocks in the order of ports."""

    def __init__(
        self,
        simulation: Simulation,
        module: Core,
        algorithm: Algorithm,
        key_bits: int,
        direction: Direction | None,
    ) -> None:
        """Store the simulation, the module and the properties of its blocks."""
        self._simulation = simulation
        self._module = module
        self._algorithm = algorithm
        self._rtl = algorithm.cores
        self._key_bits = key_bits
        self._direction = direction

    def prepare(self) -> None:
        """Reset the core and wait until it can be used."""
        self._reset()
        self._wait("busy_o", 0, "the end of the reset")

    @abstractmethod
    def load(self, key: bytes) -> None:
        """Load a key and wait until blocks can be taken."""

    @abstractmethod
    def run(self, operations: Sequence[Operation], period_cycles: int) -> list[bytes]:
        """Run operations; each begins a number of cycles after the one before, or later."""

    def _number(self, data: bytes) -> int:
        return int.from_bytes(data, self._rtl.byte_order)

    def _block(self, value: int) -> bytes:
        return value.to_bytes(self._algorithm.block_bytes, self._rtl.byte_order)

    def _reset(self) -> None:
        simulation, reset = self._simulation, self._module.reset
        for port in simulation.inputs:
            simulation.poke(port, 0)
        simulation.clock(RESET_CYCLES)
        if reset is not None:
            simulation.poke(reset, 1)
            simulation.clock()

    def _wait(self, port: str, value: int, what: str) -> None:
        """Simulate cycles until a port has a value, and one more."""
        for _ in range(PATIENCE_CYCLES):
            there = self._simulation.peek(port) == value
            self._simulation.clock()
            if there:
                return
        raise SimulationError(
            f"{self._module.name}: {what} did not come within {PATIENCE_CYCLES} cycles"
        )

    def idle(self, cycles: int) -> None:
        """Simulate cycles in which the core is idle."""
        if cycles:
            self._simulation.clock(cycles)
