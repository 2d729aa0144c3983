# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The experiment: the paper's FPGA and ours on its board, and devices of this machine.

The FPGA is simulated clock by clock at both clocks of the board; the way over the link is a
formula. Devices encrypt a message of the same length.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ciphermill.campaign.run import Point
from ciphermill.design import Board, Core, Fpga, Operation, Workload, load_design, load_platform
from ciphermill.evaluate.chip.targets import Settings
from ciphermill.evaluate.device.weigh import Device, Message
from ciphermill.papers.entry import Options
from ciphermill.papers.plan import Plan
from ciphermill.registry import open_device
from ciphermill.toolchain.board import memory_bytes

BOARD = "celoxica-rc1000"
PAPER, OURS = "aes-fpga-paper", "aes-fpga-iterative"
"""The FPGA with the paper's parameters, and with our cores in their place."""
CORE = "aes-stepped"
"""One core of ``PAPER``."""
CORES = (1, 2, 4)
"""Numbers of cores of ``PAPER`` that are compared."""
CLOCKS_MHZ = (10.0, 35.0, 70.0, 140.0)
"""Clocks of the cores that are compared; the memory keeps its clock."""
SHORT_BYTES = 1 << 16
"""Length of a message that is long enough for a rate."""
KEY_BITS = 128


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
    """Yield what is mapped to FPGAs: both FPGAs of the board, and a core of each."""
    xc7, ecp5 = (load_platform(name, Fpga) for name in ("xc7", "ecp5"))
    for name in (PAPER, OURS, CORE):
        yield Point(load_design(name, Core), xc7, Settings())
    yield Point(load_design(CORE, Core), ecp5, Settings())


def device_points(asked: Options) -> Iterator[Point]:
    """Yield the devices of this machine, each with one message."""
    if not asked["devices"]:
        return
    opened = [open_device(name) for name in dict.fromkeys(asked["devices"])]
    reference = open_device("software")
    devices = {one.name: one for one in (reference, *opened)}
    data = os.urandom(asked["kib"] << 10)
    text = Message(f"{asked['kib']} KiB", data, KEY_BITS, devices)
    yield from (Point(Device(one.name), None, text) for one in opened)


def plan(asked: Options) -> Plan:
    """Return the plan of the experiment."""
    boards = {point.digest: point for point in board_points(asked)}
    areas = area_points() if asked["area"] else ()
    return Plan([*boards.values(), *device_points(asked), *areas])
