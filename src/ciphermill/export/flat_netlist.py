# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A flat netlist of a module: its flip-flops and memories, and the paths between clocks.

Yosys elaborates the SystemVerilog and flattens the hierarchy; nothing is mapped, so that a
register of the netlist is one of the source. After that, one clock net has the names of all
ports that it passes through. So a net is known by its bit, the integer of yosys's JSON, and a
clock by the input port that has this bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ciphermill.toolchain.errors import ToolError

PASSES = (
    "setattr -mod -unset keep_hierarchy *",
    "proc -noopt",
    "flatten",
    "opt_expr",
    "opt_clean",
)
"""The passes of yosys between ``hierarchy`` and ``write_json``."""

_CLOCKED = ("D", "EN", "SRST")
_ASYNCHRONOUS = ("ARST", "ALOAD", "AD", "SET", "CLR")
_FLIP_FLOPS = {
    *("$dff", "$dffe", "$adff", "$adffe", "$sdff", "$sdffe", "$sdffce"),
    *("$aldff", "$aldffe", "$dffsr", "$dffsre"),
}
_SILENT = {"$scopeinfo", "$print", "$check", "$assert", "$assume", "$cover", "$live", "$fair"}
_BITWISE = {"$and", "$or", "$xor", "$xnor", "$not", "$pos", "$buf", "$mux"}

Bits = tuple[int | None, ...]
"""Bits of a port, constants as None."""


@dataclass(frozen=True)
class Register:
    """A register of the source, or a memory.

    ``name`` is its path in the flat netlist, such as ``u_in.u_read_gray.meta_q``.
    """

    name: str
    clock: str


@dataclass(frozen=True)
class Path:
    """Paths from a register of one clock to a register of another."""

    start: Register
    end: Register
    direct: bool
    """No logic is between them: each bit of the end samples one bit of the start."""
    asynchronous: bool
    """They end at asynchronous resets, not at data or enables."""


@dataclass(frozen=True)
class Reset:
    """An asynchronous reset that is no output of a flip-flop of the same clock."""

    end: Register
    start: str
    """The input port that it depends on, or the register of another clock."""


@dataclass
class _Cell:
    """Bits that a clock edge samples, and those that they set."""

    register: Register
    outputs: list[int]
    sampled: list[int]
    """Data, enables, addresses; of a flip-flop without its data bits."""
    data: list[tuple[int, int]]
    """Pairs of a data bit of a flip-flop and the output that takes it."""
    resets: list[int]


class FlatNetlist:
    """What the JSON of a flat module says of its clocks.

    Attributes:
        clocks: The names of the input ports that clock a flip-flop or a memory.
        registers: The registers and memories by name.
        instances: The module of each instance by the instance's path.
        paths: The paths from a register of one clock to a register of another.
        resets: Asynchronous resets that do not come from a flip-flop of the same clock.
    """

    def __init__(self, module: Mapping[str, Any]) -> None:
        """Read a module.

        Args:
            module: The module in the JSON of yosys's ``write_json``, after ``PASSES``.

        Raises:
            ToolError: A clock is no input port, or a memory is written without one.
        """
        self._inputs: dict[int, str] = {}
        for name, port in module["ports"].items():
            if port["direction"] == "input":
                self._inputs |= dict.fromkeys(_known(port["bits"]), name)
        self._names = _names(module["netnames"], module["ports"])
        self._nets = module["netnames"]
        self.instances: dict[str, str] = {}
        self._below: dict[int, tuple[int, ...]] = {}
        self._cells: list[_Cell] = []
        self._memories: dict[str, int] = {}
        for name, cell in module["cells"].items():
            self._read(name.lstrip("\\"), cell)
        self.clocks = sorted({cell.register.clock for cell in self._cells})
        self.registers = {cell.register.name: cell.register for cell in self._cells}
        self.paths: list[Path] = []
        self.resets: list[Reset] = []
        if len(self.clocks) > 1 or any(cell.resets for cell in self._cells):
            self._trace()

    def place(self, name: str) -> tuple[tuple[str, ...], str]:
        """Return where a register is: the instances from the top down, and its name there.

        A name of an instance may have dots of its own, from the blocks of generate
        statements: ``gen_two_clocks.u_in``.
        """
        found: list[str] = []
        start = end = 0
        while (end := name.find(".", end)) >= 0:
            if name[:end] in self.instances:
                found.append(name[start:end])
                start = end + 1
            end += 1
        return tuple(found), name[start:]

    def own_names(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the names that registers have in their own modules, by their paths.

        A register that an output port shows has the port's name too, and the Verilog-2005
        form may keep that one alone.
        """
        wanted = {self.place(name) for name in names}
        nets: dict[tuple[int, ...], list[tuple[tuple[str, ...], str]]] = {}
        for name, net in self._nets.items():
            if "$" not in name and not net.get("hide_name"):
                nets.setdefault(tuple(_known(net["bits"])), []).append(self.place(name))
        found = {}
        for places in nets.values():
            for scope, own in wanted & set(places):
                same = {other for place, other in places if place == scope}
                found[".".join((*scope, own))] = (own, *sorted(same - {own}))
        return found

    def module_of(self, name: str) -> str:
        """Return the module that a register is in; an empty text for the top."""
        instances, _ = self.place(name)
        return self.instances.get(".".join(instances), "")

    # ------------------------------------------------------------ reading

    def _read(self, name: str, cell: Mapping[str, Any]) -> None:
        kind = cell["type"]
        if kind == "$scopeinfo":
            if cell["parameters"].get("TYPE") == "module":
                module = str(cell["attributes"]["module"]).lstrip("\\")
                self.instances[name] = module.partition("$")[0]
        elif kind in _FLIP_FLOPS:
            self._read_flip_flop(name, _ports(cell))
        elif kind == "$memwr_v2":
            self._read_write_port(cell["parameters"], _ports(cell))
        elif kind == "$memrd_v2":
            self._read_read_port(cell["parameters"], _ports(cell))
        elif kind not in _SILENT:
            self._read_logic(kind, cell, _ports(cell))

    def _read_flip_flop(self, name: str, ports: Mapping[str, Bits]) -> None:
        outputs = [bit for bit in ports["Q"] if bit is not None]
        source = _source_name(name) or _vector(self._name(outputs[0]))
        register = Register(source, self._clock(ports["CLK"]))
        data = [
            (given, taken)
            for given, taken in zip(ports["D"], ports["Q"], strict=True)
            if given is not None and taken is not None
        ]
        sampled = [bit for port in _CLOCKED[1:] for bit in _present(ports.get(port, ()))]
        resets = [bit for port in _ASYNCHRONOUS for bit in _present(ports.get(port, ()))]
        self._cells.append(_Cell(register, outputs, sampled, data, resets))

    def _read_write_port(self, parameters: Mapping[str, str], ports: Mapping[str, Bits]) -> None:
        name = parameters["MEMID"].lstrip("\\")
        if not int(parameters["CLK_ENABLE"], 2):
            raise ToolError(f"{name}: a memory is written without a clock")
        register = Register(name, self._clock(ports["CLK"]))
        sampled = [*_present(ports["ADDR"]), *_present(ports["DATA"]), *_present(ports["EN"])]
        self._cells.append(_Cell(register, [self._memory(name)], sampled, [], []))

    def _read_read_port(self, parameters: Mapping[str, str], ports: Mapping[str, Bits]) -> None:
        name = parameters["MEMID"].lstrip("\\")
        outputs = list(_present(ports["DATA"]))
        below = [*_present(ports["ADDR"]), self._memory(name)]
        if not int(parameters["CLK_ENABLE"], 2):
            self._below |= dict.fromkeys(outputs, tuple(below))
        elif outputs:
            source = _vector(self._name(outputs[0]))
            register = Register(source, self._clock(ports["CLK"]))
            below += _present(ports["EN"])
            self._cells.append(_Cell(register, outputs, below, [], []))

    def _read_logic(self, kind: str, cell: Mapping[str, Any], ports: Mapping[str, Bits]) -> None:
        directions = cell["port_directions"]
        inputs = {port: bits for port, bits in ports.items() if directions[port] == "input"}
        outputs = [bits for port, bits in ports.items() if directions[port] == "output"]
        width = len(outputs[0]) if outputs else 0
        chooser = _present(inputs.get("S", ()))
        by_bit = kind in _BITWISE and all(len(inputs[p]) == width for p in "AB" if p in inputs)
        whole = tuple({bit for bits in inputs.values() for bit in _present(bits)})
        for bits in outputs:
            for index, bit in enumerate(bits):
                if bit is None:
                    continue
                if by_bit or kind == "$pmux":
                    operands = [inputs["A"][index], *inputs.get("B", ())[index::width]]
                    self._below[bit] = (*_present(operands), *chooser)
                else:
                    self._below[bit] = whole

    def _memory(self, name: str) -> int:
        return self._memories.setdefault(name, -1 - len(self._memories))

    def _name(self, bit: int) -> str:
        return self._names.get(bit, f"net {bit}")

    def _clock(self, bits: Bits) -> str:
        (bit,) = bits
        if bit is None or bit not in self._inputs:
            what = "a constant" if bit is None else self._name(bit)
            raise ToolError(f"a clock is {what}, not an input port: its domain is not known")
        return self._inputs[bit]

    # ------------------------------------------------------------ tracing

    def _trace(self) -> None:
        owner = {bit: cell.register for cell in self._cells for bit in cell.outputs}
        clocks_of: dict[int, frozenset[str]] = {}

        def clocks(bit: int) -> frozenset[str]:
            """Return the clocks of all registers that a bit depends on."""
            stack = [bit]
            while stack:
                top = stack[-1]
                if top in clocks_of:
                    stack.pop()
                elif top in owner:
                    clocks_of[top] = frozenset({owner[top].clock})
                elif waiting := [b for b in self._below.get(top, ()) if b not in clocks_of]:
                    if len(stack) > len(self._below) + 1:
                        raise ToolError(f"{self._name(bit)} is in a combinational loop")
                    stack += waiting
                else:
                    below = (clocks_of[b] for b in self._below.get(top, ()))
                    clocks_of[top] = frozenset().union(*below)
            return clocks_of[bit]

        def starts(bits: Iterable[int], clock: str) -> set[int]:
            """Return the outputs of registers of other clocks that bits depend on."""
            stack = [bit for bit in bits if clocks(bit) - {clock}]
            seen = set(stack)
            for bit in stack:  # grows
                more = {b for b in self._below.get(bit, ()) if clocks(b) - {clock}} - seen
                seen |= more
                stack += more
            return {bit for bit in seen if bit in owner}

        found: dict[tuple[Register, Register, bool], bool] = {}
        for cell in self._cells:
            end = cell.register
            if len(self.clocks) > 1:
                for given, _ in cell.data:
                    for bit in starts([given], end.clock):
                        key = (owner[bit], end, False)
                        found[key] = found.get(key, True) and bit == given
                for bit in starts(cell.sampled, end.clock):
                    found[(owner[bit], end, False)] = False
                for bit in starts(cell.resets, end.clock):
                    found[(owner[bit], end, True)] = bit in cell.resets
            self._trace_resets(cell, owner)
        self.paths = [
            Path(start, end, direct, asynchronous)
            for (start, end, asynchronous), direct in found.items()
        ]

    def _trace_resets(self, cell: _Cell, owner: Mapping[int, Register]) -> None:
        seen = set(cell.resets)
        stack = list(cell.resets)
        for bit in stack:  # grows
            if bit in self._inputs and bit not in owner:
                reset = Reset(cell.register, self._inputs[bit])
                if reset not in self.resets:
                    self.resets.append(reset)
            more = [b for b in self._below.get(bit, ()) if b not in seen]
            seen.update(more)
            stack += more


def _ports(cell: Mapping[str, Any]) -> dict[str, Bits]:
    return {port: _bits(bits) for port, bits in cell["connections"].items()}


def _bits(bits: Sequence[int | str]) -> Bits:
    return tuple(bit if isinstance(bit, int) else None for bit in bits)


def _known(bits: Sequence[int | str]) -> list[int]:
    return [bit for bit in bits if isinstance(bit, int)]


def _present(bits: Iterable[int | None]) -> list[int]:
    return [bit for bit in bits if bit is not None]


def _source_name(cell: str) -> str:
    r"""Return the register that a flip-flop is in the source; empty if its name does not say.

    The SystemVerilog reader names flip-flops after what they drive, and flattening puts the
    instances before it: ``$flatten\\u_in.\\u_sweep.$driver$run_q``.
    """
    scope, found, own = cell.partition("$driver$")
    return scope.removeprefix("$flatten").replace("\\", "") + _vector(own) if found else ""


def _vector(name: str) -> str:
    """Return the name of a vector from that of one of its bits."""
    return name.rsplit("[", 1)[0] if name.endswith("]") else name


def _names(nets: Mapping[str, Any], ports: Mapping[str, Any]) -> dict[int, str]:
    """Return a name of each bit: a register's own (``_q``) first, then the shorter one."""
    found: dict[int, tuple[tuple[bool, bool, bool, int], str]] = {}
    for name, net in nets.items():
        wide = len(net["bits"]) > 1
        own = name.rpartition(".")[2]
        hidden = bool(net.get("hide_name")) or "$" in name
        rank = (hidden, name in ports, not own.partition("[")[0].endswith("_q"), len(name))
        for index, bit in enumerate(net["bits"]):
            if isinstance(bit, int) and (bit not in found or rank < found[bit][0]):
                found[bit] = (rank, f"{name}[{index}]" if wide else name)
    return {bit: name for bit, (_, name) in found.items()}
