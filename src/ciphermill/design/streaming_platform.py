# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Platforms of streaming systems: a host, its storage, a bus, and a device of ciphers.

Rates are MB (1,000,000 bytes) a second, sizes KiB (1,024 bytes). Every table of figures
states method and source; figures of hosts that are not available here are ``published``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

from ciphermill.algorithms import ALGORITHMS, Algorithm

from .table import NAME_PATTERN, AlgorithmName, Direction, Table


def streamed_mode(mode: str) -> str:
    """Return a mode if streaming systems are measured in it.

    Raises:
        ValueError: They are not; the message lists all such modes.
    """
    modes = dict.fromkeys(name for one in ALGORITHMS.values() for name in one.streamed_modes)
    if mode in modes:
        return mode
    raise ValueError(f"is {mode!r}; there are: {', '.join(modes)}")


Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(gt=0)]
StreamMode = Annotated[str, AfterValidator(streamed_mode)]
Implementation = Literal["software", "software+", "hardware"]

PAGE_BYTES = 4096
"""No AXI burst crosses this boundary (AMBA AXI, A3.4.1), and DMA buffers are aligned to it."""
AxiWidth = Literal[8, 16, 32, 64, 128, 256, 512, 1024]
"""Widths of an AXI data bus in bits (AMBA AXI, A1.3.1)."""
AXI_BURST_BEATS = 256
"""Beats of the longest burst of AXI4 (AMBA AXI, A3.4.1)."""
DMA_BITS = (32, 64, 128, 256)
"""Widths of the memory bus that this project's DMA engine has (hw/dma)."""
DMA_MEMORY_BYTES = 1 << 30
"""The most memory that is modelled beside the RTL of the DMA engine."""
LinkLanes = Literal[1, 2, 4, 8, 12, 16, 32]
"""Widths of a PCIe link (PCI Express Base Specification 4.0, 1.2)."""
LANE_MB_S: Mapping[int, float] = {1: 250.0, 2: 500.0, 3: 984.6, 4: 1969.2}
"""Payload bytes of a PCIe lane after its line code, by generation (PCI Express Base
Specification: 2.5 and 5 GT/s with 8b/10b, 8 and 16 GT/s with 128b/130b)."""


InputMethod = Literal["published", "assumed", "fitted"]


@dataclass(frozen=True)
class Input:
    """One parameter of a platform, as a figure's provenance names it."""

    platform: str
    parameter: str
    """Dotted, as in the file: ``host.copy.mb_s``."""
    method: InputMethod
    figures: tuple[str, ...] = ()
    """Printed figures from which it was taken or to which it was fitted: ``paper#figure``."""

    def __str__(self) -> str:
        return f"{self.method}:{self.platform}.{self.parameter}"

    @property
    def names(self) -> tuple[str, ...]:
        """Entries of ``Measurement.inputs``: printed figures, or else the parameter.

        >>> Input("a", "storage.read_mb_s", "published", ("paper#storage",)).names
        ('published:paper#storage',)
        >>> Input("a", "host.wake_us", "assumed").names
        ('assumed:a.host.wake_us',)
        """
        if self.method == "published" and self.figures:
            return tuple(f"published:{figure}" for figure in self.figures)
        return (str(self),)


class Sourced(Table):
    """A table of figures with their method and source.

    ``method`` applies to every parameter of the table that the three further fields do not
    name. They use the names of the file, such as ``mb_s`` or ``encrypt.ctr``; ``encrypt``
    means all parameters below it.
    """

    method: InputMethod
    """``fitted``: chosen to reproduce printed figures, which ``source`` names."""
    source: Annotated[str, Field(min_length=1)]
    taken_from: Annotated[dict[str, tuple[str, ...]], Field(default_factory=dict)]
    """By published parameter, the printed figures that it repeats: ``paper#figure``."""
    fitted_to: Annotated[dict[str, tuple[str, ...]], Field(default_factory=dict)]
    """By fitted parameter, the printed figures that it was chosen to reproduce."""
    assumed: tuple[str, ...] = ()
    """Parameters that no source states."""

    @model_validator(mode="after")
    def _parameters_exist(self) -> Self:
        named = (*self.taken_from, *self.fitted_to, *self.assumed)
        for name in named:
            if name.partition(".")[0] not in type(self).model_fields:
                raise ValueError(f"{name!r} is named in a provenance, but is no parameter here")
        if len(set(named)) != len(named):
            raise ValueError("a parameter is in two of taken_from, fitted_to and assumed")
        return self

    def provenance_of(self, parameter: str) -> tuple[InputMethod, tuple[str, ...]]:
        """Return how a parameter was obtained, and the printed figures behind it."""
        at = parameter
        while at:
            if at in self.taken_from:
                return "published", self.taken_from[at]
            if at in self.fitted_to:
                return "fitted", self.fitted_to[at]
            if at in self.assumed:
                return "assumed", ()
            at = at.rpartition(".")[0]
        return self.method, ()


ModeRates = dict[StreamMode, Positive]
"""MB/s in software, by mode; an unknown rate is absent."""


class SoftwareRates(Sourced):
    """Rates of the host's OpenSSL with the longest key, in memory."""

    encrypt: ModeRates
    decrypt: ModeRates | None = None
    """As ``encrypt`` unless given."""

    def rate(self, mode: StreamMode, direction: Direction) -> float | None:
        """Return MB/s of a mode and direction, or None if it is not known."""
        decrypt = direction is Direction.DECRYPT and self.decrypt is not None
        return (self.decrypt or {} if decrypt else self.encrypt).get(mode)


class Copy(Sourced):
    """The rate at which one thread copies between an application's memory and DMA buffers."""

    mb_s: Positive
    shared_mb_s: Positive | None = None
    """The same while a second thread of the application streams; as ``mb_s`` unless given."""


class Storage(Sourced):
    """The storage of files."""

    read_mb_s: Positive
    write_mb_s: Positive | None = None
    """As ``read_mb_s`` unless given."""
    shared: bool = True
    """Reads and writes exclude each other, as on one memory card, but not in a page cache."""

    @property
    def writing_left_out(self) -> bool:
        """Whether files are written faster than read, that is, only to memory."""
        return (self.write_mb_s or 0.0) > self.read_mb_s


class Host(Sourced):
    """The processor that runs applications; ``source`` is for ``wake_us`` and ``update_kib``."""

    processor: str
    wake_us: NotNegative
    """From an interrupt until the blocked thread runs again, in microseconds."""
    update_kib: Positive
    """The data that the application passes in one call."""
    copy_rate: Annotated[Copy, Field(alias="copy")]
    software: SoftwareRates | None = None
    """OpenSSL without the processor's AES instructions."""
    software_plus: SoftwareRates | None = None
    """OpenSSL with them."""


class Bus(Sourced):
    """Payload between DMA buffers and the device; both directions at once."""

    kind: Literal["axi4", "pcie"]
    clock_mhz: Positive | None = None
    """AXI only."""
    to_device_bits: AxiWidth | None = None
    """AXI only: width towards the device."""
    to_host_bits: AxiWidth | None = None
    lanes: LinkLanes | None = None
    """PCIe only."""
    generation: Annotated[int, Field(ge=1, le=4)] | None = None
    mb_s: Positive | None = None
    """Payload a second in each direction, if less than width and clock give."""
    burst_bytes: Count
    burst_gap_ns: NotNegative = 0
    """Idle time between bursts that outstanding requests do not hide."""
    latency_ns: NotNegative = 0
    """From the device's request of a read to its first byte, and from the last byte of a write to
    its answer, on the link alone."""
    buffer_us: NotNegative
    """Time to transfer ownership of a DMA buffer: its descriptor and its interrupt."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        axi = (self.clock_mhz, self.to_device_bits, self.to_host_bits)
        lanes = (self.lanes, self.generation)
        wanted, unwanted = (axi, lanes) if self.kind == "axi4" else (lanes, axi)
        if None in wanted or any(one is not None for one in unwanted):
            raise ValueError(
                "kind axi4 goes with clock_mhz, to_device_bits and to_host_bits, "
                "kind pcie with lanes and generation"
            )
        widths = [one for one in (self.to_device_bits, self.to_host_bits) if one is not None]
        ceiling = min(self._wires(True), self._wires(False))
        if self.mb_s is not None and self.mb_s > ceiling:
            raise ValueError(f"mb_s is {self.mb_s:g}, but its wires carry {ceiling:g}")
        if PAGE_BYTES % self.burst_bytes:
            raise ValueError(
                f"burst_bytes is {self.burst_bytes}; it must divide {PAGE_BYTES} (no burst "
                "crosses a page)"
            )
        if widths and self.burst_bytes > AXI_BURST_BEATS * min(widths) // 8:
            raise ValueError(
                f"burst_bytes is {self.burst_bytes}, but {AXI_BURST_BEATS} beats of "
                f"{min(widths)} bits, the longest burst of AXI4, are "
                f"{AXI_BURST_BEATS * min(widths) // 8}"
            )
        return self

    def mb_s_to(self, device: bool) -> float:
        """Return the payload a second within a burst, towards the device or the host."""
        return min(self.mb_s or float("inf"), self._wires(device))

    def _wires(self, device: bool) -> float:
        if self.kind == "axi4":
            bits = (self.to_device_bits if device else self.to_host_bits) or 0
            return bits / 8 * (self.clock_mhz or 0)
        return LANE_MB_S[self.generation or 1] * (self.lanes or 0)


class DmaBuffers(Sourced):
    """DMA buffers in the host's memory, the same number in each direction."""

    count: Count
    kib_each: Count

    @property
    def bytes_each(self) -> int:
        """Bytes of a buffer."""
        return self.kib_each * 1024


class Core(Sourced):
    """A cipher core by its cycle counts, for cores without RTL in this project."""

    modes: Annotated[tuple[StreamMode, ...], Field(min_length=1)]
    clock_mhz: Positive
    cycles_per_block: Count
    """Cycles from a block to the next, once the core is full."""
    latency_cycles: Count
    """Cycles from a block's entry to its exit."""
    word_cycles: Annotated[int, Field(ge=0)] = 0
    """Cycles to move a block's words in and out, while the core computes."""
    exposed_cycles: Annotated[int, Field(ge=0)] = 0
    """The cycles of these for which the core waits between two blocks."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.latency_cycles < self.cycles_per_block:
            raise ValueError(
                f"latency_cycles is {self.latency_cycles}, less than the "
                f"{self.cycles_per_block} cycles between blocks"
            )
        if "cbc" in self.modes and self.latency_cycles != self.cycles_per_block:
            raise ValueError("cbc waits for each block: latency_cycles must be cycles_per_block")
        return self

    @property
    def period_s(self) -> float:
        """Return the seconds between blocks, including waits for the transfer of words."""
        cycles = max(self.cycles_per_block + self.exposed_cycles, self.word_cycles)
        return cycles / (self.clock_mhz * 1e6)


class Fabric(Sourced):
    """The device without its cores."""

    family: str
    """FPGA family."""
    clock_mhz: Positive
    """Clock of this project's cores on it."""
    fifo_kib: Positive
    """FIFO between bus and core, in each direction."""
    dma: Literal["bursts", "rtl"] = "bursts"
    """What moves data between the host's memory and a core of this project that is simulated:
    bursts in virtual time, or this project's DMA engine (``hw/dma``), its RTL cycle by cycle."""


class StreamingPlatform(Table):
    """A host that streams through ciphers on a device."""

    kind: Literal["streaming"]
    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    description: str = ""
    algorithm: AlgorithmName = "aes"
    """The cipher of the host's rates and of the cores."""
    host: Host
    storage: Storage
    bus: Bus
    dma_buffers: DmaBuffers
    device: Fabric
    cores: Annotated[dict[str, Core], Field(default_factory=dict)]
    """Cores by their cycle counts; cores of this project are simulated instead."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        problems = list(self._problems())
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _problems(self) -> Iterator[str]:
        if self.dma_buffers.bytes_each % PAGE_BYTES:
            yield f"dma_buffers.kib_each is no whole number of pages of {PAGE_BYTES} bytes"
        if self.device.fifo_kib * 1024 < 2 * self.bus.burst_bytes:
            yield "device.fifo_kib holds less than two bursts: one could not follow another"
        block = self.cipher.block_bytes
        if self.bus.burst_bytes % block:
            yield f"bus.burst_bytes is no whole number of blocks of {block} bytes"
        if self.update_bytes % block or self.update_bytes != self.host.update_kib * 1024:
            yield f"host.update_kib is no whole number of blocks of {block} bytes"
        if self.update_bytes > self.dma_buffers.count * self.dma_buffers.bytes_each:
            yield "host.update_kib is more than the DMA buffers hold: its result would never come"
        if self.device.dma == "rtl":
            yield from self._dma_problems()
        if (self.host.copy_rate.shared_mb_s or 0) > self.host.copy_rate.mb_s:
            yield "host.copy: shared_mb_s is more than mb_s, of a thread by itself"
        modes = [mode for core in self.cores.values() for mode in core.modes]
        if len(set(modes)) != len(modes):
            yield "cores: two of them have the same mode"
        plain, plus = self.host.software, self.host.software_plus
        for rates in filter(None, (plain, plus)):
            modes += [*rates.encrypt, *(rates.decrypt or ())]
        for mode in dict.fromkeys(modes):
            if mode not in self.cipher.streamed_modes:
                yield f"{mode} is no mode in which {self.algorithm} is streamed"
        if plain and plus:
            for mode in plain.encrypt:
                for direction in Direction:
                    slow = plain.rate(mode, direction)
                    fast = plus.rate(mode, direction)
                    if slow and fast and slow > fast:
                        yield (
                            f"host: {mode} {direction} is slower with AES instructions "
                            f"({fast:g}) than without ({slow:g})"
                        )

    def _dma_problems(self) -> Iterator[str]:
        """Yield why the RTL of the DMA engine cannot be this platform's."""
        bus, rtl = self.bus, 'device.dma is "rtl", but'
        if bus.kind != "axi4" or bus.to_device_bits != bus.to_host_bits:
            yield f"{rtl} the engine has one AXI bus, as wide in both directions"
            return
        bits = bus.to_device_bits or 0
        if bits not in DMA_BITS:
            widths = ", ".join(map(str, DMA_BITS))
            yield f"{rtl} its bus has {bits} bits; the engine's have {widths}"
        if bus.clock_mhz != self.device.clock_mhz:
            yield (
                f"{rtl} bus and cores have two clocks ({bus.clock_mhz:g} and "
                f"{self.device.clock_mhz:g} MHz): engine and accelerator are simulated on one"
            )
        beats = bus.burst_bytes * 8 / bits
        if beats < 2 or beats != int(beats) or int(beats) & (int(beats) - 1):
            yield f"{rtl} bus.burst_bytes is no power of two, of two beats or more"
        if bus.burst_gap_ns:
            yield f"{rtl} bus.burst_gap_ns is not zero: the engine's own gaps are simulated"
        if bus.mb_s is not None and (bus.mb_s / self.device.clock_mhz) % 1:
            yield f"{rtl} bus.mb_s is no whole number of bytes a cycle"
        if self.fifo_bytes * 8 % bits:
            yield f"{rtl} device.fifo_kib is no whole number of beats of {bits} bits"
        if self.update_bytes % self.dma_buffers.bytes_each:
            yield (
                f"{rtl} host.update_kib is no whole number of DMA buffers: a transfer fills one "
                "buffer from one"
            )
        if 2 * self.dma_buffers.count * self.dma_buffers.bytes_each > DMA_MEMORY_BYTES:
            yield f"{rtl} its DMA buffers are more than {DMA_MEMORY_BYTES >> 20} MiB in all"

    def input(self, parameter: str) -> Input:
        """Return a parameter with its provenance.

        Args:
            parameter: Dotted, as in the file: ``host.copy.mb_s``.

        Raises:
            KeyError: There is no such parameter, or it is not set.
        """
        names = parameter.split(".")
        value: Any = self
        sourced, rest = None, ""
        for number, name in enumerate(names):
            value = _child(value, name)
            if isinstance(value, Sourced):
                sourced, rest = value, ".".join(names[number + 1 :])
        if sourced is None or not rest or value is None:
            raise KeyError(f"{self.name} has no parameter {parameter}")
        method, figures = sourced.provenance_of(rest)
        return Input(self.name, parameter, method, figures)

    def number(self, parameter: str) -> float:
        """Return a parameter's value.

        Raises:
            KeyError: There is no such parameter, it is not set, or it is no number.
        """
        value: Any = self
        for name in parameter.split("."):
            value = _child(value, name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise KeyError(f"{self.name} has no number {parameter}")
        return value

    def with_number(self, parameter: str, value: float) -> StreamingPlatform:
        """Return the platform with one parameter changed; nothing is validated."""
        found: StreamingPlatform = _replaced(self, parameter.split("."), value)
        return found

    @property
    def cipher(self) -> Algorithm:
        """The algorithm by its name."""
        return ALGORITHMS[self.algorithm]

    @property
    def update_bytes(self) -> int:
        """Bytes that the application hands over in one call."""
        return int(self.host.update_kib * 1024)

    @property
    def fifo_bytes(self) -> int:
        """Bytes of the device's FIFO, in each direction."""
        return int(self.device.fifo_kib * 1024)

    def core_of(self, mode: StreamMode) -> Core | None:
        """Return the core with known cycle counts for a mode."""
        return next((core for core in self.cores.values() if mode in core.modes), None)

    def software_rate(
        self, implementation: Implementation, mode: StreamMode, direction: Direction
    ) -> float | None:
        """Return MB/s of the host's software, or None if it is not known."""
        plus = implementation == "software+"
        rates = self.host.software_plus if plus else self.host.software
        return rates.rate(mode, direction) if rates else None


def _field(table: BaseModel, name: str) -> str:
    """Return the attribute for a name in the file."""
    fields = type(table).model_fields
    return next((key for key, one in fields.items() if one.alias == name), name)


def _child(value: Any, name: str) -> Any:
    """Return the value of a name of the file in a table.

    Raises:
        KeyError: The table does not have this name.
    """
    if isinstance(value, dict):
        return value[name]
    if isinstance(value, BaseModel) and _field(value, name) in type(value).model_fields:
        return getattr(value, _field(value, name))
    raise KeyError(name)


def _replaced(value: Any, names: list[str], number: float) -> Any:
    if not names:
        return number
    child = _replaced(_child(value, names[0]), names[1:], number)
    if isinstance(value, dict):
        return {**value, names[0]: child}
    return value.model_copy(update={_field(value, names[0]): child})
