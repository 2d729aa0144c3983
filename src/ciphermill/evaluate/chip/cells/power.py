# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Power and energy of a mapped netlist over a window of activity.

Each instance has three parts:

- switching: ½·C·V² for each toggle of a net that the instance drives, where C is that of
  the pins that the net drives and of its wire (``Timing.load_ff``);
- internal: the library's tables, by slew and load. Each toggle is half a rise
  and half a fall. At an output the tables of its related inputs share the
  toggles, by how often each input toggles while the output follows it (Najm's
  transition density, IEEE Trans. CAD 12(2), 1993); at an input, including the clock's, each
  toggle takes the mean energy of the states in which it happens;
- leakage: the library's value of each state, weighted by the time in it.

Conditions are weighted by the share of time that each pin is high, as if the pins were
independent. The net of the clock's port is included in the clock's energy; the nets of
other inputs are driven from outside and are not counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from ciphermill.evaluate.chip.activity.activity import Activity
from ciphermill.evaluate.chip.cells.cell_power import (
    CellPower,
    PinEnergy,
    prepare,
    probability,
    row_shares,
)
from ciphermill.evaluate.chip.cells.netlist import CONST1, Instance, Netlist
from ciphermill.evaluate.chip.cells.timing import FALL, RISE, Timing
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.liberty_model import Storage

FJ_PER_NW_PS = 1e-6
"""1 nW for 1 ps is 1e-21 J."""


class Kind(StrEnum):
    """The kind of an instance in the power report."""

    SEQUENTIAL = "sequential"
    """Flip-flops and latches, including the clock's energy inside them."""
    COMBINATIONAL = "combinational"
    CLOCK = "clock"
    """Cells of the clock network, and the net of the clock's port."""


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy over a window, in femtojoules, by part."""

    switching_fj: float = 0.0
    internal_fj: float = 0.0
    leakage_fj: float = 0.0

    @property
    def total_fj(self) -> float:
        """All three parts."""
        return self.switching_fj + self.internal_fj + self.leakage_fj

    def __add__(self, other: Energy) -> Energy:
        return Energy(
            self.switching_fj + other.switching_fj,
            self.internal_fj + other.internal_fj,
            self.leakage_fj + other.leakage_fj,
        )


@dataclass(frozen=True)
class Power:
    """Power of a netlist over a window."""

    duration_ps: float
    instances: list[Energy]
    """By instance of the netlist."""
    by_kind: Mapping[Kind, Energy]
    by_module: Mapping[str, Energy]
    """By the module instance that contained the cells, without its submodules.

    The clock port's net is the top's (``""``).
    """
    total: Energy

    @property
    def energy_pj(self) -> float:
        """Energy over the window."""
        return self.total.total_fj * 1e-3

    @property
    def power_mw(self) -> float:
        """Mean power."""
        return self.milliwatts(self.total.total_fj)

    def milliwatts(self, energy_fj: float) -> float:
        """Return the mean power of an energy over the window (1 fJ/ps is 1 mW)."""
        return energy_fj / self.duration_ps


def estimate_power(netlist: Netlist, timing: Timing, activity: Activity) -> Power:
    """Return the power of a netlist over a window.

    Args:
        netlist: The circuit.
        timing: Its loads and slews.
        activity: Toggles and high times of its nets in the window.

    Raises:
        ToolError: The activity is of another netlist, or its window has no length.
    """
    if not len(activity.toggles) == len(activity.high_ps) == len(netlist.net_names):
        raise ToolError(
            f"activity of {len(activity.toggles)} nets for a netlist of {len(netlist.net_names)}"
        )
    if not activity.duration_ps > 0:
        raise ToolError("power over a window without length")
    return _Estimate(netlist, timing, activity).power()


class _Estimate:
    """One estimate."""

    def __init__(self, netlist: Netlist, timing: Timing, activity: Activity) -> None:
        self._netlist = netlist
        self._timing = timing
        self._activity = activity
        self._highs = [high / activity.duration_ps for high in activity.high_ps]
        self._highs[CONST1] = 1.0
        self._cells: dict[str, CellPower] = {
            name: prepare(netlist.library.cells[name])
            for name in sorted({instance.cell for instance in netlist.instances})
        }

    def power(self) -> Power:
        energies = [self._instance(instance) for instance in self._netlist.instances]
        by_kind = dict.fromkeys(Kind, Energy())
        by_module: dict[str, Energy] = {}
        for index, (instance, energy) in enumerate(
            zip(self._netlist.instances, energies, strict=True)
        ):
            kind = self._kind(index)
            by_kind[kind] += energy
            by_module[instance.module] = by_module.get(instance.module, Energy()) + energy
        root = self._clock_port()
        by_kind[Kind.CLOCK] += root
        by_module[""] = by_module.get("", Energy()) + root
        return Power(
            duration_ps=self._activity.duration_ps,
            instances=energies,
            by_kind=by_kind,
            by_module=by_module,
            total=sum(energies, root),
        )

    def _kind(self, index: int) -> Kind:
        if index in self._timing.clock.instances:
            return Kind.CLOCK
        sequential = self._netlist.cell(self._netlist.instances[index]).sequential
        return Kind.SEQUENTIAL if sequential is not None else Kind.COMBINATIONAL

    def _clock_port(self) -> Energy:
        """Return the switching of the clock nets that no cell drives."""
        drivers = self._netlist.drivers
        roots = [net for net in self._timing.clock.nets if drivers[net] is None]
        return Energy(switching_fj=sum(map(self._switching, roots)))

    def _switching(self, net: int) -> float:
        volt = self._netlist.library.voltage_v
        return 0.5 * self._timing.load_ff[net] * volt * volt * self._activity.toggles[net]

    def _instance(self, instance: Instance) -> Energy:
        cell = self._cells[instance.cell]
        toggles = {pin: float(self._activity.toggles[net]) for pin, net in instance.pins.items()}
        shares = row_shares(self._variables(instance, cell))
        switching = internal = 0.0
        for pin, energies in cell.inputs:
            if energies and toggles[pin]:
                net = instance.pins[pin]
                internal += self._input(energies, toggles[pin], net, shares)
        for pin, energies in cell.outputs:
            count = toggles.get(pin)
            if count is None:
                count = self._open_output(instance, cell, pin, toggles, shares)
            else:
                switching += self._switching(instance.pins[pin])
            if energies and count:
                internal += count * self._output(instance, cell, pin, energies, toggles, shares)
        leakage = sum(value * probability(rows, shares) for rows, value in cell.leakage)
        return Energy(switching, internal, leakage * self._activity.duration_ps * FJ_PER_NW_PS)

    def _variables(self, instance: Instance, cell: CellPower) -> Iterable[float]:
        """Yield the share of time that each variable of the cell is high."""
        inputs = self._netlist.cell(instance).inputs
        for name in inputs:
            yield self._highs[instance.pins[name]]
        if len(cell.variables) > len(inputs):
            yield self._state(instance, cell)

    def _state(self, instance: Instance, cell: CellPower) -> float:
        for pin, upright in cell.state_pins:
            if pin in instance.pins:
                high = self._highs[instance.pins[pin]]
                return high if upright else 1.0 - high
        gate = self._netlist.cell(instance).sequential
        if gate is None or isinstance(gate, Storage):
            return 0.5
        # A clock gate's latch: the output is the clock while the latch is 1, and idle otherwise.
        clock = self._highs[instance.pins[gate.clock]]
        output = self._highs[instance.pins[gate.output]] if gate.output in instance.pins else clock
        if gate.idles_high:
            return _ratio(output - clock, 1.0 - clock)
        return _ratio(output, clock)

    def _input(
        self, energies: tuple[PinEnergy, ...], toggles: float, net: int, shares: list[float]
    ) -> float:
        slews = self._timing.slew_ps[net]
        return sum(
            probability(energy.rows, shares)
            * 0.5
            * toggles
            * (
                (energy.rise.look_up(slews[RISE]) if energy.rise else 0.0)
                + (energy.fall.look_up(slews[FALL]) if energy.fall else 0.0)
            )
            for energy in energies
        )

    def _open_output(
        self,
        instance: Instance,
        cell: CellPower,
        pin: str,
        toggles: Mapping[str, float],
        shares: list[float],
    ) -> float:
        """Return how often an unconnected output toggles."""
        if cell.state_pins:
            return max((toggles.get(name, 0.0) for name, _ in cell.state_pins), default=0.0)
        return sum(
            toggles[name] * probability(cell.sensitive[pin, name], shares)
            for name in self._netlist.cell(instance).inputs
            if name in toggles
        )

    def _output(
        self,
        instance: Instance,
        cell: CellPower,
        pin: str,
        energies: tuple[PinEnergy, ...],
        toggles: Mapping[str, float],
        shares: list[float],
    ) -> float:
        """Return the mean energy of a toggle of an output, fJ."""
        net = instance.pins.get(pin)
        load = self._timing.load_ff[net] if net is not None else 0.0
        weights, values = [], []
        for energy in energies:
            weight, slews = 1.0, (0.0, 0.0)
            if energy.related is not None:
                rows = _both(energy.rows, cell.sensitive.get((pin, energy.related)))
                weight = toggles.get(energy.related, 0.0) * probability(rows, shares)
                slews = self._timing.slew_ps[instance.pins[energy.related]]
            else:
                weight = probability(energy.rows, shares)
            rise, fall = _related_slews(slews, energy.follows)
            weights.append(weight)
            values.append(
                0.5 * (energy.rise.look_up(rise, load) if energy.rise else 0.0)
                + 0.5 * (energy.fall.look_up(fall, load) if energy.fall else 0.0)
            )
        whole = sum(weights)
        if whole <= 0:  # an output that toggles without an input: all tables have equal weight
            return sum(values) / len(values)
        return sum(w * value for w, value in zip(weights, values, strict=True)) / whole


def _ratio(part: float, whole: float) -> float:
    return min(max(part / whole, 0.0), 1.0) if whole > 0 else 0.0


def _both(first: tuple[int, ...] | None, second: tuple[int, ...] | None) -> tuple[int, ...] | None:
    if first is None or second is None:
        return second if first is None else first
    return tuple(sorted(set(first) & set(second)))


def _related_slews(slews: tuple[float, float], follows: int) -> tuple[float, float]:
    """Return the related pin's slews that belong to the output's rise and fall."""
    rise, fall = slews
    if follows > 0:
        return rise, fall
    if follows < 0:
        return fall, rise
    return (rise + fall) / 2, (rise + fall) / 2
