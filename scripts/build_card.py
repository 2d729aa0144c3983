#!/usr/bin/env python3
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The simulated card for linux/card: ``scripts/build_card.py [Name=value ...]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ciphermill.design import build_folder
from ciphermill.toolchain.cache import replace
from ciphermill.toolchain.card import PARAMETERS, build_card
from ciphermill.toolchain.errors import ToolError


def main() -> None:
    """Build the card that the command line names, and print the path of its library."""
    standing = " ".join(f"{name}={value}" for name, value in PARAMETERS.items())
    parser = argparse.ArgumentParser(
        description="Build the library that simulates hw/card, for CARD_MODEL of linux/run.sh.",
        epilog=f"Parameters that are not given: {standing}. Architecture=1 is pipelined.",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=build_folder() / "card" / "card.so",
        help="where the library goes (%(default)s)",
    )
    parser.add_argument("parameters", nargs="*", metavar="Name=value", help="of card.sv")
    arguments = parser.parse_args()
    pairs = (pair.split("=", 1) for pair in arguments.parameters)
    try:
        parameters = {name: int(value, 0) for name, value in pairs}
    except ValueError:
        parser.error("parameters are given as Name=value, the value an integer")
    try:
        built = build_card(parameters, lambda text: print(text, file=sys.stderr, flush=True))
        replace(built, arguments.output)
    except ToolError as error:
        sys.exit(f"error: {error}")
    print(arguments.output)


if __name__ == "__main__":
    main()
