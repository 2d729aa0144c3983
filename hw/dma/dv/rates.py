# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Measures whole messages through DMA engine and accelerator, and prints a table of rates.

The bench is ``rates/dma_rates.sv``: accelerators behind DMA engines of several widths, each with
a memory that moves a beat a cycle each way, and a host that follows steps which are made here. A
rate is the cycles a block of a long message, which is what a longer message takes beyond a
shorter one, held against the slowest of memory bus, stream and core.

    python hw/dma/dv/rates.py
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "dv"))

from ciphermill_dv.registers import RegisterMap  # noqa: E402
from ciphermill_dv.simulate import REPOSITORY, build_program, rtl_sources  # noqa: E402

HARDWARE = REPOSITORY / "hw"
DMA = RegisterMap(HARDWARE / "dma" / "dma.rdl")
ACCEL = RegisterMap(HARDWARE / "accel" / "accel.rdl")
TOP = "dma_rates"
BLOCK = 16
PAGE, HALF = 1 << 12, 1 << 15
"""Descriptors lie in the first page, sources above it, destinations in the second half."""
PIECE = 2048
"""Bytes of a piece of a scattered message."""
RATE = 0.95
ITERATIVE, PIPELINED = 0, 1
CORE_CYCLES = {ITERATIVE: 14, PIPELINED: 1}
"""Cycles of a block under a key of 256 bits (hw/accel/README.md)."""
MODES: dict[str, dict[str, int]] = {
    "ECB": {"mode": 0},
    "CTR": {"mode": 2},
    "CBC decryption": {"mode": 1, "direction": 1},
    "ECB to the sink": {"mode": 0, "sink": 1},
}
LAYOUTS = ("contiguous", "scattered")

_DMA, _ACCEL, _WAIT, _LATENCY, _POKE, _BEGIN, _UNTIL_DMA, _UNTIL_ACCEL = range(1, 9)


@dataclass(frozen=True)
class Build:
    """Cells of one simulation: each width of the bus with each of the streams."""

    architecture: int
    data_widths: tuple[int, ...]  # powers of two, each twice the one before
    stream_widths: tuple[int, ...]
    directions: int = 3  # of the core, as hw/aes/rtl/aes_pkg.sv numbers them
    key_sizes: int = 7  # 256 bits among them: that is what is measured


@dataclass(frozen=True)
class Case:
    """A pair of messages that differ in their length only."""

    mode: str
    layout: str
    latency: int  # cycles, of a read's first beat and of a write's answer
    lengths: tuple[int, int]  # bytes


@dataclass(frozen=True)
class Rate:
    """The measurement of a case in a cell."""

    architecture: int
    data_width: int
    stream_width: int
    case: Case
    cycles: tuple[int, int]  # from the first register write to the end

    @property
    def slowest(self) -> int:
        """Cycles a block of the slowest of bus, stream and core."""
        return max(128 // self.data_width, 128 // self.stream_width, CORE_CYCLES[self.architecture])

    @property
    def a_block(self) -> float:
        """Cycles a block of a long message."""
        short, long = self.case.lengths
        return (self.cycles[1] - self.cycles[0]) / ((long - short) // BLOCK)

    @property
    def fraction(self) -> float:
        """The rate of a long message, as a fraction of the slowest part's."""
        return self.slowest / self.a_block

    @property
    def start(self) -> float:
        """Cycles of a message besides those of its blocks."""
        return self.cycles[0] - self.a_block * (self.case.lengths[0] // BLOCK)

    @property
    def from_bytes(self) -> float:
        """Length from which on whole messages, their start included, go at RATE."""
        room = self.slowest / RATE - self.a_block
        return max(self.start, 0.0) / room * BLOCK if room > 0 else float("inf")


def pieces(layout: str, length: int) -> list[tuple[int, int, int]]:
    """Return source, destination and length of each piece of a message.

    A scattered one has its pieces at word addresses, in an order of their own each side.
    """
    if layout == "contiguous":
        return [(PAGE, HALF, length)]
    count = length // PIECE
    room = (HALF - PAGE) // count // 32 * 32
    return [
        (PAGE + room * n + 4 * (n % 8), HALF + room * ((5 * n + 3) % count) + 4 * (n % 7), PIECE)
        for n in range(count)
    ]


def steps(cases: Sequence[Case]) -> Iterator[tuple[int, int, int]]:
    """Return the host's steps (see ``rates/dma_host.sv``) for cases, one after the other."""

    def dma(name: str, word: int) -> tuple[int, int, int]:
        return (_DMA, DMA.address(name), word)

    def accel(name: str, word: int, index: int = 0) -> tuple[int, int, int]:
        return (_ACCEL, ACCEL.address(name) + 4 * index, word)

    yield (_WAIT, 0, 500)  # the sweeps after reset
    yield from (accel("KEY", 0x03020100 * (n + 1), n) for n in range(8))
    yield accel("CONFIGURATION", ACCEL.pack("CONFIGURATION", key_size=2))
    yield accel("CONTROL", ACCEL.pack("CONTROL", load_key=1))
    yield accel("INTERRUPT_ENABLE", ACCEL.pack("INTERRUPT_ENABLE", done=1))
    yield (_WAIT, 0, 200)
    for number, (case, length) in enumerate((c, n) for c in cases for n in c.lengths):
        sink = "sink" in MODES[case.mode]
        parts = pieces(case.layout, length)
        flags = [
            {"read": 1, "write": int(not sink), "message_end": int(part is parts[-1])}
            for part in parts
        ]
        yield (_LATENCY, 0, case.latency)
        yield accel("INTERRUPT_STATE", ACCEL.pack("INTERRUPT_STATE", done=1))
        yield accel("CONFIGURATION", ACCEL.pack("CONFIGURATION", key_size=2, **MODES[case.mode]))
        for n, part in enumerate(parts):
            link = 32 * (n + 1) if part is not parts[-1] else 16
            words = (*part, link | DMA.pack("FLAGS", **flags[n]))
            yield from ((_POKE, 8 * n + place, word) for place, word in enumerate(words))
        yield (_WAIT, 0, 20)
        yield (_BEGIN, 0, 0)
        yield from (accel("IV", 0x01010101 * n, n) for n in range(4))
        yield accel("MESSAGE_LENGTH_LOW", length)
        yield accel("CONTROL", ACCEL.pack("CONTROL", start=1))
        if len(parts) > 1:
            yield dma("CHAIN", 0)
        else:
            yield dma("FLAGS", DMA.pack("FLAGS", **flags[0]))
            yield dma("SOURCE", parts[0][0])
            yield dma("DESTINATION", parts[0][1])
            yield dma("LENGTH", length)
        yield (_UNTIL_ACCEL if sink else _UNTIL_DMA, 0, number)
    yield (0, 0, 0)


def simulator(build: Build) -> Path:
    """Return the program that simulates a build; it is made if it is not there yet."""
    sources = [
        *rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel", "dma"),
        *(HARDWARE / ip / "rtl" / f"{ip}.vlt" for ip in ("accel", "dma")),
        HERE / "dma_accel_harness.sv",
        *sorted((HERE / "rates").glob("*.sv")),
        HERE / "rates" / "main.cpp",
    ]
    parameters = {
        "Architecture": build.architecture,
        "Directions": build.directions,
        "KeySizes": build.key_sizes,
        "NarrowestData": min(build.data_widths),
        "WidestData": max(build.data_widths),
        "NarrowestStream": min(build.stream_widths),
        "WidestStream": max(build.stream_widths),
    }
    return build_program(TOP, sources, parameters)


_MESSAGE = re.compile(r"message (\d+) of (\d+)/(\d+): (\d+) cycles, (\d+) bytes written")


def measure(build: Build, cases: Sequence[Case]) -> list[Rate]:
    """Run cases in every cell of a build.

    Raises:
        AssertionError: A message did not end, or not every byte of it was written once.
    """
    program = simulator(build)
    lines = [f"{what:x}{at:03x}{word & 0xFFFFFFFF:08x}\n" for what, at, word in steps(cases)]
    with tempfile.NamedTemporaryFile("w", suffix=".steps") as file:
        file.writelines(lines)
        file.flush()
        done = subprocess.run(
            [program, f"+steps={file.name}"],
            capture_output=True,
            text=True,
            timeout=3600,
            check=True,
        )
    seen: dict[tuple[int, int, int], int] = {}
    lengths = [(case, length) for case in cases for length in case.lengths]
    for found in _MESSAGE.finditer(done.stdout):
        number, data, stream, cycles, written = map(int, found.groups())
        case, length = lengths[number]
        assert written == (0 if "sink" in MODES[case.mode] else length), found[0]
        seen[data, stream, number] = cycles
    return [
        Rate(build.architecture, data, stream, case, (seen[*cell, 2 * n], seen[*cell, 2 * n + 1]))
        for data in build.data_widths
        for stream in build.stream_widths
        for n, case in enumerate(cases)
        for cell in [(data, stream)]
    ]


LATENCIES = (1, 16, 64)


def table(rates: Sequence[Rate]) -> str:
    """Return the rates as the README's table: a line for each core and cycles a block."""
    far = [f"95 % from, at {latency}" for latency in LATENCIES]
    heads = ["Core", "Narrowest", "Cycles a block", "Least rate", *far]
    lines = [f"| {' | '.join(heads)} |", "| --- " * len(heads) + "|"]
    names = {ITERATIVE: "iterative", PIPELINED: "pipelined"}
    for architecture, slowest in dict.fromkeys((r.architecture, r.slowest) for r in rates):
        group = [r for r in rates if (r.architecture, r.slowest) == (architecture, slowest)]
        widths = {min(r.data_width, r.stream_width) for r in group}
        cells = [
            names[architecture],
            "any" if len(widths) > 1 else f"{widths.pop()} bits",
            str(slowest),
            f"{min(r.fraction for r in group):.3f}",
        ]
        for latency in LATENCIES:
            longest = max(r.from_bytes for r in group if r.case.latency == latency)
            cells.append(f"{longest / 1024:.1f} KiB")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure every build and print what the README shows."""
    cases = [
        Case(mode, layout, latency, (4096, 16384))
        for mode in MODES
        for layout in LAYOUTS
        for latency in LATENCIES
    ]
    rates = [
        rate
        for architecture in (PIPELINED, ITERATIVE)
        for rate in measure(Build(architecture, (32, 64, 128, 256), (32, 64, 128)), cases)
    ]
    print(table(rates))


if __name__ == "__main__":
    main()
