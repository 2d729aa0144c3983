# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area of an embedded system's parts after synthesis: core, coprocessor, bus front, soft core.

Each part is synthesised separately for Xilinx 7-series, so a sum of parts does not include
savings by optimisation across parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

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
from ciphermill.toolchain.rtl import RtlSource, coprocessor_sources
from ciphermill.toolchain.soc import soc_packages
from ciphermill.toolchain.soft_cores import find_soft_core
from ciphermill.toolchain.yosys import AreaXc7, synthesise_xc7

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
        return self.soft_core.lut + self.wrapped_lut

    def measurements(self, system: System) -> list[Measurement]:
        """Return the area of each part; ``scope`` is the part."""
        parts = {name: getattr(self, name) for name in _PARTS}
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
        system: Its software or memory-mapped partition.
        key_bits: The key size for which cores are built, if they allow a choice; the
            algorithm's usual one unless given.
        report: Is given a line before each synthesis, which takes up to minutes.

    Raises:
        ToolError: Yosys is missing or refused the source.
        KeyError: The partition is neither software nor memory-mapped.
    """
    sources = {"soft_core": processor(system.soft_core)}
    if system.partition is not Partition.SOFTWARE:
        key_bits = key_bits or default_key_bits(system)
        parts = zip(
            _PARTS[1:],
            (cipher_core(system, key_bits), coprocessor(system, key_bits), bus_front(system)),
            strict=True,
        )
        sources |= {name: part for name, part in parts if part}
    found = {}
    for name, source in sources.items():
        report(f"area of {source.top.removeprefix('soc_core_')} ...")
        found[name] = synthesise_xc7(source)
    return SystemArea(found["soft_core"], *(found.get(name) for name in _PARTS[1:]))


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


def processor(core: SoftCore) -> RtlSource:
    """Return a soft core with its connection to the system's bus.

    Raises:
        ToolError: The soft core is missing.
    """
    own = sorted((find_home() / "hw" / "soc" / "rtl" / core.value).glob("*.sv"))
    files = [*soc_packages(), *find_soft_core(core).sources, *own]
    return RtlSource(f"soc_core_{core}", files, {}, block_ram=True)
