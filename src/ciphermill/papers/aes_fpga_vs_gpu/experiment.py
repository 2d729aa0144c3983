# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The experiment: the paper's FPGA and ours on its board, and devices of this machine.

The FPGA is simulated clock by clock at both clocks of the board; the way over the link is a
formula. Devices encrypt a message of the same length, as often as the paper's. Work-items and
chunks of graphics processors are varied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ciphermill import Error
from ciphermill.campaign.run import Point
from ciphermill.design import Board, Core, Fpga, Operation, Workload, load_design, load_platform
from ciphermill.evaluate.board.beside import GRAPHICS, Beside, kind_of
from ciphermill.evaluate.chip.targets import Settings
from ciphermill.evaluate.device.weigh import Device, aes_arguments
from ciphermill.papers.aes_fpga_vs_gpu.published import load
from ciphermill.papers.entry import Options
from ciphermill.papers.plan import Plan
from ciphermill.registry import AnyDevice, open_device, openssl
from ciphermill.toolchain.board import memory_bytes

BOARD = "celoxica-rc1000"
PAPER, OURS = "aes-fpga-paper", "aes-fpga-iterative"
"""The FPGA with the paper's parameters, and with our cores in their place."""
CORE = "aes-stepped"
"""One core of ``PAPER``."""
PIPELINED = "aes-pipelined-128-encrypt"
"""Our core like the fastest ones of table 7: a block a cycle."""
CORES = (1, 2, 4)
"""Numbers of cores of ``PAPER`` that are compared."""
CLOCKS_MHZ = (10.0, 35.0, 70.0, 140.0)
"""Clocks of the cores that are compared; the memory keeps its clock."""
SHORT_BYTES = 1 << 16
"""Length of a message that is long enough for a rate."""
KEY_BITS = 128
GROUPS = (32, 128, 512)
"""Work-items of a group that are compared on a graphics processor."""
CHUNKS = tuple(1 << shift for shift in range(20, 26))
"""Bytes of a chunk that are compared there; the number of work-items follows."""
SWEEP_BYTES = CHUNKS[-1]
"""Length of the message of that comparison."""


def message(length: int) -> Workload:
    """Return the paper's workload with a length."""
    return Workload(operation=Operation.ENCRYPT, mode="ctr", key_bits=KEY_BITS, bytes=length)


def with_cores(design: Core, cores: int) -> Core:
    """Return an FPGA with another number of cores."""
    return design.model_copy(update={"parameters": {**design.parameters, "Cores": cores}})


def board_points(asked: Options) -> Iterator[Point]:
    """Yield the messages on the simulated board."""
    board = load_platform(BOARD, Board)
    clocks = {"clock_mhz": asked["core_mhz"], "memory_clock_mhz": asked["memory_mhz"]}
    board = board.model_copy(update={name: mhz for name, mhz in clocks.items() if mhz})
    paper, ours = (load_design(name, Core) for name in (PAPER, OURS))
    for design in (paper, ours):
        yield Point(design, board, message(min(memory_bytes(design), asked["kib"] << 10)))
    for cores in CORES:
        yield Point(with_cores(paper, cores), board, message(SHORT_BYTES))
    for mhz in CLOCKS_MHZ:
        yield Point(paper, board.model_copy(update={"clock_mhz": mhz}), message(SHORT_BYTES))


def area_points() -> Iterator[Point]:
    """Yield what is mapped to FPGAs: both FPGAs of the board, the paper's core, a pipelined one."""
    xc7, ecp5 = (load_platform(name, Fpga) for name in ("xc7", "ecp5"))
    for name in (PAPER, OURS, CORE, PIPELINED):
        yield Point(load_design(name, Core), xc7, Settings())
    yield Point(load_design(CORE, Core), ecp5, Settings())


def device_points(asked: Options) -> Iterator[Point]:
    """Yield the devices of this machine, each with one message, and GPUs with settings."""
    opened = [open_device(name) for name in dict.fromkeys(asked["devices"])]
    yield from _runs({one.name: one for one in opened}, asked["kib"] << 10, swept=False)
    names = dict.fromkeys(one.name.partition(",")[0] for one in opened)
    for name in names:
        if kind_of(name) == GRAPHICS:
            yield from _runs(dict(_able(name)), SWEEP_BYTES, swept=True)


def _runs(devices: Mapping[str, AnyDevice], length: int, *, swept: bool) -> Iterator[Point]:
    references = {
        name: open_device("cpu") if name.startswith("software") else openssl() for name in devices
    }
    work = Beside(
        *(length, "ctr", KEY_BITS, "encrypt", load().runs_averaged),
        devices,
        references,
        swept=swept,
    )
    yield from (Point(Device(name), None, work) for name in devices)


def _able(name: str) -> Iterator[tuple[str, AnyDevice]]:
    """Yield the name of a graphics processor with each setting that its driver takes, and it."""
    settings = [f"group_items={items}" for items in GROUPS]
    settings += [f"chunk_bytes={length}" for length in CHUNKS]
    for setting in settings:
        asked = f"{name},{setting}"
        try:
            device = open_device(asked)
            device.run("encrypt", bytes(16), **aes_arguments("ctr", KEY_BITS))
        except Error:
            continue
        yield asked, device


def plan(asked: Options) -> Plan:
    """Return the plan of the experiment."""
    boards = {point.digest: point for point in board_points(asked)}
    areas = area_points() if asked["area"] else ()
    return Plan([*boards.values(), *device_points(asked), *areas])
