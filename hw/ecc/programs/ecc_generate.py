#!/usr/bin/env python3
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Writes rtl/ecc_program_pkg.sv: the assembled programs, the curves' data, the schedules."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ecc_assembler import ENTRIES, assemble
from ecc_curves import COUNTS, CURVES, ROW_BITS, STARTS, constants, counts
from ecc_schedule import Slot, schedule

TARGET = Path(__file__).resolve().parents[1] / "rtl" / "ecc_program_pkg.sv"
WORD_BITS = (68, 136)
MULTIPLIERS = (1, 2)

_HEAD = """\
// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Programs of the ECC engine, the curves' data and the schedules of multiplications.
//
// Written by hw/ecc/programs/ecc_generate.py from programs/ecc.asm; change those.
package ecc_program_pkg;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */
"""
_TAIL = """
  /* verilator lint_on UNUSEDPARAM */

endpackage
"""


def _table(name: str, bits: int, values: Sequence[int]) -> Iterator[str]:
    digits = -(-bits // 4)
    on_a_line = max(1, 90 // (digits + len(f"{bits}'h, ")))
    words = [f"{bits}'h{value:0{digits}x}" for value in values]
    yield f"  localparam logic [{bits - 1}:0] {name}[{len(values)}] = '{{"
    for at in range(0, len(words), on_a_line):
        end = "," if at + on_a_line < len(words) else ""
        yield f"    {', '.join(words[at : at + on_a_line])}{end}"
    yield "  };"


def _slot(slot: Slot) -> int:
    flags = (slot.last, slot.loadable, slot.readable, slot.write, slot.shift)
    word = sum(flag << at for at, flag in enumerate(reversed(flags)))
    for work in reversed(slot.works):
        word = word << 9 | work.offset << 8 | work.j << 5 | work.i << 2 | work.kind
    return word


def package() -> str:
    """Return the text of the package."""
    program = assemble()
    lines = [_HEAD]
    lines.append("  // Registers of the operand memory.")
    lines.append(f"  localparam int unsigned Registers = {program.size};\n")
    lines.append("  // Instructions.")
    lines += _table("Program", 32, [one.code for one in program.instructions])
    lines.append("\n  // Where operations begin, by their codes.")
    lines += _table("Entries", 10, [program.entries[name] for name in ENTRIES])
    lines.append(
        "\n  // Of each curve: rows and bytes of an operand, distance of the bits of a column."
    )
    lines += _table("Rows", 3, [curve.rows for curve in CURVES])
    lines += _table("Bytes", 7, [curve.bytes for curve in CURVES])
    lines += _table("Columns", 8, [curve.columns for curve in CURVES])
    lines.append(f"\n  // Of each curve: {', '.join(COUNTS)}.")
    every = [counts(curve) for curve in CURVES]
    lines += _table("Counts", 8, [one[name] for one in every for name in COUNTS])
    lines.append(f"\n  // Of each curve: {', '.join(STARTS)}.")
    lines += _table("Starts", 10, [one[name] for one in every for name in STARTS])
    lines.append("\n  // Constants, row after row, the lowest first.")
    for curve in CURVES:
        rows = [
            value >> ROW_BITS * row & (1 << ROW_BITS) - 1
            for value in constants(curve).values()
            for row in range(curve.rows)
        ]
        lines += _table(f"Constants{curve.bits}", ROW_BITS, rows)
    lines.append(
        "\n  // Schedules, one curve's after the other's, and where each begins: slot_t of ecc_pkg."
    )
    for bits in WORD_BITS:
        for multipliers in MULTIPLIERS:
            slots = [schedule(curve.rows * ROW_BITS // bits, multipliers) for curve in CURVES]
            flat = [_slot(slot) for one in slots for slot in one]
            begins = [sum(len(one) for one in slots[:at]) for at in range(len(slots))]
            lines += _table(f"Slots{bits}x{multipliers}", 23, flat)
            lines += _table(f"Begins{bits}x{multipliers}", 8, begins)
    return "\n".join(lines) + "\n" + _TAIL


def main() -> int:
    """Write the package, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if it differs")
    text = package()
    if parser.parse_args().check:
        return int(TARGET.read_text(encoding="utf-8") != text)
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
