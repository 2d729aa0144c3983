# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area of an embedded system's parts after synthesis: core, coprocessor, bus front, soft core.

Each part is synthesised separately for Xilinx 7-series, so a sum of parts does not include
savings by optimisation across parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from ciphermill.algorithms import ALGORITHMS, Unit
from ciphermill.design import (
    BusInterface,
    Measurement,
    Method,
    Partition,
    SoftCore,
    System,
    find_home,
)
from ciphermill.design.runs import default_key_bits
from ciphermill.evaluate.chip.measures import XC7, areas_xc7
from ciphermill.toolchain.model import Report, say
from ciphermill.toolchain.rtl import (
    RtlSource,
    coprocessor_sources,
    folder_sources,
    without_foreign,
)
from ciphermill.toolchain.soc import (
    HARDWARE,
    hardware_partition,
    soc_packages,
    soc_parameters,
)
from ciphermill.toolchain.soft_cores import find_soft_core, synthesisable
from ciphermill.toolchain.yosys import AreaXc7, synthesise_xc7

INSTRUCTION_PARTITIONS = (Partition.INSTRUCTION, Partition.STREAM)
"""Partitions whose hardware is in the soft core's pipeline."""

_PARAMETER = re.compile(r"^  parameter int unsigned (\w+)", re.MULTILINE)
_PARTS = ("soft_core", "core", "coprocessor", "front")


@dataclass(frozen=True)
class SystemArea:
    """Area of a system's parts; a part that it does not have is absent."""

    soft_core: AreaXc7
    core: AreaXc7 | None
    """The cipher's hardware alone."""
    coprocessor: AreaXc7 | None
    """The same with its registers and queues."""
    front: AreaXc7 | None
    """The bus front before these."""

    @property
    def wrapped_lut(self) -> int:
        """LUTs of the coprocessor with its bus front; 0 if there is none."""
        return sum(part.lut for part in (self.coprocessor, self.front) if part)

    @property
    def system_lut(self) -> int:
        """LUTs of soft core, coprocessor and bus front."""
        return self.whole.lut

    @property
    def whole(self) -> AreaXc7:
        """The area of soft core, coprocessor and bus front."""
        there = [part for part in (self.soft_core, self.coprocessor, self.front) if part]
        names = [one.name for one in fields(AreaXc7)]
        return AreaXc7(**{name: sum(getattr(part, name) for part in there) for name in names})

    def measurements(self, system: System) -> list[Measurement]:
        """Return the area of the system, then of each part; ``scope`` is the part."""
        parts: dict[str | None, AreaXc7 | None] = {
            None: self.whole,
            **{name: getattr(self, name) for name in _PARTS},
        }
        return [
            Measurement(
                algorithm=system.algorithm,
                partition=system.partition,
                soft_core=system.soft_core,
                blocks_in_flight=system.blocks_in_flight,
                target=XC7,
                scope=name,
                method=Method.ESTIMATED,
                **areas_xc7(area),
            )
            for name, area in parts.items()
            if area
        ]

    @classmethod
    def of(cls, parts: Iterable[Measurement]) -> SystemArea:
        """Return the area whose parts these measurements are.

        Raises:
            KeyError: There is no soft core.
        """
        found = {
            seen.scope: AreaXc7(
                **{one.name: getattr(seen, f"area_{one.name}") or 0 for one in fields(AreaXc7)}
            )
            for seen in parts
        }
        return cls(found["soft_core"], *(found.get(part) for part in _PARTS[1:]))


def system_area(system: System, *, key_bits: int | None = None, report: Report = say) -> SystemArea:
    """Return the area of a system's parts.

    Args:
        system: The system.
        key_bits: The key size for which cores are built, if they allow a choice; the
            algorithm's usual one unless given.
        report: Is given a line before each synthesis, which takes up to minutes.

    Raises:
        ToolError: Yosys is missing or refused the source.
    """
    found = {}
    for name, source in parts_of(system, key_bits or default_key_bits(system)).items():
        report(f"area of {source.top.removeprefix('soc_core_')} ...")
        found[name] = synthesise_xc7(source)
    return SystemArea(found["soft_core"], *(found.get(name) for name in _PARTS[1:]))


def parts_of(system: System, key_bits: int) -> dict[str, RtlSource]:
    """Return what the area of a system is synthesised from, by the name of the part."""
    partition = hardware_partition(system)
    parts: dict[str, RtlSource | None] = {"soft_core": processor_of(system)}
    if partition in INSTRUCTION_PARTITIONS:
        parts["coprocessor"] = instruction_units(system)
    elif partition is Partition.DMA:
        parts["coprocessor"] = _behind_dma(system)
    elif partition is not Partition.SOFTWARE:
        parts["core"] = cipher_core(system, key_bits)
        parts["coprocessor"] = coprocessor(system, key_bits)
        parts["front"] = bus_front(system)
    return {name: part for name, part in parts.items() if part}


def instruction_units(system: System) -> RtlSource:
    """Return the custom instructions of a system: every unit of its partition."""
    top = find_home() / "hw" / "soc" / "rtl" / "instruction" / "soc_instructions.sv"
    return _of_system(system, top, coprocessor_sources())


def _behind_dma(system: System) -> RtlSource:
    """Return the accelerator and its DMA engine, with the bridges before their registers."""
    hardware = find_home() / "hw"
    own = hardware / "soc" / "rtl"
    top = own / "dma" / "soc_dma.sv"
    folders = [hardware / name / "rtl" for name in HARDWARE[Partition.DMA].folders]
    files = without_foreign(folder_sources(folders), top.stem)
    source = _of_system(system, top, [*files, own / "soc_axi_lite_bridge.sv"])
    width = {"DataWidth": system.interface.data_bits} if system.interface else {}
    return replace(source, parameters={**source.parameters, **width})


def _of_system(system: System, top: Path, files: Sequence[Path]) -> RtlSource:
    """Return a module of the system's own RTL, with the system's parameters that it takes."""
    every = soc_parameters(system)
    names = _PARAMETER.findall(top.read_text(encoding="utf-8"))
    parameters = {name: every[name] for name in names if name in every}
    return RtlSource(top.stem, (*soc_packages(), *files, top), parameters)


def coprocessor(system: System, key_bits: int) -> RtlSource:
    """Return a system's coprocessor.

    Raises:
        KeyError: The partition is not memory-mapped.
    """
    if system.split.coprocessor is None:
        raise KeyError(system.partition)
    return _unit(system.split.coprocessor, system, key_bits)


def cipher_core(system: System, key_bits: int) -> RtlSource | None:
    """Return the module of a system's cipher without registers.

    None if the coprocessor is not a core with registers around it (one round).
    """
    split = system.split
    combinational = split.combinational_core if system.blocks_in_flight == 0 else None
    unit = combinational or split.core
    return _unit(unit, system, key_bits) if unit else None


def _unit(unit: Unit, system: System, key_bits: int) -> RtlSource:
    known = {
        "DataWidth": system.interface.data_bits if system.interface else None,
        "BlocksInFlight": system.blocks_in_flight,
        "SBox": ALGORITHMS[system.algorithm].cores.sboxes[system.sbox] if system.sbox else None,
        "KeySizes": ALGORITHMS[system.algorithm].cores.key_size_flags.get(key_bits),
    }
    decided = {name: value for name in unit.takes if (value := known[name]) is not None}
    return RtlSource(unit.top, coprocessor_sources(), {**unit.parameters, **decided})


def bus_front(system: System) -> RtlSource | None:
    """Return the bus front before a coprocessor's registers; None on the local bus."""
    if system.interface is BusInterface.AXI_LITE:
        return RtlSource("coprocessor_axi_lite", coprocessor_sources(), {})
    if system.interface is not None and system.interface.is_axi4:
        width = {"DataWidth": system.interface.data_bits}
        return RtlSource("coprocessor_axi4", coprocessor_sources(), width)
    return None


def processor_of(system: System) -> RtlSource:
    """Return a system's soft core; PicoRV32 has the port for custom instructions if it is used."""
    with_port = hardware_partition(system) in INSTRUCTION_PARTITIONS
    port = {"Instructions": int(with_port)} if system.soft_core is SoftCore.PICORV32 else {}
    return replace(processor(system.soft_core), parameters=port)


def processor(core: SoftCore) -> RtlSource:
    """Return a soft core with its connection to the system's bus.

    Raises:
        ToolError: The soft core is missing.
    """
    own = sorted((find_home() / "hw" / "soc" / "rtl" / core.value).glob("*.sv"))
    found = find_soft_core(core)
    files = [*soc_packages(), *synthesisable(core, found), *own]
    return RtlSource(f"soc_core_{core}", files, {}, block_ram=True, includes=found.includes)
