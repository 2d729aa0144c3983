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
    return _Reader(text, path).read()


def _escaped(name: str) -> str:
    return "".join(c if _PLAIN.match(c) else f"\\{c}" for c in name)


def _unescaped(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)


class _Reader:
    """Goes through the parentheses of one file."""

    def __init__(self, text: str, path: Path) -> None:
        self._path = path
        self._words = self._scan(text)
        self._line = 1
        self._unit_ps = 1e3  # SAIF's default is a nanosecond
        self._duration: float | None = None
        self._nets: dict[str, NetActivity] = {}

    def read(self) -> SaifFile:
        self._expect("(")
        self._expect("SAIFILE")
        while (word := self._next()) == "(":
            self._statement(())
        if word != ")":
            raise self._error(word)
        if self._duration is None:
            raise ToolError(f"{self._path}: no DURATION")
        unit = self._unit_ps
        nets = {
            name: NetActivity(net.toggles, net.high_ps * unit) for name, net in self._nets.items()
        }
        return SaifFile(self._duration * unit, nets)

    def _scan(self, text: str) -> Iterator[tuple[int, str]]:
        line, end = 1, 0
        for found in _WORD.finditer(text):
            line += text.count("\n", end, found.start())
            end = found.start()
            word = found[0]
            if word.startswith(("//", "/*")) and word != DIVIDER:
                continue
            yield line, word

    def _next(self) -> str:
        try:
            self._line, word = next(self._words)
        except StopIteration:
            raise ToolError(f"{self._path}: the file ends too soon") from None
        return word

    def _error(self, word: str) -> ToolError:
        return ToolError(f"{self._path}:{self._line}: unexpected {word[:40]!r}")

    def _expect(self, wanted: str) -> None:
        word = self._next()
        if word != wanted:
            raise self._error(word)

    def _rest(self) -> list[str]:
        """Return the words up to the closing parenthesis; what is nested counts not."""
        words: list[str] = []
        depth = 0
        while True:
            word = self._next()
            if word == "(":
                depth += 1
            elif word == ")":
                if depth == 0:
                    return words
                depth -= 1
            elif depth == 0:
                words.append(word)

    def _number(self, words: Sequence[str]) -> float:
        try:
            (word,) = words
            return float(word)
        except ValueError:
            raise self._error(" ".join(words)) from None

    def _statement(self, scope: tuple[str, ...]) -> None:
        keyword = self._next()
        if keyword == "INSTANCE":
            self._instance(scope)
        elif keyword == "NET":
            self._net_list(scope)
        elif keyword == "DURATION":
            self._duration = self._number(self._rest())
        elif keyword == "TIMESCALE":
            self._unit_ps = self._timescale(self._rest())
        else:
            self._rest()

    def _timescale(self, words: Sequence[str]) -> float:
        found = re.fullmatch(r"(\d+)([munpf]?s)", "".join(words))
        if found is None:
            raise self._error(" ".join(words))
        return int(found[1]) * _TIMESCALE_PS[found[2]]

    def _instance(self, scope: tuple[str, ...]) -> None:
        name = self._next()
        if name.startswith('"'):  # the library cell's name may stand before the instance's
            name = self._next()
        if name in "()":
            raise self._error(name)
        while (word := self._next()) == "(":
            self._statement((*scope, _unescaped(name)))
        if word != ")":
            raise self._error(word)

    def _net_list(self, scope: tuple[str, ...]) -> None:
        while (word := self._next()) == "(":
            name = _unescaped(self._next())
            toggles, high = 0, 0.0
            while (word := self._next()) == "(":
                kind = self._next()
                value = self._number(self._rest())
                if kind == "TC":
                    toggles = int(value)
                elif kind == "T1":
                    high = value
            if word != ")":
                raise self._error(word)
            self._nets[DIVIDER.join((*scope, name))] = NetActivity(toggles, high)
        if word != ")":
            raise self._error(word)
