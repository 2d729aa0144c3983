# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Energy counters: this machine's processors by RAPL, graphics processors by NVML.

RAPL is read through Linux's powercap: see Documentation/power/powercap/powercap.rst of Linux.
The counter of a package includes its cores; the zones inside it and ``psys``, the whole platform,
would count them again.
"""

from __future__ import annotations

import re
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, Protocol

from ciphermill._engine import Device
from ciphermill.evaluate.speed.nvml import Card
from ciphermill.registry import GRAPHICS_FAMILIES, STREAM_PREFIX

POWERCAP = Path("/sys/class/powercap")
_ZONES = "intel-rapl:*"
"""AMD's counters have this name too. ``intel-rapl-mmio:*`` are the same counters again."""
_PACKAGE = "package-"
_GRAPHICS = re.compile(rf"({'|'.join(GRAPHICS_FAMILIES)})(?::(\d+))?(?:,|$)")
_ON_PROCESSORS = re.compile(r"(cpu|basic|pthread)\b.* by Portable Computing Language")
"""Descriptions of OpenCL devices that compute on this machine's processors: PoCL's drivers."""
IDLE_S = 1.0
"""Longest time for which the idle machine's power is taken before the work."""


class NotReadableError(Exception):
    """No counter can be read; the text says why."""


class Counter(Protocol):
    """Energy since a beginning."""

    def joules(self) -> float:
        """Return the energy since the counter was found."""


class Sum:
    """Several counters, added."""

    def __init__(self, *counters: Counter) -> None:
        """Add these."""
        self._counters = counters

    def joules(self) -> float:
        """Return the energy since the counters were found."""
        return sum(counter.joules() for counter in self._counters)


class Counters:
    """The counters of all packages, added."""

    def __init__(self, folder: Path) -> None:
        """Find the counters of a folder such as ``POWERCAP``, and begin to count.

        Raises:
            NotReadableError: There are none, or this user may not read them.
        """
        zones = [zone for zone in sorted(folder.glob(_ZONES)) if _text(zone, "name")]
        packages = [zone for zone in zones if _text(zone, "name").startswith(_PACKAGE)]
        if not packages:
            raise NotReadableError(f"{folder} has no energy counter of a processor")
        try:
            self._ranges = {zone: int(_read(zone, "max_energy_range_uj")) for zone in packages}
            self._last = {zone: int(_read(zone, "energy_uj")) for zone in packages}
        except OSError as error:
            raise NotReadableError(f"{error.filename}: {error.strerror}") from error
        self._total_uj = 0

    def joules(self) -> float:
        """Return the energy since the counters were found.

        A counter begins at zero again above its range, which takes many minutes.
        """
        for zone, before in self._last.items():
            now = int(_read(zone, "energy_uj"))
            self._total_uj += now - before if now >= before else now - before + self._ranges[zone]
            self._last[zone] = now
        return self._total_uj / 1e6


def _read(zone: Path, file: str) -> str:
    return (zone / file).read_text(encoding="ascii").strip()


def _text(zone: Path, file: str) -> str:
    """A file's text; empty if it is not there."""
    try:
        return _read(zone, file)
    except OSError:
        return ""


class Meter:
    """Power over time, by samples of the counters."""

    def __init__(self, counters: Counter) -> None:
        """Begin to count; the time of the first sample is counted from here."""
        self.over_time: list[tuple[float, float]] = []
        """Seconds since the start, and the mean power in mW since the sample before."""
        self._counters = counters
        self._begun = self._last = counters.joules()

    def sample(self, elapsed_s: float) -> None:
        """Take a sample."""
        before_s = self.over_time[-1][0] if self.over_time else 0.0
        now = self._counters.joules()
        self.over_time.append((elapsed_s, (now - self._last) / (elapsed_s - before_s) * 1e3))
        self._last = now

    @property
    def mean_mw(self) -> float:
        """The mean power until the last sample."""
        return (self._last - self._begun) / self.over_time[-1][0] * 1e3


def find_counters(device: str) -> tuple[Counter | None, tuple[str, ...]]:
    """Return the counters of what works when this device does, or why there is no energy.

    A graphics processor works beside the processors, so both are counted where both can be read;
    a note says which were. Without a counter of the device's own there is no energy: that of the
    processors, which wait, would make the device win.
    """
    if device.startswith(STREAM_PREFIX):
        return None, ("No energy: a board's counters are not read.",)
    processors, why_not = _processors()
    graphics = _GRAPHICS.match(device)
    if graphics is None or _is_on_processors(device):
        return processors, (f"No energy: {why_not}.",) if why_not else ()
    try:
        card = _card(graphics[1], int(graphics[2] or 0))
    except (NotReadableError, OSError) as error:
        return None, (f"No energy of {device}: {error}.",)
    if processors is None:
        return card, (f"Energy is that of the graphics processor alone: {why_not}.",)
    return Sum(processors, card), ("Energy is that of the processors and the graphics processor.",)


def _is_on_processors(device: str) -> bool:
    """Whether a device of OpenCL is this machine's processors."""
    if not device.startswith("opencl"):
        return False
    return _ON_PROCESSORS.match(Device(device).description) is not None


def _card(kind: str, number: int) -> Card:
    if kind == "opencl":
        raise NotReadableError("OpenCL has no energy counters")
    return Card(number)


def _processors() -> tuple[Counters | None, str]:
    """The counters of the processors, or why they cannot be read."""
    try:
        return Counters(POWERCAP), ""
    except NotReadableError as error:
        return None, str(error)


def idle_mw(counters: Counter, seconds: float) -> float:
    """Return the power of the machine while nothing runs, taken for so long, or a second."""
    meter, begun = Meter(counters), perf_counter()
    sleep(min(seconds, IDLE_S))
    meter.sample(perf_counter() - begun)
    return meter.mean_mw


def power_fields(measured: dict[str, Any], meter: Meter, idle: float) -> dict[str, Any]:
    """Return power and energy; energy is what the work adds to the power of the idle machine.

    Args:
        measured: Fields of the same measurement: time, messages, and bytes where there are some.
        meter: What was counted while it ran.
        idle: Power of the idle machine in mW.
    """
    found: dict[str, Any] = {
        "power.mw": meter.mean_mw,
        "power.idle_mw": idle,
        "power.over_time": meter.over_time,
    }
    added_j = (meter.mean_mw - idle) / 1e3 * measured["time.total_s"]
    if added_j <= 0:
        return found
    if "bytes" in measured:
        bits = 8 * measured["bytes"] * measured["messages"]
        return {**found, "energy.pj_per_bit": added_j * 1e12 / bits}
    return {**found, "energy.uj_per_op": added_j * 1e6 / measured["messages"]}


class Watch:
    """The energy of a device while work is repeated; nothing where it cannot be read."""

    def __init__(self, device: str, seconds: float) -> None:
        """Take the idle machine's power for so long, and begin to count."""
        counters, self.notes = find_counters(device)
        self._idle_mw = idle_mw(counters, seconds) if counters else 0.0
        self._meter = Meter(counters) if counters else None

    def fields(self, measured: dict[str, Any]) -> dict[str, Any]:
        """Return power and energy until now; the argument is that of ``power_fields``."""
        if self._meter is None:
            return {}
        self._meter.sample(measured["time.total_s"])
        return power_fields(measured, self._meter, self._idle_mw)
