#!/usr/bin/env python3
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Verilator -Wall over the RTL: primitives alone; accelerator, blocks, systems at each corner.

A corner is a value of one parameter that differs from the default, for each
architecture; the cores' own tests sweep the combinations of their parameters.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hw" / "dv"))

from ciphermill_dv.simulate import lint

from ciphermill.algorithms import ALGORITHMS, coprocessor_folders
from ciphermill.design import PARTITIONS, Partition, SoftCore, System, find_home
from ciphermill.registers import accel
from ciphermill.toolchain.rtl import TOP, folder_sources, rtl_sources
from ciphermill.toolchain.soc import SOC_TOP, soc_parameters, soc_sources
from ciphermill.toolchain.soft_cores import find_soft_core

NOT_LINT = ("UNOPTFLAT", "SELRANGE", "SYMRSVDWORD", "WIDTHCONCAT")
"""Rules that a waiver of all lint does not cover."""
ARCHITECTURES = range(3)
CORNERS: dict[str, tuple[int, ...]] = {
    "SBox": (0, 1, 2),
    "Directions": (1, 2),
    "KeySizes": (1, 2, 4),
    "StreamWidth": (32, 64),
    "InputFifoBlocks": (2, 255),
    "OutputFifoBlocks": (2, 255),
    "Asynchronous": (1,),
    "BlockRamFifos": (1,),
    "Channels": (2, 5),
}
OWN_CORNERS: dict[int, dict[str, tuple[int, ...]]] = {
    0: {"KeyStorage": (0,)},
    1: {"StagesPerRound": (2, 3)},
    2: {"KeyStorage": (0,)},
}


WIDTHS = {"DataWidth": (32, 64, 128, 256)}
COPROCESSOR = coprocessor_folders()

# Other top modules: the folders of hw that they are made of, and their corners.
BLOCKS: dict[str, tuple[tuple[str, ...], dict[str, tuple[int, ...]]]] = {
    "dma": (
        ("prim", "dma"),
        {
            "DataWidth": (32, 64, 128, 256),
            "StreamWidth": (32, 64),
            "BurstBeats": (2, 32),
            "FifoBeats": (33,),
            "Streams": (2, 5, 32),
            "ByteAlignment": (1,),
        },
    ),
    "dma_mover": (
        ("prim", "dma"),
        {
            "DataWidth": (64, 256),
            "StreamWidth": (32,),
            "AddressWidth": (33, 64),
            "ByteAlignment": (1,),
            "WritesAhead": (8,),
        },
    ),
    "card": (
        ("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel", "dma", "card"),
        {"Rings": (2, 8), "DataWidth": (64, 256), "StreamWidth": (32,), "KeySlots": (1, 255)},
    ),
    "uart_accel": (
        ("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel", "boards"),
        {"Asynchronous": (0,), "ClocksPerBit": (8, 65535), "StallCycles": (16, 65535)},
    ),
    "uart_bridge": (("prim", "boards"), {"AddressWidth": (3, 15), "TimeoutCycles": (2,)}),
    "aes_stepped": (("aes",), {"SBox": (1, 2), "TagWidth": (1, 128)}),
    "board_ctr": (
        ("prim", "aes", "board"),
        {
            "Cores": (1, 2, 3, 5, 7, 8),
            "Banks": (1, 2, 3),
            "Stepped": (1,),
            "AddressWidth": (4, 24),
            "FifoBlocks": (4, 128),
        },
    ),
    "ghash": (("ghash",), {"Digit": (1, 16, 64), "Stages": (2, 4)}),
    "gcm_tag": (("ghash",), {"Digit": (16,)}),
    "ascon_core": (
        ("prim", "ascon"),
        {"Operations": (1, 2, 3, 4, 5, 6), "RoundsPerCycle": (2, 3, 4, 6, 8, 12)},
    ),
    "ecc_core": (
        ("prim", "ecc"),
        {"Curves": (1, 2, 3, 4, 5, 6), "WordBits": (68,), "Multipliers": (2,)},
    ),
    "sha2_core": (
        ("prim", "sha2"),
        {
            "WordSizes": (1, 2),
            "RoundsPerCycle": (2,),
            "Messages": (2, 16),
            "CarrySave": (1,),
        },
    ),
    "sha2_hmac": (
        ("prim", "sha2"),
        {"WordSizes": (1, 2), "RoundsPerCycle": (2,), "CarrySave": (1,)},
    ),
    "coprocessor_iterative": (
        COPROCESSOR,
        {**WIDTHS, "BlocksInFlight": (1, 3, 8), "Directions": (1, 2), "KeySizes": (1, 2, 4)},
    ),
    "coprocessor_unrolled": (
        COPROCESSOR,
        {**WIDTHS, "BlocksInFlight": (1, 8), "Directions": (1, 2), "KeySizes": (1, 4)},
    ),
    "coprocessor_round": (COPROCESSOR, {**WIDTHS, "Directions": (1, 2), "SBox": (1,)}),
    "coprocessor_linear_layer": (COPROCESSOR, {**WIDTHS, "Directions": (1, 2)}),
    "coprocessor_present": (
        COPROCESSOR,
        {
            **WIDTHS,
            "Architecture": (1, 2),
            "BlocksInFlight": (1, 8),
            "Directions": (1, 2),
            "KeySizes": (1, 2),
        },
    ),
    "coprocessor_shell": (
        COPROCESSOR,
        {"Algorithm": (0, 1), "Directions": (1, 2), "KeyStorage": (0,)},
    ),
    "coprocessor_ascon": (COPROCESSOR, {**WIDTHS, "RoundsPerCycle": (4, 12)}),
    "coprocessor_sha2": (COPROCESSOR, {**WIDTHS, "WordSizes": (1, 2), "RoundsPerCycle": (2,)}),
    "coprocessor_ecc": (
        COPROCESSOR,
        {**WIDTHS, "Curves": (1, 2, 4), "WordBits": (68,), "Multipliers": (2,)},
    ),
    "coprocessor_sponge": (COPROCESSOR, {}),
    "coprocessor_axi_lite": (COPROCESSOR, {}),
    "coprocessor_axi4": (COPROCESSOR, {**WIDTHS, "IdWidth": (8,)}),
    "coprocessor_instructions": (
        COPROCESSOR,
        {
            "Units": (1, 2, 4, 8, 16, 31),
            "BlocksInFlight": (1, 2, 8),
            "SBox": (1,),
            "Directions": (1, 2),
            "KeySizes": (1, 2, 4),
        },
    ),
}


def corners() -> Iterator[dict[str, int]]:
    """Yield the parameters of each accelerator to check."""
    for architecture in ARCHITECTURES:
        for name, values in {**CORNERS, **OWN_CORNERS.get(architecture, {})}.items():
            for value in values:
                yield {"Architecture": architecture, name: value}
    yield {"Architecture": 1, "StagesPerRound": 2, "BlockRam": 1}
    for stages, memory in ((2, 1), (3, 0), (3, 1), (8, 1)):
        yield {"Asynchronous": 1, "SyncStages": stages, "BlockRamFifos": memory}
    for architecture, digit, stages in ((0, 16, 1), (1, 128, 2), (2, 4, 1)):
        yield {
            "Architecture": architecture,
            "Gcm": 1,
            "GhashDigit": digit,
            "GhashStages": stages,
            "Xts": 1,
            "Channels": 1 + (architecture == 1),
        }
    for own in (
        {"RoundsPerCycle": 4, "StreamWidth": 32},
        {"Directions": 1, "Asynchronous": 1},
        {"Directions": 2},
    ):
        yield {"ChannelCores": accel.CAPABILITY__ALGORITHM__ASCON, **own}
    for own in (
        {"EccArchitecture": 0, "Curves": 1, "StreamWidth": 32},
        {"EccArchitecture": 2, "Asynchronous": 1},
        {"EccArchitecture": 3},
    ):
        yield {"ChannelCores": accel.CAPABILITY__ALGORITHM__ECC, **own}
    for own in ({}, {"Directions": 1, "StreamWidth": 32}, {"Directions": 2, "Asynchronous": 1}):
        yield {"ChannelCores": accel.CAPABILITY__ALGORITHM__PRESENT, **own}
    for sizes in (1, 2, 3):
        yield {"Sha2WordSizes": sizes}
        yield {"ChannelCores": accel.CAPABILITY__ALGORITHM__SHA2, "Sha2WordSizes": sizes}
    yield {
        "ChannelCores": accel.CAPABILITY__ALGORITHM__SHA2,
        "Sha2WordSizes": 3,
        "StreamWidth": 32,
        "Asynchronous": 1,
    }
    for number in ("ASCON", "ECC", "PRESENT"):
        algorithm = getattr(accel, f"CAPABILITY__ALGORITHM__{number}")
        yield {"ChannelCores": algorithm, "Sha2WordSizes": 3}
    yield {"ChannelCores": 0x44444444, "Channels": 17}
    mixed = {"ChannelCores": 0x203140, "Channels": 6, "Sha2WordSizes": 3, "Sha2Channels": 1}
    yield {**mixed, "Gcm": 1, "Xts": 1, "Asynchronous": 1}
    yield {**mixed, "Cores": 2, "StreamWidth": 32}
    for slots, sizes in ((1, 1), (4, 3), (15, 2)):
        ecc = accel.CAPABILITY__ALGORITHM__ECC
        yield {"ChannelCores": ecc, "Sha2WordSizes": sizes, "KeySlots": slots}


def systems() -> Iterator[System]:
    """Yield the embedded systems to check: each core, partition and interface once."""
    for core in SoftCore:
        yield System(partition=Partition.SOFTWARE, soft_core=core)
        yield System(partition=Partition.UNROLLED, soft_core=core, blocks_in_flight=8)
    for algorithm in ALGORITHMS.values():
        for partition in algorithm.partitions:
            yield System(partition=Partition(partition), algorithm=algorithm.name)
    for partition in (Partition.ITERATIVE, Partition.DMA):
        for interface in PARTITIONS[partition].interfaces[1:]:
            yield System(partition=partition, interface=interface)
    yield System(partition=Partition.INSTRUCTION, soft_core=SoftCore.VEXRISCV)
    yield System(partition=Partition.UNROLLED, blocks_in_flight=0, memory_bytes=1048576)


def lint_system(
    system: System, changes: Mapping[str, int] | None = None
) -> subprocess.CompletedProcess[str]:
    """Check a system's RTL, but not its soft core's, at its parameters or with some changed."""
    home = find_home()
    core = find_soft_core(system.soft_core)
    theirs = f'-file "{core.root}/*"'
    with tempfile.TemporaryDirectory() as folder:
        waiver = Path(folder) / "soft_core.vlt"
        text = f"`verilator_config\nlint_off {theirs}\n"
        text += "".join(f"lint_off -rule {rule} {theirs}\n" for rule in NOT_LINT)
        waiver.write_text(text, encoding="utf-8")
        waivers = [waiver, *sorted(home.glob("hw/*/rtl/**/*.vlt"))]
        return lint(
            SOC_TOP,
            [*waivers, *core.sources, *soc_sources(system)],
            {**soc_parameters(system), **(changes or {})},
            core.includes,
        )


def main() -> int:
    """Check everything; print what fails; return 1 if anything did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="checks at once (2)")
    arguments = parser.parse_args()
    home = find_home()
    sources = rtl_sources()
    waivers = sorted(home.glob("hw/*/rtl/**/*.vlt"))
    primitives = [
        path.stem
        for path in sorted((home / "hw" / "prim" / "rtl").glob("*.sv"))
        if not path.stem.endswith("_pkg")
    ]
    checks: list[tuple[str, dict[str, int]]] = [(name, {}) for name in primitives]
    checks += [(TOP, parameters) for parameters in corners()]
    block_sources = {
        top: folder_sources([home / "hw" / folder / "rtl" for folder in folders])
        for top, (folders, _) in BLOCKS.items()
    }
    checks += [
        (top, {name: value})
        for top, (_, parameters) in BLOCKS.items()
        for name, values in parameters.items()
        for value in values
    ]
    checks += [(top, {}) for top in BLOCKS]

    def check(item: tuple[str, dict[str, int]]) -> str | None:
        top, parameters = item
        done = lint(top, [*waivers, *block_sources.get(top, sources)], parameters)
        return f"{top} {parameters}:\n{done.stdout}" if done.returncode else None

    def check_system(system: System) -> str | None:
        done = lint_system(system)
        return f"{system.algorithm}, {system.label}:\n{done.stdout}" if done.returncode else None

    whole = list(systems())
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = [*pool.map(check, checks), *pool.map(check_system, whole)]
    failures = [failure for failure in results if failure]
    print("\n".join([*failures, f"{len(results)} checks, {len(failures)} failed"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
