# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""FuseSoC, in a folder of its own, with local libraries alone."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ciphermill.toolchain.verilator import find_verilator


@dataclass
class Fusesoc:
    """The program, with our Verilator and yosys on the path."""

    folder: Path
    """Where it runs and builds."""
    libraries: list[Path]
    """Folders that it searches for core files."""

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run to the end; what it printed is in ``stdout``."""
        tools, programs = self.folder / "tools", Path(sys.executable).parent
        tools.mkdir(parents=True, exist_ok=True)
        verilator = find_verilator()
        program = tools / "verilator"
        program.write_text(f'#!/bin/sh\nexec {verilator.program} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        return subprocess.run(
            [
                str(programs / "fusesoc"),
                *(word for library in self.libraries for word in ("--cores-root", str(library))),
                *arguments,
            ],
            cwd=self.folder,
            env={
                "PATH": os.pathsep.join([str(tools), str(programs), "/usr/bin", "/bin"]),
                "HOME": str(self.folder),
                "VERILATOR_ROOT": str(verilator.root),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=580,
            check=False,
        )
