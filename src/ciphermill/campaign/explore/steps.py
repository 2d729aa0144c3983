# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The steps of an exploration: which point an evaluator gets for a candidate.

A step's kind turns the design, platform and workload of a candidate into a point, or into
None if the step has nothing to measure there: an estimate of a partition that cannot be
estimated, say. Such a candidate goes on without the step's figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from ciphermill.algorithms.ecc import ECC
from ciphermill.campaign.run import Point
from ciphermill.design import (
    Accelerator,
    CannotBeError,
    CellLibrary,
    Core,
    Design,
    Fpga,
    Operation,
    Platform,
    Processor,
    SBox,
    SoftCore,
    System,
    Workload,
    load_platform,
)
from ciphermill.design.measurement import digest
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.design.table import Table
from ciphermill.evaluate.chip.measures import XC7
from ciphermill.evaluate.chip.targets import Settings
from ciphermill.evaluate.microprogram.evaluator import Microprogram, has_microprogram
from ciphermill.evaluate.stream.latency import AtLatency
from ciphermill.evaluate.stream.swept import Cores
from ciphermill.evaluate.system.errors import CosimError
from ciphermill.evaluate.system.evaluator import InstructionSet, Simulator
from ciphermill.evaluate.system.instruction_set import check_estimate
from ciphermill.toolchain.modules import Part, core_of

Options = Mapping[str, Any]

STREAMED_KIB = 64
"""The length of a message of the step ``stream``, in KiB, unless a step states one."""


class StepOptions(Table):
    """The options of all kinds of steps, with their types."""

    clock_mhz: Annotated[float, Field(gt=0)] | None = None
    part: Part | None = None
    core_apart: bool | None = None
    kib: Annotated[int, Field(gt=0)] | None = None
    latency_ns: Annotated[float, Field(ge=0)] | None = None


@dataclass(frozen=True)
class StepKind:
    """A kind of measurement."""

    about: str
    """What it measures, for messages and docs."""
    point: Callable[[Design, Platform | None, Workload | None, Options], Point | None]
    """Returns the point of a candidate, or None if there is nothing to measure.

    The platform is the step's own if the space's file names one, else the candidate's. Fields
    of a workload among the step's fields, such as ``bytes``, have replaced the candidate's.
    """
    options: tuple[str, ...] = ()
    """Fields that a step of this kind may have, beside those of every step and of a workload."""
    build: Callable[[Options, Design], str] = lambda _, __: ""
    """Returns what is equal for designs with the same long build, which the first of them makes
    for the others: a core, a model. Empty: no build is shared."""


def _estimate(
    design: Design, _: Platform | None, workload: Workload | None, __: Options
) -> Point | None:
    if has_microprogram(design):
        return Point(design, Microprogram(), _signature(design))
    if not isinstance(design, System) or design.soft_core is SoftCore.CVA6:
        return None
    host = load_platform(design.soft_core.value, Processor)
    try:
        check_estimate(design, host.processor)
    except CosimError:
        return None
    return Point(_with_tables(design), InstructionSet(host), workload)


def _signature(engine: Core) -> Workload:
    """Return the workload that the step ``toggles`` runs on the ECC engine."""
    key_bits = max(engine.key_sizes, default=ECC.key_bits[-1])
    return Workload(
        algorithm="ecc",
        operation=Operation.SIGN,
        key_bits=key_bits,
        bytes=ECC.operand_bytes(Operation.SIGN, key_bits),
    )


def _cycles(
    design: Design, _: Platform | None, workload: Workload | None, __: Options
) -> Point | None:
    return (
        Point(_with_tables(design), Simulator(), workload) if isinstance(design, System) else None
    )


def _with_tables(system: System) -> System:
    """Return the same system with S-boxes of tables: every S-box takes the same cycles.

    So candidates that differ in their S-boxes alone share one model.
    """
    return system.model_copy(update={"sbox": SBox.TABLE}) if system.sbox else system


def _area(
    design: Design, platform: Platform | None, workload: Workload | None, options: Options
) -> Point | None:
    where = platform or load_platform("xc7")
    if isinstance(design, System):
        return Point(design, where, workload)
    return _of_module(design, _clocked(where, options), options, power=False)


def _toggles(
    design: Design, _: Platform | None, __: Workload | None, options: Options
) -> Point | None:
    return _of_module(design, load_platform("rtl"), options, power=False)


def _energy(
    design: Design, platform: Platform | None, workload: Workload | None, options: Options
) -> Point | None:
    where = _clocked(platform or load_platform("nangate45"), options)
    if isinstance(design, System):
        return Point(design, where, workload)
    return _of_module(design, where, options, power=True)


def _of_module(
    design: Design, platform: Platform, options: Options, *, power: bool
) -> Point | None:
    """Return the point of a core, or of an accelerator: with registers and streams, or its core.

    Raises:
        CannotBeError: The core cannot be synthesised apart from the rest.
    """
    part = Part(options.get("part", Part.ACCELERATOR))
    core_apart = bool(options.get("core_apart"))
    if core_apart and not (isinstance(platform, Fpga) and platform.family == XC7):
        raise CannotBeError(f"core_apart is for {XC7}, not {platform.name}: leave it out")
    if core_apart and part is Part.CORE:
        raise CannotBeError('core_apart divides a whole accelerator: leave part = "core" out')
    if isinstance(design, Accelerator):
        design = core_of(design, part)
    else:
        core_apart = False
    if not isinstance(design, Core):
        return None
    settings = Settings(search=False, power=power, core_apart=core_apart)
    return Point(design, platform, settings)


def _core_apart(options: Options, design: Design) -> str:
    """Return what names the core that is synthesised apart from an accelerator."""
    if not options.get("core_apart") or not isinstance(design, Accelerator):
        return ""
    core = core_of(design, Part.CORE)
    return digest("core", core.top, core.parameters)


def _clocked(platform: Platform, options: Options) -> Platform:
    """Return a cell library at the clock of the options; another platform as it is."""
    clock_mhz = options.get("clock_mhz")
    if clock_mhz is None or not isinstance(platform, CellLibrary):
        return platform
    return platform.model_copy(update={"clock_mhz": float(clock_mhz)})


def _stream(
    design: Design, platform: Platform | None, _: Workload | None, options: Options
) -> Point | None:
    if not isinstance(design, Accelerator) or not isinstance(platform, StreamingPlatform):
        return None
    lengths = (int(options.get("kib", STREAMED_KIB)),)
    latency_ns = float(options.get("latency_ns", platform.bus.latency_ns))
    return Point(Cores(design.name, design=design), platform, AtLatency(latency_ns, lengths))


STEPS: Mapping[str, StepKind] = {
    "estimate": StepKind(
        "cycles in an instruction-set simulator, by a cycle table; of the ECC engine, cycles of a "
        "signature by the timing of its instructions",
        _estimate,
    ),
    "area": StepKind(
        "area after synthesis: LUTs, or cells without a workload; on an ECP5 or iCE40 also the "
        "routed clock",
        _area,
        ("clock_mhz", "part", "core_apart"),
        _core_apart,
    ),
    "toggles": StepKind(
        "cycles and toggles of the RTL of a core under its workload", _toggles, ("part",)
    ),
    "cycles": StepKind("cycles of the verilated system", _cycles),
    "energy": StepKind(
        "energy and power of cells, gate by gate with glitches", _energy, ("clock_mhz", "part")
    ),
    "stream": StepKind(
        "throughput of a message through an accelerator on a streaming platform",
        _stream,
        ("kib", "latency_ns"),
        lambda _, design: digest("model", design),
    ),
}
"""All kinds of steps, by the name that a space's file uses."""
