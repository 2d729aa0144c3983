# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs a workload on an embedded system, cycle by cycle, and checks its output."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import (
    Measurement,
    Partition,
    System,
    Variant,
    Workload,
    check_run,
)
from ciphermill.evaluate.system import image as layout
from ciphermill.evaluate.system.image import Result
from ciphermill.evaluate.system.messages import Messages, first_difference, messages
from ciphermill.evaluate.system.model import Ended, Window, run_model
from ciphermill.toolchain.firmware import Firmware, ensure_firmware, program_name
from ciphermill.toolchain.model import Report, say
from ciphermill.toolchain.soc import ensure_soc, need_trace_headers
from ciphermill.toolchain.soc_recording import Tap, ensure_recording_soc

START_UP_CYCLES = 200_000
"""Cycles allowed for a run before and after its messages, without ``--max-cycles``."""
BLOCK_CYCLES = {Partition.SOFTWARE: 150_000, Partition.LINEAR_LAYER: 40_000}
"""Cycles allowed for a block: four times those of the slowest build."""
BLOCK_CYCLES_OTHERWISE = 15_000


@dataclass(frozen=True)
class Built:
    """The built parts of a run: the model of the hardware, and its firmware."""

    model: Path
    firmware: Firmware


@dataclass(frozen=True)
class CosimResult:
    """The result of a workload on a system."""

    system: System
    workload: Workload
    counters: Result
    code_bytes: int
    """Instructions and constants of the whole program."""
    wrong_byte: int | None
    """Index of the first byte of the messages' outputs that is not the known answer, or None."""
    wall_seconds: float

    @property
    def correct(self) -> bool:
        """Whether every byte is the known answer."""
        return self.wrong_byte is None

    def measurement(self) -> Measurement:
        """Return the run as a measurement; a field that does not apply is absent."""
        seen = self.counters
        fields: dict[str, Any] = {
            **described(self.system, self.workload),
            "cycles.total": seen.cycles,
            "cycles.per_block": seen.cycles / self.workload.blocks,
            "cycles.processor": seen.processor,
            "cycles.bus": seen.bus,
            "cycles.worst_message": seen.worst_message_cycles,
            "instructions.total": seen.instructions,
            "bus.transactions": seen.transactions,
            "code.bytes": self.code_bytes,
            "correct": self.correct,
            "method": "simulated",
        }
        if not ALGORITHMS[self.system.algorithm].integers:
            fields["cycles.key_setup"] = seen.key_setup_cycles
        if self.wrong_byte is not None:
            fields["wrong.byte"] = self.wrong_byte
        if self.system.has_hardware:
            fields["cycles.accelerator"] = seen.accelerator
            alone = ALGORITHMS[self.system.algorithm].cores.message_cycles
            if alone is not None:
                asked = self.workload
                cycles = alone(asked.operation, asked.key_bits, asked.bytes)
                fields["cycles.alone"] = asked.messages * cycles
        return Measurement.from_json(fields)


def described(system: System, workload: Workload) -> dict[str, Any]:
    """Return the fields that describe the run; a field that does not apply is absent."""
    fields: dict[str, Any] = {
        "design": system.name,
        "algorithm": system.algorithm,
        "key_bits": workload.key_bits or None,
        "mode": workload.mode or None,
        "operation": workload.operation,
        "partition": system.partition,
        "variant": system.variant,
        "interface": system.interface,
        "soft_core": system.soft_core,
        "blocks_in_flight": system.blocks_in_flight,
        "optimisation": system.optimisation,
        "key_caching": system.key_caching,
        "fresh_key": workload.fresh_key,
        "memory.read_wait": system.memory_read_wait,
        "memory.write_wait": system.memory_write_wait,
        "bytes": workload.bytes,
        "messages": workload.messages,
    }
    return {name: value for name, value in fields.items() if value is not None}


def build(
    system: System,
    *,
    trace: bool = False,
    recorders: Sequence[Tap] = (),
    main: str | None = None,
    report: Report = say,
) -> Built:
    """Build the model and the firmware of a system, if they are not up to date.

    The headers that a traced model needs are checked before anything is built.

    Args:
        system: What to build.
        trace: Whether the model can write waveforms.
        recorders: Parts whose ports the model is to record; not with ``trace``.
        main: The program, a file of firmware/programs; that of measurements if absent.
        report: Is given a line before and after a build.

    Raises:
        DesignError: There is no source tree.
        ToolError: A tool is missing or failed.
    """
    if trace:
        need_trace_headers()
    variant = system.variant.value if isinstance(system.variant, Variant) else None
    program = program_name(system.algorithm, system.partition.value, variant)
    firmware = ensure_firmware(
        program,
        soft_core=system.soft_core.value,
        optimisation=system.optimisation.value,
        main=main,
        blocks_in_flight=system.blocks_in_flight,
    )
    if recorders:
        return Built(ensure_recording_soc(system, recorders, report=report), firmware)
    return Built(ensure_soc(system, trace=trace, report=report), firmware)


def watchdog(system: System, workload: Workload) -> int:
    """Return the cycles after which a run counts as hung."""
    usual = BLOCK_CYCLES.get(system.partition, BLOCK_CYCLES_OTHERWISE)
    block = system.split.block_cycles or usual
    associated = workload.messages * (workload.associated_bytes // system.block_bytes + 1)
    blocks = workload.blocks + (associated if workload.associated_bytes else 0)
    keys = workload.messages if workload.fresh_key or system.key_caching is False else 1
    slower = 1 + max(system.memory_read_wait, system.memory_write_wait)
    # Bitsliced software always computes several blocks at once, even if there are fewer.
    return (START_UP_CYCLES + block * (blocks + 8 * workload.messages + 2 * keys)) * slower


def execute(
    built: Built,
    system: System,
    workload: Workload,
    place: layout.Layout,
    payload: bytes,
    **how: Any,
) -> tuple[Ended, Result, bytes]:
    """Run a built system once; return how it ended, the firmware's report and the output.

    Args:
        built: Its model and firmware.
        system: The system.
        workload: The workload of the firmware.
        place: The addresses of keys and messages.
        payload: The bytes from the first key on.
        how: Further arguments of ``run_model``.
    """
    with tempfile.TemporaryDirectory(prefix="ciphermill-cosim-") as name:
        folder = Path(name)
        program, loaded = folder / "image.bin", folder / "payload.bin"
        result, output = folder / "result.bin", folder / "output.bin"
        code = built.firmware.path.read_bytes()
        program.write_bytes(layout.image(code, system, workload, place))
        loaded.write_bytes(payload)
        ended = run_model(
            built.model,
            program,
            loads=[(loaded, place.key)],
            dumps=[
                (layout.RESULT_ADDRESS, layout.RESULT_BYTES, result),
                (place.output, place.length, output),
            ],
            memory_read_wait=system.memory_read_wait,
            memory_write_wait=system.memory_write_wait,
            **how,
        )
        return ended, layout.read_result(result.read_bytes()), output.read_bytes()


def run(
    system: System,
    workload: Workload,
    *,
    built: Built | None = None,
    data: Messages | None = None,
    max_cycles: int | None = None,
    trace: Window | None = None,
    stuck_bit: int | None = None,
    recordings: Path | None = None,
    report: Report = say,
) -> CosimResult:
    """Run a workload on a system, cycle by cycle, and check its output.

    Args:
        system: The system.
        workload: Its messages; of a block cipher whole blocks, each by itself (ECB).
        built: Its model and firmware; built if absent.
        data: Keys, messages and known answers; ``messages(workload)`` if absent.
        max_cycles: Simulated cycles after which the firmware counts as hung.
        trace: Cycles to trace to a waveform.
        stuck_bit: An output bit of the coprocessor that is stuck at one, for tests.
        recordings: A folder for the files of a recording model.
        report: Is given a line before and after a build.

    Returns:
        Cycles and counts, and whether the output is right.

    Raises:
        DesignError: The system cannot run the workload, or there is no source tree.
        ToolError: A tool is missing or failed.
        CosimError: The run gave no result.
    """
    check_run(system, workload)
    built = built or build(system, trace=trace is not None, report=report)
    place = layout.lay_out(system, workload, built.firmware.image_end)
    data = data or messages(workload)
    ended, counters, got = execute(
        built,
        system,
        workload,
        place,
        layout.payload(data, workload, place),
        max_cycles=max_cycles or watchdog(system, workload),
        trace=trace,
        stuck_bit=stuck_bit,
        folder=recordings,
    )
    return CosimResult(
        system,
        workload,
        counters,
        built.firmware.code_bytes,
        first_difference(got, layout.expected_output(data, workload)),
        ended.wall_seconds,
    )
