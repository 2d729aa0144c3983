# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A flat netlist: registers, memories, and which bits each combinational bit depends on.

yosys reads the SystemVerilog with slang, turns processes into cells and flattens the
hierarchy; nothing is optimised but constants, and nothing is mapped, so that a register of
the netlist is a register of the source. Bits are the integers of yosys's JSON; constants are
left out. Instances keep their paths as prefixes of names, and yosys's ``$scopeinfo`` cells
say which module each instance is of.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ciphermill_dv.yosys import kept, read_slang, relative, run_yosys

_BITWISE = {"$and", "$or", "$xor", "$xnor", "$not", "$pos", "$buf"}
_CARRIED = {"$add", "$sub", "$neg"}
_SILENT = {"$scopeinfo", "$print", "$check", "$assert", "$assume", "$cover", "$live", "$fair"}
_WHOLE = {
    *("$reduce_and", "$reduce_or", "$reduce_xor", "$reduce_xnor", "$reduce_bool"),
    *("$logic_and", "$logic_or", "$logic_not"),
    *("$eq", "$ne", "$eqx", "$nex", "$lt", "$le", "$gt", "$ge"),
    *("$shl", "$shr", "$sshl", "$sshr", "$shift", "$shiftx", "$demux"),
    *("$mul", "$div", "$mod", "$divfloor", "$modfloor", "$pow"),
}
_FLIP_FLOPS = {
    *("$dff", "$dffe", "$adff", "$adffe", "$sdff", "$sdffe", "$sdffce"),
    *("$aldff", "$aldffe", "$dffsr", "$dffsre"),
}
_RESETS = ("ARST", "ALOAD", "SET", "CLR")


class NetlistError(Exception):
    """The netlist has something that the checks cannot judge; the message says what."""


@dataclass(frozen=True)
class Register:
    """A register of the source, or a memory.

    Attributes:
        name: Its path below the top module.
        clock: The bit of its clock.
        outputs: The bits that it drives; for a memory, one invented bit (negative).
        inputs: The bits that it samples at the clock: data, enables, addresses. A flip-flop
            has one for each output, at the same index, before any others.
        resets: The bits that set it at any time.
        synchronises: The source marks it ``ASYNC_REG``.
        source: File and line.
    """

    name: str
    clock: int
    outputs: tuple[int, ...]
    inputs: tuple[int | None, ...]
    resets: tuple[int, ...]
    synchronises: bool
    source: str


def read(top: str, sources: Sequence[Path], parameters: Mapping[str, int] | None = None) -> Netlist:
    """Elaborate a module with yosys and return its netlist; cached by content.

    Args:
        top: The module.
        sources: SystemVerilog files, packages first.
        parameters: Parameters of the module.

    Raises:
        ToolError: yosys is missing or refused the source.
        NetlistError: There is a cell that the checks do not know.
    """
    commands = [
        read_slang(sources, top, parameters or {}),
        f"hierarchy -check -top {top}",
        "setattr -mod -unset keep_hierarchy *",
        "proc -noopt",
        "flatten",
        "opt_expr",
        "opt_clean",
    ]

    def build(folder: Path) -> str:
        result = folder / "netlist.json"
        run_yosys([*commands, f"write_json {relative(result)}"], f"elaboration of {top}")
        return result.read_text()

    path = kept("netlist", [Path(__file__), *sources], {"commands": commands}, build)
    return Netlist(json.loads(path.read_text())["modules"][top])


class Netlist:
    """A flat module.

    Args:
        module: The module, as yosys's ``write_json`` has it.

    Attributes:
        inputs: The bits of each input port.
        outputs: The bits of each output port, constants as ``None``.
        registers: All flip-flops and memories.
        arcs: For each combinational bit, the bits that it depends on.
        modules: The module's name of each instance, by the instance's path.

    Raises:
        NetlistError: There is a cell that the checks do not know.
    """

    def __init__(self, module: Mapping[str, Any]) -> None:
        self._names: dict[int, str] = {}
        self._marked: set[int] = set()
        for name, net in module["netnames"].items():
            marked = "ASYNC_REG" in net["attributes"]
            for index, bit in enumerate(net["bits"]):
                if not isinstance(bit, int):
                    continue
                if marked:
                    self._marked.add(bit)
                text = f"{name}[{index}]" if len(net["bits"]) > 1 else name
                if _preference(text, net) < _preference(self._names.get(bit, "$")):
                    self._names[bit] = text
        self.inputs: dict[str, tuple[int, ...]] = {}
        self.outputs: dict[str, tuple[int | None, ...]] = {}
        for name, port in module["ports"].items():
            bits = _bits(port["bits"])
            if port["direction"] == "input":
                self.inputs[name] = tuple(bit for bit in bits if bit is not None)
            else:
                self.outputs[name] = bits
        self.registers: list[Register] = []
        self.arcs: dict[int, tuple[int, ...]] = {}
        self.modules: dict[str, str] = {}
        self._sources: dict[int, str] = {}
        self._memories: dict[str, int] = {}
        for cell_name, cell in module["cells"].items():
            self._add(cell_name, cell)

    # ------------------------------------------------------------ names

    def name(self, bit: int) -> str:
        """Return the source's name of a bit, or what yosys calls it."""
        return self._names.get(bit, f"bit {bit}")

    def source(self, bit: int) -> str:
        """Return file and line of what drives a bit, or an empty text."""
        return self._sources.get(bit, "")

    def place(self, path: str) -> tuple[str, str]:
        """Return the module that a named thing is in, and its name there.

        The module is an empty text for what is in the top module itself.
        """
        best = self.instance(path)
        return (self.modules[best], path[len(best) + 1 :]) if best else ("", path)

    def instance(self, path: str) -> str:
        """Return the path of the instance that a named thing is in; empty for the top module."""
        holders = [one for one in self.modules if path.startswith(f"{one}.")]
        return max(holders, key=len, default="")

    # ------------------------------------------------------------ structure

    @cached_property
    def register_of(self) -> dict[int, Register]:
        """The register that drives each bit that is driven by one."""
        return {bit: register for register in self.registers for bit in register.outputs}

    @cached_property
    def port_of(self) -> dict[int, str]:
        """The input port of each bit of one."""
        return {bit: name for name, bits in self.inputs.items() for bit in bits}

    def origins(self, bits: Iterable[int | None]) -> set[int]:
        """Return the bits of registers and inputs that some bits depend on without a clock."""
        stack = [bit for bit in bits if bit is not None]
        seen = set(stack)
        found = set()
        while stack:
            bit = stack.pop()
            below = self.arcs.get(bit)
            if below is None:
                found.add(bit)
                continue
            for other in below:
                if other not in seen:
                    seen.add(other)
                    stack.append(other)
        return found

    @cached_property
    def order(self) -> list[int]:
        """The combinational bits, each after those that it depends on, loops aside."""
        order: list[int] = []
        state: dict[int, int] = {}
        for start in self.arcs:
            if start in state:
                continue
            state[start] = 0
            stack: list[tuple[int, Iterator[int]]] = [(start, iter(self.arcs[start]))]
            while stack:
                bit, rest = stack[-1]
                for other in rest:
                    if other in self.arcs and other not in state:
                        state[other] = 0
                        stack.append((other, iter(self.arcs[other])))
                        break
                else:
                    stack.pop()
                    order.append(bit)
        return order

    # ------------------------------------------------------------ reading

    def _memory(self, name: str) -> int:
        return self._memories.setdefault(name, -1 - len(self._memories))

    def _arc(self, bit: int | None, below: Iterable[int | None], source: str) -> None:
        if bit is not None:
            self.arcs[bit] = tuple({other for other in below if other is not None})
            self._sources[bit] = source

    def _add(self, name: str, cell: Mapping[str, Any]) -> None:
        kind = cell["type"]
        attributes = cell["attributes"]
        if kind == "$scopeinfo":
            if cell["parameters"].get("TYPE") == "module":
                module = str(attributes["module"]).lstrip("\\").split("$")[0]
                self.modules[name.lstrip("\\")] = module
            return
        if kind in _SILENT:
            return
        ports = {port: _bits(bits) for port, bits in cell["connections"].items()}
        source = str(attributes.get("src", "")).split("|")[0]
        if kind in _FLIP_FLOPS:
            self._add_register(ports, source)
        elif kind in ("$memrd_v2", "$memwr_v2"):
            self._add_memory_port(kind, cell["parameters"], ports, source)
        elif kind in ("$mux", "$bwmux", "$pmux", "$bmux"):
            self._add_choice(kind, ports, source)
        elif kind in _BITWISE or kind in _CARRIED:
            operands = [ports[port] for port in ("A", "B") if port in ports]
            for index, bit in enumerate(ports["Y"]):
                begin = 0 if kind in _CARRIED else index
                # A shorter operand may be extended with its highest bit.
                below = [
                    other
                    for bits in operands
                    if bits
                    for other in bits[min(begin, len(bits) - 1) : index + 1]
                ]
                self._arc(bit, below, source)
        elif kind in _WHOLE:
            below = [b for p, bits in ports.items() if p != "Y" for b in bits]
            for bit in ports["Y"]:
                self._arc(bit, below, source)
        else:
            raise NetlistError(f"{name}: the checks do not know cells of type {kind}")

    def _add_choice(
        self, kind: str, ports: Mapping[str, tuple[int | None, ...]], source: str
    ) -> None:
        width = len(ports["Y"])
        for index, bit in enumerate(ports["Y"]):
            choices = [*ports["A"][index::width], *ports.get("B", ())[index::width]]
            chooser = ports["S"][index : index + 1] if kind == "$bwmux" else ports["S"]
            self._arc(bit, [*choices, *chooser], source)

    def _add_register(self, ports: Mapping[str, tuple[int | None, ...]], source: str) -> None:
        (clock,) = ports["CLK"]
        if clock is None:
            raise NetlistError(f"{source}: a flip-flop has a constant clock")
        outputs = tuple(bit for bit in ports["Q"] if bit is not None)
        name = self.name(outputs[0])
        if len(outputs) > 1:
            name = name.rsplit("[", 1)[0]
        others = [b for port in ("EN", "SRST") for b in ports.get(port, ()) if b is not None]
        resets = [b for port in _RESETS for b in ports.get(port, ()) if b is not None]
        # An asynchronously loaded value that is no constant counts as a reset signal too.
        resets += [b for b in ports.get("AD", ()) if b is not None]
        marked = any(bit in self._marked for bit in outputs)
        inputs = (*ports["D"], *others)
        self.registers.append(Register(name, clock, outputs, inputs, tuple(resets), marked, source))

    def _add_memory_port(
        self,
        kind: str,
        parameters: Mapping[str, str],
        ports: Mapping[str, tuple[int | None, ...]],
        source: str,
    ) -> None:
        name = parameters["MEMID"].lstrip("\\")
        node = self._memory(name)
        clocked = int(parameters["CLK_ENABLE"], 2)
        if kind == "$memwr_v2":
            (clock,) = ports["CLK"]
            if not clocked or clock is None:
                raise NetlistError(f"{name}: a memory is written without a clock")
            below = (*ports["ADDR"], *ports["DATA"], *ports["EN"])
            self.registers.append(Register(name, clock, (node,), below, (), False, source))
            return
        asked = (*ports["ADDR"], node)
        if not clocked:
            for bit in ports["DATA"]:
                self._arc(bit, asked, source)
            return
        (clock,) = ports["CLK"]
        if clock is None:
            raise NetlistError(f"{name}: a memory is read with a constant clock")
        outputs = tuple(bit for bit in ports["DATA"] if bit is not None)
        below = (*asked, *ports["EN"])
        self.registers.append(Register(f"{name} (read)", clock, outputs, below, (), False, source))


def _bits(bits: Sequence[int | str]) -> tuple[int | None, ...]:
    return tuple(bit if isinstance(bit, int) else None for bit in bits)


def _preference(name: str, net: Mapping[str, Any] | None = None) -> tuple[int, int, int]:
    """Return a sort key for names: a register's own name first, then the shorter one."""
    hidden = name.startswith("$") or "$" in name or bool(net and net.get("hide_name"))
    return int(hidden), int("_q" not in name), len(name)
