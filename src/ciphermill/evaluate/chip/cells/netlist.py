# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A flat netlist of library cells, as yosys writes it (``write_json``)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.liberty_model import Cell, Library

CONST0 = 0
"""The net that is always 0."""
CONST1 = 1
"""The net that is always 1."""
_FIRST_NET = 2
_CONSTANTS = {"0": CONST0, "1": CONST1, "x": CONST0}
# The name that yosys' flatten gives to an object without a name inside an instance.
_FLATTENED = re.compile(r"\$flatten((?:\\[^\\$]+\.)+)")


@dataclass(frozen=True, slots=True)
class Instance:
    """A cell of the netlist."""

    name: str
    cell: str
    """Name in the library."""
    module: str
    """Path of the module instance that contained it, separated by dots; empty at the top."""
    pins: Mapping[str, int]
    """Nets by pin; unconnected pins are absent."""


@dataclass(frozen=True, slots=True)
class PinReference:
    """A pin of an instance."""

    instance: int
    """Index into ``Netlist.instances``."""
    pin: str


@dataclass(frozen=True)
class Netlist:
    """Cells and the nets between them. A net is an index into ``net_names``."""

    top: str
    library: Library
    instances: list[Instance]
    net_names: list[str]
    inputs: Mapping[str, list[int]]
    """Nets by port, least significant bit first."""
    outputs: Mapping[str, list[int]]

    def cell(self, instance: Instance) -> Cell:
        """Return the library cell of an instance."""
        return self.library.cells[instance.cell]

    @cached_property
    def drivers(self) -> list[PinReference | None]:
        """The output pin that drives each net; None for constants and inputs.

        Raises:
            ToolError: A net has two drivers.
        """
        found: list[PinReference | None] = [None] * len(self.net_names)
        inputs = {net for nets in self.inputs.values() for net in nets} | {CONST0, CONST1}
        for index, instance in enumerate(self.instances):
            for pin in self.cell(instance).outputs:
                net = instance.pins.get(pin)
                if net is None:
                    continue
                first = found[net]
                if first or net in inputs:
                    other = self.instances[first.instance].name if first else "a port or a constant"
                    raise ToolError(
                        f"net {self.net_names[net]} is driven by {instance.name} and by {other}"
                    )
                found[net] = PinReference(index, pin)
        return found

    @cached_property
    def loads(self) -> list[list[PinReference]]:
        """The input pins that each net drives, in the order of the instances."""
        found: list[list[PinReference]] = [[] for _ in self.net_names]
        for index, instance in enumerate(self.instances):
            for pin in self.cell(instance).inputs:
                if pin in instance.pins:
                    found[instance.pins[pin]].append(PinReference(index, pin))
        return found

    @property
    def area_um2(self) -> float:
        """Area of the cells in µm², without wires and the space between cells."""
        return sum(self.cell(instance).area_um2 for instance in self.instances)

    @cached_property
    def area_by_module(self) -> Mapping[str, float]:
        """Area of the cells in each module instance in µm², without that of its submodules."""
        areas: dict[str, float] = {}
        for instance in self.instances:
            area = self.cell(instance).area_um2
            areas[instance.module] = areas.get(instance.module, 0.0) + area
        return areas


def read_netlist(path: Path, library: Library) -> Netlist:
    """Read a flat mapped netlist.

    Bits that yosys left undefined (``x``) are 0. If flattening kept the names of module
    instances, each cell has the one that contained it.

    Args:
        path: File of ``write_json``; its top module is read.
        library: The library of its cells.

    Raises:
        ToolError: The file is not a netlist, or has a cell or a pin that is not in the
            library, an unconnected input, or a net with two drivers.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ToolError(f"{path}: {error}") from error
    try:
        return _Reader(data, library).netlist()
    except ToolError as error:
        raise ToolError(f"{path}: {error}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ToolError(
            f"{path}: not a netlist of yosys ({error!r}); delete it, and it will be made again"
        ) from error


class _Reader:
    """Numbers the nets of one module."""

    def __init__(self, data: Mapping[str, Any], library: Library) -> None:
        self._library = library
        self._top, self._module = _top_module(data["modules"])
        self._nets: dict[int, int] = {}

    def netlist(self) -> Netlist:
        inputs: dict[str, list[int]] = {}
        outputs: dict[str, list[int]] = {}
        for name, port in self._module["ports"].items():
            bits = [self._net(bit) for bit in port["bits"]]
            if port["direction"] == "input":
                inputs[name] = bits
            elif port["direction"] == "output":
                outputs[name] = bits
            else:
                raise ToolError(f"port {name} is {port['direction']}: not supported")
        instances = [
            self._instance(name, cell)
            for name, cell in self._module["cells"].items()
            if cell["type"] != "$scopeinfo"
        ]
        netlist = Netlist(self._top, self._library, instances, self._names(), inputs, outputs)
        _ = netlist.drivers  # two drivers of a net are refused
        return netlist

    def _net(self, bit: int | str) -> int:
        if isinstance(bit, str):
            if bit not in _CONSTANTS:
                raise ToolError(f"a bit that is {bit!r}: not supported")
            return _CONSTANTS[bit]
        return self._nets.setdefault(bit, len(self._nets) + _FIRST_NET)

    def _instance(self, name: str, data: Mapping[str, Any]) -> Instance:
        kind = data["type"].removeprefix("\\")
        cell = self._library.cells.get(kind)
        if cell is None:
            raise ToolError(f"cell {name} is a {kind}, which is not in {self._library.name}")
        pins: dict[str, int] = {}
        for pin, bits in data["connections"].items():
            if pin not in cell.pins:
                raise ToolError(f"cell {name} ({kind}) has no pin {pin}")
            if len(bits) > 1:
                raise ToolError(f"pin {pin} of cell {name} ({kind}) is {len(bits)} bits wide")
            if bits:
                pins[pin] = self._net(bits[0])
        for pin in cell.inputs:
            if pin not in pins:
                raise ToolError(f"input {pin} of cell {name} ({kind}) is not connected")
        return Instance(name, kind, _module_path(name, data.get("attributes", {})), pins)

    def _names(self) -> list[str]:
        """Return a name for each net, from the source if it has one there."""
        names = ["0", "1"] + [""] * len(self._nets)
        ranks = [(2, 0)] * len(names)
        for name, data in self._module["netnames"].items():
            hidden, bits = int(data.get("hide_name", 0)), data["bits"]
            rank = (hidden, name.count("."))
            offset, upto = int(data.get("offset", 0)), bool(data.get("upto", 0))
            for k, bit in enumerate(bits):
                net = self._nets.get(bit) if isinstance(bit, int) else None
                if net is None or (names[net] and rank >= ranks[net]):
                    continue
                place = offset + (len(bits) - 1 - k if upto else k)
                whole = len(bits) == 1 and (not offset or name.endswith(f"[{place}]"))
                names[net] = name if whole else f"{name}[{place}]"
                ranks[net] = rank
        return [name or f"net{net}" for net, name in enumerate(names)]


def _top_module(modules: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    tops = [
        (name, module)
        for name, module in modules.items()
        if int(module.get("attributes", {}).get("top", "0"), 2)
    ]
    if len(modules) == 1 and not tops:
        tops = list(modules.items())
    if len(tops) != 1:
        raise ToolError(f"{len(tops)} top modules among {len(modules)}, expected one")
    return tops[0]


def _module_path(name: str, attributes: Mapping[str, str]) -> str:
    if "hdlname" in attributes:
        return ".".join(attributes["hdlname"].split()[:-1])
    if "scopename" in attributes:
        return ".".join(attributes["scopename"].split())
    found = _FLATTENED.match(name)
    return found[1].replace("\\", "").removesuffix(".") if found else ""
