# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cycle-accurate simulation of RTL with Verilator, through poke, peek and clock.

Any module with one clock is wrapped in the same C interface (``rtl/``), which is
compiled once for each content of sources and parameters. Counts of a window come from
Verilator's SAIF, which has each net once, under its outermost name: a port and the net
connected to it are one net. Verilator counts the value 1 at the beginning of a file as a
toggle; a second file of the beginning alone shows these toggles, which are subtracted.
"""

from __future__ import annotations

import ctypes
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from ciphermill.design import Core
from ciphermill.evaluate.chip.activity.activity import DIVIDER, Activity, SaifFile, read_saif
from ciphermill.evaluate.chip.activity.simulation import (
    DEFAULT_PERIOD_PS,
    SimulationError,
    check_value,
)
from ciphermill.toolchain.modules import module_source
from ciphermill.toolchain.rtl import RtlSource
from ciphermill.toolchain.verilator import MODEL_FLAGS, Model

WRAPPER = Path(__file__).parent / "rtl"
FLAGS = (
    *MODEL_FLAGS,
    "--flatten",  # a net has one code, however many modules it passes
    "--trace-saif",
    "--trace-max-width",
    "1000000",
    "--trace-max-array",
    "1000000",
)

_PORT = re.compile(r"VL_(IN|OUT)(?:8|16|64|W)?\(&(\w+),(\d+),(\d+)(?:,\d+)?\);")
_HALF_UNITS = 1 << 19
"""Time units of half a clock in the traces (``rtl_simulation.cpp``)."""


class RtlSimulation:
    """A ``Simulation`` of RTL by Verilator.

    Args:
        source: The module.
        clock_period_ps: Time from one rising edge to the next; it scales times only.

    Raises:
        ToolError: A tool is missing or refused the source, or the module has a port
            of a kind that is not supported.
    """

    def __init__(
        self, source: Core | RtlSource, clock_period_ps: float = DEFAULT_PERIOD_PS
    ) -> None:
        if isinstance(source, Core):
            source = module_source(source)
        self._handle: ctypes.c_void_p | None = None
        self._top = source.top
        self.clock_period_ps: float = clock_period_ps
        self._library = _load(source)
        self._library.rtl_ports.restype = ctypes.c_char_p
        self._ports: dict[str, tuple[int, int, bool]] = {}
        for number, line in enumerate(self._library.rtl_ports().decode().splitlines()):
            name, bits, is_input = line.split()
            self._ports[name] = (number, int(bits), is_input == "1")
        self._library.rtl_create.restype = ctypes.c_void_p
        self._handle = ctypes.c_void_p(self._library.rtl_create())
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._window_from = 0
        self._names: list[str] = []
        self.cycles = 0

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.rtl_destroy(self._handle)
            self._handle = None

    @property
    def inputs(self) -> Mapping[str, int]:
        """Input ports and their widths in bits, without the clock."""
        return {name: bits for name, (_, bits, is_input) in self._ports.items() if is_input}

    @property
    def outputs(self) -> Mapping[str, int]:
        """Output ports and their widths in bits."""
        return {name: bits for name, (_, bits, is_input) in self._ports.items() if not is_input}

    @property
    def net_names(self) -> Sequence[str]:
        """Bits by hierarchical name, ``top/instance/net[bit]``; empty before a window's end."""
        return self._names

    @property
    def aliases(self) -> Mapping[str, str]:
        """Other names of nets, without bits, and the names that they are counted under.

        Known from the first window on.
        """
        self._library.rtl_aliases.restype = ctypes.c_char_p
        text = self._library.rtl_aliases().decode()
        return dict(line.split("=", 1) for line in text.splitlines())

    def _port(self, name: str, *, to_set: bool) -> tuple[int, int]:
        found = self._ports.get(name)
        if found is None or (to_set and not found[2]):
            kind = "input" if to_set else "port"
            raise SimulationError(f"{self._top} has no {kind} {name}")
        return found[0], found[1]

    def poke(self, port: str, value: int) -> None:
        """Set an input of the present clock.

        Raises:
            SimulationError: There is no such input, or it is too narrow for the value.
        """
        number, bits = self._port(port, to_set=True)
        check_value(port, value, bits)
        self._library.rtl_poke(self._handle, number, value.to_bytes(_size(bits), "little"))

    def peek(self, port: str) -> int:
        """Return the settled value of a port in the present cycle.

        Raises:
            SimulationError: There is no such port.
        """
        number, bits = self._port(port, to_set=False)
        buffer = ctypes.create_string_buffer(_size(bits))
        self._library.rtl_peek(self._handle, number, buffer)
        return int.from_bytes(buffer.raw, "little") & ((1 << bits) - 1)

    def clock(self, n: int = 1) -> None:
        """Simulate the next rising edges."""
        self._library.rtl_clock(self._handle, ctypes.c_int64(n))
        self.cycles += n

    def start_window(self) -> None:
        """Begin to count toggles; an open window is discarded.

        Raises:
            SimulationError: Something was poked or peeked since the last ``clock``.
        """
        if self._folder is not None:
            self.end_window()
        folder = tempfile.TemporaryDirectory(prefix="ciphermill-")
        before, file = (str(Path(folder.name) / name).encode() for name in ("before", "window"))
        if self._library.rtl_start(self._handle, before, file) != 0:
            raise SimulationError("a window begins after clock(), before anything else")
        self._folder = folder
        self._window_from = self.cycles

    def end_window(self) -> Activity:
        """Return what was counted since ``start_window``.

        Raises:
            SimulationError: No window is open, or something was poked or peeked since
                the last ``clock``.
        """
        if self._folder is None:
            raise SimulationError("no window is open")
        if self._library.rtl_end(self._handle) != 0:
            raise SimulationError("a window ends after clock(), before anything else")
        with self._folder as name:
            before = read_saif(Path(name) / "before")
            window = read_saif(Path(name) / "window")
        self._folder = None
        cycles = self.cycles - self._window_from
        inside = f"{self._top}{DIVIDER}"  # and in no package
        self._names = [name for name in window.nets if name.startswith(inside)]
        return _activity(self._names, before, window, cycles, self.clock_period_ps)


def _activity(
    names: Sequence[str], before: SaifFile, window: SaifFile, cycles: int, period_ps: float
) -> Activity:
    """Return the activity of a window from Verilator's file and that of its beginning."""
    half_ps = period_ps / 2
    # Times in files are units; every change is at half a clock, within a few units.
    unit_ps = window.duration_ps / (2 * cycles * _HALF_UNITS) if cycles else 1.0
    toggles, high_ps = [], []
    for name in names:
        net = window.nets[name]
        toggles.append(net.toggles - before.nets[name].toggles)
        high_ps.append(round(net.high_ps / unit_ps / _HALF_UNITS) * half_ps)
    return Activity(cycles * period_ps, toggles, high_ps)


def _size(bits: int) -> int:
    """Return the bytes with which a port's value is passed."""
    return max(8, (bits + 31) // 32 * 4)


def _load(source: RtlSource) -> ctypes.CDLL:
    """Return the shared object of a module, built if it is not up to date.

    Raises:
        ToolError: A tool is missing or failed.
    """
    model = Model(
        source.top,
        source.files,
        source.parameters,
        WRAPPER / "rtl_simulation.cpp",
        FLAGS,
        prefix="Vrtl",
        model_optimisation="-O1",  # as fast as -O2, since it is the trace that takes the time
        link=("-Wl,-Bsymbolic",),
    )

    def configure(folder: Path) -> None:
        _trace_once(folder, source)
        ports = _ports(folder / "Vrtl.h", source)
        table = " ".join(f"X({name}, {bits}, {int(is_input)})" for name, bits, is_input in ports)
        (folder / "rtl_ports.h").write_text(
            f"#define RTL_CLOCK {source.clock}\n#define RTL_PORTS(X) {table}\n", encoding="utf-8"
        )

    facts = {"clock": source.clock}
    library = model.build("rtl", ".so", WRAPPER.glob("*.*"), facts, configure=configure)
    return ctypes.CDLL(str(library))


def _trace_once(folder: Path, source: RtlSource) -> None:
    """Make Verilator's code declare its traces by ``trace_once.h``."""
    theirs, ours = '#include "verilated_saif_c.h"', '#include "trace_once.h"'
    changed = 0
    for path in folder.glob("Vrtl*Trace*.cpp"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(theirs, ours), encoding="utf-8")
        changed += theirs in text
    if not changed:
        raise SimulationError(f"{source.top}: Verilator wrote no trace in SAIF")


def _ports(header: Path, source: RtlSource) -> list[tuple[str, int, bool]]:
    """Return name, width and direction of each port but the clock, from Verilator's class."""
    ports: list[tuple[str, int, bool]] = []
    clocked = False
    for line in header.read_text(encoding="utf-8").splitlines():
        if not re.match(r"\s*VL_(IN|OUT|INOUT)", line):
            continue
        found = _PORT.match(line.strip())
        if found is None:
            raise SimulationError(f"{source.top} has a port that is not supported: {line.strip()}")
        if found[2] == source.clock:
            clocked = True
        else:
            ports.append((found[2], int(found[3]) - int(found[4]) + 1, found[1] == "IN"))
    if not clocked:
        raise SimulationError(f"{source.top} has no clock input {source.clock}")
    return ports
