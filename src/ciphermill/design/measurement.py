# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Measurement: what was seen.

One flat vocabulary for the results store, every ``--json`` output and the
reports. A field that does not apply is absent, never zero.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[float, Field(ge=0)]


class Method(StrEnum):
    """How a figure was obtained."""

    MEASURED = "measured"
    """Wall time of a machine."""
    SIMULATED = "simulated"
    """Clocks of a cycle-accurate model."""
    ESTIMATED = "estimated"
    """A tool's estimate, such as area after synthesis, or clocks of an
    instruction-set simulation."""
    MODELLED = "modelled"
    """A formula, fitted to measured points."""
    PUBLISHED = "published"
    """Taken from a paper."""


class Provenance(BaseModel):
    """What a figure came from, so that it can be had again."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    commit: str | None = None
    """Commit of this repository."""
    tools: dict[str, str] = {}
    """Versions of the tools, by name."""
    command: str | None = None
    """Command line that gave the figure."""


class Measurement(BaseModel):
    """One measurement. In files and on the command line its keys are dotted.

    >>> seen = Measurement(device="cpu", cycles_total=30, method="simulated")
    >>> seen.to_json()
    {'device': 'cpu', 'cycles.total': 30, 'method': 'simulated'}
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    design: str | None = None
    cipher: str | None = None
    key_bits: int | None = None
    mode: str | None = None
    direction: str | None = None
    architecture: str | None = None
    partition: str | None = None
    variant: str | None = None
    """Form of the partition, such as ``table`` of ``software``."""
    interface: str | None = None
    soft_core: str | None = None
    blocks_in_flight: Annotated[int, Field(ge=0)] | None = None
    optimisation: str | None = None
    """Optimisation level of the firmware, such as ``O2``."""
    key_caching: bool | None = None
    fresh_key: bool | None = None
    """Whether every message came with a key of its own."""
    memory_read_wait: Annotated[int, Field(ge=0)] | None = Field(None, alias="memory.read_wait")
    """Clocks that a read of memory waits beyond its one."""
    memory_write_wait: Annotated[int, Field(ge=0)] | None = Field(None, alias="memory.write_wait")
    platform: str | None = None
    device: str | None = None
    bytes: Annotated[int, Field(ge=0)] | None = None
    messages: Annotated[int, Field(ge=1)] | None = None

    cycles_total: Annotated[int, Field(ge=0)] | None = Field(None, alias="cycles.total")
    cycles_per_block: Count | None = Field(None, alias="cycles.per_block")
    cycles_processor: Annotated[int, Field(ge=0)] | None = Field(None, alias="cycles.processor")
    cycles_bus: Annotated[int, Field(ge=0)] | None = Field(None, alias="cycles.bus")
    cycles_accelerator: Annotated[int, Field(ge=0)] | None = Field(None, alias="cycles.accelerator")
    cycles_worst_message: Annotated[int, Field(ge=0)] | None = Field(
        None, alias="cycles.worst_message"
    )
    """Clocks of the slowest message."""
    cycles_key_setup: Annotated[int, Field(ge=0)] | None = Field(None, alias="cycles.key_setup")
    """Clocks to set a key, where that is not in ``cycles.total``."""
    instructions_total: Annotated[int, Field(ge=0)] | None = Field(None, alias="instructions.total")
    """Instructions that the processor retired."""
    bus_transactions: Annotated[int, Field(ge=0)] | None = Field(None, alias="bus.transactions")
    """Accesses of the processor to peripherals, and beats of a DMA engine."""
    code_bytes: Annotated[int, Field(ge=0)] | None = Field(None, alias="code.bytes")
    """Instructions and constants of the firmware."""
    time_total_s: Count | None = Field(None, alias="time.total_s")
    time_transfer_s: Count | None = Field(None, alias="time.transfer_s")
    time_processing_s: Count | None = Field(None, alias="time.processing_s")
    throughput_mb_s: Count | None = Field(None, alias="throughput.mb_s")
    """MB (1,000,000 bytes) a second."""
    area_lut: Annotated[int, Field(ge=0)] | None = Field(None, alias="area.lut")
    area_ff: Annotated[int, Field(ge=0)] | None = Field(None, alias="area.ff")
    area_um2: Count | None = Field(None, alias="area.um2")
    area_ge: Count | None = Field(None, alias="area.ge")
    clock_mhz: Annotated[float, Field(gt=0)] | None = Field(None, alias="clock.mhz")
    toggles_per_cycle: Count | None = Field(None, alias="toggles.per_cycle")
    toggles_per_byte: Count | None = Field(None, alias="toggles.per_byte")
    power_mw: Count | None = Field(None, alias="power.mw")
    energy_pj_per_bit: Count | None = Field(None, alias="energy.pj_per_bit")
    energy_uj_per_op: Count | None = Field(None, alias="energy.uj_per_op")

    correct: bool | None = None
    """Whether the output was checked and right."""
    method: Method
    provenance: Provenance | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the flat object with dotted keys; absent fields are left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """Return the measurement that ``to_json`` gave.

        Raises:
            pydantic.ValidationError: A key or value is not of the vocabulary.
        """
        return cls.model_validate(values)


DOTTED_KEYS: tuple[str, ...] = tuple(
    field.alias or name for name, field in Measurement.model_fields.items()
)
"""The vocabulary, in the order that tables and the store use."""
