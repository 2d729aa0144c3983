# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Measurements: results with their origin.

The results store, every ``--json`` output and the reports use the same flat set of fields.
A field that does not apply is absent, never zero.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[float, Field(ge=0)]
Whole = Annotated[int, Field(ge=0)]


class Method(StrEnum):
    """How a figure was obtained."""

    MEASURED = "measured"
    """Wall time of a machine."""
    SIMULATED = "simulated"
    """Cycles of a cycle-accurate model."""
    ESTIMATED = "estimated"
    """A tool's estimate, such as area after synthesis, or cycles of an
    instruction-set simulation."""
    MODELLED = "modelled"
    """A formula or a model of a whole system; ``inputs`` names its parameters."""
    PUBLISHED = "published"
    """Printed in a paper; ``inputs`` names the printed figures."""


class Provenance(BaseModel):
    """The origin of a figure, with what is needed to reproduce it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    commit: str | None = None
    """Commit of this repository."""
    tools: dict[str, str] = {}
    """Versions of the tools, by name."""
    command: str | None = None
    """Command line that gave the figure."""
    system: str | None = None
    """Operating system and architecture of the machine."""
    processor: str | None = None
    """The machine's processor."""


class PathStep(BaseModel):
    """A step of the longest path of a netlist: an edge that arrives at a pin."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cell: str
    """Library cell; empty at a port."""
    pin: str
    """Instance and output pin, or the port."""
    net: str
    edge: str
    """``rise`` or ``fall``."""
    load_ff: float
    delay_ps: float
    arrival_ps: float
    """After the clock edge that starts the path."""


class Measurement(BaseModel):
    """One measurement. In files and on the command line its keys are dotted.

    >>> seen = Measurement(device="cpu", cycles_total=30, method="simulated")
    >>> seen.to_json()
    {'device': 'cpu', 'cycles.total': 30, 'method': 'simulated'}
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    design: str | None = None
    design_fields: dict[str, Any] | None = Field(None, alias="design.fields")
    """The fields of the design, by name, including those with their default value."""
    design_digest: str | None = Field(None, alias="design.digest")
    """Digest of ``design.fields``, which distinguishes two points of one space."""
    algorithm: str | None = None
    key_bits: int | None = None
    mode: str | None = None
    operation: str | None = None
    """The operation: ``encrypt``, ``decrypt``, ``digest``."""
    architecture: str | None = None
    partition: str | None = None
    variant: str | None = None
    """Form of the partition, such as ``table`` of ``software``."""
    interface: str | None = None
    soft_core: str | None = None
    blocks_in_flight: Whole | None = None
    optimisation: str | None = None
    """Optimisation level of the firmware, such as ``O2``."""
    key_caching: bool | None = None
    fresh_key: bool | None = None
    """Whether every message has a key of its own."""
    memory_read_wait: Whole | None = Field(None, alias="memory.read_wait")
    """Wait cycles of a memory read."""
    memory_write_wait: Whole | None = Field(None, alias="memory.write_wait")
    platform: str | None = None
    device: str | None = None
    application: str | None = None
    """The structure of the streaming program: ``throughput`` or ``openssl``."""
    destination: str | None = None
    """Where a stream's output went: ``file`` or ``sink``."""
    target: str | None = None
    """The FPGA family or cell library of the mapping; ``rtl`` for none."""
    scope: str | None = None
    """The subject of a row of a breakdown: the path of a module instance (without its submodules),
    a part of a system, or a phase of a workload. Absent in the figures of the whole."""
    breakdown: str | None = None
    """The kind of breakdown: ``modules``, ``parts``, ``phases``, or ``streams`` at once."""
    kind: str | None = None
    """Kind of a part (``processor``, ``bus``, ``memory``, ``accelerator``, ``caches``). Of a
    phase the kind of cells (``sequential``, ``combinational``, ``clock``), or
    ``zero-delay`` for all cells without glitches. Of a device that stands beside a board:
    ``processor`` or ``graphics processor``."""
    workload: str | None = None
    """The workload of a core while its activity was counted, or the name of a weighed message."""
    strategy: str | None = None
    """The goal of mapping to cells: ``area``, ``balanced``, ``speed``."""
    clock_gates: Whole | None = None
    bytes: Whole | None = None
    messages: Annotated[int, Field(ge=1)] | None = None
    threads: Annotated[int, Field(ge=1)] | None = None
    """Threads of software that repeated an operation at once."""
    runs: Annotated[int, Field(ge=1)] | None = None
    """Runs of the same message, of which times are medians."""
    processors: Annotated[int, Field(ge=1)] | None = None
    """Processors of the device that compute at once: threads, compute units, channels."""
    at_once: Annotated[int, Field(ge=1)] | None = None
    """Messages that a caller hands over together."""
    operations: Whole | None = None
    """Blocks that were transformed in a phase."""

    cycles_total: Whole | None = Field(None, alias="cycles.total")
    cycles_per_block: Count | None = Field(None, alias="cycles.per_block")
    cycles_processor: Whole | None = Field(None, alias="cycles.processor")
    cycles_bus: Whole | None = Field(None, alias="cycles.bus")
    cycles_accelerator: Whole | None = Field(None, alias="cycles.accelerator")
    cycles_alone: Whole | None = Field(None, alias="cycles.alone")
    """Cycles of the same messages on the hardware by itself, without processor and bus."""
    cycles_worst_message: Whole | None = Field(None, alias="cycles.worst_message")
    """Cycles of the slowest message."""
    cycles_key_setup: Whole | None = Field(None, alias="cycles.key_setup")
    """Cycles to set a key, if ``cycles.total`` does not include them."""
    instructions_total: Whole | None = Field(None, alias="instructions.total")
    """Instructions that the processor retired."""
    bus_transactions: Whole | None = Field(None, alias="bus.transactions")
    """Accesses of the processor to peripherals, and beats of a DMA engine."""
    memory_fetches: Whole | None = Field(None, alias="memory.fetches")
    """Instructions that a processor fetched from memory."""
    memory_reads: Whole | None = Field(None, alias="memory.reads")
    memory_writes: Whole | None = Field(None, alias="memory.writes")
    code_bytes: Whole | None = Field(None, alias="code.bytes")
    """Instructions and constants of the firmware."""
    time_total_s: Count | None = Field(None, alias="time.total_s")
    time_transfer_s: Count | None = Field(None, alias="time.transfer_s")
    time_processing_s: Count | None = Field(None, alias="time.processing_s")
    time_inside_write_s: Count | None = Field(None, alias="time.inside_write_s")
    """Time of a stream inside the calls that write data to the cipher; DMA buffers hide the
    rest."""
    time_median_message_s: Count | None = Field(None, alias="time.median_message_s")
    """Median time until a message, or all that were handed over with it, came back."""
    time_best_s: Count | None = Field(None, alias="time.best_s")
    """Time of the fastest run."""
    time_lower_quartile_s: Count | None = Field(None, alias="time.lower_quartile_s")
    """A quarter of the runs took less."""
    time_upper_quartile_s: Count | None = Field(None, alias="time.upper_quartile_s")
    """A quarter of the runs took longer."""
    time_processor_s: Count | None = Field(None, alias="time.processor_s")
    """Processor time of this process, all threads, for all messages."""
    time_worst_message_s: Count | None = Field(None, alias="time.worst_message_s")
    """Time of the slowest message, of any thread."""
    throughput_mb_s: Count | None = Field(None, alias="throughput.mb_s")
    """MB (1,000,000 bytes) a second."""
    throughput_processing_mb_s: Count | None = Field(None, alias="throughput.processing_mb_s")
    """The same by ``time.processing_s``: without transfers."""
    throughput_inside_write_mb_s: Count | None = Field(None, alias="throughput.inside_write_mb_s")
    """The same by ``time.inside_write_s``; it can exceed the rate of every part of the system."""
    error_held_out: Count | None = Field(None, alias="error.held_out")
    """Relative error, on a size that was left out, of the line from which the figures were
    computed."""
    area_lut: Whole | None = Field(None, alias="area.lut")
    area_ff: Whole | None = Field(None, alias="area.ff")
    area_lut_ram: Whole | None = Field(None, alias="area.lut_ram")
    """LUTs used as RAM or shift register, among ``area.lut``."""
    area_muxf7: Whole | None = Field(None, alias="area.muxf7")
    area_muxf8: Whole | None = Field(None, alias="area.muxf8")
    area_carry: Whole | None = Field(None, alias="area.carry")
    """Carry chains of four bits."""
    area_dsp: Whole | None = Field(None, alias="area.dsp")
    area_block_ram: Whole | None = Field(None, alias="area.block_ram")
    """Block RAMs, in units of the family's smallest."""
    area_slices_estimated: Whole | None = Field(None, alias="area.slices_estimated")
    """Slices by a formula (``evaluate.chip.measures``); nothing was placed."""
    area_um2: Count | None = Field(None, alias="area.um2")
    """Area of the cells, in square micrometres."""
    area_sequential_um2: Count | None = Field(None, alias="area.sequential_um2")
    """Area of flip-flops, latches and clock gates."""
    area_ge: Count | None = Field(None, alias="area.ge")
    """The same in NANDs of two inputs."""
    clock_mhz: Annotated[float, Field(gt=0)] | None = Field(None, alias="clock.mhz")
    """The highest clock frequency of a timing analysis, or the frequency of a simulation."""
    clock_highest_mhz: Annotated[float, Field(gt=0)] | None = Field(None, alias="clock.highest_mhz")
    """The highest clock frequency of a timing analysis, beside that of the simulation."""
    clock_memory_mhz: Annotated[float, Field(gt=0)] | None = Field(None, alias="clock.memory_mhz")
    """The clock frequency of a board's memory banks."""
    clock_asked_mhz: Annotated[float, Field(gt=0)] | None = Field(None, alias="clock.asked_mhz")
    """The clock for which it was made."""
    clock_met: bool | None = Field(None, alias="clock.met")
    """Whether timing is met at the requested clock, or at that of a simulation."""
    delay_longest_path_ps: Count | None = Field(None, alias="delay.longest_path_ps")
    """From a register to a register, set-up time included."""
    delay_setup_ps: Count | None = Field(None, alias="delay.setup_ps")
    """Set-up time at the end of ``delay.steps``."""
    delay_own_path_ps: Count | None = Field(None, alias="delay.own_path_ps")
    """``delay.longest_path_ps`` by Ciphermill's own analysis, the sum of ``delay.steps``."""
    delay_steps: tuple[PathStep, ...] | None = Field(None, alias="delay.steps")
    """The longest path by Ciphermill's own analysis."""
    timing_by: str | None = Field(None, alias="timing.by")
    """The timing analysis: ``opensta``, ``nextpnr``, or ``ciphermill``'s own."""
    toggles_bits: Whole | None = Field(None, alias="toggles.bits")
    """The number of observed bits of registers and named nets."""
    toggles_per_cycle: Count | None = Field(None, alias="toggles.per_cycle")
    toggles_per_byte: Count | None = Field(None, alias="toggles.per_byte")
    toggles_per_op: Count | None = Field(None, alias="toggles.per_op")
    power_mw: Count | None = Field(None, alias="power.mw")
    """While it runs, with glitches."""
    power_switching_mw: Count | None = Field(None, alias="power.switching_mw")
    power_internal_mw: Count | None = Field(None, alias="power.internal_mw")
    power_leakage_mw: Count | None = Field(None, alias="power.leakage_mw")
    power_idle_mw: Count | None = Field(None, alias="power.idle_mw")
    """While it is idle and the clock runs."""
    power_over_time: tuple[tuple[Count, Count], ...] | None = Field(None, alias="power.over_time")
    """Seconds since the start, and the mean power in mW since the sample before."""
    power_zero_delay_mw: Count | None = Field(None, alias="power.zero_delay_mw")
    """``power.mw`` without glitches."""
    energy_pj_per_bit: Count | None = Field(None, alias="energy.pj_per_bit")
    """With glitches."""
    energy_pj_per_bit_zero_delay: Count | None = Field(None, alias="energy.pj_per_bit_zero_delay")
    """Without glitches."""
    energy_pj_per_byte: Count | None = Field(None, alias="energy.pj_per_byte")
    energy_uj_per_op: Count | None = Field(None, alias="energy.uj_per_op")
    energy_relative: Count | None = Field(None, alias="energy.relative")
    """Dynamic energy per byte on an FPGA, as a multiple of that of ``energy.reference``."""
    energy_reference: str | None = Field(None, alias="energy.reference")
    """The reference design of ``energy.relative``."""
    merit_cycles_x_lut: Count | None = Field(None, alias="merit.cycles_x_lut")
    """Cycles a block times LUTs."""
    merit_mb_s_per_lut: Count | None = Field(None, alias="merit.mb_s_per_lut")
    merit_mb_s_per_mhz_per_slice: Count | None = Field(None, alias="merit.mb_s_per_mhz_per_slice")
    """By estimated slices."""
    merit_mb_s_per_mhz: Count | None = Field(None, alias="merit.mb_s_per_mhz")
    merit_mb_s_per_processor: Count | None = Field(None, alias="merit.mb_s_per_processor")
    merit_throughput_over_energy: Count | None = Field(None, alias="merit.throughput_over_energy")
    """Throughput in Mbit/s over energy in mJ a Mbit, of blocks back to back. The measure is
    the crypto-suite paper's, whose own throughput contains a latency of 48.89 ns a block."""

    correct: bool | None = None
    """Whether the output was checked and right."""
    wrong_byte: Whole | None = Field(None, alias="wrong.byte")
    """First byte of the output that is wrong, counted from 0."""
    notes: tuple[str, ...] | None = None
    """Notes on the figures, as sentences."""
    method: Method
    inputs: tuple[str, ...] | None = None
    """The sources of the figures, each as ``method:name``: a figure that a paper prints
    (``published:paper#figure``, a place in its ``published.toml``) or a parameter of a platform
    (``fitted:zedboard.host.copy.mb_s``)."""
    provenance: Provenance | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the flat object with dotted keys; absent fields are left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """Return the measurement from the result of ``to_json``.

        Raises:
            pydantic.ValidationError: A key is unknown or a value is not allowed.
        """
        return cls.model_validate(values)


DOTTED_KEYS: tuple[str, ...] = tuple(
    field.alias or name for name, field in Measurement.model_fields.items()
)
"""The names of all fields, in the order of tables and the store."""


def digest(*parts: object) -> str:
    """Return a digest of designs, platforms, workloads and plain values: 16 hex digits.

    Equal values have equal digests, in every process and on every machine.

    >>> digest({"a": 1}) == digest({"a": 1})
    True
    """
    text = json.dumps([_plain(part) for part in parts], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(part: Any) -> Any:
    """Return a value in types of JSON."""
    if isinstance(part, BaseModel):
        return part.model_dump(mode="json", exclude={"description"})
    if is_dataclass(part) and not isinstance(part, type):
        values = {one.name: _plain(getattr(part, one.name)) for one in fields(part) if one.compare}
        return {type(part).__name__: values}
    if isinstance(part, Mapping):
        return {str(name): _plain(value) for name, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [_plain(value) for value in part]
    if isinstance(part, bytes):
        return hashlib.sha256(part).hexdigest()
    return part if isinstance(part, (int, float, bool, str, type(None))) else str(part)


def design_fields(design: BaseModel) -> dict[str, Any]:
    """Return ``design_fields`` and ``design_digest`` of a design's measurements.

    The digest does not include name and description.
    """
    own = design.model_dump(mode="json", exclude_none=True)
    told = {name: value for name, value in own.items() if name not in ("name", "description")}
    return {"design_fields": own, "design_digest": digest(told)}
