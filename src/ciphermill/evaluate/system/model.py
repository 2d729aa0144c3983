# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs the model of a system: its command line and its output.

``hw/soc/README.md`` describes this interface; no other Python module uses it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermill.evaluate.system.errors import Broke, CosimError, Hung
from ciphermill.evaluate.system.image import explain_status
from ciphermill.toolchain.errors import reason_of_end
from ciphermill.toolchain.processes import run_program

DONE, FIRMWARE_FAILED, USAGE, WATCHDOG, TRAPPED = range(5)
"""Exit codes of the model."""


@dataclass(frozen=True)
class Window:
    """Cycles to trace, and the file to trace them to."""

    path: Path
    """An FST file, for GTKWave or Surfer."""
    first: int = 0
    last: int | None = None
    """The last cycle, or None for the end of the run."""


@dataclass(frozen=True)
class Ended:
    """The end of a run of the model."""

    cycles: int
    """Cycles from reset to the end, start-up included."""
    wall_seconds: float
    console: str
    """The firmware's console output."""


def run_model(
    executable: Path,
    image: Path,
    *,
    loads: Sequence[tuple[Path, int]] = (),
    dumps: Sequence[tuple[int, int, Path]] = (),
    max_cycles: int,
    memory_read_wait: int = 0,
    memory_write_wait: int = 0,
    trace: Window | None = None,
    stuck_bit: int | None = None,
    folder: Path | None = None,
) -> Ended:
    """Run a firmware image on a model until it finishes.

    Args:
        executable: The model.
        image: Flat binary, for address 0.
        loads: Further files to load, and their addresses.
        dumps: Memory to write to files at the end: addresses, lengths and files.
        max_cycles: The watchdog, in simulated cycles.
        memory_read_wait: Wait cycles of a memory read.
        memory_write_wait: Wait cycles of a memory write.
        trace: Cycles to trace; the model must have been built for that.
        stuck_bit: An output bit of the coprocessor that is stuck at one (for tests).
        folder: Working directory, in which a recording model writes its files.

    Raises:
        Hung: The watchdog ended it.
        Broke: The firmware reported a failure, or the processor stopped.
        CosimError: The model itself failed.
        ToolError: It was stopped.
    """
    console = image.with_suffix(".console")
    command = [str(executable), "--image", str(image), "--console", str(console)]
    command += ["--max-cycles", str(max_cycles)]
    command += ["--memory-read-wait", str(memory_read_wait)]
    command += ["--memory-write-wait", str(memory_write_wait)]
    for path, address in loads:
        command += ["--load", f"{path}@{address}"]
    for address, length, path in dumps:
        command += ["--dump", f"{address}:{length}:{path}"]
    if trace is not None:
        command += ["--trace", str(trace.path), "--trace-from", str(trace.first)]
        command += [] if trace.last is None else ["--trace-to", str(trace.last)]
    if stuck_bit is not None:
        command += ["--stuck-bit", str(stuck_bit)]
    done = run_program(command, what="the simulation", cwd=folder, errors_apart=True)
    said = console.read_text(errors="replace") if console.is_file() else ""
    return _ended(done, said, max_cycles)


def _ended(done: subprocess.CompletedProcess[str], console: str, max_cycles: int) -> Ended:
    try:
        report = json.loads(done.stdout)
        status, cycles, end = int(report["status"]), int(report["cycles"]), str(report["end"])
        seconds = float(report["wall_seconds"])
    except (ValueError, KeyError, TypeError) as error:
        first = next(iter(done.stderr.strip().splitlines()), "it printed nothing")
        reason = reason_of_end(done.returncode, done.stderr) or f"exit code {done.returncode}"
        raise CosimError(f"the model failed: {reason}: {first}") from error
    told = f"; console: {console.strip()[-200:]!r}" if console.strip() else ""
    if done.returncode == WATCHDOG:
        raise Hung(
            f"the firmware did not finish within {max_cycles:,} simulated cycles; it hangs, or "
            f"needs more (--max-cycles){told}"
        )
    if done.returncode == TRAPPED:
        raise Broke(f"the processor stopped after {cycles:,} cycles: {end}{told}")
    if done.returncode == FIRMWARE_FAILED:
        raise Broke(f"{explain_status(status)}, after {cycles:,} cycles{told}")
    if done.returncode != DONE:
        raise CosimError(f"the model ended with the unknown exit code {done.returncode}")
    return Ended(cycles, seconds, console)
