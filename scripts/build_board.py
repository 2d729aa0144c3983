#!/usr/bin/env python3
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Bitstream of a board with the open flow: ``scripts/build_board.py ulx3s [--json]``."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from ciphermill.design import build_folder
from ciphermill.toolchain.bitstream import BOARDS, build_bitstream
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.nextpnr import SEED


def main() -> None:
    """Build the bitstream of the board that the command line names; fail if timing is not met."""
    parser = argparse.ArgumentParser(description="Build a board's bitstream.")
    parser.add_argument("board", choices=sorted(BOARDS))
    parser.add_argument("--output", type=Path, help="folder (build/boards/BOARD)")
    parser.add_argument("--seed", type=int, default=SEED, help="of place and route (%(default)s)")
    parser.add_argument("--time-limit", type=float, metavar="S", help="seconds for each tool")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    arguments = parser.parse_args()
    folder = arguments.output or build_folder() / "boards" / arguments.board
    try:
        built = build_bitstream(
            arguments.board,
            folder.resolve(),
            seed=arguments.seed,
            time_limit_s=arguments.time_limit,
            report=lambda text: print(text, file=sys.stderr, flush=True),
        )
    except ToolError as error:
        sys.exit(f"error: {error}")
    if arguments.json:
        print(json.dumps(asdict(built), indent=2))
        return
    print(f"{built.file}: {built.bytes:,} bytes")
    print(f"{built.lut:,} LUTs, {built.ff:,} flip-flops, {built.block_ram} block RAMs")
    for clock in built.clocks:
        print(f"{clock.name}: {clock.routed_mhz:.1f} MHz routed, {clock.required_mhz:.1f} required")


if __name__ == "__main__":
    main()
