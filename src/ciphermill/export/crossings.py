# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The crossings between the clocks of a module, each through a primitive of ``hw/prim``.

The primitives are found by hierarchy, so that also those whose other side is behind a port of
the module are among them. Then every path between two clocks must start and end in one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from ciphermill.toolchain.cache import code_key, kept
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.packages import tool_version
from ciphermill.toolchain.rtl import RtlSource
from ciphermill.toolchain.run_yosys import YOSYS, read_slang, relative, run_yosys

from . import flat_netlist
from .flat_netlist import FlatNetlist

SYNCHRONISER = "prim_synchroniser"
RESET_SYNCHRONISER = "prim_reset_synchroniser"
FIRST_STAGE, LAST_STAGE = "meta_q", "data_q"
"""The first and the last flip-flops of a synchroniser."""
MIDDLE_STAGES = "gen_more.middle_q"
"""Those between them, where it has more than two stages."""


class Kind(StrEnum):
    """What crosses."""

    LEVEL = "level"
    """Levels and toggles, each bit on its own."""
    GRAY = "gray"
    """A Gray code: at most one bit changes in a period of its clock."""
    WORD = "word"
    """A word that is stable while it is read."""
    MEMORY = "memory"
    """Words of a memory, each stable while it is read."""


_GRAY = {"prim_fifo_async": ("write_gray_q", "read_gray_q")}
"""Registers with Gray codes, by module: their bits must arrive within one source period."""
_FOREIGN = {
    "prim_handshake_crossing": (Kind.WORD, "data_q", "u_request"),
    "prim_fifo_async": (Kind.MEMORY, "memory", "u_write_gray"),
}
"""Registers that another clock reads, by module, and the synchroniser on that clock.

They are stable while they are read: what says so comes through the synchroniser.
"""


@dataclass(frozen=True, order=True)
class Crossing:
    """A register that a register of another clock samples."""

    kind: Kind
    start: str
    """The path of the sending register or memory in the flat netlist."""
    start_clock: str
    """The input port with its clock."""
    end: str
    """The path of the first flip-flops of the synchroniser; empty of words and memories, which
    any register of the other clock may read."""
    end_clock: str


@dataclass(frozen=True)
class Clocking:
    """The clocks of a module, and the crossings between them."""

    clocks: tuple[str, ...]
    """The input ports."""
    crossings: tuple[Crossing, ...]
    synchronisers: tuple[str, ...]
    """The paths of all ``prim_synchroniser``, those of resets included."""
    reset_synchronisers: tuple[str, ...]
    """The paths of the ``prim_synchroniser`` in reset synchronisers."""
    reset_ports: tuple[str, ...]
    """The input ports that lead to reset synchronisers."""
    instances: tuple[str, ...]
    """The paths of all instances."""
    own_names: Mapping[str, Sequence[str]]
    """The names of sending registers and of synchronisers' last flip-flops in their modules."""


def clocking(source: RtlSource) -> Clocking:
    """Return the clocks of a module and the crossings between them; cached by content.

    Raises:
        ToolError: Yosys is missing or refused the source, or ``crossings_of`` raised it.
    """
    commands = [
        read_slang(source),
        f"hierarchy -check -top {source.top}",
        *flat_netlist.PASSES,
    ]

    def make(folder: Path) -> dict[str, object]:
        result = folder / "netlist.json"
        write = f"write_json {relative(result)}"
        run_yosys([*commands, write], [result], what=f"the netlist of {source.top}")
        modules = json.loads(result.read_text(encoding="utf-8"))["modules"]
        return asdict(crossings_of(FlatNetlist(modules[source.top])))

    facts = {
        "commands": commands,
        "yosys": tool_version(YOSYS),
        "code": code_key(__file__, flat_netlist.__file__),
    }
    return kept("crossings", source.files, facts, make, _read)


def _read(value: Mapping[str, Any]) -> Clocking:
    crossings = (Crossing(**{**row, "kind": Kind(row["kind"])}) for row in value["crossings"])
    names = {"crossings", "own_names"}
    rest = {name: tuple(rows) for name, rows in value.items() if name not in names}
    return Clocking(crossings=tuple(crossings), own_names=value["own_names"], **rest)


def crossings_of(netlist: FlatNetlist) -> Clocking:
    """Return the clocks of a flat netlist and the crossings between them.

    Raises:
        ToolError: A path from one clock to another does not go through a primitive that
            crosses, or a reset reaches a flip-flop without a reset synchroniser.
    """
    synchronisers = [name for name, kind in netlist.instances.items() if kind == SYNCHRONISER]
    resets = [name for name in synchronisers if _in_reset_synchroniser(netlist, name)]
    if len(netlist.clocks) < 2:
        return Clocking(tuple(netlist.clocks), (), (), (), (), (), {})
    found = set(_words(netlist))
    read = {(crossing.start, crossing.end_clock) for crossing in found}
    wrong = []
    for path in netlist.paths:
        start, end = path.start, path.end
        scope = _scope(netlist, end.name)
        if path.asynchronous:
            if scope not in resets:
                wrong.append(
                    f"{end.name} ({end.clock}) is reset by {start.name} ({start.clock}); "
                    f"bring it through {RESET_SYNCHRONISER}"
                )
        elif scope in synchronisers and end.name == f"{scope}.{FIRST_STAGE}":
            if path.direct:
                own = netlist.place(start.name)[1]
                gray = own in _GRAY.get(netlist.module_of(start.name), ())
                kind = Kind.GRAY if gray else Kind.LEVEL
                found.add(Crossing(kind, start.name, start.clock, end.name, end.clock))
            else:
                wrong.append(f"{end.name}: logic is between {start.name} and the synchroniser")
        elif (start.name, end.clock) not in read:
            wrong.append(
                f"{end.name} ({end.clock}) samples {start.name} ({start.clock}) "
                "without a synchroniser"
            )
    wrong += [
        f"{reset.end.name}: the reset {reset.start} needs {RESET_SYNCHRONISER}"
        for reset in netlist.resets
        if _scope(netlist, reset.end.name) not in resets
    ]
    if wrong:
        more = f"\nand {len(wrong) - 8} more" if len(wrong) > 8 else ""
        raise ToolError("crossings of clocks are not safe:\n" + "\n".join(wrong[:8]) + more)
    return Clocking(
        clocks=tuple(netlist.clocks),
        crossings=tuple(sorted(found)),
        synchronisers=tuple(sorted(synchronisers)),
        reset_synchronisers=tuple(sorted(resets)),
        reset_ports=tuple(sorted({reset.start for reset in netlist.resets})),
        instances=tuple(sorted(netlist.instances)),
        own_names=netlist.own_names(
            [
                *(crossing.start for crossing in found),
                *(f"{n}.{LAST_STAGE}" for n in synchronisers),
            ]
        ),
    )


def _words(netlist: FlatNetlist) -> Iterator[Crossing]:
    """Yield the words and memories in primitives that another clock may read."""
    for instance, module in netlist.instances.items():
        kind, own, synchroniser = _FOREIGN.get(module, (Kind.WORD, "", ""))
        start = netlist.registers.get(f"{instance}.{own}")
        end = netlist.registers.get(f"{instance}.{synchroniser}.{FIRST_STAGE}")
        if start is not None and end is not None and start.clock != end.clock:
            yield Crossing(kind, start.name, start.clock, "", end.clock)


def _scope(netlist: FlatNetlist, name: str) -> str:
    return ".".join(netlist.place(name)[0])


def _in_reset_synchroniser(netlist: FlatNetlist, instance: str) -> bool:
    outer = ".".join(netlist.place(instance)[0])
    return netlist.instances.get(outer) == RESET_SYNCHRONISER
