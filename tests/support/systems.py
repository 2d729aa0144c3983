# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""For tests: replaces the model of a system, which takes minutes to build.

Takes the model's command line (hw/soc/README.md) after a word that says what to do
wrong, and does to memory what ``firmware/programs/run_workload.c`` would.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

from ciphermill.algorithms import ALGORITHMS

MEMORY = 262144
ENDS = {
    "right": ("finished", 0, 0),
    "hang": ("watchdog", 0, 3),
    "trap": ("bus error", 0, 4),
    "refused": ("finished", 2, 1),
    "exception": ("finished", 0x105, 1),
    "unknown": ("finished", 0, 9),
}
"""Status and exit code of the run, by the fault to be made."""


def write_model(folder: Path, fault: str = "right") -> Path:
    """Return a program in the folder that runs this module with one fault."""
    program = folder / f"model-{fault}"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" {fault} "$@"\n')
    program.chmod(0o755)
    return program


def main(fault: str, words: list[str]) -> int:
    """Run; return the exit code."""
    options = dict(zip(words[::2], words[1::2], strict=True))
    loads = [(options["--image"], 0)]
    dumps = []
    for name, value in zip(words[::2], words[1::2], strict=True):
        if name == "--load":
            path, _, at = value.rpartition("@")
            loads.append((path, int(at)))
        if name == "--dump":
            place, length, path = value.split(":", 2)
            dumps.append((int(place), int(length), path))
    memory = bytearray(MEMORY)
    for path, address in loads:
        data = Path(path).read_bytes()
        memory[address : address + len(data)] = data
    Path(options["--console"]).write_text("hello")
    if fault == "crash":
        raise SystemExit("out of order")
    work(memory, options)
    for start, size, target in dumps:
        Path(target).write_bytes(memory[start : start + size])
    end, status, code = ENDS[fault]
    print(json.dumps({"end": end, "status": status, "cycles": 1234, "wall_seconds": 0.5}))
    return code


def work(memory: bytearray, options: dict[str, str]) -> None:
    """Run the workload, with invented cycles."""
    magic, number, bits, operation, blocks, messages, flags, key, source, target, stride = (
        struct.unpack_from("<11I", memory, 0x200)
    )
    if magic != 0x4B574D43:
        raise SystemExit("there is no workload")
    algorithm = next(one for one in ALGORITHMS.values() if one.cores.code == number)
    size = blocks * algorithm.block_bytes
    for message in range(messages):
        where = key + message * stride * (flags >> 1 & 1)
        secret = bytes(memory[where : where + bits // 8])
        data = bytes(memory[source + message * size : source + (message + 1) * size])
        out = algorithm.reference(("encrypt", "decrypt")[operation], secret, data)
        memory[target + message * size : target + (message + 1) * size] = out
    if "--stuck-bit" in options:
        bit = int(options["--stuck-bit"])
        for start in range(target, target + messages * size, 16):
            memory[start + bit // 8] |= 1 << bit % 8
    waits = int(options["--memory-read-wait"])
    total = messages * blocks * (100 + waits)
    counts = (total, total - 30, 20, 10, 5 * total, 12, total // messages, 77, 0, 0)
    struct.pack_into("<2I10Q", memory, 0x280, 0, 0, *counts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
