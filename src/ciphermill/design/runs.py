# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs, each a workload on a system, from options or from a TOML file with many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from ciphermill.algorithms import ALGORITHMS

from .errors import ContradictionError, DesignError, UnknownNameError, explain
from .load import design_names, find_file, read_table
from .space import Space, expand
from .system import System
from .workload import Workload

T = TypeVar("T")
DEFAULT_BYTES = 1600
"""Length of a message in bytes: 100 blocks of AES."""

_SYSTEM = tuple(System.model_fields)
WORKLOAD_FIELDS = ("operation", "key_bits", "bytes", "associated_bytes", "messages", "fresh_key")
"""Fields of a workload that a run may state; the algorithm determines the others."""
FIELDS = (*_SYSTEM, *WORKLOAD_FIELDS)
"""Fields of a run: those of a system and of its workload."""


@dataclass(frozen=True)
class Run:
    """A workload on a system."""

    system: System
    workload: Workload


Runs = list[tuple[Space[System], Space[Workload]]]
"""Each of some systems with each of some workloads, which ``campaign.run.Run`` combines."""


def make_run(values: Mapping[str, Any], source: Path | str) -> Run:
    """Return the run with some fields; other fields have their defaults.

    Args:
        values: Fields by name.
        source: The origin of the values, for messages.

    Raises:
        DesignError: A field is unknown or wrong, or fields contradict each other.
    """
    own, asked = _apart(values, source)
    system = _system(own, source)
    return Run(system, make_workload(asked, system, source))


def make_runs(values: Mapping[str, Any], source: Path | str) -> Runs:
    """Return the runs that some fields describe, any of which may hold several values.

    Raises:
        DesignError: As for ``make_run``; a combination cannot be.
    """
    own, asked = _apart(values, source)

    def workloads(system: System) -> Space[Workload]:
        return _possible(asked, partial(make_workload, system=system, source=source), source)

    systems = _possible(own, partial(_system, source=source), source).possible
    # The defaults of a workload follow from its system.
    return [(Space(tuple(alike)), asks) for asks, alike in groupby(systems, workloads)]


def _apart(values: Mapping[str, Any], source: Path | str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of the system, and those of the workload."""
    unknown = [name for name in values if name not in FIELDS]
    if unknown:
        listed = ", ".join(FIELDS)
        raise DesignError(f"{source}: {unknown[0]}: is not a field here; the fields are {listed}")
    own = {name: values[name] for name in _SYSTEM if name in values}
    return own, {name: values[name] for name in WORKLOAD_FIELDS if values.get(name) is not None}


def _possible(
    table: Mapping[str, Any], make: Callable[[dict[str, Any]], T], source: Path | str
) -> Space[T]:
    space = expand(table, make, System, source)
    if space.refused:
        raise ContradictionError(space.refused[0].reason)
    return space


def _system(values: dict[str, Any], source: Path | str) -> System:
    try:
        return System.model_validate(values)
    except ValidationError as error:
        raise explain(source, error, {"": FIELDS}) from error


def make_workload(asked: Mapping[str, Any], system: System, source: Path | str) -> Workload:
    """Return the workload of a system with some fields; other fields have their defaults.

    Raises:
        DesignError: A field is wrong, or the system cannot run the workload.
    """
    asked = dict(asked)
    try:
        algorithm = ALGORITHMS[system.algorithm]
        operation = asked.setdefault("operation", algorithm.operations[0])
        sizes = algorithm.key_bits_of(operation)
        usual = default_key_bits(system) if sizes == algorithm.key_bits else max(sizes)
        key_bits = asked.setdefault("key_bits", usual)
        operands = operation in algorithm.integers
        length = algorithm.operand_bytes(operation, key_bits) if operands else DEFAULT_BYTES
        asked.setdefault("bytes", length)
        mode = "ecb" if algorithm.modes else ""
        workload = Workload.model_validate({"algorithm": system.algorithm, "mode": mode, **asked})
    except ValidationError as error:
        raise explain(source, error, {"": FIELDS}) from error
    try:
        check_run(system, workload)
    except DesignError as error:
        raise ContradictionError(f"{source}: {error}") from error
    return workload


def check_run(system: System, workload: Workload) -> None:
    """Check that a system can run a workload.

    Raises:
        DesignError: The algorithms differ, the partition does not have the key size, or the
            messages are not whole blocks.
    """
    if workload.algorithm != system.algorithm:
        raise DesignError(
            f"the workload is of {workload.algorithm}, the system of {system.algorithm}"
        )
    allowed = system.split.key_bits
    if workload.key_bits and workload.key_bits not in allowed:
        listed = ", ".join(str(bits) for bits in allowed)
        raise DesignError(
            f"key_bits is {workload.key_bits}; partition {system.partition} of {system.algorithm} "
            f"has {listed}"
        )
    if system.key_caching is not None and ALGORITHMS[system.algorithm].integers:
        raise DesignError(f"key_caching does not apply to {system.algorithm}: keys are operands")
    if ALGORITHMS[system.algorithm].whole_messages:
        return
    if workload.bytes == 0 or workload.bytes % system.block_bytes:
        raise DesignError(
            f"bytes is {workload.bytes}; messages of {system.algorithm} systems are whole blocks "
            f"(ECB): a multiple of {system.block_bytes}, above zero"
        )


def default_key_bits(system: System) -> int:
    """Return the key size unless one is given: the algorithm's, or the partition's first.

    0 if there is no key.
    """
    usual, able = ALGORITHMS[system.algorithm].default_key_bits, system.split.key_bits
    return usual if usual in able or not able else able[0]


def load_runs(name_or_path: str | Path) -> Runs:
    """Return the runs of a file, by its name in ``designs/systems/`` or by its path.

    The file has a table ``[[run]]`` for each run, and ``[common]`` for the fields
    that all of them share. Any field may hold several values (``space``).

    Raises:
        DesignError: There is no such file (the message lists those that exist),
            or it is malformed or has an invalid run (the message says which run, and why).
    """
    path = _find(name_or_path)
    values = read_table(path)
    common, tables = values.pop("common", {}), values.pop("run", [])
    if values.pop("kind", "system") != "system":
        raise DesignError(f"{path}: kind: runs are of systems")
    if values:
        raise DesignError(
            f"{path}: {next(iter(values))}: is not a table here; there is common, run"
        )
    if not isinstance(common, dict) or not _are_tables(tables):
        raise DesignError(f"{path}: needs a table [[run]] for each run, and may have one [common]")
    return [
        one
        for number, table in enumerate(tables, 1)
        for one in make_runs({**common, **table}, f"{path}: run {number}")
    ]


def run_file_names() -> list[str]:
    """Return the names of the files of runs that are shipped, sorted."""
    return design_names(System)


def _find(name_or_path: str | Path) -> Path:
    try:
        return find_file("designs", {"system": System}, name_or_path)
    except UnknownNameError:
        raise UnknownNameError("file of runs", str(name_or_path), run_file_names()) from None


def _are_tables(values: Any) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(v, dict) for v in values)
