# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Generate hw/*/*.core: each folder of hw as a core of FuseSoC (CAPI 2).

A user adds this repository to FuseSoC as a library and depends on ``ciphermill:ip:aes``. The
files and their order are those that the tools take (``ciphermill.toolchain.rtl``); what a core
depends on are the folders whose modules or packages its files name. The results are checked in;
``--check`` compares them with their sources.

    python scripts/generate_fusesoc_cores.py           # write
    python scripts/generate_fusesoc_cores.py --check   # exit 1, and name what differs
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ciphermill.export.hierarchy import words_used
from ciphermill.toolchain.rtl import folder_sources

ROOT = Path(__file__).resolve().parent.parent
HEAD = """\
CAPI=2:
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
# Generated from {folder}/rtl by `make generate`; do not edit.
"""


@dataclass(frozen=True)
class IpCore:
    """What cannot be read from a folder's files."""

    description: str
    tops: tuple[str, ...]
    """Modules to instantiate; the first is the top of the target ``default``."""
    choices: Mapping[str, str | None] = field(default_factory=dict)
    """Folders below ``rtl``, one of which is wanted, and the core of others that each depends
    on, where one is known. Each is chosen by a flag with its name."""


CORES = {
    "prim": IpCore("FIFOs, width converters and clock crossings", ("prim_fifo",)),
    "aes": IpCore("AES cores behind one interface", ("aes_core", "aes_stepped")),
    "present": IpCore("PRESENT cores behind one interface", ("present_core", "present_minimal")),
    "ghash": IpCore("GHASH, and the tags of GCM", ("ghash", "gcm_tag")),
    "sha2": IpCore("SHA-2, and HMAC", ("sha2_core", "sha2_hmac")),
    "ecc": IpCore("ECDSA and ECDH on P-256, P-384 and P-521", ("ecc_core",)),
    "ascon": IpCore("Ascon-AEAD128 and Ascon-Hash256", ("ascon_core",)),
    "accel": IpCore("Ciphers, hashes and curves behind AXI4-Lite and AXI4-Streams", ("accel",)),
    "dma": IpCore("DMA engine: AXI4 memory to and from AXI4-Streams", ("dma", "dma_mover")),
    "card": IpCore("The accelerator as a PCI function, with rings of descriptors", ("card",)),
    "board": IpCore("AES in counter mode beside banks of memory", ("board_ctr",)),
    "boards": IpCore("The accelerator behind a serial line", ("uart_accel", "uart_bridge")),
    "coprocessor": IpCore(
        "Coprocessors and custom instructions of a soft core",
        (
            "coprocessor_iterative",
            "coprocessor_unrolled",
            "coprocessor_round",
            "coprocessor_linear_layer",
            "coprocessor_present",
            "coprocessor_shell",
            "coprocessor_ascon",
            "coprocessor_sha2",
            "coprocessor_ecc",
            "coprocessor_instructions",
        ),
    ),
    "soc": IpCore(
        "Embedded system around a soft core, which is to be added (README.md)",
        ("soc",),
        {"picorv32": "::picorv32:0-r1", "vexriscv": None, "ibex": None, "cva6": None},
    ),
}
"""Each folder of ``hw`` that has RTL."""


def core_file(folder: str, version: str) -> str:
    """Return the text of a folder's core file.

    Raises:
        ToolError: The folder has no files, or its packages use each other in a circle.
    """
    about = CORES[folder]
    own = ROOT / "hw" / folder
    files = folder_sources([own / "rtl"])
    chosen = {path: path.relative_to(own / "rtl").parts[0] for path in files}
    always = [path for path in files if chosen[path] not in about.choices]
    filesets = {"rtl": [*always, *sorted(own.glob("rtl/**/*.vlt"))]}
    for choice in about.choices:
        filesets[choice] = [path for path in files if chosen[path] == choice]
    lines = [
        f"name: ciphermill:ip:{folder}:{version}",
        f"description: {json.dumps(about.description)}",
    ]
    lines += ["", "filesets:"]
    for name, paths in filesets.items():
        lines += [f"  {name}:", "    file_type: systemVerilogSource", "    files:"]
        lines += [_file(path.relative_to(own)) for path in paths]
        used = [f"ciphermill:ip:{other}:{version}" for other in depends(folder, paths)]
        if name != "rtl":
            used = [other] if (other := about.choices[name]) else []
        lines += ["    depend:", *(f"      - {other}" for other in used)] if used else []
    wanted = ["rtl", *(f'"{choice} ? ({choice})"' for choice in about.choices)]
    lines += ["", "targets:"]
    for number, top in enumerate(about.tops):
        lint = "lint" if number == 0 else f"lint-{top}"
        if number == 0:
            lines += ["  default: &default", f"    filesets: [{', '.join(wanted)}]"]
            lines += [f"    toplevel: {top}", ""]
        lines += [f"  {lint}:", "    <<: *default", f"    toplevel: {top}", "    flow: lint"]
        lines += ["    flow_options:", "      tool: verilator", "      verilator_options: [-Wall]"]
        lines += [""]
    return HEAD.format(folder=f"hw/{folder}") + "\n".join(lines).rstrip() + "\n"


def _file(path: Path) -> str:
    waiver = path.suffix == ".vlt"
    return f"      - {path.as_posix()}{': {file_type: vlt}' if waiver else ''}"


def depends(folder: str, files: list[Path]) -> list[str]:
    """Return the other folders of ``hw`` whose modules or packages some files name."""
    owners = {
        path.stem: other
        for other in CORES
        if other != folder
        for path in (ROOT / "hw" / other / "rtl").rglob("*.sv")
    }
    named = {owners[word] for path in files for word in words_used(path) & owners.keys()}
    return [other for other in CORES if other in named]


def generated() -> Iterator[tuple[Path, str]]:
    """Yield each core file's path and text.

    Raises:
        ValueError: A folder with RTL is not in ``CORES``, or has no module of that name.
    """
    text = (ROOT / "engine" / "Cargo.toml").read_text(encoding="utf-8")
    version = tomllib.loads(text)["workspace"]["package"]["version"]
    with_rtl = {path.parent.name for path in (ROOT / "hw").glob("*/rtl")}
    if with_rtl != CORES.keys():
        odd = ", ".join(sorted(with_rtl ^ CORES.keys()))
        raise ValueError(f"CORES in {Path(__file__).name} and the folders of hw differ: {odd}")
    for folder, about in CORES.items():
        for top in about.tops:
            if not list((ROOT / "hw" / folder / "rtl").rglob(f"{top}.sv")):
                raise ValueError(f"hw/{folder}/rtl has no module {top}: see CORES")
        yield ROOT / "hw" / folder / f"{folder}.core", core_file(folder, version)


def main() -> int:
    """Write the core files, or compare them; return 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    check = parser.parse_args().check
    try:
        files = dict(generated())
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    stale = [
        path
        for path, text in files.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        if check:
            name = path.relative_to(ROOT)
            print(f"{name} does not follow from its folder: make generate", file=sys.stderr)
        else:
            path.write_text(files[path], encoding="utf-8")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
