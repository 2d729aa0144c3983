# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Speed on this machine, beside openssl and cp.

``make bench`` runs all parts; ``bench/run.py --help`` has the options. A
benchmark, not a test: it shows whether a target is met and ends with exit code
0 either way. What is compared runs alternately, and medians are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import file
import graphics
import pipelines
import processor
import provider
import simulation
import speed
import streams
from rows import Row, table

from ciphermill.toolchain import provenance

PARTS = (
    *("processor", "streams", "file", "simulation", "provider", "pipelines", "speed"),
    "graphics",
)


def main() -> None:
    """Run the parts that were asked for and print what they saw."""
    options = _options()
    load = os.getloadavg()[0]
    if load > 0.5:
        print(
            f"bench: other work is running (load {load:.1f}): expect lower figures",
            file=sys.stderr,
        )
    rows: list[Row] = []
    if "processor" in options.parts:
        rows += processor.run(options.rounds, options.seconds)
    if "streams" in options.parts:
        rows += streams.run(options.rounds, options.seconds)
    if "file" in options.parts:
        rows += file.run(options.rounds, options.file_bytes, options.folder)
    if "simulation" in options.parts:
        rows += simulation.run(options.rounds)
    if "provider" in options.parts:
        rows += provider.run(options.rounds)
    if "pipelines" in options.parts:
        rows += pipelines.run(options.rounds)
    if "speed" in options.parts:
        rows += speed.run(options.rounds, options.seconds)
    if "graphics" in options.parts:
        rows += graphics.run(options.rounds)
    if options.json:
        seen = [measurement.to_json() for row in rows for measurement in row.measurements]
        print(json.dumps(seen, indent=2))
        return
    print(f"{provenance.processor()}, {provenance.system()}, commit {provenance.commit()}")
    print(f"AES instructions: {processor.features()}")
    print(table(rows))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all if none")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each (default: 5)")
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="of each throughput run (default: 1)"
    )
    parser.add_argument(
        "--file-bytes",
        type=int,
        default=1 << 30,
        help="size of the file (default: 1 GiB, or a quarter of the free space)",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(__file__).resolve().parent.parent / "build",
        help="where the file goes: the disk to measure (default: build/)",
    )
    parser.add_argument("--json", action="store_true", help="print a list of measurements")
    options = parser.parse_args()
    options.parts = options.parts or list(PARTS)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}: choose from {', '.join(PARTS)}")
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    return options


if __name__ == "__main__":
    main()
