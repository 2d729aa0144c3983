# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Builds the library that simulates the card (``hw/card/model/ciphermill_card.h``).

``linux/card`` puts it on the PCI bus of a Linux kernel.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from ciphermill.design import find_home
from ciphermill.registers import accel

from .cache import artefact_key
from .rtl import folder_sources
from .verilator import MODEL_FLAGS, Model, find_verilator

TOP = "card"
"""The card's module (hw/card/rtl/card.sv)."""

FOLDERS = (
    *("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2"),
    *("accel", "dma", "card"),
)
"""Folders of ``hw`` that it is made of."""

PARAMETERS: Mapping[str, int] = {
    "Rings": 6,
    "KeySlots": 8,
    "Architecture": accel.CAPABILITY__ARCHITECTURE__ITERATIVE,
    "Gcm": 1,
    "Xts": 1,
    "Sha2WordSizes": 3,
    "Log2Entries": 10,
    "DataWidth": 128,
    "ClockKhz": 100_000,
}
"""Parameters of the module where none are asked for: the algorithms of the card in software."""

PAGE_BYTES = 4096


def build_card(parameters: Mapping[str, int], report: Callable[[str], None]) -> Path:
    """Return the library that simulates a card in the cache, built if it is not there.

    Args:
        parameters: Of ``card``, beside ``PARAMETERS`` or instead of them.
        report: Is given a line before and after a build.

    Raises:
        DesignError: There is no source tree.
        ToolError: A tool is missing or failed, or the module refuses a parameter.
    """
    home = find_home()
    own = home / "hw" / "card" / "model"
    sources = folder_sources([home / "hw" / folder / "rtl" for folder in FOLDERS])
    chosen = {**PARAMETERS, **parameters}
    model = Model(
        TOP,
        [own / "card_model.vlt", *sources],
        chosen,
        own / "card_model.cpp",
        # The signals of card_model.vlt are found by name; the card refuses parameters by $fatal.
        flags=(*MODEL_FLAGS, "--vpi", "-Werror-USERFATAL"),
        optimisation="-O3",
        exports=own / "ciphermill_card.map",
    )
    others = [path for path in own.glob("*.*") if path not in model.sources]
    key = artefact_key([*model.sources, *others], model.facts())

    def configure(folder: Path) -> None:
        config = {
            "CARD_DESCRIPTION": json.dumps(_description(chosen, key)),
            "CARD_RINGS": chosen["Rings"],
            "CARD_BAR_BYTES": _bar_bytes(chosen["Rings"]),
        }
        lines = [f"#define {name} {value}\n" for name, value in config.items()]
        (folder / "card_config.h").write_text("".join(lines), encoding="utf-8")

    return model.build("card", ".so", others, configure=configure, called="card", report=report)


def _bar_bytes(rings: int) -> int:
    """Return the size of BAR 0: a page for the card, one for each ring, one for each channel."""
    return PAGE_BYTES << (2 * rings).bit_length()


def _description(parameters: Mapping[str, int], key: str) -> str:
    """Return the description of the library, a JSON object (``ciphermill_card.h``)."""
    return json.dumps(
        {
            "rings": parameters["Rings"],
            "key_slots": parameters["KeySlots"],
            "log2_entries": parameters["Log2Entries"],
            "data_bits": parameters["DataWidth"],
            "bar_bytes": _bar_bytes(parameters["Rings"]),
            "clock_khz": parameters["ClockKhz"],
            "parameters": dict(parameters),
            "design_hash": key[:16],
            "tool": f"Verilator {find_verilator().version}",
        }
    )
