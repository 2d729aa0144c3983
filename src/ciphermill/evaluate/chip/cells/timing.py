# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Static timing of a mapped netlist before placement.

The delay model is liberty's non-linear one: delay and slew of each output edge depend on
the input's slew and the load; the worst over all arcs and conditions is propagated. A load
is the capacitance of the pins that a net drives and, for each of them and each output port,
the same wire capacitance (``toolchain.cells``). The clock is ideal: it reaches every
flip-flop at the same time, with no slew, also through clock gates. Inputs change with the
clock's edge and have no slew; outputs are sampled at the next edge and their ports have no
pin capacitance. Presets and clears start no path. A latch is assumed to be transparent.
These are the rules of OpenSTA for an ideal clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from ciphermill.design.measurement import PathStep
from ciphermill.evaluate.chip.cells.clock_network import ClockNetwork, clock_network
from ciphermill.evaluate.chip.cells.netlist import Instance, Netlist
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.liberty_model import Cell, Table, TimingArc

RISE, FALL = 0, 1
"""Indices of the two edges in each pair (rise, fall)."""
NEVER = float("-inf")
_PASSED_OVER = frozenset({"three_state_disable"})
_LAUNCHES = {"rising_edge": RISE, "falling_edge": FALL}
_SETUPS = {"setup_rising": True, "setup_falling": False}
_NO_TRANSITION = Table((0.0,), (0.0,), ((0.0,),))

Pair = tuple[float, float]


@dataclass(frozen=True)
class Timing:
    """Loads, slews, delays and the longest path of a netlist."""

    load_ff: list[float]
    """By net, the mean of both edges."""
    load_rise_ff: list[float]
    """By net, to its rising edge."""
    slew_ps: list[Pair]
    """By net: (rise, fall), the largest slew that arrives."""
    delays: Mapping[tuple[int, str, str], Pair]
    """By instance, output and input: delay to the output's (rise, fall), ps.

    The largest over the library's conditions. Zero in the clock's network.
    """
    longest_path: tuple[PathStep, ...]
    """The longest path, which limits the clock; empty if there is none."""
    setup_ps: float
    """Setup time at its end; 0 at a port."""
    clock_period_ps: float
    """The shortest period at which every path arrives in time."""
    clock: ClockNetwork

    @property
    def clock_mhz(self) -> float:
        """The highest clock; infinite if no path limits it."""
        return 1e6 / self.clock_period_ps if self.clock_period_ps > 0 else float("inf")


def analyse_timing(
    netlist: Netlist, clock: str | None, *, wire_ff_per_fanout: float = 0.0
) -> Timing:
    """Return the timing of a netlist.

    Args:
        netlist: The circuit.
        clock: Its clock input; None for a combinational circuit.
        wire_ff_per_fanout: The wire-load model's constant.

    Raises:
        ToolError: There is no such clock, or a combinational loop.
    """
    return _Analysis(netlist, clock, wire_ff_per_fanout).timing()


@dataclass(frozen=True, slots=True)
class _Arc:
    """From an edge of an input to an edge of an output."""

    source: str
    source_edge: int
    edge: int
    delay: Table
    transition: Table
    launches: bool
    """It starts with a clock edge, such as from clock to output of a flip-flop."""
    runs: bool
    """Paths include it (not so a clear)."""


def _cell_arcs(cell: Cell, output: str) -> list[_Arc]:
    arcs = []
    for arc in cell.pins[output].arcs:
        if arc.kind in _PASSED_OVER:
            continue
        for edge, delay, transition in (
            (RISE, arc.cell_rise, arc.rise_transition),
            (FALL, arc.cell_fall, arc.fall_transition),
        ):
            if delay is not None:
                arcs += [
                    _Arc(
                        source=arc.related_pin,
                        source_edge=source_edge,
                        edge=edge,
                        delay=delay,
                        transition=transition or _NO_TRANSITION,
                        launches=arc.kind in _LAUNCHES,
                        runs=arc.kind not in ("clear", "preset"),
                    )
                    for source_edge in _source_edges(arc, edge)
                ]
    return arcs


def _source_edges(arc: TimingArc, edge: int) -> tuple[int, ...]:
    if arc.kind in _LAUNCHES:
        return (_LAUNCHES[arc.kind],)
    if arc.sense == "positive_unate":
        return (edge,)
    if arc.sense == "negative_unate":
        return (1 - edge,)
    return (RISE, FALL)


@dataclass(frozen=True, slots=True)
class _Origin:
    """The origin of an edge at a net."""

    instance: int
    output: str
    source: int
    """Net of the input."""
    source_edge: int
    starts: bool
    """The clock at that input starts the path."""
    delay: float


@dataclass(frozen=True, slots=True)
class _Arrivals:
    """Arrival times and origins of edges that one edge of the clock starts."""

    times: list[list[float]]
    """By net: [rise, fall]."""
    origins: dict[tuple[int, int], _Origin]
    """By net and edge; absent at inputs."""


@dataclass(frozen=True, slots=True)
class _End:
    """The end of a path, and the part of a period that it takes."""

    period: float
    """The clock period that it needs."""
    setup: float
    rising: bool
    """Edge of the clock that started it."""
    net: int
    edge: int
    instance: int
    """-1 at a port."""
    pin: str


class _Analysis:
    """One analysis: loads, then slews and delays, then arrivals."""

    def __init__(self, netlist: Netlist, clock: str | None, wire_ff: float) -> None:
        self._netlist = netlist
        self._clock = clock_network(netlist, clock)
        self._wire_ff = wire_ff
        self._ports = Counter(net for nets in netlist.outputs.values() for net in nets)
        self._arcs: dict[str, list[tuple[str, list[_Arc]]]] = {
            name: [(output, _cell_arcs(cell, output)) for output in cell.outputs]
            for name, cell in (
                (name, netlist.library.cells[name])
                for name in sorted({instance.cell for instance in netlist.instances})
            )
        }
        self._loads = [self._load(net) for net in range(len(netlist.net_names))]
        self._slews: list[list[float]] = [[0.0, 0.0] for _ in netlist.net_names]
        self._delays: dict[tuple[int, str, str], Pair] = {}
        self._arc_delays: dict[tuple[int, str], list[tuple[_Arc, float]]] = {}
        """By instance and output."""

    def timing(self) -> Timing:
        order = self._order()
        for index in order:
            self._delay(index)
        arrivals = {rising: self._arrive(order, rising) for rising in self._launch_edges()}
        end = self._worst_end(arrivals)
        return Timing(
            load_ff=[(rise + fall) / 2 for rise, fall in self._loads],
            load_rise_ff=[rise for rise, _ in self._loads],
            slew_ps=[(rise, fall) for rise, fall in self._slews],
            delays=self._delays,
            longest_path=self._path(arrivals[end.rising], end) if end else (),
            setup_ps=end.setup if end else 0.0,
            clock_period_ps=end.period if end else 0.0,
            clock=self._clock,
        )

    def _load(self, net: int) -> Pair:
        loads = self._netlist.loads[net]
        rise = fall = self._wire_ff * (len(loads) + self._ports[net])
        for load in loads:
            pin = self._netlist.cell(self._netlist.instances[load.instance]).pins[load.pin]
            rise += pin.rise_capacitance_ff
            fall += pin.fall_capacitance_ff
        return rise, fall

    def _order(self) -> list[int]:
        """Return the instances in an order in which each follows those that it depends on."""
        instances, drivers = self._netlist.instances, self._netlist.drivers
        runs = {
            cell: {
                arc.source for _, arcs in outputs for arc in arcs if arc.runs and not arc.launches
            }
            for cell, outputs in self._arcs.items()
        }
        waits = {
            index: [
                driver.instance
                for pin in runs[instance.cell]
                if (driver := drivers[instance.pins[pin]]) is not None
            ]
            for index, instance in enumerate(instances)
        }
        try:
            return list(TopologicalSorter(waits).static_order())
        except CycleError as error:
            stuck = instances[error.args[1][0]].name
            raise ToolError(f"a combinational loop runs through {stuck}") from None

    def _delay(self, index: int) -> None:
        """Set delays and output slews of an instance, whose input slews are set."""
        instance = self._netlist.instances[index]
        ideal = index in self._clock.instances
        for output, arcs in self._arcs[instance.cell]:
            net = instance.pins.get(output)
            if net is None:
                continue
            slews, loads = self._slews[net], self._loads[net]
            found: list[tuple[_Arc, float]] = []
            worst: dict[str, list[float]] = {}
            for arc in arcs:
                slew, load = (
                    self._slews[instance.pins[arc.source]][arc.source_edge],
                    loads[arc.edge],
                )
                delay = 0.0 if ideal else arc.delay.look_up(slew, load)
                pair = worst.setdefault(arc.source, [NEVER, NEVER])
                pair[arc.edge] = max(pair[arc.edge], delay)
                if arc.runs and not ideal:
                    found.append((arc, delay))
                    slews[arc.edge] = max(slews[arc.edge], arc.transition.look_up(slew, load))
            self._arc_delays[index, output] = found
            for source, (rise, fall) in worst.items():
                # An arc of one edge only (such as a clear) is used for both.
                self._delays[index, output, source] = (
                    fall if rise == NEVER else rise,
                    rise if fall == NEVER else fall,
                )

    def _launch_edges(self) -> list[bool]:
        """Return the clock's edges from which paths start; always including the rising one."""
        falls = any(
            self._starts(self._netlist.instances[index], arc) is False
            for (index, _), found in self._arc_delays.items()
            for arc, _ in found
            if arc.launches
        )
        return [True, False] if falls else [True]

    def _starts(self, instance: Instance, arc: _Arc) -> bool | None:
        """Return the clock's edge that starts an arc (True: rising); None if none does."""
        upright = self._clock.nets.get(instance.pins[arc.source])
        return None if upright is None else upright == (arc.source_edge == RISE)

    def _arrive(self, order: Sequence[int], rising: bool) -> _Arrivals:
        times = [[NEVER, NEVER] for _ in self._netlist.net_names]
        origins: dict[tuple[int, int], _Origin] = {}
        if rising:
            for net in {net for nets in self._netlist.inputs.values() for net in nets}:
                if net not in self._clock.nets:
                    times[net] = [0.0, 0.0]
        for index in order:
            instance = self._netlist.instances[index]
            for output, _ in self._arcs[instance.cell]:
                net = instance.pins.get(output, -1)
                for arc, delay in self._arc_delays.get((index, output), ()):
                    source = instance.pins[arc.source]
                    if arc.launches:
                        start = 0.0 if self._starts(instance, arc) is rising else NEVER
                    else:
                        start = times[source][arc.source_edge]
                    if start + delay > times[net][arc.edge]:
                        times[net][arc.edge] = start + delay
                        origins[net, arc.edge] = _Origin(
                            index, output, source, arc.source_edge, arc.launches, delay
                        )
        return _Arrivals(times, origins)

    def _worst_end(self, arrivals: Mapping[bool, _Arrivals]) -> _End | None:
        ends = [*self._register_ends(arrivals), *self._port_ends(arrivals)]
        return max(ends, key=lambda end: end.period, default=None)

    def _port_ends(self, arrivals: Mapping[bool, _Arrivals]) -> Iterator[_End]:
        for rising, arrived in arrivals.items():
            for name, nets in self._netlist.outputs.items():
                for k, net in enumerate(nets):
                    for edge in (RISE, FALL):
                        time = arrived.times[net][edge]
                        if time != NEVER:
                            pin = f"{name}[{k}]" if len(nets) > 1 else name
                            yield _End(time / _share(rising, True), 0.0, rising, net, edge, -1, pin)

    def _register_ends(self, arrivals: Mapping[bool, _Arrivals]) -> Iterator[_End]:
        checks = {name: _setup_checks(self._netlist.library.cells[name]) for name in self._arcs}
        for index, instance in enumerate(self._netlist.instances):
            for pin, clock_pin, rises, tables in checks[instance.cell]:
                net = instance.pins[pin]
                upright = self._clock.nets.get(instance.pins[clock_pin])
                if upright is None:
                    continue
                for rising, arrived in arrivals.items():
                    for edge in (RISE, FALL):
                        time, table = arrived.times[net][edge], tables[edge]
                        if time == NEVER or table is None:
                            continue
                        setup = table.look_up(self._slews[net][edge], 0.0)
                        period = (time + setup) / _share(rising, upright == rises)
                        yield _End(period, setup, rising, net, edge, index, pin)

    def _path(self, arrivals: _Arrivals, end: _End) -> tuple[PathStep, ...]:
        instance = self._netlist.instances[end.instance] if end.instance >= 0 else None
        steps = [self._step(instance, end.pin, end.net, end.edge, 0.0, arrivals)]
        net, edge = end.net, end.edge
        while (origin := arrivals.origins.get((net, edge))) is not None:
            instance = self._netlist.instances[origin.instance]
            steps.append(self._step(instance, origin.output, net, edge, origin.delay, arrivals))
            if origin.starts:
                break
            net, edge = origin.source, origin.source_edge
        else:
            name = self._netlist.net_names[net]
            steps.append(self._step(None, name, net, edge, 0.0, arrivals))
        return tuple(reversed(steps))

    def _step(
        self,
        instance: Instance | None,
        pin: str,
        net: int,
        edge: int,
        delay: float,
        arrivals: _Arrivals,
    ) -> PathStep:
        return PathStep(
            cell=instance.cell if instance else "",
            pin=f"{instance.name}/{pin}" if instance else pin,
            net=self._netlist.net_names[net],
            edge=("rise", "fall")[edge],
            load_ff=self._loads[net][edge],
            delay_ps=delay,
            arrival_ps=arrivals.times[net][edge],
        )


def _share(launch: bool, capture: bool) -> float:
    """Return the share of a period between two edges of the clock."""
    return 1.0 if launch == capture else 0.5


def _setup_checks(cell: Cell) -> list[tuple[str, str, bool, tuple[Table | None, Table | None]]]:
    """Return the setup checks of a cell: pin, clock pin, its edge (True rising), tables."""
    return [
        (pin.name, arc.related_pin, _SETUPS[arc.kind], (arc.rise_constraint, arc.fall_constraint))
        for pin in cell.pins.values()
        for arc in pin.arcs
        if arc.kind in _SETUPS and pin.direction == "input"
    ]
