# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area of an embedded system's parts after synthesis: core, coprocessor, bus front, soft core.

Each part is synthesised by itself for Xilinx 7-series, so that a sum of parts
misses what a tool would save across their borders.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from ciphermill.algorithms import ALGORITHMS, Unit, coprocessor_folders
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
from ciphermill.toolchain.rtl import RtlSource, folder_sources
from ciphermill.toolchain.soft_cores import find_soft_core
from ciphermill.toolchain.yosys import AreaXc7, synthesise_xc7

_PARTS = ("soft_core", "core", "coprocessor", "front")
_AXI4_LITE, _AXI4 = "coprocessor_axi_lite", "coprocessor_axi4"


@dataclass(frozen=True)
class SystemArea:
    """Area of a system's parts; what it has not got is absent."""

    soft_core: AreaXc7
    core: AreaXc7 | None
    """The cipher's hardware alone."""
    coprocessor: AreaXc7 | None
    """The same with its registers and queues."""
    front: AreaXc7 | None
    """The bus front before these."""

    @property
    def wrapped_lut(self) -> int:
        """LUTs of the coprocessor with its front; 0 where there is none."""
        return sum(part.lut for part in (self.coprocessor, self.front) if part)

    @property
    def system_lut(self) -> int:
        """LUTs of soft core, coprocessor and front."""
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
        key_bits: The one key size that cores are built for, where they can be; the
            algorithm's usual one unless given.
        report: Is given a line before each synthesis, which takes up to minutes.

    Raises:
        ToolError: Yosys is missing or refused the source.
        KeyError: The partition is neither.
    """
    core = _soft_core(system.soft_core, report)
    if system.partition is Partition.SOFTWARE:
        return SystemArea(core, None, None, None)
    key_bits = key_bits or default_key_bits(system)
    top, parameters = coprocessor(system, key_bits)
    inner = cipher_core(system, key_bits)
    return SystemArea(
        core,
        _area(*inner, report) if inner else None,
        _area(top, parameters, report),
        _front(system, report),
    )


def coprocessor(system: System, key_bits: int) -> tuple[str, dict[str, int]]:
    """Return the module of a system's coprocessor and its parameters.

    Raises:
        KeyError: The partition is not memory-mapped.
    """
    if system.split.coprocessor is None:
        raise KeyError(system.partition)
    return _unit(system.split.coprocessor, system, key_bits)


def cipher_core(system: System, key_bits: int) -> tuple[str, dict[str, int]] | None:
    """Return the module that holds a system's cipher alone and its parameters.

    None where the coprocessor is no core with registers around it (one round).
    """
    split = system.split
    combinational = split.combinational_core if system.blocks_in_flight == 0 else None
    unit = combinational or split.core
    return _unit(unit, system, key_bits) if unit else None


def _unit(unit: Unit, system: System, key_bits: int) -> tuple[str, dict[str, int]]:
    known = {
        "DataWidth": system.interface.data_bits if system.interface else None,
        "BlocksInFlight": system.blocks_in_flight,
        "KeySizes": ALGORITHMS[system.algorithm].cores.key_size_flags.get(key_bits),
    }
    decided = {name: value for name in unit.takes if (value := known[name]) is not None}
    return unit.top, {**unit.parameters, **decided}


def _front(system: System, report: Report) -> AreaXc7 | None:
    if system.interface is BusInterface.AXI_LITE:
        return _area(_AXI4_LITE, {}, report)
    if system.interface is not None and system.interface.is_axi4:
        return _area(_AXI4, {"DataWidth": system.interface.data_bits}, report)
    return None


def _area(top: str, parameters: Mapping[str, int], report: Report) -> AreaXc7:
    home = find_home()
    folders = [home / "hw" / name / "rtl" for name in coprocessor_folders()]
    report(f"area of {top} ...")
    return synthesise_xc7(RtlSource(top, folder_sources(folders), parameters))


def _soft_core(core: SoftCore, report: Report) -> AreaXc7:
    home = find_home()
    rtl = home / "hw" / "soc" / "rtl"
    files = find_soft_core(core)
    own = sorted((rtl / core.value).glob("*.sv"))
    sources: list[Path] = [*sorted((rtl / "generated").glob("*.sv")), rtl / "soc_pkg.sv"]
    sources += [*files.sources, *own]
    report(f"area of {core} ...")
    return synthesise_xc7(RtlSource(f"soc_core_{core}", sources, {}, block_ram=True))
