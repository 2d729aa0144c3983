# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The interface of simulations of a module with one clock.

A cycle of a simulation is the time from one rising edge to the next. Inputs that are poked
belong to the present cycle: they change together with the registers and are stable before
the next edge. ``peek`` returns the settled outputs of the present cycle. ``clock``
simulates the next edge.

Toggles are counted in a window. It begins and ends directly after ``clock``, before
anything is poked or peeked, and so contains whole cycles: each with the changes that its
first edge and its inputs cause, and two toggles of the clock itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from ciphermill.evaluate.chip.activity.activity import Activity
from ciphermill.toolchain.errors import ToolError

DEFAULT_PERIOD_PS = 10_000.0
"""Clock period of a simulation without a given period or delays."""


class SimulationError(ToolError):
    """A module cannot be simulated, or does not do what it should."""


class Simulation(Protocol):
    """A module that runs, cycle by cycle."""

    @property
    def inputs(self) -> Mapping[str, int]:
        """Input ports and their widths in bits, without the clock."""

    @property
    def outputs(self) -> Mapping[str, int]:
        """Output ports and their widths in bits."""

    @property
    def net_names(self) -> Sequence[str]:
        """Name of each net that an ``Activity`` counts, by its index."""

    @property
    def clock_period_ps(self) -> float:
        """Time from one rising edge to the next."""

    @property
    def cycles(self) -> int:
        """Rising edges since the beginning."""

    def poke(self, port: str, value: int) -> None:
        """Set an input.

        Raises:
            SimulationError: There is no such input, or it is too narrow for the value.
        """

    def peek(self, port: str) -> int:
        """Return a port's value.

        Raises:
            SimulationError: There is no such port.
        """

    def clock(self, n: int = 1) -> None:
        """Simulate the next ``n`` rising edges.

        Raises:
            SimulationError: The simulation failed; the message says how.
        """

    def start_window(self) -> None:
        """Begin to count toggles; an open window is discarded.

        Raises:
            SimulationError: Something was poked or peeked since the last ``clock``.
        """

    def end_window(self) -> Activity:
        """Return what was counted since ``start_window``, and stop counting.

        Raises:
            SimulationError: No window is open, or something was poked or peeked since
                the last ``clock``.
        """


def check_value(port: str, value: int, width: int) -> None:
    """Check that a value fits a port.

    Raises:
        SimulationError: It is negative or has more bits than the port.
    """
    if value < 0 or value.bit_length() > width:
        raise SimulationError(f"{value:#x} does not fit the {width} bits of port {port}")
