# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Activity: how often each net changed and how long it was high, in memory and as SAIF.

SAIF is the Switching Activity Interchange Format, version 2.0 (IEEE Std
1801-2018, annex I). Written are the backward format's durations, times at 0 and
1 and toggle counts; read are those of any scope, as Verilator and others write
them. The file's time unit is a femtosecond, so that nothing is lost on the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermill.toolchain.errors import ToolError

DIVIDER = "/"
_TIMESCALE_PS = {"s": 1e12, "ms": 1e9, "us": 1e6, "ns": 1e3, "ps": 1.0, "fs": 1e-3}
_WORD = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"]*"|[()]|(?:\\.|[^\s()"\\])+', re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z0-9_]")


@dataclass(frozen=True)
class Activity:
    """What the nets did in a window; lists are by net index."""

    duration_ps: float
    toggles: list[int]
    high_ps: list[float]
    """Time at 1."""

    def total(self) -> int:
        """Return the toggles of all nets together."""
        return sum(self.toggles)


@dataclass(frozen=True)
class NetActivity:
    """What a SAIF file says of one net."""

    toggles: int
    high_ps: float


@dataclass(frozen=True)
class SaifFile:
    """A SAIF file: its nets by hierarchical name, scopes separated by ``/``."""

    duration_ps: float
    nets: Mapping[str, NetActivity]


def write_saif(path: Path, activity: Activity, net_names: Sequence[str], *, top: str) -> None:
    """Write an activity as a SAIF 2.0 file with one scope.

    Args:
        path: The file.
        activity: What to write.
        net_names: Name of each net; nets without a name (``""``) are left out.
        top: Name of the scope.

    Raises:
        ToolError: The names and the activity are of different netlists.
        OSError: The file cannot be written.
    """
    if len(net_names) != len(activity.toggles):
        raise ToolError(f"{len(net_names)} names for {len(activity.toggles)} nets")
    duration = round(activity.duration_ps * 1e3)
    lines = [
        "(SAIFILE",
        '(SAIFVERSION "2.0")',
        '(DIRECTION "backward")',
        f'(DESIGN "{top}")',
        '(PROGRAM_NAME "ciphermill")',
        f"(DIVIDER {DIVIDER} )",
        "(TIMESCALE 1 fs)",
        f"(DURATION {duration})",
        f"(INSTANCE {_escaped(top)}",
        " (NET",
    ]
    for name, toggles, high_ps in zip(net_names, activity.toggles, activity.high_ps, strict=True):
        if name:
            high = round(high_ps * 1e3)
            lines.append(
                f"  ({_escaped(name)} (T0 {duration - high}) (T1 {high}) (TX 0) (TC {toggles}))"
            )
    lines += [" )", ")", ")", ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def read_saif(path: Path) -> SaifFile:
    """Read a SAIF file.

    Raises:
        ToolError: The file cannot be read, or is no SAIF; the message begins with
            its path and, where there is one, the line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ToolError(f"{path}: {error}") from error
    try:
        return _Reader().file(_words(text))
    except _SaifError as error:
        raise ToolError(f"{path}{error}") from None


def _escaped(name: str) -> str:
    return "".join(c if _PLAIN.match(c) else f"\\{c}" for c in name)


def _unescaped(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)


class _SaifError(Exception):
    """What is wrong with a file, to follow its path."""


class _Words(list["str | _Words"]):
    """The words and the groups between two parentheses."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line

    def wrong(self, *words: str) -> _SaifError:
        return _SaifError(f":{self.line}: unexpected {' '.join(words)[:40]!r}")

    def texts(self) -> list[str]:
        """Return the words after the first; groups do not count."""
        return [one for one in self[1:] if isinstance(one, str)]

    def groups(self, begin: int) -> Iterator[_Words]:
        """Yield the groups from a place on, from which on there is nothing else."""
        for one in self[begin:]:
            if isinstance(one, str):
                raise self.wrong(one)
            yield one

    def name(self, place: int) -> str:
        """Return the name at a place."""
        one = self[place] if place < len(self) else ")"
        if not isinstance(one, str) or one == ")":
            raise self.wrong(one if isinstance(one, str) else "(")
        return _unescaped(one)

    def number(self) -> float:
        """Return the one number after the first word."""
        try:
            (word,) = self.texts()
            return float(word)
        except ValueError:
            raise self.wrong(*self.texts()) from None


def _words(text: str) -> _Words:
    """Return the first group of a text."""
    line, end = 1, 0
    open_groups: list[_Words] = []
    for found in _WORD.finditer(text):
        line += text.count("\n", end, found.start())
        word, end = found[0], found.start()
        if word.startswith(("//", "/*")) and word != DIVIDER:
            continue
        if word == "(":
            open_groups.append(_Words(line))
        elif not open_groups:
            raise _Words(line).wrong(word)
        elif word != ")":
            open_groups[-1].append(word)
        elif len(open_groups) == 1:
            return open_groups[0]
        else:
            done = open_groups.pop()
            open_groups[-1].append(done)
    raise _SaifError(": the file ends too soon")


class _Reader:
    """Takes the nets from the groups of one file."""

    def __init__(self) -> None:
        self._unit_ps = 1e3  # SAIF's default is a nanosecond
        self._duration: float | None = None
        self._nets: dict[str, tuple[int, float]] = {}

    def file(self, root: _Words) -> SaifFile:
        if root[:1] != ["SAIFILE"]:
            raise root.wrong(root.name(0))
        for group in root.groups(1):
            self._group(group, ())
        if self._duration is None:
            raise _SaifError(": no DURATION")
        unit = self._unit_ps
        nets = {
            name: NetActivity(toggles, high * unit) for name, (toggles, high) in self._nets.items()
        }
        return SaifFile(self._duration * unit, nets)

    def _group(self, group: _Words, scope: tuple[str, ...]) -> None:
        keyword = group.name(0)
        if keyword == "INSTANCE":
            # The library cell's name may stand before the instance's.
            place = 2 if group.name(1).startswith('"') else 1
            inner = (*scope, group.name(place))
            for part in group.groups(place + 1):
                self._group(part, inner)
        elif keyword == "NET":
            for net in group.groups(1):
                self._net(net, scope)
        elif keyword == "DURATION":
            self._duration = group.number()
        elif keyword == "TIMESCALE":
            found = re.fullmatch(r"(\d+)([munpf]?s)", "".join(group.texts()))
            if found is None:
                raise group.wrong(*group.texts())
            self._unit_ps = int(found[1]) * _TIMESCALE_PS[found[2]]

    def _net(self, net: _Words, scope: tuple[str, ...]) -> None:
        counts = {part.name(0): part.number() for part in net.groups(1)}
        path = DIVIDER.join((*scope, net.name(0)))
        self._nets[path] = (int(counts.get("TC", 0)), counts.get("T1", 0.0))
