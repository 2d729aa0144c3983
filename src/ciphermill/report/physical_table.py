# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Physical results as tables on a terminal: areas, clocks, energy, path, breakdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ciphermill.design import Measurement
from ciphermill.physical.energy import CellEnergy
from ciphermill.physical.implement import CellImplementation
from ciphermill.report import format as human

if TYPE_CHECKING:
    from rich.table import Table

Row = tuple[str, Callable[[Measurement], str]]


def physical_tables(measurements: Sequence[Measurement]) -> list[Table]:
    """A table for each kind of figure that there is, a row a measurement."""
    measurements = [seen for seen in measurements if seen.scope is None]
    fpga = [seen for seen in measurements if seen.area_lut is not None]
    cells = [seen for seen in measurements if seen.area_um2 is not None and not seen.workload]
    energy = [seen for seen in measurements if seen.power_mw is not None]
    toggles = [seen for seen in measurements if seen.toggles_per_op is not None]
    made = []
    if fpga:
        columns: list[Row] = [
            ("target", lambda seen: seen.target or ""),
            ("LUT", lambda seen: _whole(seen.area_lut)),
            ("FF", lambda seen: _whole(seen.area_ff)),
            ("F7 / F8", _muxes),
            ("carry", lambda seen: _whole(seen.area_carry)),
            ("DSP", lambda seen: _whole(seen.area_dsp)),
            ("BRAM", lambda seen: _whole(seen.area_block_ram)),
            ("slices\n(estimate)", lambda seen: _whole(seen.area_slices_estimated)),
            ("clock\nMHz", lambda seen: _figure(seen.clock_mhz)),
            ("MB/s", lambda seen: _figure(seen.throughput_mb_s)),
            ("clocks\nx LUT", lambda seen: _whole(seen.merit_clocks_x_lut)),
            ("kB/s\na LUT", lambda seen: _figure(seen.merit_mb_s_per_lut, 1000)),
        ]
        if any(seen.energy_relative is not None for seen in fpga):
            columns.append(("relative\nenergy", lambda seen: _figure(seen.energy_relative)))
        made.append(_table("On FPGAs", fpga, columns))
    if cells:
        made.append(
            _table(
                "In standard cells",
                cells,
                [
                    ("target", lambda seen: seen.target or ""),
                    ("made for\nMHz", lambda seen: _figure(seen.clock_asked_mhz)),
                    ("area\nµm²", lambda seen: _whole(seen.area_um2)),
                    ("\nGE", lambda seen: _whole(seen.area_ge)),
                    ("flip-flops\nµm²", lambda seen: _whole(seen.area_sequential_um2)),
                    ("clock\ngates", lambda seen: _whole(seen.clock_gates)),
                    ("longest\npath ps", lambda seen: _whole(seen.delay_longest_path_ps)),
                    ("highest\nMHz", lambda seen: _figure(seen.clock_mhz)),
                    ("MB/s", lambda seen: _figure(seen.throughput_mb_s)),
                    ("mapped\nfor", lambda seen: seen.strategy or ""),
                    ("timing\nby", lambda seen: seen.timing_by or ""),
                ],
            )
        )
    if energy:
        made.append(
            _table(
                "Power and energy, glitches counted (beside them, zero delays: no glitches)",
                energy,
                [
                    ("target", lambda seen: seen.target or ""),
                    ("workload", _operation),
                    ("clock\nMHz", lambda seen: _figure(seen.clock_mhz)),
                    ("power\nmW", lambda seen: _figure(seen.power_mw)),
                    ("zero\ndelay", lambda seen: _figure(seen.power_zero_delay_mw)),
                    ("leakage\nµW", lambda seen: _figure(seen.power_leakage_mw, 1000)),
                    ("idle\nmW", lambda seen: _figure(seen.power_idle_mw)),
                    ("pJ/bit", lambda seen: _figure(seen.energy_pj_per_bit)),
                    ("zero\ndelay", lambda seen: _figure(seen.energy_pj_per_bit_zero_delay)),
                    ("pJ/byte", lambda seen: _figure(seen.energy_pj_per_byte)),
                    ("nJ/op", lambda seen: _figure(seen.energy_uj_per_op, 1000)),
                    ("Mbit/s per\nmJ/Mbit", lambda seen: _whole(seen.merit_throughput_over_energy)),
                ],
            )
        )
    if toggles:
        made.append(
            _table(
                "Toggles at register-transfer level, of no technology",
                toggles,
                [
                    ("workload", _operation),
                    ("clocks\na block", lambda seen: _figure(seen.cycles_per_block)),
                    ("toggles\na clock", lambda seen: _figure(seen.toggles_per_cycle)),
                    ("an\noperation", lambda seen: _whole(seen.toggles_per_op)),
                    ("a byte", lambda seen: _figure(seen.toggles_per_byte)),
                ],
            )
        )
    return made


def path_table(made: CellImplementation) -> Table:
    """The longest path, a row a cell; by our own analysis, which also has loads."""
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        title=f"Longest path in {made.target}, {made.timing.clock_period_ps:.0f} ps",
        title_justify="left",
        title_style="bold",
    )
    for name in ("cell", "net", "edge"):
        table.add_column(name, no_wrap=True, max_width=48)
    for name in ("load fF", "delay ps", "arrives ps"):
        table.add_column(name, justify="right")
    for step in made.timing.longest_path:
        table.add_row(
            step.cell or "port",
            step.net,
            step.edge,
            f"{step.load_ff:.1f}",
            f"{step.delay_ps:.0f}",
            f"{step.arrival_ps:.0f}",
        )
    table.add_row("set-up time", "", "", "", f"{made.timing.setup_ps:.0f}", "")
    return table


def breakdown_table(made: CellImplementation, energy: CellEnergy | None) -> Table:
    """Area, and the energy of a run, by module; needs a netlist whose modules were kept."""
    from rich import box
    from rich.table import Table

    areas = made.netlist.area_by_module
    whole = sum(areas.values()) or 1.0
    run = energy.shown if energy else None
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        title=f"By module in {made.target}, mapped one by one",
        title_justify="left",
        title_style="bold",
    )
    table.add_column("module", no_wrap=True)
    for name in ("area µm²", "share"):
        table.add_column(name, justify="right")
    if run is not None:
        for name in ("power mW", "share"):
            table.add_column(name, justify="right")
    for path in sorted(areas, key=lambda path: -areas[path]):
        cells = [path or "(top)", f"{areas[path]:,.0f}", f"{areas[path] / whole:.1%}"]
        if run is not None:
            part = run.power.by_module.get(path)
            power = run.power.milliwatts(part.total_fj) if part else 0.0
            cells += [human.significant(power), f"{power / run.power.power_mw:.1%}"]
        table.add_row(*cells)
    return table


def _table(title: str, rows: Sequence[Measurement], columns: Sequence[Row]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title=title,
        title_justify="left",
        title_style="bold",
    )
    cells = [[show(seen) for seen in rows] for _, show in columns]
    # A column that says nothing is left out.
    for (name, _), column in zip(columns, cells, strict=True):
        if any(cell != "-" for cell in column):
            words = name in ("target", "workload") or name.endswith(("for", "by"))
            table.add_column(name, justify="left" if words else "right", no_wrap=True)
    shown = [column for column in cells if any(cell != "-" for cell in column)]
    for row in zip(*shown, strict=True):
        table.add_row(*row)
    return table


def _operation(seen: Measurement) -> str:
    key = f", {seen.key_bits} bits" if seen.key_bits else ""
    return f"{seen.workload}{key}{f', {seen.direction}' if seen.direction else ''}"


def _muxes(seen: Measurement) -> str:
    if seen.area_muxf7 is None:
        return "-"
    return f"{seen.area_muxf7:,} / {seen.area_muxf8:,}"


def _whole(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _figure(value: float | None, scale: float = 1.0) -> str:
    return "-" if value is None else human.significant(value * scale)
