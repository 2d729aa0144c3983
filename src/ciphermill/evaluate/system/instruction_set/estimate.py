# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Estimates a workload: firmware in an instruction-set simulator, the coprocessor from its RTL."""

from __future__ import annotations

import time
from contextlib import ExitStack

from ciphermill.design import BusInterface, Partition, System, Variant, Workload, check_run
from ciphermill.evaluate.system import image as layout
from ciphermill.evaluate.system.errors import CosimError
from ciphermill.evaluate.system.instruction_set.coprocessor import Coprocessor
from ciphermill.evaluate.system.instruction_set.machine import Machine
from ciphermill.evaluate.system.instruction_set.peripherals import Peripherals
from ciphermill.evaluate.system.instruction_set.tables import TABLES, BusCost
from ciphermill.evaluate.system.messages import Messages, first_difference, messages
from ciphermill.evaluate.system.run import CosimResult, watchdog
from ciphermill.names import did_you_mean
from ciphermill.toolchain.coprocessor import ensure_coprocessor
from ciphermill.toolchain.firmware import Firmware, ensure_firmware, program_name
from ciphermill.toolchain.model import Report, say

PARTITIONS = (
    Partition.SOFTWARE,
    Partition.UNROLLED,
    Partition.ITERATIVE,
    Partition.ROUND,
    Partition.LINEAR_LAYER,
    Partition.SHELL,
)
"""Partitions that can be estimated: software, and memory-mapped coprocessors."""
INTERFACES = (BusInterface.LOCAL, BusInterface.AXI_LITE)


def check_estimate(system: System, processor: str) -> None:
    """Check that a system and a workload can be estimated.

    Raises:
        CosimError: They cannot; the message says what can.
    """
    if processor not in TABLES:
        question = did_you_mean(processor, TABLES)
        there = f"{question} There are: " if question else "there are: "
        raise CosimError(f"no cycle table for {processor}; {there}{', '.join(TABLES)}")
    if system.partition not in PARTITIONS or system.variant is Variant.ZKN:
        raise CosimError(
            "only software without custom instructions and memory-mapped partitions can be "
            f"estimated: {', '.join(PARTITIONS)}"
        )
    if system.interface is not None and system.interface not in INTERFACES:
        raise CosimError(
            f"{system.interface} cannot be estimated, for lack of a model of its bursts; "
            f"these can: {', '.join(INTERFACES)}"
        )
    if system.memory_read_wait or system.memory_write_wait:
        raise CosimError("estimates are for memory without wait states")


def estimate(
    system: System,
    workload: Workload,
    *,
    processor: str | None = None,
    firmware: Firmware | None = None,
    data: Messages | None = None,
    max_cycles: int | None = None,
    stuck_bit: int | None = None,
    report: Report = say,
) -> CosimResult:
    """Estimate the cycles of a workload on a system, and check its output.

    Args:
        system: The system.
        workload: Its messages; of a block cipher whole blocks, each by itself (ECB).
        processor: One of ``TABLES``; the system's soft core if absent. ``sa1110`` replaces
            the soft core.
        firmware: The program; built if absent.
        data: Keys, messages and known answers; ``messages(workload)`` if absent.
        max_cycles: Estimated cycles after which the firmware counts as hung.
        stuck_bit: Bit 0 to 31 of the coprocessor's results that is stuck at one, for tests.
        report: Is given a line before a build.

    Returns:
        The result of a cycle-accurate run, with estimated cycles, and whether the output is
        right.

    Raises:
        DesignError: The system cannot run the workload, or there is no source tree.
        ToolError: A tool is missing or failed.
        CosimError: It cannot be estimated, or the run gave no result.
    """
    processor = processor or system.soft_core.value
    check_estimate(system, processor)
    check_run(system, workload)
    table = TABLES[processor]
    firmware = firmware or _firmware(system, processor)
    place = layout.lay_out(system, workload, firmware.image_end)
    data = data or messages(workload)
    begin = time.monotonic()
    with ExitStack() as stack:
        coprocessor = None
        bridge = BusCost(0, 0)
        if system.interface is not None:
            library = ensure_coprocessor(system, report=report)
            coprocessor = stack.enter_context(Coprocessor(library))
            coprocessor.stick(0 if stuck_bit is None else 1 << stuck_bit)
            bridge = table.buses[system.interface]
        peripherals = Peripherals(table.system, bridge, coprocessor)
        machine = Machine(table, system.memory_bytes, peripherals)
        machine.load(0, layout.image(firmware.path.read_bytes(), system, workload, place))
        machine.load(place.key, layout.payload(data, workload, place))
        machine.run(max_cycles or 2 * watchdog(system, workload))
    counters = layout.read_result(machine.dump(layout.RESULT_ADDRESS, layout.RESULT_BYTES))
    got = machine.dump(place.output, place.length)
    return CosimResult(
        system,
        workload,
        counters,
        firmware.code_bytes,
        first_difference(got, layout.expected_output(data, workload)),
        time.monotonic() - begin,
    )


def _firmware(system: System, processor: str) -> Firmware:
    variant = system.variant.value if isinstance(system.variant, Variant) else None
    return ensure_firmware(
        program_name(system.algorithm, system.partition.value, variant),
        soft_core=processor,
        optimisation=system.optimisation.value,
        blocks_in_flight=system.blocks_in_flight,
    )
