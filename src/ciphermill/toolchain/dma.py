# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Builds the library that simulates an accelerator behind the DMA engine, and opens it.

The RTL of both is simulated cycle by cycle, beside a modelled memory of the host behind a link with
a latency and a width (``hw/dma/model/ciphermill_dma.h``).
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Accelerator, CannotBeError, find_home

from .cache import artefact_key
from .errors import ToolError
from .rtl import accelerator_folders, accelerator_parameters, folder_sources
from .verilator import MODEL_FLAGS, Model, find_verilator

TOP = "dma_accel_harness"
"""The accelerator behind the DMA engine (hw/dma/dv/dma_accel_harness.sv)."""
INTERFACE = 1
ENGINE, ACCELERATOR = 0, 1
"""Whose registers (``ciphermill_dma.h``)."""
_INTERRUPT = 2


@dataclass(frozen=True)
class DmaWidths:
    """What of the engine a platform decides."""

    data_bits: int
    """Width of the memory bus: 32, 64, 128 or 256."""
    burst_beats: int
    """The longest burst: a power of two from 2 to 256."""
    fifo_beats: int
    """Depth of the FIFO of each direction, at least two bursts."""


def build_dma(design: Accelerator, widths: DmaWidths, report: Callable[[str], None]) -> Path:
    """Return the library that simulates a design behind the DMA engine, built if it is not there.

    Args:
        design: The accelerator.
        widths: The engine's.
        report: Is given a line before and after a build.

    Raises:
        DesignError: There is no source tree, or the design has two clocks.
        ToolError: A tool is missing or failed, or the engine refuses a width.
    """
    if design.interface.asynchronous:
        raise CannotBeError(
            f"{design.name}: has a clock of its own beside the bus's, and the DMA engine is "
            "simulated on one: name a design without interface.asynchronous"
        )
    hw = find_home() / "hw"
    own = hw / "dma" / "model"
    # The harness names the packages of every algorithm.
    used = accelerator_folders(*(one for one in ALGORITHMS.values() if one.cores), sha2=True)
    folders = dict.fromkeys([*used, "dma"])
    sources = folder_sources([hw / name / "rtl" for name in folders])
    parameters = accelerator_parameters(design)
    for crossing in ("Asynchronous", "SyncStages"):
        parameters.pop(crossing, None)
    model = Model(
        TOP,
        [*sources, hw / "dma" / "dv" / f"{TOP}.sv"],
        {
            **parameters,
            "DataWidth": widths.data_bits,
            "BurstBeats": widths.burst_beats,
            "FifoBeats": widths.fifo_beats,
        },
        own / "dma_model.cpp",
        # The engine refuses parameters by $fatal.
        flags=(*MODEL_FLAGS, "-Werror-USERFATAL"),
        optimisation="-O3",
        exports=own / "ciphermill_dma.map",
    )
    others = list(own.glob("*.*"))
    facts = {"design": design.model_dump(mode="json", exclude={"description"})}
    key = artefact_key([*model.sources, *others], {**model.facts(), **facts})
    text = json.dumps(
        {
            "design": design.name,
            "data_bits": widths.data_bits,
            "design_hash": key[:16],
            "tool": f"Verilator {find_verilator().version}",
        }
    )

    def configure(folder: Path) -> None:
        line = f"#define DMA_DESCRIPTION {json.dumps(text)}\n"
        (folder / "dma_config.h").write_text(line, encoding="utf-8")

    called = f"DMA engine before {design.name}"
    return model.build(
        "dma", ".so", others, facts, configure=configure, called=called, report=report
    )


class DmaModel:
    """An accelerator behind the DMA engine, simulated cycle by cycle, and the host's memory."""

    def __init__(
        self, library: Path, memory_bytes: int, latency_cycles: int, bytes_per_cycle: int = 0
    ) -> None:
        """Open a library, after reset.

        Args:
            library: Of ``build_dma``.
            memory_bytes: Bytes of the host's memory, from address 0.
            latency_cycles: Cycles from a request to its answer, from 1.
            bytes_per_cycle: What the link moves each way; 0 for the width of the bus.

        Raises:
            ToolError: It is no such library, or memory is short.
        """
        self._library = _load(library)
        about = json.loads(self._library.ciphermill_dma_description())
        self.design: str = about["design"]
        self.design_hash: str = about["design_hash"]
        self.memory_bytes = memory_bytes
        self._dma = self._library.ciphermill_dma_open(memory_bytes, latency_cycles, bytes_per_cycle)
        if not self._dma:
            raise ToolError(f"no memory for a model of {self.design} with {memory_bytes:,} bytes")
        self._memory: int = self._library.ciphermill_dma_memory(self._dma)

    def __del__(self) -> None:
        if getattr(self, "_dma", None):
            self._library.ciphermill_dma_close(self._dma)
            self._dma = None

    @property
    def cycles(self) -> int:
        """Cycles since it was opened."""
        return int(self._library.ciphermill_dma_cycles(self._dma))

    @property
    def beats(self) -> tuple[int, int]:
        """Beats that the memory bus has moved, read and written."""
        read, written = (
            getattr(self._library, f"ciphermill_dma_beats_{way}") for way in ("read", "written")
        )
        return int(read(self._dma)), int(written(self._dma))

    def read(self, whose: int, address: int) -> int:
        """Return a register of the engine or of the accelerator.

        Raises:
            ToolError: The bus answers with an error, or not at all.
        """
        value = ctypes.c_uint32()
        answer = self._library.ciphermill_dma_read_register(
            self._dma, whose, address, ctypes.byref(value)
        )
        self._check(answer, whose, address)
        return value.value

    def write(self, whose: int, address: int, value: int) -> None:
        """Write a register of the engine or of the accelerator.

        Raises:
            ToolError: The bus answers with an error, or not at all.
        """
        answer = self._library.ciphermill_dma_write_register(self._dma, whose, address, value)
        self._check(answer, whose, address)

    def advance(self, cycles: int) -> tuple[int, bool]:
        """Let up to so many cycles pass; returns how many did, and whether there is an interrupt.

        It stops early where the engine's interrupt is high.
        """
        reason = ctypes.c_uint32()
        passed = self._library.ciphermill_dma_advance(self._dma, cycles, ctypes.byref(reason))
        return int(passed), bool(reason.value & _INTERRUPT)

    def store(self, address: int, data: bytes) -> None:
        """Put bytes into the host's memory.

        Raises:
            ValueError: They do not fit.
        """
        self._inside(address, len(data))
        ctypes.memmove(self._memory + address, data, len(data))

    def load(self, address: int, length: int) -> bytes:
        """Return bytes of the host's memory.

        Raises:
            ValueError: There are not as many.
        """
        self._inside(address, length)
        return ctypes.string_at(self._memory + address, length)

    def _inside(self, address: int, length: int) -> None:
        if not 0 <= address <= self.memory_bytes - length:
            raise ValueError(f"{length} bytes at {address:#x} are outside the memory")

    def _check(self, answer: int, whose: int, address: int) -> None:
        if answer:
            name = "accelerator" if whose == ACCELERATOR else "DMA engine"
            said = "no answer" if answer < 0 else f"response {answer}"
            raise ToolError(f"the {name} of {self.design}, register {address:#x}: {said}")


def _load(library: Path) -> ctypes.CDLL:
    """Return a library with the types of its functions.

    Raises:
        ToolError: It cannot be loaded, or is of another interface.
    """
    try:
        found = ctypes.CDLL(str(library))
        interface = found.ciphermill_dma_interface()
    except (OSError, AttributeError) as error:
        raise ToolError(f"{library}: is no model of a DMA engine: {error}") from error
    if interface != INTERFACE:
        raise ToolError(f"{library}: has interface {interface}, not {INTERFACE}: build it again")
    handle, word, count = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64
    one = ctypes.POINTER(ctypes.c_uint32)
    types: dict[str, tuple[type | None, tuple[type, ...]]] = {
        "description": (ctypes.c_char_p, ()),
        "open": (handle, (ctypes.c_size_t, word, word)),
        "close": (None, (handle,)),
        "memory": (handle, (handle,)),
        "read_register": (ctypes.c_int, (handle, word, word, one)),
        "write_register": (ctypes.c_int, (handle, word, word, word)),
        "advance": (count, (handle, count, one)),
        "cycles": (count, (handle,)),
        "beats_read": (count, (handle,)),
        "beats_written": (count, (handle,)),
    }
    for name, (result, arguments) in types.items():
        function = getattr(found, f"ciphermill_dma_{name}")
        function.restype, function.argtypes = result, arguments
    return found
