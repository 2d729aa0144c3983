# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The parts of an embedded system that are mapped to cells, and their ports.

Each is a module of the system's RTL whose ports can be recorded and replayed. Memory is not
among them, since it is not built from cells. Neither are the system registers (console,
timer, counters), since they only serve the measurement; the AES and PRESENT paper also
removed its timer for power figures (section 4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from ciphermill.algorithms import DIRECTION_FLAGS
from ciphermill.design import (
    BusInterface,
    DesignError,
    Partition,
    SoftCore,
    System,
    Workload,
    find_home,
)
from ciphermill.evaluate.chip.area import (
    INSTRUCTION_PARTITIONS,
    bus_front,
    coprocessor,
    instruction_units,
    processor_of,
)
from ciphermill.toolchain.rtl import RtlSource
from ciphermill.toolchain.soc import hardware_partition, soc_packages

ONLY_COUNTED = frozenset({"retired_o", "stuck_o", "busy_o"})
"""Outputs that only the counters of cycles use. Soft cores drive them in simulation only
(``SYNTHESIS``)."""

PROCESSOR_PART = "processor"


class Kind(StrEnum):
    """The kind of a part."""

    PROCESSOR = "processor"
    BUS = "bus"
    MEMORY = "memory"
    ACCELERATOR = "accelerator"


@dataclass(frozen=True)
class SystemPart:
    """A part of a system."""

    name: str
    kind: Kind
    source: RtlSource
    scope: str | None = None
    """The module whose signals give the ports' values; its own unless given."""
    signals: Mapping[str, str] | None = None
    """By port: expressions in that module; its own ports unless given."""
    qualified: frozenset[str] = frozenset()
    """Outputs whose top bit is a valid bit."""
    has_memories: bool = False
    """It contains memories that are not mapped to cells (``toolchain.arrays``)."""
    by_module: bool = False
    """Larger modules are mapped separately: mapping all rounds of a cipher together takes most
    of an hour."""


def system_parts(system: System, workload: Workload) -> list[SystemPart]:
    """Return the parts of a system that are mapped to cells.

    The coprocessor is built for the key size and direction of the workload only, as those
    of the papers are. The replay checks that it can replace the one in the system.

    Args:
        system: The system.
        workload: Its workload.

    Raises:
        DesignError: There is no source tree, or no such division of the system.
        ToolError: The soft core is missing.
    """
    if system.soft_core not in (SoftCore.PICORV32, SoftCore.VEXRISCV):
        raise DesignError(
            f"soft_core {system.soft_core}: the energy of a system is simulated with picorv32 or "
            "vexriscv only"
        )
    partition = hardware_partition(system)
    if partition is Partition.DMA:
        raise DesignError(
            "partition dma: the energy of a system is simulated for all other partitions only"
        )
    own = find_home() / "hw" / "soc" / "rtl"
    with_port = partition in INSTRUCTION_PARTITIONS
    mapped = not with_port and partition is not Partition.SOFTWARE
    parts = [
        SystemPart(
            PROCESSOR_PART,
            Kind.PROCESSOR,
            processor_of(system),
            qualified=frozenset({"fetch_o", "data_o", "instruction_o"}),
            has_memories=system.soft_core is SoftCore.VEXRISCV,
        ),
        SystemPart(
            "local_bus",
            Kind.BUS,
            RtlSource(
                "soc_local_bus",
                (*soc_packages(), own / "soc_local_bus.sv"),
                {"MemoryBytes": system.memory_bytes, "Pages": 3 if mapped else 1},
            ),
            scope="soc",
            signals={
                "request_i": "data_request",
                "memory_i": "memory_response",
                "page_i": _pages("page_response"),
                "response_o": "data_response",
                "memory_o": "memory_request",
                "page_o": _pages("page_request"),
                "error_o": "local_error",
            },
        ),
    ]
    if partition is Partition.SOFTWARE:
        return parts
    if with_port:
        return [*parts, SystemPart("accelerator", Kind.ACCELERATOR, instruction_units(system))]
    return [
        *parts,
        *_front(system, own),
        _coprocessor(system, workload),
    ]


def _coprocessor(system: System, workload: Workload) -> SystemPart:
    source = coprocessor(system, workload.key_bits)
    smallest = {"Directions": DIRECTION_FLAGS[workload.operation], **system.split.smallest}
    source = replace(source, parameters={**source.parameters, **smallest})
    unrolled = system.partition is Partition.UNROLLED
    return SystemPart("accelerator", Kind.ACCELERATOR, source, by_module=unrolled)


def _front(system: System, own: Path) -> list[SystemPart]:
    """Return what is between the local bus and the coprocessor's registers."""
    front = bus_front(system)
    if front is None:
        return []  # the local bus itself
    kind = front.top.removeprefix("coprocessor_")
    files = sorted((own / "mapped").glob("soc_axi4_*.sv"))
    if system.interface is BusInterface.AXI_LITE:
        files = [own / "soc_axi_lite_bridge.sv"]
    bridge = RtlSource(f"soc_{kind}_bridge", [*soc_packages(), *files], front.parameters)
    return [
        SystemPart("bridge", Kind.BUS, bridge),
        SystemPart("front", Kind.BUS, front),
    ]


def _pages(name: str) -> str:
    return "{" + ", ".join(f"{name}[{page}]" for page in range(4)) + "}"
