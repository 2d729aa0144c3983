# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Streams through the kernel driver: what ``make linux`` wrote, as measurements.

A boot of ``linux/run.sh`` writes a JSON file, a list of objects (``linux/README.md``). Each object
gives two measurements, since simulated time is not wall time: the card's cycles (``simulated``)
and the host's seconds (``measured``). A card in software has no cycles, and gives the second alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, model_validator

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import DesignError, Measurement, Method, build_folder
from ciphermill.design.load import make_model
from ciphermill.design.table import AlgorithmName, Table

MOST_BYTES = 1 << 20
"""Size of a file beyond which it is none of ``make linux``."""
WORKLOAD = "through the kernel driver, boot "
"""``workload`` of these measurements, before the name of the boot."""
KERNEL = "User Mode Linux "
"""``platform`` of these measurements, before the kernel's version."""

Words = Annotated[str, Field(pattern=r"^[!-~]([ -~]{0,98}[!-~])?$")]
"""Printable ASCII on one line, at most 100 characters."""


class KernelResult(Table):
    """An object of the file: streams of one application through the driver in one boot."""

    model_config = ConfigDict(strict=True)

    boot: Words
    """Name of the boot, as in ``linux/boots``."""
    application: Words
    """What ran: ``throughput``, ``openssl`` or another program's name."""
    algorithm: AlgorithmName
    mode: str | None
    """Of a cipher; null of a hash."""
    bytes: Annotated[int, Field(ge=1)]
    """All streams together."""
    streams: Annotated[int, Field(ge=1)]
    """Streams at once."""
    core_cycles: Annotated[int, Field(ge=1)] | None
    """Cycles of the card's clock while the application ran, which stands still while the card
    waits for the kernel; null of the card in software."""
    core_clock_mhz: Annotated[float, Field(gt=0)] | None
    """The clock that the card says it has; null where ``core_cycles`` is."""
    host_s: Annotated[float, Field(gt=0)]
    """Wall time of the machine that simulated all this."""
    kernel: Words
    """Version, as ``uname -r`` has it."""
    card: Words
    """The card in words, such as its model and rings."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        modes = ALGORITHMS[self.algorithm].modes
        if self.mode is None and modes:
            raise ValueError(f"mode is null, but {self.algorithm} has: {', '.join(modes)}")
        if self.mode is not None and self.mode not in modes:
            there = ", ".join(modes) or "null alone"
            raise ValueError(f"mode is {self.mode!r}; {self.algorithm} has: {there}")
        if (self.core_cycles is None) != (self.core_clock_mhz is None):
            raise ValueError("core_cycles and core_clock_mhz are both numbers, or both null")
        return self

    def measurements(self) -> Iterator[Measurement]:
        """Yield the card's cycles, where there are some, and the host's seconds."""
        common: dict[str, Any] = {
            "workload": WORKLOAD + self.boot,
            "platform": KERNEL + self.kernel,
            "device": self.card,
            "application": self.application,
            "algorithm": self.algorithm,
            "mode": self.mode,
            "bytes": self.bytes,
            "messages": self.streams,
        }
        if self.core_cycles is not None and self.core_clock_mhz is not None:
            seconds = self.core_cycles / (self.core_clock_mhz * 1e6)
            yield Measurement(
                **common,
                cycles_total=self.core_cycles,
                clock_mhz=self.core_clock_mhz,
                time_total_s=seconds,
                throughput_mb_s=self.bytes / seconds / 1e6,
                method=Method.SIMULATED,
            )
        yield Measurement(**common, time_total_s=self.host_s, method=Method.MEASURED)


@dataclass(frozen=True)
class KernelRow:
    """Streams through the driver: the card's cycles, and apart from them the host's seconds."""

    card: Measurement | None
    """None of the card in software."""
    host: Measurement


def results_folder() -> Path:
    """Return the folder into which ``make linux`` writes its results."""
    return build_folder() / "linux" / "results"


def kernel_measurements(folder: Path) -> list[Measurement]:
    """Return what the files of a folder tell, in the order of their names.

    There is nothing where the folder is missing or has no file.

    Args:
        folder: The folder of ``*.json``.

    Raises:
        DesignError: A file cannot be read, is no list of such objects, or two objects tell of the
            same streams.
    """
    told: dict[tuple[object, ...], str] = {}
    found: list[Measurement] = []
    for path in sorted(folder.glob("*.json")):
        for number, values in enumerate(_objects(path)):
            place = f"{path}: object {number}"
            if not isinstance(values, dict):
                raise DesignError(f"{place}: is no object with keys; run make linux again")
            result = make_model(KernelResult, values, place)
            measured = list(result.measurements())
            key = _key(measured[-1])
            if key in told:
                raise DesignError(f"{place}: tells of the same streams as {told[key]}")
            told[key] = place
            found += measured
    return found


def _objects(path: Path) -> list[Any]:
    """Return the list in a file.

    Raises:
        DesignError: It cannot be read, is too large, or holds no list.
    """
    again = "run make linux again, or remove the file"
    try:
        if path.stat().st_size > MOST_BYTES:
            raise DesignError(f"{path}: is larger than {MOST_BYTES:,} bytes; {again}")
        values = json.loads(path.read_bytes(), object_pairs_hook=_without_twins)
    except OSError as error:
        raise DesignError(f"{path}: {error.strerror or error}") from error
    except DesignError as error:
        raise DesignError(f"{path}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise DesignError(f"{path}: no JSON: {error}; {again}") from error
    if not isinstance(values, list):
        raise DesignError(f"{path}: is no list of objects; {again}")
    return values


def _without_twins(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON.

    Raises:
        DesignError: A key is there twice.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(name for name, _ in pairs if [one for one, _ in pairs].count(name) > 1)
        raise DesignError(f"the key {twice!r} is there twice in one object")
    return found


def kernel_rows(measurements: Sequence[Measurement]) -> list[KernelRow]:
    """Return the rows of stored measurements."""
    ours = [seen for seen in measurements if (seen.workload or "").startswith(WORKLOAD)]
    cards: Mapping[tuple[object, ...], Measurement] = {
        _key(seen): seen for seen in ours if seen.method is Method.SIMULATED
    }
    return [KernelRow(cards.get(_key(seen)), seen) for seen in ours if seen.method != "simulated"]


def _key(seen: Measurement) -> tuple[object, ...]:
    """What tells the streams of a row from those of others."""
    where = (seen.workload, seen.platform, seen.device)
    return (*where, seen.application, seen.algorithm, seen.mode, seen.bytes, seen.messages)
