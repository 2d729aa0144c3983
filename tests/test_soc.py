# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The system without a coprocessor, on each soft core: small programs in assembly.

What the coprocessors compute is tested where firmware drives them.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ciphermill.design import Partition, SoftCore, System
from ciphermill.registers import coprocessor_instruction
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.soc import ensure_soc, need_trace_headers

PROGRAMS = Path(__file__).parents[1] / "hw" / "soc" / "dv" / "programs"
RESULTS = 0x8000
LOOPS = 1000
LINKER_SCRIPT = "ENTRY(_start) SECTIONS { . = 0; .text : { *(.text*) *(.rodata*) *(.data*) } }"
CORES = list(SoftCore)


@dataclass
class Run:
    """The result of a run of the model."""

    code: int
    report: dict[str, Any]
    console: str


class Bench:
    """Assembles programs and runs them on a core."""

    def __init__(
        self, core: SoftCore, folder: Path, partition: Partition = Partition.SOFTWARE
    ) -> None:
        self.core, self.folder = core, folder
        self.model = ensure_soc(System(partition=partition, soft_core=core))

    def assemble(self, name: str, **values: int) -> Path:
        script, elf = self.folder / "link.ld", self.folder / f"{name}.elf"
        script.write_text(LINKER_SCRIPT)
        zig = [sys.executable, "-m", "ziglang"]
        defines = [f"-D{key}={value}" for key, value in values.items()]
        bits = 64 if self.core is SoftCore.CVA6 else 32
        flags = ["-target", f"riscv{bits}-freestanding-none", f"-mcpu=generic_rv{bits}+m+zicsr"]
        flags += ["-nostdlib", f"-Wl,-T,{script}", f"-D{self.core.name}", *defines]
        flags += [f"-I{PROGRAMS.parents[1] / 'include'}"]
        subprocess.run([*zig, "cc", *flags, PROGRAMS / f"{name}.S", "-o", elf], check=True)
        image = elf.with_suffix(".bin")
        subprocess.run([*zig, "objcopy", "-O", "binary", elf, image], check=True)
        return image

    def run(self, image: Path, *options: str, reads: int = 0, writes: int = 0) -> Run:
        console = self.folder / "console"
        waits = ["--memory-read-wait", str(reads), "--memory-write-wait", str(writes)]
        command = [self.model, "--image", image, "--console", console, *waits]
        command += ["--max-cycles", "200000", *options]
        done = subprocess.run(command, capture_output=True, text=True)
        report = json.loads(done.stdout) if done.stdout else {"end": done.stderr}
        return Run(done.returncode, report, console.read_text() if console.exists() else "")

    def counters(self, image: Path, reads: int = 0, writes: int = 0) -> dict[str, int]:
        dump = self.folder / "counters"
        done = self.run(image, "--dump", f"{RESULTS}:48:{dump}", reads=reads, writes=writes)
        assert done.code == 0
        names = ["cycles", "processor", "bus", "accelerator", "instructions", "transactions"]
        return dict(zip(names, struct.unpack("<6Q", dump.read_bytes()), strict=True))


@pytest.fixture(params=CORES, ids=str)
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    return Bench(request.param, tmp_path)


@pytest.fixture
def picorv32(tmp_path: Path) -> Bench:
    return Bench(SoftCore.PICORV32, tmp_path)


def test_a_program_greets_and_its_cycles_add_up(bench: Bench) -> None:
    image = bench.assemble("hello", LOOPS=LOOPS)
    done = bench.run(image)
    assert (done.code, done.console) == (0, "hello\n")
    assert done.report["end"] == "finished"
    assert done.report["status"] == 0
    counters = bench.counters(image)
    assert counters["processor"] + counters["bus"] + counters["accelerator"] == counters["cycles"]
    # An iteration is two instructions; the region has a few more, by when its stores arrive.
    assert 2 * (LOOPS + 100) + 4 <= counters["instructions"] <= 2 * (LOOPS + 100) + 7
    # Iterations marked as idle are charged to nothing that computes.
    assert counters["accelerator"] == counters["transactions"] == 0
    turn = counters["bus"] / 100
    assert counters["processor"] == pytest.approx(LOOPS * turn, rel=0.07)
    assert 2 <= turn <= 8.5


def test_memory_that_waits_costs_what_it_should(bench: Bench) -> None:
    image = bench.assemble("hello", LOOPS=LOOPS)
    cycles = [bench.counters(image, reads=reads)["cycles"] for reads in (0, 2, 22)]
    turns = LOOPS + 100
    if bench.core in (SoftCore.VEXRISCV, SoftCore.CVA6):
        # The loop lies in a cache; a line waits once.
        assert cycles[2] - cycles[0] <= 4 * 22
    elif bench.core is SoftCore.PICORV32:
        # addi, bnez and the fetch after the branch that is not taken.
        assert [count - cycles[0] for count in cycles] == pytest.approx(
            [0, 3 * turns * 2, 3 * turns * 22], rel=0.01
        )
    else:
        assert cycles[0] + 2 * turns * 2 <= cycles[1] <= cycles[0] + 5 * turns * 2
        assert cycles[2] > cycles[1] + 2 * turns * 20


def test_the_image_sees_bytes_halves_and_words(bench: Bench) -> None:
    image = bench.assemble("access")
    for reads, writes in ((0, 0), (3, 0), (0, 3), (1, 2)):
        done = bench.run(image, reads=reads, writes=writes)
        assert (done.code, done.report["status"]) == (0, 0)


def test_the_timer_interrupts_when_it_is_due(bench: Bench) -> None:
    done = bench.run(bench.assemble("timer"))
    assert (done.report["end"], done.report["status"], done.code) == ("finished", 0, 0)


def test_stores_wait_apart_from_loads(picorv32: Bench) -> None:
    image = picorv32.assemble("access")
    plain, slower = (picorv32.run(image, writes=writes).report["cycles"] for writes in (0, 50))
    assert slower - plain == 3 * 50  # its three stores to memory


def test_firmware_that_hangs_meets_the_watchdog(bench: Bench) -> None:
    done = bench.run(bench.assemble("fault", FAULT=0), "--max-cycles", "5000")
    assert (done.code, done.report["end"], done.report["cycles"]) == (3, "watchdog", 5000)


def test_a_status_is_passed_on(bench: Bench) -> None:
    done = bench.run(bench.assemble("fault", FAULT=4))
    assert (done.code, done.report["end"], done.report["status"]) == (1, "finished", 7)


def test_an_instruction_that_is_none_traps(bench: Bench) -> None:
    done = bench.run(bench.assemble("fault", FAULT=1))
    if bench.core is SoftCore.PICORV32:
        assert (done.code, done.report["end"]) == (4, "trap")
    else:  # it has exceptions, and the handler's status is 99
        assert (done.code, done.report["status"]) == (1, 99)


def test_a_custom_instruction_has_the_standard_opcode_only_if_it_is_of_zkn(tmp_path: Path) -> None:
    bench = Bench(SoftCore.PICORV32, tmp_path, Partition.INSTRUCTION)
    numbers = coprocessor_instruction
    operation = numbers.ZKN__OPERATION__AES32ESI
    for funct3, funct7, end in (
        (numbers.ZKN__FUNCT3_VALUE, operation, "watchdog"),
        (numbers.BLOCK__FUNCT3_VALUE, numbers.BLOCK__FUNCT7__ENCRYPT, "trap"),
    ):
        image = bench.assemble("fault", FAULT=5, FUNCT3=funct3, FUNCT7=funct7)
        assert bench.run(image, "--max-cycles", "5000").report["end"] == end


@pytest.mark.parametrize("fault", [2, 3])
def test_an_access_to_nothing_is_not_lost(bench: Bench, fault: int) -> None:
    done = bench.run(bench.assemble("fault", FAULT=fault))
    assert (done.code, done.report["end"]) == (4, "bus error")


def test_files_are_loaded_and_dumped(picorv32: Bench) -> None:
    image = picorv32.assemble("fault", FAULT=4)
    data, out = picorv32.folder / "in", picorv32.folder / "out"
    data.write_bytes(bytes(range(64)))
    picorv32.run(image, "--load", f"{data}@0x9000", "--dump", f"0x9001:16:{out}")
    assert out.read_bytes() == bytes(range(1, 17))


def test_a_window_is_traced(picorv32: Bench) -> None:
    try:
        need_trace_headers()
    except ToolError as missing:
        pytest.skip(str(missing))
    traced = ensure_soc(System(partition=Partition.SOFTWARE), trace=True)
    image = picorv32.assemble("hello", LOOPS=LOOPS)
    plain = picorv32.run(image).report["cycles"]
    picorv32.model = traced
    sizes = []
    for last in (100, 1000):
        wave = picorv32.folder / f"{last}.fst"
        window = ["--trace", str(wave), "--trace-from", "50", "--trace-to", str(last)]
        assert picorv32.run(image, *window).report["cycles"] == plain
        sizes.append(wave.stat().st_size)
    assert 0 < sizes[0] < sizes[1]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--image", "{none}"], "none: cannot be read"),
        (["--load", "{image}"], "is not FILE@ADDRESS"),
        (["--load", "{image}@0x3ffff"], "do not fit into a memory of 262144"),
        (["--dump", "0:0x40001:x"], "are not within a memory of 262144"),
        (["--dump", "0:16"], "is not ADDRESS:LENGTH:FILE"),
        (["--max-cycles", "many"], "'many' is not a number"),
        (["--memory-read-wait", "256"], "'256' is not a number from 0 to 255"),
        (["--stuck-bit", "128"], "'128' is not a number from 0 to 127"),
        (["--trace", "x.fst"], "built without tracing"),
        (["--speed", "1"], "unknown option '--speed'"),
        (["--image"], "--image: wants a value"),
    ],
)
def test_bad_usage_is_told(picorv32: Bench, options: list[str], complaint: str) -> None:
    image = picorv32.assemble("fault", FAULT=4)
    words = [word.format(none=picorv32.folder / "none", image=image) for word in options]
    done = picorv32.run(image, *words)
    assert done.code == 2
    assert complaint in done.report["end"]
    assert "usage: --image FILE" in done.report["end"]
