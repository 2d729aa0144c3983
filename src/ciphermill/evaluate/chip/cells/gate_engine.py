# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The gate-level simulator of ``gates/`` (C++): compiled once, called through ctypes."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ciphermill.toolchain.cache import artefact
from ciphermill.toolchain.verilator import compiler_version, need_program, run

SOURCES = Path(__file__).parent / "gates"
FLAGS = ("-std=c++17", "-O2", "-Wall", "-Wextra", "-fPIC", "-fvisibility=hidden", "-shared")
_MOST_NETS = 8
"""The number of nets that the report of a fault names."""


@dataclass
class Arrays:
    """A circuit as plain arrays (``gates/gates.h`` describes each)."""

    net_count: int
    clock: int
    one: int
    gate_start: list[int] = field(default_factory=lambda: [0])
    gate_inputs: list[int] = field(default_factory=list)
    gate_table: list[int] = field(default_factory=list)
    gate_output: list[int] = field(default_factory=list)
    gate_delays: list[int] | None = None
    state_start: list[int] = field(default_factory=lambda: [0])
    state_inputs: list[int] = field(default_factory=list)
    state_table: list[int] = field(default_factory=list)
    state_output: list[int] = field(default_factory=list)
    state_kind: bytearray = field(default_factory=bytearray)
    state_initial: bytearray = field(default_factory=bytearray)
    tables: bytearray = field(default_factory=bytearray)


class Fault(Exception):
    """An error of the simulator: a text and the nets concerned."""

    def __init__(self, text: str, nets: Sequence[int]) -> None:
        super().__init__(text)
        self.text = text
        self.nets = list(nets)


_OCTETS = ("state_kind", "state_initial", "tables")
_ARRAYS = (
    "gate_start", "gate_inputs", "gate_table", "gate_output", "gate_delays",
    "state_start", "state_inputs", "state_table", "state_output", *_OCTETS,
)  # fmt: skip
"""The arrays of ``gates.h``, in its order; arrays are of octets or of words."""


class _Netlist(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int32) for name in ("net_count", "clock", "one")),
        *((name, ctypes.c_int32) for name in ("gate_count", "state_count")),
        *((name, ctypes.c_void_p) for name in _ARRAYS),
        ("tables_size", ctypes.c_int64),
    ]


def library_path() -> Path:
    """Return the simulator's shared object, compiled if it is not up to date.

    Raises:
        DesignError: There is no source tree to build in.
        ToolError: There is no compiler, or it failed.
    """
    compiler = need_program("g++", "g++")
    sources = sorted(SOURCES.glob("*.cpp"))
    files = [*sources, *SOURCES.glob("*.h"), *SOURCES.glob("*.hpp")]
    facts = {"compiler": compiler_version(), "flags": FLAGS}

    def build(folder: Path) -> Path:
        library = folder / "gates.so"
        command: list[str | Path] = [compiler, *FLAGS, *sources, "-o", library]
        run(command, "compiling the gate-level simulator", os.environ)
        return library

    return artefact("gates", ".so", files, facts, build)


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(library_path()))
    library.gates_create.restype = ctypes.c_void_p
    library.gates_fault_text.restype = ctypes.c_char_p
    return library


class NetSet:
    """A list of nets, such as those of a port, to be poked or peeked."""

    def __init__(self, nets: Sequence[int]) -> None:
        self.count = len(nets)
        self.nets = (ctypes.c_int32 * self.count)(*nets)
        self.values = (ctypes.c_uint8 * self.count)()


class Engine:
    """One simulator.

    Args:
        arrays: The circuit.
        period_fs: Of the clock.
        input_delay_fs: Delay from the clock's edge to the change of an input, in a
            simulation with the circuit's delays; None without delays.

    Raises:
        Fault: The circuit cannot be simulated.
    """

    def __init__(self, arrays: Arrays, period_fs: int, input_delay_fs: int | None = None) -> None:
        self._library = _library()
        self._handle = ctypes.c_void_p()
        self._net_count = arrays.net_count
        given = {name: getattr(arrays, name) for name in _ARRAYS}
        if input_delay_fs is None:
            given["gate_delays"] = None
        kept = {
            name: ((ctypes.c_uint8 if name in _OCTETS else ctypes.c_int32) * max(len(values), 1))(
                *values
            )
            for name, values in given.items()
            if values is not None
        }
        netlist = _Netlist(
            net_count=arrays.net_count,
            clock=arrays.clock,
            one=arrays.one,
            gate_count=len(arrays.gate_output),
            state_count=len(arrays.state_output),
            tables_size=len(arrays.tables),
            **{name: ctypes.addressof(array) for name, array in kept.items()},
        )
        times = map(ctypes.c_int64, (period_fs, input_delay_fs or 0))
        self._handle = ctypes.c_void_p(self._library.gates_create(ctypes.byref(netlist), *times))
        if not self._handle:
            raise self._fault()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.gates_destroy(self._handle)

    def _fault(self) -> Fault:
        nets = (ctypes.c_int32 * _MOST_NETS)()
        count = self._library.gates_fault_nets(nets, _MOST_NETS)
        text = self._library.gates_fault_text().decode()
        return Fault(text, list(nets[: min(count, _MOST_NETS)]))

    def _check(self, status: int) -> None:
        if status != 0:
            raise self._fault()

    def poke(self, nets: NetSet, value: int) -> None:
        """Set nets to the bits of a value, lowest bit first; the value must fit."""
        nets.values[:] = [value >> place & 1 for place in range(nets.count)]
        self._check(self._library.gates_poke(self._handle, nets.count, nets.nets, nets.values))

    def peek(self, nets: NetSet) -> int:
        """Return the values of nets; the first net is the lowest bit."""
        self._check(self._library.gates_peek(self._handle, nets.count, nets.nets, nets.values))
        return sum(bit << place for place, bit in enumerate(nets.values) if bit)

    def clock(self, n: int = 1) -> None:
        """Simulate the next ``n`` rising edges."""
        self._check(self._library.gates_clock(self._handle, ctypes.c_int64(n)))

    def start(self) -> None:
        """Begin to count."""
        self._library.gates_start(self._handle)

    def read(self) -> tuple[list[int], list[int]]:
        """Return toggles and time at 1 in fs of each net, including those inside cells."""
        toggles = (ctypes.c_uint64 * self._net_count)()
        high = (ctypes.c_int64 * self._net_count)()
        self._library.gates_read(self._handle, toggles, high)
        return list(toggles), list(high)

    def follow(self, settled: Engine) -> None:
        """Go on from where a simulator without delays is, directly after ``clock``."""
        self._library.gates_follow(self._handle, settled._handle)

    def differs(self, other: Engine) -> int | None:
        """Return the first state element that differs from another simulator's."""
        found = int(self._library.gates_compare(self._handle, other._handle))
        return None if found < 0 else found
