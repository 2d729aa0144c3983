# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The interface between ``ciphermill paper`` and a paper, and options that papers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from ciphermill.design import Measurement
from ciphermill.papers.compared import Comparison
from ciphermill.papers.paper import PaperReport
from ciphermill.papers.plan import Plan
from ciphermill.toolchain.model import Report

Options = Mapping[str, Any]
"""Values of the command's options, by parameter name."""


@dataclass(frozen=True)
class Entry:
    """A paper as a command."""

    help: str
    """The first sentence says what is run; the rest is shown below it."""
    plan: Callable[[Options], Plan]
    """Plan the experiment. A mistake in the options is a ``click.UsageError``."""
    report: Callable[[Sequence[Measurement]], PaperReport]
    """Make the report from the measurements of a run and nothing else.
    They raise ``KeyError`` if measurements of a run are missing."""
    comparison: Comparison[Any]
    """Every printed figure beside ours, for the page of all papers."""
    options: tuple[click.Option, ...] = ()
    """A file that is written is of type ``OUTPUT``."""
    examples: tuple[str, ...] = ()
    """Options of further examples."""
    files: Callable[[Options, Report], Mapping[str, str]] = lambda _, __: {}
    """Return the texts of files that were asked for, by path."""


OUTPUT = click.Path(dir_okay=False)
"""The type of an option that names a file to write."""

AREA = click.Option(
    ["--area/--no-area"],
    default=True,
    show_default=True,
    help="Synthesise too, which takes many minutes the first time.",
)
SOFT_CORE = click.Option(
    ["--soft-core"],
    type=click.Choice(["picorv32", "vexriscv", "ibex"]),
    default="vexriscv",
    show_default=True,
    help="What our firmware runs on; VexRiscv is the closest to the papers' MicroBlaze.",
)
ON_SYSTEMS = (
    SOFT_CORE,
    AREA,
    click.Option(
        ["--energy/--no-energy"],
        default=None,
        help="Compute power and energy in standard cells where a library is found; many minutes "
        "the first time.  [default: as --area]",
    ),
    click.Option(
        ["--cells"],
        type=click.Choice(["nangate45", "sky130", "osu018"]),
        help="The cell library of the energy.  [default: the first that is found]",
    ),
)
"""Options of a paper whose systems have a soft core; ``systems.Wanted`` reads them."""
