# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Replays the recorded inputs of a system's part to its netlist of cells.

The recorded inputs are applied to the netlist cycle by cycle, and in every cycle of the
window its outputs are compared with the recorded ones, so that the activity is that of the
right computation. All inputs change at the same time, shortly after the clock's edge:
glitches from other parts are not known and not counted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ciphermill.evaluate.chip.activity.activity import Activity
from ciphermill.evaluate.chip.activity.array_model import ArrayModel
from ciphermill.evaluate.chip.activity.simulation import SimulationError
from ciphermill.evaluate.chip.cells.gate_simulation import GateSimulation
from ciphermill.toolchain.soc_recording import Recording


@dataclass(frozen=True)
class Replay:
    """The activity of a part in a window of a recording."""

    activity: Activity
    """With glitches, if the simulation has delays."""
    settled: Activity
    """Without glitches."""
    cycles: int
    compared_bits: int
    """Bits of outputs that were compared in each cycle."""


def replay(
    simulation: GateSimulation,
    recording: Recording,
    first: int,
    cycles: int,
    *,
    ignored: Collection[str] = (),
    qualified: Collection[str] = (),
    arrays: Sequence[ArrayModel] = (),
) -> Replay:
    """Replay a recording, from its beginning to the end of a window.

    Args:
        simulation: The part.
        recording: The values of its ports.
        first: First cycle of the window.
        cycles: Length of the window.
        ignored: Outputs that are not compared.
        qualified: Outputs whose top bit is a valid bit: while it is 0, only that bit is
            compared.
        arrays: Memories that were removed from the part; they count the accesses of the
            window.

    Raises:
        SimulationError: The recording is too short or of other ports, or an output
            differs: the message says in which cycle.
    """
    if first < 1 or cycles < 1 or first + cycles > recording.cycles:
        raise SimulationError(
            f"{recording.name}: {recording.cycles} cycles were recorded, not the window of "
            f"{cycles} from {first} on"
        )
    inner = {port for one in arrays for port in one.array.ports.values()}
    inputs, widths = [port for port in simulation.inputs if port not in inner], simulation.outputs
    outputs = [port for port in widths if port not in inner and port not in ignored]
    missing = sorted({*inputs, *outputs} - recording.ports.keys())
    if missing:
        raise SimulationError(f"{recording.name}: {', '.join(missing)} were not recorded")
    last: dict[str, int] = {}
    for clock in range(first + cycles):
        if clock == first:
            simulation.start_window()
            for one in arrays:
                one.clear_counts()
        for one in arrays:
            one.after_clock()
        for port in inputs:
            value = recording.ports[port][clock]
            if last.get(port) != value:
                simulation.poke(port, value)
                last[port] = value
        for port in outputs if clock >= first else ():
            seen, wanted = simulation.peek(port), recording.ports[port][clock]
            top = widths[port] - 1
            if port in qualified and not wanted >> top:
                seen, wanted = seen >> top, wanted >> top
            if seen != wanted:
                raise SimulationError(
                    f"{recording.name}: in cycle {clock} {port} is {seen:#x}, and was "
                    f"{wanted:#x} in the system"
                )
        for one in arrays:
            one.before_clock()
        simulation.clock()
    activity = simulation.end_window()
    return Replay(
        activity,
        simulation.settled_activity,
        cycles,
        sum(widths[port] for port in outputs),
    )
