# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The crypto-suite paper's experiment: software on this machine, and our hardware.

Software is repeated for a fixed time, by OpenSSL's own calls and on the device ``cpu``. Hardware
is simulated behind DMA, and mapped to the paper's cells at its clock. Which algorithm has
hardware is read from the table of algorithms and from the design files.
"""

from __future__ import annotations

from collections.abc import Iterator

from ciphermill.algorithms import ALGORITHMS, SCHEMES, Algorithm
from ciphermill.campaign.run import Point
from ciphermill.design import (
    CellLibrary,
    Core,
    DesignError,
    Direction,
    Measurement,
    Method,
    Partition,
    Run,
    SoftCore,
    design_names,
    load_design,
    make_run,
)
from ciphermill.evaluate.chip.implement import Options as CellOptions
from ciphermill.evaluate.chip.targets import Settings
from ciphermill.evaluate.chip.workloads import has_driver
from ciphermill.evaluate.device.weigh import Device
from ciphermill.evaluate.speed.evaluator import Repeated, Threads
from ciphermill.evaluate.speed.operations import OPENSSL, OPERATIONS, Repeatable
from ciphermill.evaluate.system.evaluator import Simulator
from ciphermill.papers.crypto_suite_sw_vs_hw.published import CryptoSuitePaper, Hardware
from ciphermill.papers.entry import Options
from ciphermill.papers.plan import Plan
from ciphermill.papers.systems import cells_at
from ciphermill.registry import open_device
from ciphermill.toolchain.cell_synthesis import Strategy
from ciphermill.toolchain.cells import CellTarget, find_library
from ciphermill.toolchain.errors import ToolError

CPU = "cpu"
"""Our own software."""
BYTES = 16384
"""Length of a message in software: the longest of ``openssl speed``."""
BLOCKS = (1, 8, 64, 512)
"""Lengths of a message behind DMA, in blocks."""
MESSAGES = 8
"""Messages of each length, of which the mean and the worst are taken."""
RUN_BYTES = 65536
"""Bytes of all messages of a run: of long ones there are fewer, as the system's memory has room."""
CELLS = CellTarget.NANGATE45
"""A 45 nm library with the sizes of the paper's."""


def algorithm_of(operation: Repeatable) -> Algorithm | None:
    """Return the algorithm of an operation; None if the table has none."""
    entry = SCHEMES.get(operation.algorithm)
    if entry:
        return entry[0]
    able = (one for one in ALGORITHMS.values() if operation.verb in one.operations)
    return next((one for one in able if operation.key_bits in one.key_bits), None)


def core_of(algorithm: Algorithm, printed: Hardware) -> Core | None:
    """Return the core of the algorithm that has the key sizes and directions of the paper's."""
    for name in design_names(Core):
        core = load_design(name, Core)
        alike = (core.algorithm, core.key_sizes) == (algorithm.name, printed.key_bits)
        both = not algorithm.modes or set(core.directions) == set(Direction)
        if alike and both and core.cycles_per_block and has_driver(core):
            return core
    return None


def software_points(paper: CryptoSuitePaper, seconds: float) -> Iterator[Point]:
    """Yield what is repeated: the paper's operations on its numbers of cores."""
    cpu = open_device(CPU)
    for printed in paper.software:
        operation = OPERATIONS[printed.algorithm]
        length = operation.message_bytes or BYTES
        for device in (OPENSSL, CPU) if operation.is_of(cpu) else (OPENSSL,):
            repeated = Repeated(operation.name, length, seconds)
            yield Point(Device(device), Threads(printed.cores), repeated)


def dma_runs(
    paper: CryptoSuitePaper, operation: Repeatable, algorithm: Algorithm, soft_core: SoftCore
) -> Iterator[Run]:
    """Yield runs of the algorithm behind a DMA as wide as the paper's, if it has that partition."""
    if Partition.DMA not in algorithm.partitions:
        return
    lengths = [blocks * algorithm.block_bytes for blocks in BLOCKS]
    if operation.verb in algorithm.integers:
        lengths = [algorithm.operand_bytes(operation.verb, operation.key_bits)]
    for length in lengths:
        fields = {
            "algorithm": algorithm.name,
            "partition": Partition.DMA,
            "interface": f"axi4-{1000 * paper.dma.mm2s_gbit_s / paper.clock.mhz:.0f}",
            "soft_core": soft_core,
            "operation": operation.verb,
            "key_bits": operation.key_bits,
            "bytes": length,
            "messages": min(MESSAGES, RUN_BYTES // length),
        }
        try:
            yield make_run(fields, "the crypto-suite paper's experiment")
        except DesignError:
            return  # the partition lacks the operation or the key size


def plan(paper: CryptoSuitePaper, asked: Options) -> Plan:
    """Return the plan of the experiment."""
    points = list(software_points(paper, asked["seconds"]))
    known = []
    for printed in paper.hardware:
        operation = OPERATIONS[printed.algorithm]
        algorithm = algorithm_of(operation)
        if algorithm is None:
            continue
        runs = dma_runs(paper, operation, algorithm, SoftCore(asked["soft_core"]))
        points += [Point(one.system, Simulator(), one.workload) for one in runs]
        core = core_of(algorithm, printed) if asked["area"] else None
        if core is None:
            continue
        try:
            find_library(CELLS)
        except ToolError as error:
            known.append(_without_cells(core, str(error)))
        else:
            points.append(Point(core, _cells(paper), _settings(operation, core)))
    return Plan(points, known)


def _cells(paper: CryptoSuitePaper) -> CellLibrary:
    return cells_at(CELLS, paper.clock.mhz)


def _settings(operation: Repeatable, core: Core) -> Settings:
    """The paper's workload: the key in place, data back to back, or one signature."""
    if operation.message_bytes is not None:
        # Of so large a core one netlist is enough: the strategy that keeps its adders short.
        return Settings(search=False, cells=CellOptions(strategy=Strategy.STRUCTURAL))
    if not core.key_sizes:
        return Settings(workload="digest" if operation.verb == "digest" else "stream")
    return Settings(key_bits=operation.key_bits, direction=Direction(operation.verb))


def _without_cells(core: Core, why: str) -> Measurement:
    return Measurement(
        design=core.name,
        algorithm=core.algorithm,
        target=CELLS.value,
        notes=(why,),
        method=Method.ESTIMATED,
    )
