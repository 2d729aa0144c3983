# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill physical``: area, clock, toggles, power and energy."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ciphermill.cli import files, options, progress, running
from ciphermill.cli.failures import ExitCode, Failure
from ciphermill.papers import register_workloads

if TYPE_CHECKING:
    from ciphermill.campaign.run import Run
    from ciphermill.design import Core, Measurement
    from ciphermill.evaluate.chip.targets import Settings, Target

TARGETS = ("rtl", "xc7", "ecp5", "ice40", *options.CELLS)
"""The names of all targets, in the order of tables."""
WORKLOADS = ("stream", "keys", "idle", "associated", "digest", "stand-alone", "in-system")

_OF_CELLS = (
    "clock_mhz",
    "search",
    "power",
    "clock_gates",
    "strategy",
    "show_path",
    "breakdown",
    "keep",
)
"""Options for standard cells only."""
_OF_XC7 = ("core_apart",)
"""Options for Xilinx 7-series only."""
_OF_A_RUN = ("workload", "key_bits", "direction")
"""Options for the workload."""

_EXAMPLES = """\b
Examples:
  ciphermill physical aes-iterative-256 --target nangate45 --clock-mhz 300
  ciphermill physical present-minimal --target osu018 --target nangate45 --path
  ciphermill physical aes-iterative-all --target xc7 --target ecp5
  ciphermill physical aes-serial --part core --target ecp5
  ciphermill physical aes-iterative-256 --all-targets --json > aes.json
  ciphermill physical aes-iterative-256 --target nangate45 --no-search --breakdown
  ciphermill physical present-iterative --target ecp5 --relative-to aes-iterative-all
"""


@click.command("physical", epilog=_EXAMPLES)
@click.argument("design", required=False)
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="PLATFORM",
    shell_complete=options.completes(TARGETS),
    help=f"{', '.join(TARGETS)}, or a platform's TOML file; may be repeated.  [default: xc7]",
)
@click.option("--all-targets", is_flag=True, help="Every target that is available here.")
@options.part
@click.option(
    "--clock-mhz",
    type=click.FloatRange(0.001, 100_000),
    help="Clock of cells, for sizing and for the workload, in MHz.  "
    "[default: nangate45 300, others 100]",
)
@click.option(
    "--search/--no-search",
    default=True,
    show_default=True,
    help="Of cells: search for the highest clock frequency, by repeated synthesis.",
)
@click.option(
    "--power/--no-power",
    default=True,
    show_default=True,
    help="Of cells: simulate a workload gate by gate, for power and energy.",
)
@click.option(
    "--workload",
    type=click.Choice(WORKLOADS),
    default="stream",
    show_default=True,
    help="stream: 100 random blocks back to back; keys: each with its own key; associated and "
    "digest: 100 blocks of associated data and of the input of a hash; stand-alone and in-system: "
    "as the PRESENT paper measured, at 20 and 50 MHz. An elliptic curve runs one signature.",
)
@click.option("--key-bits", type=click.IntRange(1), help="Bits of the key.  [default: the largest]")
@click.option("--direction", type=click.Choice(["encrypt", "decrypt"]), help="[default: encrypt]")
@click.option(
    "--clock-gates/--no-clock-gates",
    default=None,
    help="Of cells: gate the clock of registers.  [default: where the library has such cells]",
)
@click.option(
    "--strategy",
    type=click.Choice(["area", "balanced", "speed", "structural", "energy"]),
    help="Of cells: the goal of mapping; structural keeps adders as the RTL describes them; "
    "energy tries the other goals and keeps the netlist with the least energy.  [default: the "
    "smallest that meets the clock]",
)
@click.option(
    "--relative-to",
    metavar="DESIGN",
    help="On FPGAs: report dynamic energy per byte as a multiple of this design's (no watts).",
)
@click.option(
    "--core-apart",
    is_flag=True,
    help="On xc7: synthesise the core inside an accelerator by itself, once for all accelerators "
    "that contain it, and add it. Faster for several accelerators; optimisation across the core's "
    "ports is left out.",
)
@click.option("--path", "show_path", is_flag=True, help="Of cells: list the longest path.")
@click.option(
    "--breakdown", is_flag=True, help="Of cells: area and power by module, in a second mapping."
)
@click.option(
    "--compare",
    metavar="FILE",
    help="Write an HTML page that compares all designs in the store, and exit.",
)
@click.option(
    "--keep",
    metavar="FOLDER",
    help="Of cells: write the netlist as Verilog, and the activity of its nets as SAIF.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(1),
    default=1800,
    show_default=True,
    metavar="SECONDS",
    help="Time limit for each run of a tool.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Number of targets that run in parallel.",
)
@click.option("--list", "list_designs", is_flag=True, help="List designs and targets, and exit.")
@running.output_options
def command(
    design: str | None,
    targets: tuple[str, ...],
    all_targets: bool,
    part: str | None,
    show_path: bool,
    breakdown: bool,
    compare: str | None,
    store: str | None,
    report: str | None,
    list_designs: bool,
    as_json: bool,
    **fields: Any,
) -> None:
    """Area, clock, toggles, power and energy of DESIGN.

    DESIGN is the name of a core or an accelerator in designs/ (--part selects the part of
    an accelerator), or the path of a TOML file of either kind. A field of the file may have
    several values: every combination is measured, and the report compares them.

    All tools are open source. Targets are rtl (toggles, no technology), Xilinx 7-series after
    synthesis (xc7), Lattice ECP5 and iCE40 after place and route, and cells of 45, 130
    and 180 nm. Results of tools are cached. The first run of an AES core on one target
    takes one to five minutes.
    """
    given = set(options.given_options())
    if list_designs:
        others = given - {"list_designs"}
        options.refuse(others, "has no effect with --list")
        _list()
        return
    if compare:
        others = given - {"compare", "store"}
        options.refuse(others, "does not go with --compare")
        _compare(Path(compare), store)
        return
    if as_json:
        options.refuse({"show_path"}, "does not go with --json, since a path is not a measurement")
    if design is None:
        raise click.UsageError("name a DESIGN; --list shows which there are")
    register_workloads()
    if all_targets and targets:
        raise click.UsageError("give --target or --all-targets, not both")
    from ciphermill.campaign.run import Point, Run
    from ciphermill.design import Space
    from ciphermill.evaluate.evaluator import Progress
    from ciphermill.toolchain.errors import ToolError
    from ciphermill.toolchain.modules import Part, find_cores

    cores = find_cores(design, part=Part(part) if part else None)
    settings = _settings(fields, parts=breakdown or bool(report))
    points = []
    for core in cores:
        _check(core, settings)
        chosen = _targets(core, settings, targets, all_targets, fields["clock_mhz"])
        _refuse_idle(chosen, settings)
        points.append(Point(core, Space(tuple(chosen)), settings))
    with running.open_store(store) as opened:
        running.check_outputs(opened, report)
        with progress.of_work(silent=as_json) as line:
            run = Run(
                opened,
                running.origin(),
                points,
                progress=Progress(line),
                jobs=fields["jobs"],
                keep_going=ToolError,
            )
            seen = run.go()
        pages = running.show(run, "physical", report=report, as_json=as_json)
        if show_path:
            _print_paths(seen)
        for one in seen:
            for note in one.notes or ():
                progress.say(note)
        running.tell(run, pages, as_json=as_json)
    _fail(run, all_targets)


def _settings(fields: dict[str, Any], *, parts: bool) -> Settings:
    from ciphermill.design import Direction
    from ciphermill.evaluate.chip.implement import Options
    from ciphermill.evaluate.chip.targets import Settings
    from ciphermill.toolchain.cell_synthesis import Strategy
    from ciphermill.toolchain.modules import find_core

    keep = Path(fields["keep"]) if fields["keep"] else None
    if keep is not None:
        files.check_writable(keep / "netlist.v")
    other, strategy = fields["relative_to"], fields["strategy"]
    return Settings(
        search=fields["search"],
        power=fields["power"],
        workload=fields["workload"],
        key_bits=fields["key_bits"],
        direction=Direction(fields["direction"]) if fields["direction"] else None,
        reference=find_core(other) if other else None,
        quietest=strategy == "energy",
        parts=parts,
        core_apart=fields["core_apart"],
        cells=Options(
            clock_gates=fields["clock_gates"],
            strategy=Strategy(strategy) if strategy in tuple(Strategy) else None,
            time_limit_s=fields["time_limit"],
        ),
        keep=keep,
    )


def _check(module: Core, settings: Settings) -> None:
    """Refuse options that the module or its reference does not support, before any synthesis."""
    if settings.core_apart and module.protocol != "accelerator":
        raise click.UsageError(
            f"--core-apart: {module.name} contains no core of an accelerator: leave it out"
        )
    compared = [module, settings.reference] if settings.reference else [module]
    for one in compared:
        if settings.key_bits is not None and settings.key_bits not in one.key_sizes:
            listed = " or ".join(map(str, one.key_sizes)) or "no"
            raise click.UsageError(
                f"{one.name} takes keys of {listed} bits, not {settings.key_bits}: leave "
                "--key-bits out for the largest"
            )
        if settings.direction is not None and settings.direction not in one.directions:
            raise click.UsageError(f"{one.name} cannot {settings.direction}: leave --direction out")
    if settings.reference:
        _check_toggles(compared, settings, "--relative-to")
    if settings.quietest:
        if not settings.power:
            raise click.UsageError("--strategy energy needs --power")
        _check_driver(module, "--strategy energy")


def _check_driver(module: Core, wanted: str) -> None:
    from ciphermill.evaluate.chip.workloads import has_driver

    if not has_driver(module):
        raise click.UsageError(
            f"{wanted} simulates the design, and there is no driver for {module.name}: see "
            "docs/how-to/add-a-core.md"
        )


def _check_toggles(modules: list[Core], settings: Settings, wanted: str) -> None:
    """Refuse toggles per operation for a workload without operations."""
    from ciphermill.evaluate.chip.workloads import WORKLOADS

    for module in modules:
        _check_driver(module, wanted)
    if not WORKLOADS[settings.workload].blocks:
        raise click.UsageError(
            f"{wanted} counts toggles of blocks, and workload {settings.workload} has no blocks: "
            "give --workload stream"
        )


def _targets(
    module: Core,
    settings: Settings,
    named: tuple[str, ...],
    every: bool,
    clock_mhz: float | None,
) -> list[Target]:
    """Return the requested platforms, cells with the requested clock."""
    from ciphermill.design import CannotBeError, CellLibrary, Fpga, Rtl, load_platforms

    found: list[Target] = []
    for name in dict.fromkeys(TARGETS if every else named or ("xc7",)):
        for one in load_platforms(name).possible:
            if not isinstance(one, Rtl | Fpga | CellLibrary):
                raise CannotBeError(f"{name}: is of kind {one.kind}, which is not a target")
            if isinstance(one, Rtl):
                try:
                    _check_toggles([module], settings, f"--target {name}")
                except click.UsageError:
                    if every:
                        continue
                    raise
            if isinstance(one, CellLibrary) and clock_mhz is not None:
                one = one.model_copy(update={"clock_mhz": clock_mhz})
            found.append(one)
    return found


def _refuse_idle(chosen: list[Target], settings: Settings) -> None:
    """Refuse options that apply to none of the chosen targets."""
    listed = ", ".join(one.name for one in chosen)
    kinds = {one.kind for one in chosen}
    cells = "cells" in kinds
    if not cells:
        why = f"does nothing on {listed}: it is for standard cells ({', '.join(options.CELLS)})"
        options.refuse(_OF_CELLS, why)
    if "xc7" not in {one.family for one in chosen if one.kind == "fpga"}:
        options.refuse(_OF_XC7, f"does nothing on {listed}: it is for xc7")
    compared = settings.reference is not None
    if compared and not any(one.kind == "fpga" and one.family != "xc7" for one in chosen):
        why = f"does nothing on {listed}: it is for routed FPGAs (ecp5, ice40)"
        options.refuse({"relative_to"}, why)
    if not (compared or "rtl" in kinds or (cells and settings.power)):
        options.refuse(_OF_A_RUN, f"does nothing on {listed}: no workload runs there")


def _print_paths(seen: Sequence[Measurement]) -> None:
    from ciphermill.report.physical_table import path_tables

    console = options.wide_console()
    for table in path_tables(seen):
        console.print(table, "")


def _compare(path: Path, store: str | None) -> None:
    from ciphermill.report.physical_comparison import physical_comparison

    with running.open_store(store) as opened:
        seen = [record.measurement for record in opened.records()]
    moment = datetime.now().astimezone()
    try:
        page = physical_comparison(seen, moment=moment)
    except ValueError as error:
        raise Failure(
            f"{opened.location}: {error}; run ciphermill physical DESIGN first", ExitCode.FAILED
        ) from error
    files.write(path, page)
    progress.say(f"Comparison: {path}")


def _fail(run: Run, every: bool) -> None:
    """Report which targets failed. With --all-targets it is an error only if all failed."""
    several = len({one.design.name for one in run.points}) > 1
    failed = []
    for place, error in sorted(run.errors.items()):
        one = run.points[place]
        name = f"{one.design.name}, " if several else ""
        failed.append(f"{name}{one.platform.name}: {error}")
    if not failed:
        return
    if every and len(failed) < len(run.points):
        for line in failed:
            progress.say(line)
        return
    raise Failure("; ".join(failed), ExitCode.FAILED)


def _list() -> None:
    from ciphermill.design import Accelerator, Core, design_names, load_design

    for name in design_names(Core, Accelerator):
        design = load_design(name)
        click.echo(f"{name:32} {design.kind:12} {design.description}")
