# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Generate everything that is derived from the register maps hw/*/*.rdl.

One SystemRDL source for each map gives the register block (PeakRDL-regblock),
the C header (PeakRDL-cheader), a page of the manual (Markdown) and, for the
accelerator, the engine's constants (Rust). The results are checked in, so that
nobody needs PeakRDL to use them; ``--check`` tells whether they still agree with
their sources.

    python scripts/generate_registers.py           # write
    python scripts/generate_registers.py --check   # exit 1, and name what differs
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from systemrdl.compiler import RDLCompiler
from systemrdl.messages import RDLCompileError
from systemrdl.node import AddrmapNode, FieldNode, RegNode

ROOT = Path(__file__).resolve().parent.parent
LICENCE = ("Copyright Ciphermill contributors.", "SPDX-License-Identifier: Apache-2.0")
LINE_LENGTH = 100


@dataclass(frozen=True)
class RegisterMap:
    """A register map and where what is made from it goes.

    Paths are relative to the repository's root.
    """

    name: str
    """Name of the folder under ``hw`` and of the address map."""
    subject: str
    """What the registers are of, for headings."""
    page: Path
    """Page of the manual."""
    rust: Path | None = None
    """Module of constants, where the engine has a use for them."""

    @property
    def source(self) -> Path:
        """The SystemRDL source."""
        return Path("hw") / self.name / f"{self.name}.rdl"

    @property
    def module(self) -> str:
        """Name of the register block."""
        return f"{self.name}_registers"

    @property
    def rtl(self) -> Path:
        """Folder of the register block."""
        return Path("hw") / self.name / "rtl" / "generated"

    @property
    def c_header(self) -> Path:
        """The C header."""
        return Path("hw") / self.name / "include" / f"{self.module}.h"

    def head(self) -> tuple[str, ...]:
        """Return the lines that every generated file begins with."""
        return (*LICENCE, f"Generated from {self.source} by `make generate`; do not edit.")


MAPS = (
    RegisterMap(
        "accel",
        "the accelerator",
        page=Path("docs/reference/registers.md"),
        rust=Path("engine/devices/accelerator/src/registers.rs"),
    ),
    RegisterMap("dma", "the DMA engine", page=Path("docs/reference/dma-registers.md")),
)


def compile_map(source: Path) -> AddrmapNode:
    """Return the elaborated address map of a SystemRDL file.

    Raises:
        RDLCompileError: The source is not valid SystemRDL; the reason has been
            printed on standard error.
    """
    compiler = RDLCompiler()
    compiler.compile_file(str(source))
    return compiler.elaborate().top


def registers_of(top: AddrmapNode) -> list[RegNode]:
    """Return the registers in order of address, each array as one node."""
    registers = [node for node in top.children(unroll=False) if isinstance(node, RegNode)]
    return sorted(registers, key=lambda node: node.raw_address_offset)


def words_of(register: RegNode) -> int:
    """Return how many words a register has: the length of an array, else 1."""
    return (register.array_dimensions or [1])[0]


def text_of(node: RegNode | FieldNode) -> str:
    """Return name and description of a node as one line of prose."""
    parts = []
    if isinstance(node, RegNode):
        parts.append(node.get_property("name").rstrip(".") + ".")
    description = node.get_property("desc")
    if description:
        parts.append(" ".join(description.split()))
    if not parts:
        raise SystemExit(f"{node.get_path()} has no description")
    return " ".join(parts)


def access_of(field: FieldNode) -> str:
    """Return what software can do with a field, in words."""
    if field.get_property("onwrite") is not None:
        return "read, write one to clear"
    if field.is_sw_readable and field.is_sw_writable:
        return "read, write"
    return "read" if field.is_sw_readable else "write"


def is_constant(field: FieldNode) -> bool:
    """Tell whether a field always reads as its reset value."""
    return not field.is_sw_writable and not field.is_hw_writable


# ---------------------------------------------------------------- PeakRDL


def run_peakrdl(source: Path, exporter: str, output: Path, *options: str) -> None:
    """Run one of PeakRDL's exporters on a register map.

    Raises:
        SystemExit: PeakRDL failed (2); its own message has been printed.
    """
    command = [sys.executable, "-m", "peakrdl", exporter, str(ROOT / source)]
    result = subprocess.run([*command, "-o", str(output), *options], check=False)
    if result.returncode != 0:
        print(f"{source}: peakrdl {exporter} refused it", file=sys.stderr)
        raise SystemExit(2)


def with_head(registers: RegisterMap, text: str) -> str:
    """Return C or SystemVerilog text under our licence and notice, without trailing blanks."""
    head = "".join(f"// {line}\n" for line in registers.head())
    return head + "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def peakrdl_files(registers: RegisterMap) -> Iterator[tuple[Path, str]]:
    """Yield path and text of each file that PeakRDL makes."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        run_peakrdl(
            registers.source,
            "regblock",
            folder / "rtl",
            *("--cpuif", "axi4-lite-flat"),
            *("--module-name", registers.module),
            *("--default-reset", "arst_n"),
            "--err-if-bad-addr",
        )
        for path in sorted((folder / "rtl").iterdir()):
            yield registers.rtl / path.name, with_head(registers, path.read_text())
        header = folder / registers.c_header.name
        run_peakrdl(registers.source, "c-header", header, "--std", "gnu11")
        yield registers.c_header, with_head(registers, header.read_text())


# ---------------------------------------------------------------- Rust


def rust_constant(documentation: str, name: str, kind: str, value: str) -> str:
    """Return one public constant with its documentation."""
    lines = textwrap.wrap(documentation, LINE_LENGTH - 4, break_long_words=False)
    comment = "".join(f"/// {line}\n" for line in lines)
    return f"{comment}pub const {name}: {kind} = {value};\n"


def grouped(value: int) -> str:
    """Return a 32-bit number as Rust and clippy like it: 0x0000_0000."""
    return f"0x{value >> 16:04X}_{value & 0xFFFF:04X}"


def rust_register(register: RegNode) -> Iterator[str]:
    """Yield the constants of one register: offset, array size, and each field's."""
    name = register.inst_name
    offset = f"0x{register.raw_address_offset:02X}"
    yield rust_constant(f"Offset. {text_of(register)}", name, "u32", offset)
    if register.is_array:
        words = str(words_of(register))
        yield rust_constant(f"Number of words of [`{name}`].", f"{name}_WORDS", "usize", words)
    for field in register.fields():
        prefix = f"{name}_{field.inst_name.upper()}"
        mask = ((1 << field.width) - 1) << field.low
        yield rust_constant(
            f"Mask in [`{name}`]. {text_of(field)}", f"{prefix}_MASK", "u32", grouped(mask)
        )
        yield rust_constant(
            f"Lowest bit of [`{prefix}_MASK`].", f"{prefix}_SHIFT", "u32", str(field.low)
        )
        if is_constant(field):
            value = field.get_property("reset")
            if not isinstance(value, int):
                raise SystemExit(f"{field.get_path()} is constant but has no value")
            yield rust_constant(
                f"What [`{prefix}_MASK`] reads as, shifted down.",
                f"{prefix}_VALUE",
                "u32",
                grouped(value),
            )


def rust_text(registers: RegisterMap, top: AddrmapNode) -> str:
    """Return the engine's module of register constants, as rustfmt writes it."""
    head = "".join(f"// {line}\n" for line in registers.head())
    intro = (
        f"\n//! Register offsets (bytes), field masks and shifts of {registers.subject}.\n"
        "\n#![allow(dead_code)] // not every field has a reader here\n\n"
    )
    blocks = ["".join(rust_register(register)) for register in registers_of(top)]
    return head + intro + "\n".join(blocks)


# ---------------------------------------------------------------- Markdown


def page_register(register: RegNode) -> str:
    """Return the section of the manual about one register."""
    address = f"0x{register.raw_address_offset:03X}"
    title = f"## {register.inst_name} at {address}"
    if register.is_array:
        last = register.raw_address_offset + 4 * (words_of(register) - 1)
        title = f"## {register.inst_name}[0..{words_of(register) - 1}] at {address} to 0x{last:03X}"
    rows = ["| Bits | Field | Access | Reset | Meaning |", "| --- | --- | --- | --- | --- |"]
    for field in register.fields():
        bits = str(field.low) if field.width == 1 else f"{field.high}:{field.low}"
        reset = field.get_property("reset")
        shown = "" if reset is None else f"0x{reset:X}"
        rows.append(
            f"| {bits} | `{field.inst_name}` | {access_of(field)} | {shown} | {text_of(field)} |"
        )
    return "\n".join([title, "", text_of(register), "", *rows]) + "\n"


def page_text(registers: RegisterMap, top: AddrmapNode) -> str:
    """Return the manual's page about the registers."""
    comment = "".join(f"{line}\n" for line in registers.head())
    title = f"# Registers of {registers.subject}"
    head = (
        f"<!--\n{comment}-->\n{title}\n\n{top.get_property('desc')}\n\n"
        "Addresses are byte offsets. Fields without a reset value show the state of the device. "
        "An address that is not listed here answers SLVERR.\n\n"
    )
    return head + "\n".join(page_register(register) for register in registers_of(top))


# ---------------------------------------------------------------- command


def generate(registers: RegisterMap) -> dict[Path, str]:
    """Return each file made from a map, its path relative to the repository's root."""
    top = compile_map(ROOT / registers.source)
    files = {**dict(peakrdl_files(registers)), registers.page: page_text(registers, top)}
    if registers.rust is not None:
        files[registers.rust] = rust_text(registers, top)
    return files


def stale_files(files: dict[Path, str]) -> list[Path]:
    """Return the paths whose text in the checkout is missing or different."""
    return [
        path
        for path, text in files.items()
        if not (ROOT / path).is_file() or (ROOT / path).read_text() != text
    ]


def main() -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 on a difference"
    )
    check = parser.parse_args().check
    files: dict[Path, str] = {}
    sources: dict[Path, Path] = {}
    for registers in MAPS:
        try:
            made = generate(registers)
        except RDLCompileError as error:
            print(f"{registers.source}: {error}", file=sys.stderr)
            return 2
        files.update(made)
        sources.update(dict.fromkeys(made, registers.source))
    stale = stale_files(files)
    for path in stale:
        if check:
            print(f"{path} differs from {sources[path]}: run `make generate`", file=sys.stderr)
        else:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(files[path])
            print(f"wrote {path}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
