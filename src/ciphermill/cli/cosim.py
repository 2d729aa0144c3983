# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill cosim``: firmware on a simulated embedded system."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ciphermill.algorithms import ALGORITHMS
from ciphermill.cli import options, progress, running

if TYPE_CHECKING:
    from ciphermill.campaign.run import Point
    from ciphermill.design import CellLibrary, Run, Runs
    from ciphermill.evaluate.system.model import Window

SYSTEM_MHZ = 50.0
"""The default clock of a system for ``--energy``."""
PLOT_LENGTHS = 6
"""Message lengths in a plot, as fractions of a single ``--bytes``."""

_KEY_BITS = [bits for one in ALGORITHMS.values() for bits in one.key_bits]
_EXAMPLES = """\b
Examples:
  ciphermill cosim --partition iterative --soft-core vexriscv
  ciphermill cosim --partition software --variant table --optimisation O3
  ciphermill cosim --algorithm present --partition shell --fresh-key --bytes 8 --messages 100
  ciphermill cosim --partition dma --bytes 65536 --plot dma.svg
  ciphermill cosim --partition stream --soft-core vexriscv --trace stream.fst --trace-to 5000
  ciphermill cosim --partition shell --key-bits 128 --estimate sa1110
  ciphermill cosim --algorithm ecc --partition iterative --operation sign --key-bits 384
  ciphermill cosim --partition iterative --bytes 64 --energy nangate45 --clock-mhz 100
  ciphermill cosim partitions --json
"""


@click.command("cosim", epilog=_EXAMPLES)
@click.argument("file", required=False)
@click.option("--algorithm", help=f"{', '.join(ALGORITHMS)}.  [default: aes]")
@click.option(
    "--partition",
    help="The partition between software and hardware: software, unrolled, iterative, round, "
    "linear-layer, instruction, stream, dma, shell.",
)
@click.option(
    "--variant",
    help="Variant of software: portable, table, bitsliced, zkn; of instruction: column, block.  "
    "[default: the first]",
)
@click.option("--soft-core", help="picorv32, vexriscv, ibex, cva6 (64 bits).  [default: picorv32]")
@click.option(
    "--interface",
    help="Bus of a memory-mapped partition: local, axi-lite, axi4-32, axi4-64, axi4-128, "
    "axi4-256.  [default: axi-lite; dma: axi4-128]",
)
@click.option(
    "--blocks-in-flight",
    type=click.IntRange(0, 8),
    help="Blocks in the coprocessor at once; unrolled with 0 has no pipeline registers.  "
    "[default: the partition's]",
)
@click.option(
    "--optimisation", help="Compiler optimisation of the firmware: O2, O3, Os.  [default: O2]"
)
@click.option(
    "--key-caching/--no-key-caching",
    default=None,
    help="Send the key with every message; skip, or repeat, its set-up when it has not changed.  "
    "[default: set once, before the measured time]",
)
@click.option("--fresh-key", is_flag=True, default=None, help="Every message has a key of its own.")
@click.option(
    "--key-bits",
    type=click.IntRange(min(_KEY_BITS), max(_KEY_BITS)),
    help="; ".join(
        f"{one.title}: {', '.join(map(str, bits))} [default: {one.default_key_bits or max(bits)}]"
        for one in ALGORITHMS.values()
        if one.partitions and (bits := one.key_bits or one.authentication_key_bits)
    ),
)
@click.option(
    "--bytes",
    "lengths",
    multiple=True,
    metavar="BYTES",
    callback=options.numbers_of_bytes,
    help="Length of a message, whole blocks for a block cipher; may be repeated. Operands on an "
    "elliptic curve have one length.  [default: 1600]",
)
@click.option("--messages", type=click.IntRange(1), help="Number of messages.  [default: 1]")
@click.option(
    "--operation",
    help="encrypt or decrypt; of a hash digest or authenticate (HMAC); generate-key, sign, "
    "verify or agree on an elliptic curve.  [default: the algorithm's first]",
)
@click.option(
    "--associated-bytes",
    type=click.IntRange(0),
    help="Bytes of associated data with each message, for authenticated encryption.  [default: 0]",
)
@click.option(
    "--platform",
    metavar="NAME",
    help="Take the wait cycles of memory from a platform: on-chip, off-chip, or a TOML file.",
)
@click.option(
    "--memory-read-wait",
    type=click.IntRange(0, 255),
    help="Wait cycles of a memory read.  [default: 0]",
)
@click.option(
    "--memory-write-wait",
    type=click.IntRange(0, 255),
    help="Wait cycles of a memory write.  [default: 0]",
)
@click.option(
    "--max-cycles",
    type=click.IntRange(1),
    help="Stop a run as hung after this many simulated cycles.",
)
@click.option(
    "--estimate",
    metavar="PROCESSOR",
    help="Estimate in an instruction-set simulator, by a cycle table: picorv32, vexriscv, ibex, "
    "sa1110 (an ARM), or a platform's TOML file. No model of the soft core is built.",
)
@click.option(
    "--validate", is_flag=True, help="With --estimate: also run cycle by cycle, and show the error."
)
@click.option("--stuck-bit", type=click.IntRange(0, 127), help=options.STUCK_BIT)
@click.option("--trace", metavar="FILE", help="Write an FST waveform, for GTKWave or Surfer.")
@click.option(
    "--trace-from", type=click.IntRange(0), help="First cycle of the waveform.  [default: 0]"
)
@click.option("--trace-to", type=click.IntRange(0), help="Its last cycle.  [default: the end]")
@click.option(
    "--energy",
    metavar="CELLS",
    shell_complete=options.completes(options.CELLS),
    help="Report the energy of processor, bus, memory and accelerator, in cells of a platform: "
    "nangate45, sky130, osu018, or a TOML file. Takes minutes, and more for long messages.",
)
@click.option(
    "--clock-mhz",
    type=click.FloatRange(0.001, 100_000),
    help="The system's clock, for --energy.  [default: 50]",
)
@running.plot_option
@running.output_options
def command(
    file: str | None,
    lengths: tuple[int, ...],
    platform: str | None,
    max_cycles: int | None,
    estimate: str | None,
    validate: bool,
    stuck_bit: int | None,
    trace: str | None,
    trace_from: int | None,
    trace_to: int | None,
    energy: str | None,
    clock_mhz: float | None,
    store: str | None,
    report: str | None,
    plot: str | None,
    as_json: bool,
    **fields: Any,
) -> None:
    """Run an algorithm on a simulated embedded system, cycle by cycle.

    Firmware runs on a soft core, with or without a hardware accelerator, and every byte of
    output is compared with a known answer (exit code 6 if one is wrong). Hardware counters
    attribute the cycles to processor, bus and accelerator.

    FILE is a TOML file with many runs, or the name of one in designs/systems/; without
    FILE, the options describe one run. The first run builds the model, which takes a minute
    or two.
    """
    from ciphermill.design import CellLibrary, Processor, SoftCore, load_platform

    host = load_platform(estimate, Processor) if estimate else None
    cells = load_platform(energy, CellLibrary) if energy else None
    if host and file is None:
        if fields["soft_core"] not in (None, host.processor):
            raise click.UsageError(
                f"--soft-core {fields['soft_core']} has no effect with --estimate {estimate}, "
                "which names the processor"
            )
        if host.processor in tuple(SoftCore):
            fields["soft_core"] = host.processor
    from ciphermill.campaign.run import Point

    asked = _runs(file, fields, lengths, platform, bool(plot))
    runs = [one for systems, workloads in asked for one in Point(systems, None, workloads).each()]
    _check_estimate(
        runs, host.processor if host else None, validate, bool(trace or stuck_bit is not None)
    )
    if clock_mhz is not None and not energy:
        raise click.UsageError("--clock-mhz needs --energy")
    if energy and (estimate or trace or stuck_bit is not None or max_cycles is not None):
        raise click.UsageError(
            "--energy cannot be combined with --estimate, --trace, --stuck-bit and --max-cycles"
        )
    if stuck_bit is not None and not any(_has_coprocessor(run) for run in runs):
        raise click.UsageError("--stuck-bit needs a coprocessor, and partition software has none")
    if cells:
        _check_energy(runs, cells, file)
    from ciphermill.campaign.run import Run as Evaluation
    from ciphermill.evaluate.evaluator import Progress
    from ciphermill.evaluate.system.evaluator import InstructionSet, Simulator
    from ciphermill.report.cosim_table import wrong_outputs
    from ciphermill.toolchain.soc import need_trace_headers

    window = _window(trace, trace_from, trace_to, len(runs))
    platforms: list[Any] = []
    if cells:
        platforms.append(cells.model_copy(update={"clock_mhz": clock_mhz or SYSTEM_MHZ}))
    if host:
        platforms.append(InstructionSet(host, max_cycles))
    if validate or not platforms:
        platforms.append(Simulator(max_cycles, window, stuck_bit))
    points = [
        Point(systems, where, workloads) for where in platforms for systems, workloads in asked
    ]
    if trace:
        need_trace_headers()
    with running.open_store(store) as opened:
        running.check_outputs(opened, report, plot, trace)
        with progress.of_work(silent=as_json) as line:
            # Systems are evaluated in sequence with --energy, since mapping to cells takes much
            # memory.
            jobs = 1 if energy else None
            run = Evaluation(opened, running.origin(), points, progress=Progress(line), jobs=jobs)
            run.go()
        pages = running.show(run, "cosim", report=report, plot=plot, as_json=as_json)
        wrong = wrong_outputs(run.measurements)
        running.tell(run, pages, as_json=as_json, fail=not wrong)
    running.refuse_wrong((f"wrong output: {line}" for line in wrong), "system")


def _runs(
    file: str | None,
    fields: dict[str, Any],
    lengths: tuple[int, ...],
    platform: str | None,
    plot: bool,
) -> Runs:
    from ciphermill.design import DesignError, load_runs, make_run, make_runs

    given = {name: value for name, value in fields.items() if value is not None}
    if file is not None:
        if given or lengths or platform:
            first = next(iter(given), "bytes" if lengths else "platform").replace("_", "-")
            raise click.UsageError(
                f"--{first} cannot be combined with FILE: write it into the file"
            )
        return load_runs(file)
    if "partition" not in given:
        raise click.UsageError("name a --partition, or a FILE of runs")
    if platform:
        given = {**_memory(platform), **given}
    try:
        first_run = make_run(given, "cosim")
        return make_runs({**given, "bytes": _lengths(first_run, lengths, plot)}, "cosim")
    except DesignError as error:
        message = str(error).replace("cosim: ", "")
        raise click.UsageError(message.replace("\n", "; ")) from error


def _lengths(run: Run, lengths: tuple[int, ...], plot: bool) -> list[int]:
    if len(lengths) > 1 or not plot:
        return list(lengths) or [run.workload.bytes]
    longest = lengths[0] if lengths else run.workload.bytes
    step = run.system.block_bytes
    found = {longest * part // PLOT_LENGTHS // step * step for part in range(1, PLOT_LENGTHS)}
    return sorted((found | {longest}) - {0})


def _memory(platform: str) -> dict[str, int]:
    from ciphermill.design import Memory, load_platform

    found = load_platform(platform, Memory)
    return {
        "memory_read_wait": found.memory_read_cycles - 1,
        "memory_write_wait": found.memory_write_cycles - 1,
    }


def _window(path: str | None, first: int | None, last: int | None, runs: int) -> Window | None:
    from ciphermill.evaluate.system.model import Window

    if path is None:
        if first is not None or last is not None:
            raise click.UsageError("--trace-from and --trace-to need --trace FILE")
        return None
    if runs > 1:
        raise click.UsageError("--trace needs a single run")
    if last is not None and last < (first or 0):
        raise click.UsageError(f"--trace-to {last} is before --trace-from {first}")
    return Window(Path(path), first or 0, last)


def _check_estimate(
    runs: list[Point], processor: str | None, validate: bool, hardware_only: bool
) -> None:
    if processor is None:
        if validate:
            raise click.UsageError("--validate needs --estimate")
        return
    if hardware_only:
        raise click.UsageError("--trace and --stuck-bit cannot be combined with --estimate")
    from ciphermill.evaluate.system.errors import CosimError
    from ciphermill.evaluate.system.instruction_set import check_estimate

    for run in runs:
        try:
            check_estimate(run.design, processor)
        except CosimError as error:
            raise click.UsageError(str(error)) from error
        if validate and run.design.soft_core != processor:
            raise click.UsageError(
                f"--validate needs --soft-core {processor}, the estimated processor"
            )


def _check_energy(runs: list[Point], library: CellLibrary, file: str | None) -> None:
    """Check all runs before the first one starts, since a run takes minutes."""
    from ciphermill.design import DesignError
    from ciphermill.evaluate.chip.system_parts import system_parts
    from ciphermill.evaluate.chip.targets import cell_target
    from ciphermill.toolchain.cells import find_library

    find_library(cell_target(library))
    for run in runs:
        try:
            system_parts(run.design, run.workload)
        except DesignError as error:
            if file is not None:
                raise
            raise click.UsageError(str(error)) from error


def _has_coprocessor(run: Point) -> bool:
    from ciphermill.design import Partition
    from ciphermill.toolchain.soc import hardware_partition

    return hardware_partition(run.design) is not Partition.SOFTWARE
