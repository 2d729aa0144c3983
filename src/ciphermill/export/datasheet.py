# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The datasheet of an export: what an integrator asks, taken from the design and its sources.

Bursts and outstanding accesses come from the RTL's parameters and constants; cycles a block from
the algorithm; limits and constant time from the README of the unit; resource figures from the
store. What is a formula is called modelled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Core, Direction, KeyStorage, Measurement, find_home
from ciphermill.registers import Field, accel, dma
from ciphermill.toolchain.errors import read_source

from . import figures, templates
from .verilog2005 import Port

LATENCIES = (1, 16, 64, 128, 256, 512, 1024)
"""Of memory, in cycles of the clock, for the table."""
DMA_PAGE = Path("hw/dma/README.md")
_SWEPT = re.compile(r"(\d\.\d+) (?:up to|at) (\d+)")
_SWEEP = re.compile(
    r"^- A read latency beyond what `FifoBeats` covers:(?P<whole>.*?)\. "
    r"With (?P<beats>\d+) beats it is (?P<short>.*?)\.$",
    re.MULTILINE,
)
_PARAMETER = re.compile(r"\b(?:parameter|localparam) int unsigned (\w+)\s*=\s*([\d_]+)")
_MAPS: Mapping[str, object] = {"accel": accel, "dma": dma}


@dataclass(frozen=True)
class Memory:
    """What a module asks of a memory bus."""

    data_bits: int
    address_bits: int
    burst_beats: int
    """The longest burst."""
    fifo_beats: int
    """Place for what is on its way from memory."""
    outstanding_reads: int
    """Bursts that are asked for and not answered, at most."""
    outstanding_writes: int

    @property
    def beats_on_the_way(self) -> int:
        """Beats from memory that can be on their way."""
        return min(self.fifo_beats, self.outstanding_reads * self.burst_beats)

    def rate(self, latency: int, own: float) -> float:
        """Return the part of the bus's rate that long reads reach: modelled.

        Args:
            latency: Cycles from a request to its first beat.
            own: Cycles of the engine itself, between a beat that leaves and the next request.
        """
        return min(1.0, self.beats_on_the_way / (latency + own))


def memory_of(module: Core, sources: Sequence[Path], ports: Mapping[str, Port]) -> Memory | None:
    """Return what a module asks of a memory bus; None if it has none.

    Raises:
        ToolError: A source cannot be read.
    """
    if "m_axi_araddr_o" not in ports:
        return None
    texts = {path.stem: read_source(path) for path in sources}
    values = {**_numbers(texts["dma_mover"]), **_numbers(texts[module.top]), **module.parameters}
    data_bits = ports["m_axi_rdata_i"].bits
    if "BurstBytes" in values:
        values["BurstBeats"] = values["BurstBytes"] * 8 // data_bits
    return Memory(
        data_bits,
        ports["m_axi_araddr_o"].bits,
        values["BurstBeats"],
        values["FifoBeats"],
        _numbers(texts["dma_read_port"])["Outstanding"],
        _numbers(texts["dma_write_port"])["Outstanding"],
    )


def _numbers(text: str) -> dict[str, int]:
    """Return the parameters and constants of a module that are plain numbers."""
    return {name: int(value.replace("_", "")) for name, value in _PARAMETER.findall(text)}


def measured_latencies() -> list[tuple[int, int, float]]:
    """Return what was measured of the DMA engine: beats of its FIFO, latency, rate.

    They are those that ``hw/dma/README.md`` has from ``hw/dma/dv/rates.py``.

    Raises:
        ToolError: The page cannot be read.
    """
    found = _SWEEP.search(read_source(find_home() / DMA_PAGE))
    if found is None:
        return []
    beats = int(found["beats"])
    depth = _numbers(read_source(find_home() / "hw/dma/rtl/dma_mover.sv"))["FifoBeats"]
    rows = [(depth, int(at), float(rate)) for rate, at in _SWEPT.findall(found["whole"])]
    return rows + [(beats, int(at), float(rate)) for rate, at in _SWEPT.findall(found["short"])]


def own_cycles(measured: Sequence[tuple[int, int, float]]) -> float:
    """Return the engine's own cycles beside a latency: the mean where it lowered the rate."""
    each = [beats / rate - latency for beats, latency, rate in measured if rate < 1]
    return sum(each) / len(each) if each else 0.0


def datasheet(
    module: Core,
    sources: Sequence[Path],
    ports: Sequence[Port],
    clocks: Sequence[str],
    measurements: Sequence[Measurement],
    *,
    version: str,
    self_test: bool,
) -> str:
    """Return the datasheet as Markdown.

    Args:
        module: The design.
        sources: Its SystemVerilog files.
        ports: Ports of its top.
        clocks: Its clocks, input ports.
        measurements: The last of each kind.
        version: Of Ciphermill.
        self_test: Whether the export has a self-test.

    Raises:
        ToolError: A source or a README cannot be read.
    """
    by_name = {port.name: port for port in ports}
    memory = memory_of(module, sources, by_name)
    measured = measured_latencies()
    own = own_cycles(measured)
    columns, rows = figures.table(measurements)
    streams = by_name["s_axis_tvalid_i"].bits if "s_axis_tvalid_i" in by_name else 0
    return templates.render(
        "DATASHEET.md.j2",
        module=module,
        version=version,
        interfaces=interfaces(ports),
        clocks=clocks,
        reset=module.reset,
        cycles=cycles(module),
        memory=memory,
        latencies=[(at, memory.rate(at, own)) for at in LATENCIES] if memory else [],
        measured=[(b, at, rate, min(1.0, b / (at + own))) for b, at, rate in measured],
        own=own,
        streams=streams,
        stream_bits=by_name["s_axis_tdata_i"].bits // streams if streams else 0,
        interrupts=interrupts(module, by_name),
        in_place=in_place(module),
        columns=columns,
        figures=[(row, _origin(one)) for row, one in zip(rows, _shown(measurements), strict=True)],
        timing=timing(sources, module.top),
        limits=unit_sections(sources, module.top, "limits"),
        self_test=self_test,
    )


def _shown(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Return the measurements that have a row in the table, in order."""
    return [one for one in measurements if figures.table([one])[1]]


def _origin(seen: Measurement) -> str:
    where = seen.provenance
    if where is None:
        return "-"
    tools = ", ".join(f"{name} {version}" for name, version in where.tools.items())
    commit = f"commit {where.commit[:12]}" if where.commit else ""
    command = f"`{where.command}`" if where.command else ""
    return "; ".join(word for word in (command, commit, tools) if word) or "-"


def cycles(module: Core) -> list[tuple[str, str, float]]:
    """Return the cycles from block to block: key, direction, cycles."""
    algorithm = ALGORITHMS.get(module.algorithm or "")
    if algorithm is None or module.architecture is None or not algorithm.rtl:
        return _stated(module)
    known = algorithm.cores.cycles
    either = known.get((module.architecture,))
    if either is None:
        return _stated(module)
    on_the_fly = module.parameters.get("KeyStorage", 1) == 0
    storage = KeyStorage.ON_THE_FLY if on_the_fly else KeyStorage.STORED
    rows = []
    for direction in module.directions or (None,):
        of_it = known.get((module.architecture, storage, direction or Direction.ENCRYPT), either)
        for bits in module.key_sizes or tuple(either):
            if bits in of_it or bits in either:
                count = of_it.get(bits, either.get(bits, 0))
                rows.append((f"{bits} bits" if bits else "-", direction or "-", float(count)))
    return [(key, str(direction), count) for key, direction, count in rows]


def _stated(module: Core) -> list[tuple[str, str, float]]:
    return [("-", "-", module.cycles_per_block)] if module.cycles_per_block else []


def interfaces(ports: Sequence[Port]) -> list[tuple[str, int, int]]:
    """Return the groups of ports by the beginning of their names: name, ports, bits."""
    found: dict[str, list[int]] = {}
    for port in ports:
        plain = re.sub(r"_(n?[io]|no)$", "", port.name)
        group = plain.rpartition("_")[0] or plain
        found.setdefault(group, []).append(port.bits)
    return [(name, len(bits), sum(bits)) for name, bits in found.items()]


def interrupts(module: Core, ports: Mapping[str, Port]) -> str:
    """Return a sentence on the interrupts; empty where there are none."""
    port = next((ports[name] for name in ("interrupt_o", "irq_o") if name in ports), None)
    if port is None:
        return ""
    kind = "high for one cycle" if module.top == "card" else "a level, high while one is pending"
    lines = f"`{port.name}`: {port.bits} line{'s' if port.bits > 1 else ''}, {kind}."
    known = vars(_MAPS[module.top]) if module.top in _MAPS else {}
    causes = [
        f"`{name.partition('__')[2].lower()}`"
        for name, value in known.items()
        if name.startswith("INTERRUPT_STATE__") and isinstance(value, Field)
    ]
    return f"{lines} Causes (INTERRUPT_STATE): {', '.join(causes)}." if causes else lines


def in_place(module: Core) -> str:
    """Return what the unit's README says on a source that is its own destination."""
    page = find_home() / "hw" / module.folders[-1] / "README.md"
    if "/" in module.folders[-1] or not page.is_file():
        return ""
    sentences = re.findall(r"(?<=[.] )[^.\n]*own destination[^.\n]*\.", read_source(page))
    return " ".join(sentences)


def unit_sections(sources: Sequence[Path], top: str, title: str) -> list[tuple[str, str]]:
    """Return a section of the README of each unit in a design, that of the top first.

    Raises:
        ToolError: A README cannot be read.
    """
    (own,) = (path for path in sources if path.stem == top)
    units = dict.fromkeys(
        path.parents[len(path.parts) - 1 - _rtl(path)] for path in [own, *sources]
    )
    found = []
    for unit in units:
        if not (page := unit / "README.md").is_file():
            continue
        text = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", read_source(page))
        for match in re.finditer(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL):
            if match[1].lower() == title:
                found.append((unit.name, match[2].strip()))
    return found


def timing(sources: Sequence[Path], top: str) -> list[tuple[str, str]]:
    """Return what each unit's README says on time and secrets: a section, or its sentences.

    Raises:
        ToolError: A README cannot be read.
    """
    whole = unit_sections(sources, top, "constant time")
    told = {unit for unit, _ in whole}
    for unit, text in unit_sections(sources, top, "limits"):
        sentences = re.findall(r"(?:(?<=[.] )|(?<=^- ))Timing [^\n]*?\.(?= |$)", text, re.MULTILINE)
        if unit not in told and sentences:
            whole.append((unit, " ".join(sentences)))
    return whole


def _rtl(path: Path) -> int:
    """Return the place of ``rtl`` in a path: its unit's folder is before it."""
    return len(path.parts) - 1 - path.parts[::-1].index("rtl")
