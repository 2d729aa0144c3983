# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Workloads of a core while its activity is counted.

Keys and data are random from a seed. Every output is checked against the algorithm's
software reference, which is independent of the RTL, so activity is counted only in runs
with right results.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ciphermill.algorithms import ALGORITHMS, Algorithm
from ciphermill.design import Core, Direction
from ciphermill.evaluate.chip.activity.activity import Activity
from ciphermill.evaluate.chip.activity.simulation import Simulation, SimulationError
from ciphermill.evaluate.chip.drivers.driver import Operation
from ciphermill.evaluate.chip.drivers.drivers import DRIVERS
from ciphermill.evaluate.chip.signature import signature_parts

SIGNERS = "curve-core"
"""The ``protocol`` of elliptic curves. Whatever the workload, they run one signature."""


@dataclass(frozen=True)
class CoreWorkload:
    """A workload for a core."""

    name: str
    description: str
    blocks: int
    """Blocks in the window ``run``; 0 for none."""
    fresh_keys: bool = False
    """Every block has a key of its own, whose load is part of ``run``."""
    idle_cycles: int = 0
    """Cycles of the window ``idle``, in which the core has nothing to do."""
    period_cycles: Mapping[str, int] = field(default_factory=dict)
    """Cycles from block to block, by cipher; back to back if absent."""
    fills: Literal["text", "associated", "digest"] = "text"
    """The kind of its data: text of a cipher, its associated data, or the input of a digest. A
    hash takes its input as text, too."""
    clock_mhz: float | None = None
    """The clock at which it should run."""
    key_bits: int | None = None
    """Key size; the largest that the module has unless given."""
    direction: Direction | None = None
    """Encrypt or decrypt; the module's first unless given. None for a hash."""
    seed: int = 1


WORKLOADS: dict[str, CoreWorkload] = {
    workload.name: workload
    for workload in (
        CoreWorkload("stream", "random blocks back to back with one key", 100, idle_cycles=100),
        CoreWorkload("keys", "random blocks, each with its own key", 50, fresh_keys=True),
        CoreWorkload("idle", "nothing to do, the key loaded", 0, idle_cycles=1000),
        CoreWorkload(
            "associated",
            "random blocks of associated data with one key",
            100,
            idle_cycles=100,
            fills="associated",
        ),
        CoreWorkload(
            "digest", "random blocks of one message", 100, idle_cycles=100, fills="digest"
        ),
    )
}
"""By name. A paper registers its own here."""


def has_driver(module: Core) -> bool:
    """Return whether workloads can be run on a module."""
    return module.protocol in DRIVERS or module.protocol == SIGNERS


def chosen(module: Core, workload: CoreWorkload) -> tuple[int, Direction | None]:
    """Return the key size and the direction that a module works with.

    A hash has key size 0; it and elliptic curves have no direction.

    Raises:
        SimulationError: The module or its cipher does not support it, or its driver is unknown.
    """
    cipher = ALGORITHMS.get(module.algorithm or "")
    if cipher is None or not has_driver(module):
        raise SimulationError(
            f"{module.name}: no driver for protocol {module.protocol} of {module.algorithm}; "
            f"there are drivers for {', '.join((*DRIVERS, SIGNERS))}"
        )
    if module.protocol == SIGNERS:
        return max(module.key_sizes), None
    if cipher.is_hash:
        return 0, None
    if not module.key_sizes or not module.directions:
        raise SimulationError(f"{module.name}: no workload without key_sizes and directions")
    key_bits = workload.key_bits or max(module.key_sizes)
    direction = workload.direction or module.directions[0]
    if key_bits not in module.key_sizes or direction not in module.directions:
        raise SimulationError(f"{module.name} cannot {direction} with {key_bits}-bit keys")
    if key_bits not in cipher.key_bits:
        raise SimulationError(f"{module.name}: {cipher.name} has no {key_bits}-bit keys")
    return key_bits, direction


@dataclass(frozen=True)
class Window:
    """A range of cycles and the activity in it."""

    name: str
    """``load`` (a key until blocks are taken), ``run``, ``idle``, or a part of a signature."""
    cycles: int
    blocks: int
    """Blocks that were finished."""
    activity: Activity
    settled: Activity | None
    """The activity without glitches, if ``activity`` has them."""


@dataclass(frozen=True)
class WorkloadRun:
    """A workload that was run."""

    workload: CoreWorkload
    key_bits: int
    """0 if there is no key."""
    operation: str
    """``encrypt`` or ``decrypt``; ``digest`` for a hash."""
    windows: tuple[Window, ...]

    def window(self, name: str) -> Window:
        """Return a window by name.

        Raises:
            KeyError: The workload has no such window.
        """
        for window in self.windows:
            if window.name == name:
                return window
        raise KeyError(name)


def run_workload(
    simulation: Simulation,
    module: Core,
    workload: CoreWorkload,
) -> WorkloadRun:
    """Reset a core, run a workload on it and check all outputs.

    Args:
        simulation: The core.
        module: Its description: protocol, cipher, key sizes and directions.
        workload: The workload.

    Raises:
        SimulationError: As ``chosen``, or the module gave a wrong block, or none for too
            long.
    """
    key_bits, direction = chosen(module, workload)
    if module.protocol == SIGNERS:
        parts = [
            Window(part.name, part.cycles, int(part.name == "run"), part.activity, part.settled)
            for part in signature_parts(simulation, module)
        ]
        return WorkloadRun(workload, key_bits, operation_of(module, None), tuple(parts))
    cipher, new_driver = ALGORITHMS[module.algorithm or ""], DRIVERS[module.protocol or ""]
    source = random.Random(workload.seed)  # noqa: S311 (data for a measurement)
    driver = new_driver(simulation, module, cipher, key_bits, direction)
    first_key = source.randbytes(key_bits // 8)
    if workload.fills not in _taken(cipher):
        raise SimulationError(
            f"{module.name}: workload {workload.name} is of {workload.fills} "
            f"data, which {cipher.title} does not take"
        )
    messages = direction is None or (not cipher.modes and cipher.nonce_bytes > 0)
    if messages:
        operations = _messages(cipher, workload, direction, first_key, source)
    else:
        verb = operation_of(module, direction)
        operations = _blocks(cipher, workload, verb, first_key, source)
    recorder = _Recorder(simulation)
    driver.prepare()
    with recorder.window("load"):
        driver.load(first_key)
    with recorder.window("run", workload.blocks):
        results = driver.run(operations, workload.period_cycles.get(cipher.name, 0))
    with recorder.window("idle"):
        driver.idle(workload.idle_cycles)
    what = "message" if messages else "block"
    for number, (result, operation) in enumerate(zip(results, operations, strict=True)):
        if result != operation.answer:
            raise SimulationError(
                f"{module.name}: {what} {number} is {result.hex()}, "
                f"should be {operation.answer.hex()}"
            )
    return WorkloadRun(workload, key_bits, operation_of(module, direction), tuple(recorder.windows))


def operation_of(module: Core, direction: Direction | None) -> str:
    """Return the operation of a direction; of none, that of the module."""
    if direction:
        return direction.value
    return "sign" if module.protocol == SIGNERS else "digest"


def _taken(algorithm: Algorithm) -> set[str]:
    """Return the kinds of data that an algorithm takes."""
    if algorithm.is_hash:
        return {"text", "digest"}
    if algorithm.modes or not algorithm.nonce_bytes:
        return {"text"}
    return {"text", "associated", *{"digest"}.intersection(algorithm.operations)}


def _blocks(
    cipher: Algorithm,
    workload: CoreWorkload,
    verb: str,
    key: bytes,
    source: random.Random,
) -> list[Operation]:
    """Return the operations of a workload of blocks."""
    operations = []
    for _ in range(workload.blocks):
        if workload.fresh_keys:
            key = source.randbytes(len(key))
        block = source.randbytes(cipher.block_bytes)
        answer = cipher.reference(verb, key, block)
        operations.append(Operation(key, block, answer, workload.fresh_keys, verb))
    return operations


def _messages(
    cipher: Algorithm,
    workload: CoreWorkload,
    direction: Direction | None,
    key: bytes,
    source: random.Random,
) -> list[Operation]:
    """Return the operations of a workload of messages: one for each key, of one kind of data."""
    operations = []
    count = 1 if workload.fresh_keys else workload.blocks
    for _ in range(workload.blocks // count if count else 0):
        if workload.fresh_keys:
            key = source.randbytes(len(key))
        nonce = source.randbytes(cipher.nonce_bytes)
        data = source.randbytes(count * cipher.block_bytes)
        if direction is None or workload.fills == "digest":
            answer = cipher.reference("digest", b"", data)
            operations.append(Operation(key, data, answer, workload.fresh_keys, "digest"))
            continue
        text, associated = (data, b"") if workload.fills == "text" else (b"", data)
        sealed = cipher.reference("encrypt", key, text, nonce, associated)
        coded, tag = sealed[: len(text)], sealed[len(text) :]
        given, answer = (text, coded) if direction is Direction.ENCRYPT else (coded, text)
        operations.append(
            Operation(key, given, answer, workload.fresh_keys, direction, nonce, associated, tag)
        )
    return operations


class _Recorder:
    """Keeps the windows of a simulation in which there were cycles."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self.windows: list[Window] = []
        self._name = ""
        self._blocks = 0
        self._from = 0

    def window(self, name: str, blocks: int = 0) -> _Recorder:
        self._name, self._blocks = name, blocks
        return self

    def __enter__(self) -> None:
        self._from = self._simulation.cycles
        self._simulation.start_window()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is not None:
            return
        activity = self._simulation.end_window()
        cycles = self._simulation.cycles - self._from
        if not cycles:
            return
        settled = getattr(self._simulation, "settled_activity", None)
        self.windows.append(Window(self._name, cycles, self._blocks, activity, settled))
