# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What ``ciphermill paper`` needs to know of a paper, and options that papers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from ciphermill.design import Measurement, Provenance
from ciphermill.papers.paper import PaperReport
from ciphermill.toolchain.model import Report

Options = Mapping[str, Any]
"""What was asked for, by the names of the options' parameters."""


@dataclass(frozen=True)
class Entry:
    """A paper as a command."""

    help: str
    """The first sentence says what is run; the rest is shown below it."""
    run: Callable[[Options, Provenance, Report], PaperReport]
    """Run the experiment. A mistake in the options is a ``click.UsageError``."""
    restore: Callable[[Sequence[Measurement]], PaperReport]
    """Make the report again, from the measurements that a run has stored and nothing else.
    They are a ``KeyError`` where they are not all of a run."""
    options: tuple[click.Option, ...] = ()
    """A file that is written is of type ``OUTPUT``."""
    examples: tuple[str, ...] = ()
    """Options of further examples."""


OUTPUT = click.Path(dir_okay=False)
"""The type of an option that names a file to write."""

SOFT_CORE = click.Option(
    ["--soft-core"],
    type=click.Choice(["picorv32", "vexriscv", "ibex"]),
    default="vexriscv",
    show_default=True,
    help="What our firmware runs on; VexRiscv is the closest to the papers' MicroBlaze.",
)
AREA = click.Option(
    ["--area/--no-area"],
    default=True,
    show_default=True,
    help="Synthesise too, which takes many minutes the first time.",
)
ENERGY = click.Option(
    ["--energy/--no-energy"],
    default=None,
    help="Compute power and energy in standard cells where a library is found; many minutes the "
    "first time.  [default: as --area]",
)
CELLS = click.Option(
    ["--cells"],
    type=click.Choice(["nangate45", "sky130", "osu018"]),
    help="The cell library of the energy.  [default: the first that is found]",
)
ON_SYSTEMS = (SOFT_CORE, AREA, ENERGY, CELLS)
"""Options of a paper whose systems have a soft core."""


def on_systems(asked: Options) -> dict[str, Any]:
    """Return the arguments of an experiment that has the options ``ON_SYSTEMS``.

    Raises:
        click.UsageError: A cell library was named, and no energy is wanted.
        ToolError: The cell library is not there.
    """
    from ciphermill.design import SoftCore
    from ciphermill.toolchain import cells

    energy = asked["area"] if asked["energy"] is None else asked["energy"]
    target = cells.CellTarget(asked["cells"]) if asked["cells"] else None
    if target and not energy:
        raise click.UsageError("--cells goes with --energy")
    if target:
        cells.find_library(target)  # before the co-simulations, which take minutes
    return {
        "soft_core": SoftCore(asked["soft_core"]),
        "areas": asked["area"],
        "energy": energy,
        "target": target,
    }
