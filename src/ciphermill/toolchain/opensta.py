# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs OpenSTA for static timing analysis.

It works with Debian's package, a version of 2019. Its Verilog reader reports an error on
concatenated assigns and continues with a wrong netlist, so its log is searched for errors
and the netlist should come from ``evaluate.chip.cells.verilog``. Its power is used only for
comparison (``tests/support/opensta.py``).

The clock is ideal; inputs change at its edge and outputs are sampled at the next one.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from .errors import ToolError, failed
from .liberty import read_text
from .processes import run_program
from .verilator import need_program

PROGRAM = "sta"
_WRONG = re.compile(r"^.*\b[Ee]rror\b.*$|^.*black box.*$", re.MULTILINE)
_NUMBER = r"-?\d+\.\d+"
_CLOCK = re.compile(rf"^\s*({_NUMBER})\s+({_NUMBER})\s+clock \S+ \((?:rise|fall) edge\)$", re.M)
_SLACK = re.compile(rf"^\s*({_NUMBER})\s+slack \(\w+\)$", re.MULTILINE)
_CAPACITANCE = re.compile(
    r'\bcapacitive_load_unit\s*\(\s*([\d.]+)\s*,\s*"?([fFpP])[fF]"?\s*\)\s*;?'
)
_DEFAULT_WIRE_LOAD = re.compile(r"\bdefault_wire_load\w*\s*:[^;\n]*;?")
_SAFE = re.compile(r"[\w./+-]+")


def opensta_version() -> str:
    """Return OpenSTA's version.

    Raises:
        ToolError: There is no OpenSTA.
    """
    program = need_program(PROGRAM, "opensta")
    done = run_program([program, "-version"], what="OpenSTA", errors_apart=True)
    return done.stdout.strip()


def path_log(
    liberty: Path,
    verilog: Path,
    top: str,
    clock: str,
    *,
    wire_ff_per_fanout: float = 0.0,
    period_ps: float = 1e6,
    time_limit_s: float | None = None,
) -> str:
    """Return what OpenSTA says of the longest paths of a netlist, for ``longest_path``.

    Args:
        liberty: The cells' library; plain or gzipped.
        verilog: The netlist (``evaluate.chip.cells.verilog``).
        top: Its module.
        clock: Its clock port.
        wire_ff_per_fanout: The wire-load model, which replaces the library's own.
        period_ps: The clock period of the analysis; it matters if some paths have half a
            period.
        time_limit_s: Seconds after which OpenSTA is stopped.

    Raises:
        ToolError: OpenSTA is missing or was stopped, or its log has an error.
    """
    script = constraints(top, clock, period_ps) + "report_checks -path_delay max -digits 6\n"
    return run_sta(liberty, verilog, wire_ff_per_fanout, script, time_limit_s=time_limit_s)


def longest_path(log: str, period_ps: float) -> tuple[float, str]:
    """Return the shortest period at which every path arrives in time, and the path that sets it.

    ``report_checks`` tells of paths by group. Recovery and removal checks (the group
    ``**async_default**``) are ignored: a reset from a port does not limit the clock.

    Raises:
        ToolError: There is no path in it.
    """
    paths = [
        (_period(section, period_ps), section)
        for section in log.split("Startpoint: ")[1:]
        if "Path Group: **async_default**" not in section
    ]
    if not paths:
        raise ToolError("OpenSTA found no path that a clock bounds")
    return max(paths, key=lambda path: path[0])


def _period(section: str, period_ps: float) -> float:
    """Return the clock period that one path asks for; times in the log are nanoseconds."""
    edges, slack = _CLOCK.findall(section), _SLACK.search(section)
    if len(edges) != 2 or slack is None:
        raise ToolError("OpenSTA reported a path without its clock:\n" + section[:400])
    between = 1e3 * (float(edges[1][1]) - float(edges[0][1]))
    return (between - 1e3 * float(slack[1])) * period_ps / between


def with_wire_load(text: str, wire_ff_per_fanout: float) -> str:
    """Return a liberty text whose default wire-load model is replaced by this project's.

    OpenSTA applies the models of libraries by default; each library derives them
    differently.

    Raises:
        ToolError: The text is not a library, or has no unit of capacitance.
    """
    unit = _CAPACITANCE.search(text)
    if unit is None:
        raise ToolError("a liberty file without capacitive_load_unit")
    scale = float(unit[1]) * {"f": 1.0, "p": 1e3}[unit[2].lower()]
    model = (
        f"wire_load (fanout) {{ capacitance : {wire_ff_per_fanout / scale:.9g}; resistance : 0;"
        " slope : 1; fanout_length (1, 1); }"
        " default_wire_load : fanout; default_wire_load_mode : top;"
    )
    # After the unit, since values before it are read in another unit.
    head, rest = text[: unit.end()], text[unit.end() :]
    return f"{_DEFAULT_WIRE_LOAD.sub('', head)} {model} {_DEFAULT_WIRE_LOAD.sub('', rest)}"


def constraints(top: str, clock: str, period_ps: float) -> str:
    """Return the commands for a clock, and for ports that change and are sampled at its edge.

    Raises:
        ToolError: A name contains characters that the script does not allow.
    """
    for name in (top, clock):
        if not _SAFE.fullmatch(name):
            raise ToolError(f"OpenSTA's script cannot hold the name {name!r}")
    return (
        f"link_design {top}\n"
        "set_cmd_units -time ns -power W\n"
        f"create_clock -name clock -period {period_ps / 1e3:g} [get_ports {clock}]\n"
        "foreach port [all_inputs] {\n"
        f"  if {{[get_full_name $port] eq {{{clock}}}}} {{ continue }}\n"
        "  set_input_delay 0 -clock clock $port\n"
        "}\n"
        "set_output_delay 0 -clock clock [all_outputs]\n"
    )


def run_sta(
    liberty: Path,
    verilog: Path,
    wire_ff_per_fanout: float,
    script: str,
    *,
    time_limit_s: float | None = None,
) -> str:
    """Read library and netlist, run a script, and return the log.

    Raises:
        ToolError: OpenSTA is missing or was stopped, or its log has an error.
    """
    with tempfile.TemporaryDirectory() as folder:
        cells = Path(folder) / "cells.lib"
        text = with_wire_load(read_text(liberty), wire_ff_per_fanout)
        cells.write_text(text, encoding="utf-8")
        path = Path(folder) / "script.tcl"
        shutil.copyfile(verilog, Path(folder) / "netlist.v")
        read = f"read_liberty {cells.name}\nread_verilog netlist.v\n"
        path.write_text(read + script, encoding="utf-8")
        done = run_program(
            [need_program(PROGRAM, "opensta"), "-exit", "-no_splash", path.name],
            what="OpenSTA",
            cwd=Path(folder),
            time_limit_s=time_limit_s,
        )
    wrong = _WRONG.search(done.stdout)
    if done.returncode or wrong:
        raise failed("OpenSTA", wrong[0] if wrong else done.stdout, code=done.returncode)
    return done.stdout
