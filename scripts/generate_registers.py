# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Generate everything that is derived from the register maps hw/*/*.rdl.

One SystemRDL source for each map gives, for hardware, the register block
(PeakRDL-regblock) or a package of constants for registers written by hand; the C
header (PeakRDL-cheader), the constants of the engine (Rust) and of the tools (Python),
and a page of the manual (Markdown). The memory map of the embedded system gives the
addresses in all of these. The results are checked in, so that nobody needs PeakRDL to
use them; ``--check`` compares them with their sources.

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
from typing import Literal

from systemrdl.compiler import RDLCompiler
from systemrdl.messages import RDLCompileError
from systemrdl.node import AddrmapNode, FieldNode, RegNode

ROOT = Path(__file__).resolve().parent.parent
LICENCE = ("Copyright Ciphermill contributors.", "SPDX-License-Identifier: Apache-2.0")
GENERATED = "Generated from {} by `make generate`; do not edit."
LINE_LENGTH = 100
RUST = Path("engine/devices/accelerator/src/registers")
PYTHON = Path("src/ciphermill/registers")
PAGES = Path("docs/reference")


@dataclass(frozen=True)
class RegisterMap:
    """A register map and the places of its generated files.

    Paths are relative to the repository's root.
    """

    folder: str
    """Folder under ``hw``."""
    name: str
    """Name of the file and of the address map."""
    subject: str
    """The hardware with these registers, for headings."""
    page_name: str
    """File of the page of the manual."""
    rtl_form: Literal["block", "constants", "none"] = "constants"
    """RTL to generate: a register block, constants for hand-written registers, or nothing."""
    address_bits: int = 32
    """Width of the addresses in the constants."""
    python: bool = True
    """Whether the tools read the map's constants."""

    @property
    def source(self) -> Path:
        """The SystemRDL source."""
        return Path("hw") / self.folder / f"{self.name}.rdl"

    @property
    def module(self) -> str:
        """Name of the register block, and of the C header."""
        return f"{self.name}_registers"

    @property
    def rtl(self) -> Path:
        """Folder of the register block or package."""
        return Path("hw") / self.folder / "rtl" / "generated"

    @property
    def c_header(self) -> Path:
        """The C header."""
        return Path("hw") / self.folder / "include" / f"{self.module}.h"

    def head(self) -> tuple[str, ...]:
        """Return the lines that every generated file begins with."""
        return (*LICENCE, GENERATED.format(self.source))


MAPS = (
    RegisterMap("prim", "header", "every accelerator", "header-registers.md", "none", python=False),
    RegisterMap("accel", "accel", "the accelerator", "registers.md", "block"),
    RegisterMap("dma", "dma", "the DMA engine", "dma-registers.md", "block"),
    RegisterMap("card", "card", "the card", "card-registers.md", "block"),
    RegisterMap("card", "card_ring", "a ring of the card", "card-ring-registers.md", "block"),
    RegisterMap(
        "coprocessor",
        "coprocessor",
        "the block coprocessors",
        "coprocessor-registers.md",
        address_bits=12,
    ),
    RegisterMap(
        "coprocessor",
        "coprocessor_shell",
        "the coprocessor shell",
        "coprocessor-shell-registers.md",
        address_bits=12,
    ),
    RegisterMap(
        "coprocessor",
        "coprocessor_ascon",
        "the Ascon coprocessor",
        "coprocessor-ascon-registers.md",
        address_bits=12,
    ),
    RegisterMap(
        "coprocessor",
        "coprocessor_sha2",
        "the SHA-2 coprocessor",
        "coprocessor-sha2-registers.md",
        address_bits=12,
        python=False,
    ),
    RegisterMap(
        "coprocessor",
        "coprocessor_ecc",
        "the ECC coprocessor",
        "coprocessor-ecc-registers.md",
        address_bits=12,
        python=False,
    ),
    RegisterMap(
        "coprocessor",
        "coprocessor_instruction",
        "the custom instructions",
        "coprocessor-instruction-registers.md",
        address_bits=12,
    ),
    RegisterMap("soc", "soc_system", "the system", "soc-system-registers.md", address_bits=8),
    RegisterMap("soc", "soc", "the peripherals", "soc-registers.md"),
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


def maps_of(top: AddrmapNode) -> list[AddrmapNode]:
    """Return the register maps inside a memory map, in order of address."""
    return [node for node in top.children() if isinstance(node, AddrmapNode)]


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
    """Return the software access of a field, in words."""
    if field.get_property("onwrite") is not None:
        return "read, write one to clear"
    if field.is_sw_readable and field.is_sw_writable:
        return "read, write"
    return "read" if field.is_sw_readable else "write"


def constant_of(field: FieldNode) -> int | None:
    """Return the constant value of a field; None if it can change."""
    if field.is_sw_writable or field.is_hw_writable:
        return None
    value = field.get_property("reset")
    if not isinstance(value, int):
        raise SystemExit(f"{field.get_path()} is constant but has no value")
    return value


def values_of(field: FieldNode) -> list[tuple[str, int, str]]:
    """Return name, number and meaning of each value that a field's enumeration has."""
    encode = field.get_property("encode")
    return [] if encode is None else [(v.name, v.value, v.rdl_desc or "") for v in encode]


def camel(*names: str) -> str:
    """Return names in UpperCamelCase, as RTL has its constants."""
    return "".join(word.capitalize() for name in names for word in name.split("_"))


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


def register_block(registers: RegisterMap) -> Iterator[tuple[Path, str]]:
    """Yield path and text of each file of the register block."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        run_peakrdl(
            registers.source,
            "regblock",
            folder,
            *("--cpuif", "axi4-lite-flat"),
            *("--module-name", registers.module),
            *("--default-reset", "arst_n"),
            "--err-if-bad-addr",
        )
        for path in sorted(folder.iterdir()):
            yield registers.rtl / path.name, with_head(registers, path.read_text())


def c_header(registers: RegisterMap, top: AddrmapNode) -> str:
    """Return the C header: PeakRDL's, then the values of enumerations."""
    with tempfile.TemporaryDirectory() as scratch:
        header = Path(scratch) / registers.c_header.name
        options = ("--std", "gnu11", "--type-style", "hier")
        run_peakrdl(registers.source, "c-header", header, *options)
        text = header.read_text()
    values = "".join(
        f"#define {macro(registers.name, register.inst_name, field.inst_name, name)} 0x{value:x}"
        f" // {meaning}\n"
        for register in registers_of(top)
        for field in register.fields()
        for name, value, meaning in values_of(field)
    )
    for register in registers_of(top):
        if register.is_array:  # PeakRDL marks the name of an array by an X
            text = text.replace(f"__{register.inst_name}X__", f"__{register.inst_name}__")
    end = text.rindex("#ifdef __cplusplus")
    text = text[:end] + (f"// values of fields\n{values}\n" if values else "") + text[end:]
    return with_head(registers, text)


def macro(*names: str) -> str:
    """Return the name of a macro, as PeakRDL-cheader builds it."""
    return "__".join(names).upper()


def address_header(registers: RegisterMap, top: AddrmapNode) -> str:
    """Return the C header of a memory map: addresses, which an assembler can read too."""
    guard = f"{registers.module}_h".upper()
    lines = [f"#ifndef {guard}", f"#define {guard}"]
    for inner in maps_of(top):
        prefix = f"{registers.name}_{inner.inst_name}".upper()
        lines += ["", f"// {inner.get_property('name')}"]
        lines += [f"#define {prefix}_BASE 0x{inner.absolute_address:08X}"]
        lines += [
            f"#define {prefix}_{node.inst_name} 0x{address_of(inner, node):08X}"
            for node in registers_of(inner)
        ]
    return with_head(registers, "\n".join([*lines, "", f"#endif // {guard}"]))


def address_of(inner: AddrmapNode, register: RegNode) -> int:
    """Return the address of a register, or of the first word of an array, in a memory map."""
    return inner.absolute_address + register.raw_address_offset


# ---------------------------------------------------------------- SystemVerilog


def package_constants(registers: RegisterMap, top: AddrmapNode) -> Iterator[str]:
    """Yield the lines of a package of constants."""

    def constant(name: str, value: int, bits: int = 0) -> str:
        kind, shown = "int unsigned", str(value)
        if bits:
            kind, shown = f"logic [{bits - 1}:0]", f"{bits}'h{value:0{-(-bits // 4)}X}"
        return f"  parameter {kind} {name} = {shown};"

    bits = registers.address_bits
    for inner in maps_of(top):
        yield f"\n  // {inner.get_property('name')}."
        yield constant(camel(inner.inst_name, "base"), inner.absolute_address, bits)
        for register in registers_of(inner):
            name = camel(inner.inst_name, register.inst_name, "address")
            yield constant(name, address_of(inner, register), bits)
    for register in registers_of(top):
        prefix = camel(register.inst_name)
        yield f"\n  // {register.get_property('name')}."
        yield constant(f"{prefix}Offset", register.raw_address_offset, bits)
        if register.is_array:
            yield constant(f"{prefix}Count", words_of(register))
        for field in register.fields():
            name = prefix + camel(field.inst_name)
            if field.width < 32:
                yield constant(f"{name}Lsb", field.low)
                yield constant(f"{name}Width", field.width)
            value = constant_of(field)
            if value is not None:
                yield constant(f"{name}Value", value, field.width)
            for member, number, _ in values_of(field):
                yield constant(f"{name}{camel(member)}", number, field.width)


def package_text(registers: RegisterMap, top: AddrmapNode) -> str:
    """Return the package of constants of a map whose registers are written by hand."""
    lines = [
        f"\n// {top.get_property('name')}: addresses, and places and values of fields.",
        f"package {registers.module}_pkg;",
        "\n  // No one module uses every constant.",
        "  /* verilator lint_off UNUSEDPARAM */",
        *package_constants(registers, top),
        "\n  /* verilator lint_on UNUSEDPARAM */",
        "\nendpackage",
    ]
    return with_head(registers, "\n".join(lines))


# ---------------------------------------------------------------- Python


def python_text(registers: RegisterMap, top: AddrmapNode) -> str:
    """Return the tools' module of register constants, as ruff writes it."""
    head = "".join(f"# {line}\n" for line in registers.head())
    what = "Addresses and fields of the registers of" if registers_of(top) else "Base addresses of"
    lines = [f'{head}"""{what} {registers.subject}."""', ""]
    if registers_of(top):
        lines += ["from ciphermill.registers import Field", ""]
    # A register's address is this and its offset, which is in the module of its own map.
    lines += [f"{one.inst_name.upper()} = 0x{one.absolute_address:08X}" for one in maps_of(top)]
    for register in registers_of(top):
        name = register.inst_name
        lines += [f"{name} = 0x{register.raw_address_offset:03X}"]
        for field in register.fields():
            member = macro(name, field.inst_name)
            if field.width < 32:
                lines += [f"{member} = Field({field.low}, {field.width})"]
            value = constant_of(field)
            if value is not None:
                lines += [f"{member}_VALUE = 0x{value:X}"]
            lines += [f"{macro(member, v)} = 0x{number:X}" for v, number, _ in values_of(field)]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- Rust


def rust_constant(documentation: str, name: str, kind: str, value: str) -> str:
    """Return one public constant with its documentation."""
    lines = textwrap.wrap(documentation, LINE_LENGTH - 4, break_long_words=False)
    comment = "".join(f"/// {line}\n" for line in lines)
    return f"{comment}pub const {name}: {kind} = {value};\n"


def grouped(value: int) -> str:
    """Return a 32-bit number in the form that clippy asks for: 0x0000_0000."""
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
        whole = field.width == 32
        place = name if whole else f"{prefix}_MASK"
        if not whole:
            about = f"Mask in [`{name}`]. {text_of(field)}"
            yield rust_constant(about, place, "u32", grouped(mask))
        # A flag is its mask.
        if not whole and (field.width > 1 or values_of(field)):
            about = f"Lowest bit of [`{place}`]."
            yield rust_constant(about, f"{prefix}_SHIFT", "u32", str(field.low))
        value = constant_of(field)
        if value is not None:
            about = f"What [`{place}`] reads as{'' if whole else ', shifted down'}."
            yield rust_constant(about, f"{prefix}_VALUE", "u32", grouped(value))
        for member, number, meaning in values_of(field):
            about = f"Value of [`{place}`], shifted down: {meaning}."
            yield rust_constant(about, f"{prefix}_{member.upper()}", "u32", grouped(number))


def rust_text(registers: RegisterMap, top: AddrmapNode) -> str:
    """Return the engine's module of register constants, as rustfmt writes it."""
    head = "".join(f"// {line}\n" for line in registers.head())
    intro = (
        f"\n//! Register offsets (bytes), field masks and shifts of {registers.subject}.\n"
        "\n#![allow(dead_code)] // not every field has a reader here\n\n"
    )
    blocks = ["".join(rust_register(register)) for register in registers_of(top)]
    # A register's address is this and its offset, which is in the module of its own map.
    blocks += [
        rust_constant(
            f"Base address. {inner.get_property('name')}.",
            inner.inst_name.upper(),
            "u32",
            grouped(inner.absolute_address),
        )
        for inner in maps_of(top)
    ]
    return head + intro + "\n".join(blocks)


def identification_of(top: AddrmapNode) -> tuple[int, int] | None:
    """Return the constant bits of IDENTIFICATION and their values; None without a header."""
    found = [node for node in registers_of(top) if node.inst_name == "IDENTIFICATION"]
    if not found:
        return None
    fixed = [field for field in found[0].fields() if not field.is_hw_writable]
    mask = sum(((1 << field.width) - 1) << field.low for field in fixed)
    return mask, sum((constant_of(field) or 0) << field.low for field in fixed)


def variant(title: str) -> str:
    """Return the engine's name of a map, such as ``Sha2Coprocessor``."""
    return camel(*title.replace("-", "").split())


def rust_maps() -> str:
    """Return the engine's list of the maps that begin with the shared header."""
    tops = [(one, compile_map(ROOT / one.source)) for one in MAPS]
    rows = [
        (one.name, top.get_property("name").removeprefix("Ciphermill "), *identified)
        for one, top in tops
        if (identified := identification_of(top)) and identified[0]
    ]
    head = "".join(f"// {line}\n" for line in (*LICENCE, GENERATED.format("hw/*/*.rdl")))
    variants = "".join(
        f"    /// Map of the {title} ([`super::{name}`]).\n    {variant(title)},\n"
        for name, title, *_ in rows
    )
    cases = "".join(
        f"        (Map::{variant(title)}, {grouped(mask)}, {grouped(value)}),\n"
        for _, title, mask, value in rows
    )
    titles = "".join(f'            Map::{variant(title)} => "{title}",\n' for _, title, *_ in rows)
    return f"""{head}
//! The register maps that have the shared header.

/// A register map that has the shared header ([`super::header`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Map {{
{variants}}}

impl Map {{
    /// Each map, the constant bits of its identification register, and their values.
    const ALL: [(Map, u32, u32); {len(rows)}] = [
{cases}    ];

    /// The map whose identification register reads as this word; `None` for an unknown one.
    pub fn of(identification: u32) -> Option<Map> {{
        let found = Self::ALL
            .iter()
            .find(|(_, mask, value)| identification & mask == *value);
        found.map(|row| row.0)
    }}

    /// The hardware that has this map, such as `accelerator`.
    pub fn title(self) -> &'static str {{
        match self {{
{titles}        }}
    }}
}}
"""


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
        meaning = text_of(field) + "".join(
            f"<br>0x{value:X} `{name}`: {about}." for name, value, about in values_of(field)
        )
        rows.append(f"| {bits} | `{field.inst_name}` | {access_of(field)} | {shown} | {meaning} |")
    return "\n".join([title, "", text_of(register), "", *rows]) + "\n"


def page_addresses(top: AddrmapNode) -> str:
    """Return the table of a memory map, each register map with a link to its page."""
    pages = {registers.name: registers for registers in MAPS}
    rows = ["| Address | Registers of | Map |", "| --- | --- | --- |"]
    for inner in maps_of(top):
        found = pages[inner.orig_type_name or inner.inst_name]
        link = f"[{inner.get_property('name')}]({found.page_name})"
        rows.append(f"| 0x{inner.absolute_address:08X} | `{inner.inst_name}` | {link} |")
    return "\n".join(rows) + "\n"


def page_text(registers: RegisterMap, top: AddrmapNode) -> str:
    """Return the manual's page about the registers."""
    comment = "".join(f"{line}\n" for line in registers.head())
    head = f"<!--\n{comment}-->\n# Registers of {registers.subject}\n\n{top.get_property('desc')}"
    if maps_of(top):
        return f"{head}\n\n{page_addresses(top)}"
    is_block = registers.rtl_form == "block"
    rules = (
        "Addresses are byte offsets. Fields without a reset value show the state of the device. "
        + ("An address that is not listed here answers SLVERR." if is_block else "")
    ).strip()
    sections = "\n".join(page_register(register) for register in registers_of(top))
    return f"{head}\n\n{rules}\n\n{sections}"


# ---------------------------------------------------------------- command


def generate(registers: RegisterMap) -> dict[Path, str]:
    """Return each file made from a map, its path relative to the repository's root."""
    top = compile_map(ROOT / registers.source)
    check_header(top)
    files = {
        PAGES / registers.page_name: page_text(registers, top),
        RUST / f"{registers.name}.rs": rust_text(registers, top),
        registers.c_header: (address_header if maps_of(top) else c_header)(registers, top),
    }
    if registers.python:
        files[PYTHON / f"{registers.name}.py"] = python_text(registers, top)
    if registers.rtl_form == "block":
        files.update(register_block(registers))
    elif registers.rtl_form == "constants":
        files[registers.rtl / f"{registers.module}_pkg.sv"] = package_text(registers, top)
    return files


def check_header(top: AddrmapNode) -> None:
    """Refuse a map that identifies itself and has another header than the shared one.

    Raises:
        SystemExit: A register of the header is missing or stands elsewhere (2); it is named
            on standard error.
    """
    places = {node.inst_name: node.raw_address_offset for node in registers_of(top)}
    if "IDENTIFICATION" not in places:
        return
    base = places["IDENTIFICATION"]
    for node in registers_of(compile_map(ROOT / MAPS[0].source)):
        if places.get(node.inst_name) != base + node.raw_address_offset:
            place = f"{node.inst_name} is not where {MAPS[0].source} has it"
            print(f"{top.inst_name}: {place}", file=sys.stderr)
            raise SystemExit(2)


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
    maps = RUST / "maps.rs"
    files[maps], sources[maps] = rust_maps(), Path("hw/*/*.rdl")
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
