# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Gate-level simulation of a mapped netlist, with or without the cells' delays.

Without delays a net has one value a cycle (two if the clock itself is in its logic), and
toggles at most once for each. With delays every change of every net happens at its time, in
steps of a femtosecond, and is counted, including glitches. Delays are inertial: at most one
change of a gate's output is pending, the earliest one that its inputs caused. It is dropped
if the inputs return to the present value before it happens, so a gate suppresses pulses
shorter than its delay. The clock is ideal, as in the timing analysis: cells in its network
have no delay. Inputs change one flip-flop's delay after the edge, as if they came from a
flip-flop, if the clock leaves time for it.

Values are 0 and 1 only. Flip-flops begin at 0, or at random values from a seed,
which shows whether a design depends on its reset. The simulation does not reset the design.

A second simulation without delays runs along with one with delays. ``peek`` returns its
values, and at each edge all flip-flops of the two are compared: they differ if the clock is
too fast for a path that was exercised, and the simulation then fails. It also gives the
activity of the same window without glitches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, TypeVar

from ciphermill.evaluate.chip.activity.activity import Activity
from ciphermill.evaluate.chip.activity.simulation import (
    DEFAULT_PERIOD_PS,
    SimulationError,
    check_value,
)
from ciphermill.evaluate.chip.cells.circuit import build_circuit, input_delay
from ciphermill.evaluate.chip.cells.gate_engine import Engine, Fault, NetSet
from ciphermill.evaluate.chip.cells.netlist import Netlist
from ciphermill.evaluate.chip.cells.timing import Timing

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class GateSimulation:
    """A ``Simulation`` of a mapped netlist.

    Args:
        netlist: Cells and nets.
        timing: Delays, or None for none.
        clock_period_ps: Time from one rising edge to the next; unless given, the
            shortest that ``timing`` allows.
        clock: The clock input.
        seed: Seed of the initial values of flip-flops; None for all at 0.
        delays_in_windows: Simulate delays in windows only; much faster where windows are a small
            part of the cycles.

    Raises:
        SimulationError: A cell cannot be simulated, there is a combinational loop,
            or a flip-flop is not clocked from the clock input.
        ToolError: There is no C++ compiler.
    """

    def __init__(
        self,
        netlist: Netlist,
        timing: Timing | None = None,
        clock_period_ps: float | None = None,
        *,
        clock: str = "clk_i",
        seed: int | None = None,
        delays_in_windows: bool = False,
    ) -> None:
        self._netlist = netlist
        self._clock = clock
        delays = None if timing is None else timing.delays
        if clock_period_ps is None:
            clock_period_ps = DEFAULT_PERIOD_PS if timing is None else timing.clock_period_ps
        self.clock_period_ps: float = clock_period_ps
        period = round(clock_period_ps * 1e3)
        circuit = build_circuit(netlist, clock, delays, seed)
        self._state_names = circuit.state_names
        self._timed: Engine | None = None
        self._delays_in_windows = delays_in_windows
        try:
            self._settled = Engine(circuit.arrays, period)
            self._engines = [self._settled]
            if delays is not None:
                pokable = [
                    net for name, nets in netlist.inputs.items() for net in nets if name != clock
                ]
                change = input_delay(circuit, pokable, period)
                self._timed = Engine(circuit.arrays, period, change)
                if not delays_in_windows:
                    self._engines.append(self._timed)
        except Fault as fault:
            raise self._error(fault) from None
        self._input_nets = {
            name: NetSet(nets) for name, nets in netlist.inputs.items() if name != clock
        }
        self._output_nets = {name: NetSet(nets) for name, nets in netlist.outputs.items()}
        self.cycles = 0
        self._fresh = False
        self._window_from: int | None = None
        self._last_settled: Activity | None = None

    @property
    def inputs(self) -> Mapping[str, int]:
        """Input ports and their widths in bits, without the clock."""
        return {name: nets.count for name, nets in self._input_nets.items()}

    @property
    def outputs(self) -> Mapping[str, int]:
        """Output ports and their widths in bits."""
        return {name: nets.count for name, nets in self._output_nets.items()}

    @property
    def net_names(self) -> Sequence[str]:
        """The netlist's."""
        return self._netlist.net_names

    def poke(self, port: str, value: int) -> None:
        """Set an input of the present clock.

        Raises:
            SimulationError: There is no such input, or it is too narrow for the value.
        """
        nets = self._input_nets.get(port)
        if nets is None:
            raise SimulationError(f"{self._netlist.top} has no input {port} to be set")
        check_value(port, value, nets.count)
        self._fresh = False
        for engine in self._engines:
            self._run(engine.poke, nets, value)

    def peek(self, port: str) -> int:
        """Return the settled value of a port in the present cycle.

        Raises:
            SimulationError: There is no such port.
        """
        nets = self._output_nets.get(port) or self._input_nets.get(port)
        if nets is None:
            raise SimulationError(f"{self._netlist.top} has no port {port}")
        self._fresh = False
        return self._run(self._settled.peek, nets)

    def clock(self, n: int = 1) -> None:
        """Simulate the next rising edges.

        Raises:
            SimulationError: With delays a flip-flop takes another value than
                without: the clock is too fast, or a path too short.
        """
        for _ in range(n):
            self.cycles += 1
            for engine in self._engines:
                self._run(engine.clock)
            self._fresh = True
            wrong = self._engines[-1].differs(self._settled)
            if wrong is not None:
                raise SimulationError(
                    f"clock {self.cycles}: {self._state_names[wrong]} does not get its value "
                    f"in time: {self.clock_period_ps:.0f} ps are too short, ask for a slower clock"
                )

    def start_window(self) -> None:
        """Begin to count toggles; an open window is discarded.

        Raises:
            SimulationError: Something was poked or peeked since the last ``clock``.
        """
        if not self._fresh:
            raise SimulationError("a window begins after clock(), before anything else")
        self._window_from = self.cycles
        if self._timed and self._delays_in_windows:
            self._timed.follow(self._settled)
            self._engines = [self._settled, self._timed]
        for engine in self._engines:
            engine.start()

    def end_window(self) -> Activity:
        """Return the activity since ``start_window``, including glitches if there are delays.

        Raises:
            SimulationError: No window is open, or something was poked or peeked since
                the last ``clock``.
        """
        if self._window_from is None:
            raise SimulationError("no window is open")
        if not self._fresh:
            raise SimulationError("a window ends after clock(), before anything else")
        duration_ps = (self.cycles - self._window_from) * self.clock_period_ps
        self._window_from = None
        self._last_settled = self._read(self._settled, duration_ps)
        if self._delays_in_windows:
            self._engines = [self._settled]
        return self._read(self._timed, duration_ps) if self._timed else self._last_settled

    @property
    def settled_activity(self) -> Activity:
        """The last window's activity without delays, and so without glitches.

        Raises:
            SimulationError: No window has ended.
        """
        if self._last_settled is None:
            raise SimulationError("no window has ended")
        return self._last_settled

    def _read(self, engine: Engine, duration_ps: float) -> Activity:
        toggles, high = engine.read()
        count = len(self._netlist.net_names)
        return Activity(duration_ps, toggles[:count], [time / 1e3 for time in high[:count]])

    def _run(
        self, action: Callable[_Given, _Result], *given: _Given.args, **named: _Given.kwargs
    ) -> _Result:
        try:
            return action(*given, **named)
        except Fault as fault:
            raise self._error(fault) from None

    def _error(self, fault: Fault) -> SimulationError:
        names = self._netlist.net_names
        nets = [names[net] if net < len(names) else "(inside a cell)" for net in fault.nets]
        where = f": {', '.join(nets)}" if nets else ""
        return SimulationError(f"{self._netlist.top}: {fault.text}{where}")
