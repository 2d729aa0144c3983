# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES and PRESENT paper's tables beside ours, figure by figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ciphermill.design import Method, Partition
from ciphermill.papers.aes_present_coprocessors.experiment import CORES
from ciphermill.papers.aes_present_coprocessors.published import (
    Cipher,
    CoprocessorsPaper,
    PublishedCycles,
    PublishedEnergy,
    load,
)
from ciphermill.papers.aes_present_coprocessors.view import CoprocessorsView, total
from ciphermill.papers.compared import Better, Comparison, Figure, Ours, PrintedTable
from ciphermill.papers.compared import of_measurement as of

_CELLS = "a library of standard cells"
Shown = Figure[CoprocessorsView]
Parts = tuple[float, float, float]
"""Cycles of software, of hardware alone and of the system."""


def tables(paper: CoprocessorsPaper) -> Sequence[PrintedTable[CoprocessorsView]]:
    """Return the paper's tables."""
    alone, system = (
        tuple(one for printed in paper.energy if printed.what == what for one in _energy(printed))
        for what in ("standalone", "system")
    )
    overhead = Figure(
        "overhead.printed", "AES, coprocessor over hardware alone", "x", Better.LESS, _overhead
    )
    return (
        PrintedTable(
            "Table 1: cycles in co-simulation",
            tuple(one for printed in paper.cycles[:2] for one in _cycles(printed, _estimated)),
            "Theirs: instructions of a StrongARM in GEZEL. Ours: software and shell estimated by "
            "an SA-1110's cycle table; hardware alone is simulated.",
        ),
        PrintedTable("Table 2: toggles of the cores alone", tuple(_toggles())),
        PrintedTable(
            "Table 3: power and energy of the cores alone",
            alone,
            "Theirs: a Spartan-3. Ours: standard cells, at the same clock.",
        ),
        PrintedTable(
            "Table 4: area",
            tuple(_areas()),
            "Theirs: slices of a Spartan-3E, placed. Ours: LUTs of Xilinx 7-series, synthesised.",
        ),
        PrintedTable(
            "Table 5: cycles on the board",
            (
                *(one for printed in paper.cycles[2:] for one in _cycles(printed, _simulated)),
                overhead,
            ),
            "Theirs: MicroBlaze and OPB. Ours: software with tables and the paper's coprocessor "
            "shell on a soft core of this project's, memory of one cycle, simulated.",
        ),
        PrintedTable(
            "Table 6: power and energy of the system",
            system,
            "Theirs: a Spartan-3E. Ours: standard cells, at the same clock.",
        ),
    )


def _overhead(view: CoprocessorsView) -> Ours | None:
    seen = view.shell(Cipher.AES)
    return of(seen, view.overhead(seen), f"shell on {view.soft_core}")


def _simulated(view: CoprocessorsView, cipher: Cipher) -> tuple[Parts, Method, str]:
    software, shell = view.software(cipher), view.shell(cipher)
    parts = total(software), view.hardware(cipher), total(shell)
    return parts, shell.method, f"{view.soft_core}"


def _estimated(view: CoprocessorsView, cipher: Cipher) -> tuple[Parts, Method, str]:
    found = {one.partition: total(one) for one in view.estimates if one.algorithm == cipher}
    parts = found[Partition.SOFTWARE], view.hardware(cipher), found[Partition.SHELL]
    return parts, Method.ESTIMATED, "an SA-1110's cycle table"


def _cycles(
    printed: PublishedCycles,
    find: Callable[[CoprocessorsView, Cipher], tuple[Parts, Method, str]],
) -> Iterator[Shown]:
    cipher = printed.algorithm
    place = f"cycles.{cipher}.{printed.platform.replace('.', '')}"

    def figure(
        field: str, what: str, unit: str, better: Better, value: Callable[[Parts], float]
    ) -> Shown:
        def ours(view: CoprocessorsView) -> Ours | None:
            parts, method, on = find(view, cipher)
            if field == "hardware":
                return of(view.alone[cipher], value(parts), CORES[cipher])
            return Ours(value(parts), method, on)

        return Figure(f"{place}.{field}", f"{cipher.upper()}, {what}", unit, better, ours)

    less, neither = Better.LESS, Better.NEITHER
    yield figure("software", "software", "cycles", less, lambda parts: parts[0])
    yield figure("hardware", "hardware alone", "cycles", less, lambda parts: parts[1])
    yield figure("system", "coprocessor", "cycles", less, lambda parts: parts[2])
    # A slow program makes a large speedup: neither less nor more of it is better.
    over = "software over hardware alone", "software over coprocessor"
    yield figure("speedup_hardware", over[0], "x", neither, lambda parts: parts[0] / parts[1])
    yield figure("speedup_system", over[1], "x", neither, lambda parts: parts[0] / parts[2])


def _toggles() -> Iterator[Shown]:
    fields = {
        "per_cycle": ("toggles a cycle", "toggles_per_cycle"),
        "per_encryption": ("toggles an encryption", "toggles_per_op"),
        "per_byte": ("toggles a byte", "toggles_per_byte"),
    }
    for cipher in Cipher:
        for field, (what, name) in fields.items():

            def ours(
                view: CoprocessorsView, cipher: Cipher = cipher, name: str = name
            ) -> Ours | None:
                seen = view.alone[cipher]
                return of(seen, getattr(seen, name), CORES[cipher])

            yield Figure(f"toggles.{cipher}.{field}", f"{cipher.upper()}, {what}", ours=ours)


def _areas() -> Iterator[Shown]:
    for cipher in Cipher:

        def core(view: CoprocessorsView, cipher: Cipher = cipher) -> Ours | None:
            area = view.areas[cipher].core
            if area is None:
                return None
            return Ours(area.lut, Method.ESTIMATED, "core, xc7", unit="LUTs")

        def wrapped(view: CoprocessorsView, cipher: Cipher = cipher) -> Ours | None:
            area = view.areas[cipher]
            return Ours(area.wrapped_lut, Method.ESTIMATED, "shell, xc7", unit="LUTs")

        name, less = cipher.upper(), Better.LESS
        yield Figure(f"area.{cipher}.core_slices", f"{name}, core", "slices", less, core)
        place = f"area.{cipher}.coprocessor_slices"
        yield Figure(place, f"{name}, coprocessor", "slices", less, wrapped)


def _energy(printed: PublishedEnergy) -> Iterator[Shown]:
    """Cycles an encryption and power; the units of time and energy are misprinted."""
    cipher, system = printed.algorithm, printed.what == "system"

    def cycles(view: CoprocessorsView) -> Ours | None:
        if not system:
            return of(view.alone[cipher], view.each_alone(cipher), CORES[cipher])
        seen = view.shell(cipher)
        return of(seen, total(seen) / view.count, f"shell on {view.soft_core}")

    def power(static: bool) -> Callable[[CoprocessorsView], Ours | None]:
        def ours(view: CoprocessorsView) -> Ours | None:
            found = (view.powers.systems if system else view.cores_in_cells)[cipher]
            value = found.static_mw if static else found.power_mw - found.static_mw
            return of(found.whole, value, f"in {found.whole.target} cells")

        return ours

    place, name, less = f"energy.{printed.what}.{cipher}", cipher.upper(), Better.LESS
    what = f"{name}, cycles an encryption"
    yield Figure(f"{place}.cycles_per_encryption", what, "cycles", less, cycles)
    for field, what, static in (
        ("quiescent_mw", "static power", True),
        ("dynamic_mw", "dynamic power", False),
    ):
        yield Figure(f"{place}.{field}", f"{name}, {what}", "mW", less, power(static), _CELLS)


COMPARISON = Comparison(lambda: tables(load()), lambda stored: CoprocessorsView(load(), stored))
