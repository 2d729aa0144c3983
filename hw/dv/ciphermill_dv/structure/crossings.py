# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Clock-domain crossings: each starts at a flip-flop, and each is listed.

The first flip-flop of a synchroniser samples its input at any moment. Combinational logic may
show a wrong value for an instant while its inputs change, and the flip-flop may capture it. So
the input must be the output of a flip-flop, with nothing in between, not even an inverter.

All other data between two clocks must come from a register that is listed with the reason why
it is stable while the other clock looks at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from .netlist import Netlist, NetlistError, Register


@dataclass(frozen=True)
class StableWord:
    """A register that another clock may read directly.

    Attributes:
        module: The module that it is in.
        register: Its name there.
        reason: Why it does not change while the other clock looks at it.
    """

    module: str
    register: str
    reason: str


@dataclass(frozen=True)
class Crossings:
    """The findings.

    Attributes:
        findings: What breaks the rules, one line each.
        synchronised: How many bits go through synchronisers from a flip-flop of another clock.
        stable: How many registers of the list are read by another clock.
    """

    findings: list[str] = field(default_factory=list)
    synchronised: int = 0
    stable: int = 0


def check(
    netlist: Netlist,
    clocks: Mapping[str, str],
    words: Iterable[StableWord],
    top: str = "",
) -> Crossings:
    """Check every crossing of a module.

    Args:
        netlist: The module.
        clocks: For patterns of port names (``fnmatch``), the clock port that the signals
            belong to. The first pattern that fits counts. Every data port must fit one.
        words: The registers that another clock may read directly.
        top: The module's name, for registers of the list that are in the top module itself.

    Raises:
        NetlistError: A clock is not an input of the module, or a port fits no pattern.
    """
    return _Checker(netlist, clocks, list(words), top).run()


class _Checker:
    def __init__(
        self, netlist: Netlist, clocks: Mapping[str, str], words: list[StableWord], top: str
    ) -> None:
        self.netlist = netlist
        self.clocks = clocks
        self.words = words
        self.top = top
        self.result: list[str] = []
        self.synchronised = 0
        self.stable: set[str] = set()
        self.marked = {register.name for register in netlist.registers if register.synchronises}
        self.domain: dict[int, str] = {}
        """The clock of each bit that a register or an input drives."""
        for register in netlist.registers:
            for bit in register.outputs:
                self.domain[bit] = self._clock(register)
        for name, bits in netlist.inputs.items():
            if name in clocks.values():
                continue
            for bit in bits:
                self.domain[bit] = self._of_port(name)

    def _clock(self, register: Register) -> str:
        name = self.netlist.port_of.get(register.clock)
        if name is None:
            raise NetlistError(f"{register.name}: its clock is no input of the module")
        return name

    def _of_port(self, name: str) -> str:
        for pattern, clock in self.clocks.items():
            if fnmatchcase(name, pattern):
                return clock
        raise NetlistError(f"{name}: no pattern says which clock the port belongs to")

    def run(self) -> Crossings:
        """Check everything."""
        marks = self._marks()
        readers = self._readers()
        for register in self.netlist.registers:
            self._check_resets(register)
            if register.synchronises and self._is_first(register):
                self._check_first(register, readers)
            else:
                self._check_data(
                    self._clock(register), register.inputs, register.name, register.source, marks
                )
        for name, bits in self.netlist.outputs.items():
            self._check_data(self._of_port(name), bits, f"output {name}", "", marks)
        return Crossings(self.result, self.synchronised, len(self.stable))

    def _is_first(self, register: Register) -> bool:
        """Say whether a marked register is not fed by the marked register before it."""
        scope = self.netlist.instance(register.name)
        before = [
            self.netlist.register_of[bit]
            for bit in register.inputs
            if bit is not None and bit in self.netlist.register_of
        ]
        return not any(
            other.synchronises
            and other is not register
            and self.netlist.instance(other.name) == scope
            for other in before
        )

    def _readers(self) -> dict[int, list[str]]:
        """Return what reads each bit, by name."""
        readers: dict[int, list[str]] = {}
        for register in self.netlist.registers:
            for bit in register.inputs:
                if bit is not None:
                    readers.setdefault(bit, []).append(register.name)
        for bit, below in self.netlist.arcs.items():
            for other in below:
                readers.setdefault(other, []).append(self.netlist.name(bit))
        for name, bits in self.netlist.outputs.items():
            for bit in bits:
                if bit is not None:
                    readers.setdefault(bit, []).append(name)
        return readers

    def _check_first(self, register: Register, readers: Mapping[int, list[str]]) -> None:
        clock = self._clock(register)
        for bit in register.inputs:
            if bit is None:
                continue
            if bit in self.netlist.arcs:
                self.result.append(
                    f"{register.name}: its input is combinational logic "
                    f"({self.netlist.name(bit)}, {self.netlist.source(bit)}); "
                    f"register it on the clock that it comes from"
                )
            elif self.domain.get(bit) == clock:
                self.result.append(
                    f"{register.name}: its input {self.netlist.name(bit)} has the clock of the "
                    f"synchroniser, {clock}; no synchroniser is needed"
                )
            else:
                self.synchronised += 1
        for bit in register.outputs:
            others = [name for name in readers.get(bit, []) if not self._second(register, name)]
            for name in others:
                self.result.append(
                    f"{name}: reads the first flip-flop of a synchroniser, {register.name}; "
                    "read the second one"
                )

    def _second(self, first: Register, reader: str) -> bool:
        instance = self.netlist.instance
        return reader in self.marked and instance(reader) == instance(first.name)

    def _marks(self) -> dict[int, int]:
        """Return the set of clocks that each bit depends on, a bit of an integer for each."""
        numbers = {clock: 1 << n for n, clock in enumerate(sorted(set(self.domain.values())))}
        self._numbers = numbers
        marks = {bit: numbers[clock] for bit, clock in self.domain.items()}
        changed = True
        while changed:  # again only where logic forms a loop
            changed = False
            for bit in self.netlist.order:
                mark = 0
                for other in self.netlist.arcs[bit]:
                    mark |= marks.get(other, 0)
                if marks.get(bit, 0) != mark:
                    marks[bit] = mark
                    changed = True
        return marks

    def _check_data(
        self,
        clock: str,
        bits: Iterable[int | None],
        name: str,
        source: str,
        marks: Mapping[int, int],
    ) -> None:
        own = self._numbers.get(clock, 0)
        foreign = {bit for bit in bits if bit is not None and marks.get(bit, 0) & ~own}
        told: set[str] = set()
        for bit in self.netlist.origins(foreign):
            other = self.domain.get(bit)
            if other in (None, clock):
                continue
            register = self.netlist.register_of.get(bit)
            origin = register.name if register else self.netlist.name(bit)
            if origin in told:
                continue
            told.add(origin)
            if register is not None and self._is_listed(origin):
                self.stable.add(origin)
                continue
            at = f" ({source})" if source else ""
            self.result.append(
                f"{name}{at}: is on {clock} and takes data of {origin}, on {other}, "
                "without a synchroniser"
            )

    def _is_listed(self, name: str) -> bool:
        module, local = self.netlist.place(name)
        module = module or self.top
        return any(word.module == module and word.register == local for word in self.words)

    def _check_resets(self, register: Register) -> None:
        """A reset is an input or a flip-flop of the same clock.

        A reset synchroniser may take a combination of inputs: each may reset it at any time.
        """
        clock = self._clock(register)
        for bit in register.resets:
            direct = bit not in self.netlist.arcs or self._inverted(bit)
            for origin in self.netlist.origins([bit]):
                if origin in self.netlist.port_of:
                    allowed = register.synchronises or (direct and self.domain[origin] == clock)
                else:
                    allowed = direct and self.domain[origin] == clock
                if not allowed:
                    self.result.append(
                        f"{register.name}: on {clock}, is reset by {self.netlist.name(origin)}, "
                        f"on {self.domain[origin]}; bring it through prim_reset_synchroniser"
                    )

    def _inverted(self, bit: int) -> bool:
        """Say whether a bit is one register's or input's, perhaps inverted."""
        below = self.netlist.arcs[bit]
        while len(below) == 1 and below[0] in self.netlist.arcs:
            below = self.netlist.arcs[below[0]]
        return len(below) == 1
