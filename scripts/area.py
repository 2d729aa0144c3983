#!/usr/bin/env python3
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area of any module of hw/ on Xilinx 7-series: ``scripts/area.py --top MODULE Name=value ...``."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from ciphermill.algorithms import coprocessor_folders
from ciphermill.design import find_home
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.rtl import RtlSource, folder_sources
from ciphermill.toolchain.yosys import synthesise_xc7


def main() -> None:
    """Print the area of the module that the command line names."""
    parser = argparse.ArgumentParser(description="Area of a module on Xilinx 7-series.")
    parser.add_argument("--top", default="aes_core", help="the module (aes_core)")
    parser.add_argument(
        "--folders",
        default=",".join(coprocessor_folders()),
        help="folders of hw/ that its sources are in (%(default)s)",
    )
    parser.add_argument("parameters", nargs="*", metavar="Name=value")
    arguments = parser.parse_args()
    pairs = (pair.split("=", 1) for pair in arguments.parameters)
    try:
        parameters = {name: int(value) for name, value in pairs}
    except ValueError:
        parser.error("parameters are given as Name=value, the value an integer")
    folders = [find_home() / "hw" / name / "rtl" for name in arguments.folders.split(",")]
    try:
        block_ram = bool(parameters.get("BlockRam", 0))
        files = folder_sources(folders)
        area = synthesise_xc7(RtlSource(arguments.top, files, parameters, block_ram=block_ram))
    except ToolError as error:
        sys.exit(f"error: {error}")
    print(json.dumps({"top": arguments.top, "parameters": parameters, **asdict(area)}))


if __name__ == "__main__":
    main()
