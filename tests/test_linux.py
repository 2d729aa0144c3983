# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The kernel driver's numbers of registers, which are written by hand under its own licence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from systemrdl.compiler import RDLCompiler
from systemrdl.node import AddrmapNode, RegNode

ROOT = Path(__file__).resolve().parents[1]
HEADER = ROOT / "linux" / "driver" / "card_registers.h"
MAPS = {"CARD": "card/card", "RING": "card/card_ring", "ACCEL": "accel/accel"}
"""By the first word of a name, the register map."""
OWN = {"CARD_PAGE", "CARD_REGISTERS_H"}
"""Names that are of no register."""
STRUCTURES = ("DESCRIPTOR", "COMPLETION")
"""First words of names of structures in memory, which hw/card/README.md defines."""


def constants() -> dict[str, int]:
    """The header's numbers by name."""
    found = {}
    for name, text in re.findall(r"^#define (\w+) (.+)$", HEADER.read_text(), re.MULTILINE):
        if match := re.fullmatch(r"BIT\((\d+)\)", text):
            found[name] = 1 << int(match[1])
        elif match := re.fullmatch(r"GENMASK\((\d+), (\d+)\)", text):
            found[name] = (2 << int(match[1])) - (1 << int(match[2]))
        elif match := re.fullmatch(r"\((\d+) << (\d+)\)", text):
            found[name] = int(match[1]) << int(match[2])
        else:
            found[name] = int(text, 0)
    return found


def numbers(source: str) -> dict[str, int]:
    """Numbers of a register map: offsets, masks and shifts of fields, values of enumerations."""
    compiler = RDLCompiler()
    compiler.compile_file(str(ROOT / "hw" / f"{source}.rdl"))
    top = compiler.elaborate().top
    assert isinstance(top, AddrmapNode)
    found = {}
    for register in top.children(unroll=False):
        if not isinstance(register, RegNode):
            continue
        found[register.inst_name] = register.raw_address_offset
        for field in register.fields():
            name = f"{register.inst_name}_{field.inst_name.upper()}"
            found[name] = (2 << field.high) - (1 << field.low)
            found[f"{name}_SHIFT"] = field.low
            if register.inst_name in ("IDENTIFICATION", "VERSION"):
                found[f"{name}_VALUE"] = field.get_property("reset") or 0
            for value in field.get_property("encode") or []:
                found[f"{name}_{value.name.upper()}"] = value.value
    return found


def test_the_driver_has_the_numbers_of_the_register_maps() -> None:
    maps = {word: numbers(source) for word, source in MAPS.items()}
    accel = maps["ACCEL"]
    elsewhere = {
        # The magic number and the version of a map.
        **{f"{word}_MAGIC": found["IDENTIFICATION_MAGIC_VALUE"] for word, found in maps.items()},
        "ACCEL_MAJOR": accel["VERSION_MAJOR_VALUE"],
        # Names of their own.
        "RING_KEY_SLOT_SIZE_SHIFT": maps["RING"]["KEY_SLOT_KEY_SIZE_SHIFT"],
        "RING_LOW": maps["RING"]["RING_LOW"],
        "RING_HIGH": maps["RING"]["RING_HIGH"],
        "CONFIGURATION_MODE": accel["CONFIGURATION_MODE"],
        "CONFIGURATION_DECRYPT": accel["CONFIGURATION_DIRECTION"],
        "CONFIGURATION_KEY_SIZE_SHIFT": accel["CONFIGURATION_KEY_SIZE_SHIFT"],
        "CONFIGURATION_COUNTER_128": accel["CONFIGURATION_COUNTER_WIDTH_BITS_128"]
        << accel["CONFIGURATION_COUNTER_WIDTH_SHIFT"],
        "CONFIGURATION_HASH": accel["CONFIGURATION_HASH"],
        "CONFIGURATION_AUTHENTICATE": accel["CONFIGURATION_AUTHENTICATE"],
        **{
            f"KEY_SIZE_{bits}": accel[f"CONFIGURATION_KEY_SIZE_BITS_{bits}"]
            for bits in (80, 128, 192, 256)
        },
    }
    for name, value in constants().items():
        word, _, rest = name.partition("_")
        if name in OWN or word in STRUCTURES:
            continue
        expected = elsewhere.get(name)
        if expected is None:
            # Of a channel of the accelerator these are fields of CAPABILITY, or registers.
            field = f"CAPABILITY_{rest}" if word == "ACCEL" else rest
            expected = maps[word].get(field, maps[word].get(rest))
        assert value == expected, name


@pytest.mark.parametrize(
    ("structure", "names"),
    [
        ("Descriptor", ("source_list", "destination_list", "interrupt", "tag_packet")),
        (
            "Completion",
            ("done", "forged", "refused", "key", "read", "write", "list", "lengths", "phase"),
        ),
    ],
)
def test_the_driver_has_the_bits_of_structures_in_memory(
    structure: str, names: tuple[str, ...]
) -> None:
    page = (ROOT / "hw" / "card" / "README.md").read_text()
    table = page.partition(f"**{structure}")[2].partition("\n\n")[2].partition("\n\n")[0]
    told = {name: int(bit) for bit, name in re.findall(r"\[(\d+)\] `(\w+)`", table)}
    assert {name: told[name] for name in names} == {
        name: constants()[f"{structure.upper()}_{name.upper()}"].bit_length() - 1 for name in names
    }
