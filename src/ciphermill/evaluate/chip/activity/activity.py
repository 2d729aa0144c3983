# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Activity: how often each net changed and how long it was high, in memory and as SAIF.

SAIF is the Switching Activity Interchange Format, version 2.0 (IEEE Std
1801-2018, annex I). The module writes durations, times at 0 and 1 and toggle counts in the
backward format, and reads those of any scope, as Verilator and others write them. The time
unit of written files is a femtosecond, so that no precision is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ciphermill.toolchain.errors import ToolError, read_source

DIVIDER = "/"
_TIMESCALE_PS = {"s": 1e12, "ms": 1e9, "us": 1e6, "ns": 1e3, "ps": 1.0, "fs": 1e-3}
_NAME = r'(?:[^\s()"\\]++|\\.)++'
_TIMES = r"(?: \(T[0ZXB] \d++\))*+"
_WORD = re.compile(
    rf"\(({_NAME}){_TIMES} \(T1 (\d+)\){_TIMES} \(TC (\d+)\)\)"
    rf'|//[^\n]*|/\*.*?\*/|"[^"]*"|\((?:(\w+) (\d+)\))?|\)|{_NAME}',
    re.DOTALL,
)
"""A whole net, as Verilator writes it, which most of a file is; else a comment, a word, a
parenthesis, or a whole group of a name and a number."""
_PLAIN = re.compile(r"[A-Za-z0-9_]")


@dataclass(frozen=True)
class Activity:
    """The activity of nets in a window; lists are by net index."""

    duration_ps: float
    toggles: list[int]
    high_ps: list[float]
    """Time at 1."""

    def total(self) -> int:
        """Return the toggles of all nets together."""
        return sum(self.toggles)


class NetActivity(NamedTuple):
    """The activity of one net in a SAIF file."""

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
        ToolError: The file cannot be read, or is not SAIF; the message begins with its path
            and, if known, the line.
    """
    return _saif(read_source(path), path)


def _escaped(name: str) -> str:
    return "".join(c if _PLAIN.match(c) else f"\\{c}" for c in name)


def _unescaped(name: str) -> str:
    if "\\\\" in name:
        return re.sub(r"\\(.)", r"\1", name)
    return name.replace("\\", "")


@dataclass
class _Group:
    """The content of a pair of parentheses."""

    path: Path
    text: str
    """That of the whole file."""
    at: int
    """Place of the group in the text."""
    words: list[str] = field(default_factory=list)
    inner: dict[str, _Group] = field(default_factory=dict)
    """The groups in it by their first words, nets apart."""

    def wrong(self, word: str) -> ToolError:
        line = self.text.count("\n", 0, self.at) + 1
        return ToolError(f"{self.path}:{line}: unexpected {word[:40]!r}")

    def number(self, name: str) -> float:
        """Return the number of an inner group; zero where there is none."""
        if name not in self.inner:
            return 0.0
        said = " ".join(self.inner[name].words[1:])
        try:
            return float(said)
        except ValueError:
            raise self.inner[name].wrong(said) from None


def _saif(text: str, path: Path) -> SaifFile:
    """Return the content of a file: the first group of its text."""
    groups: list[_Group] = []
    nets: dict[str, tuple[float, float]] = {}
    scope: str | None = None  # of the nets that follow; None: not known
    for found in _WORD.finditer(text):
        word = found[0]
        if word[0] == "(":
            net, high, toggles, name, number = found.groups()
            if net and scope is None:
                scope = _scope(groups)
            if net and scope:
                nets[scope + _unescaped(net)] = float(toggles), float(high)
                continue
            group = _Group(path, text, found.start())
            if word == "(":
                groups.append(group)
                scope = None
                continue
            group.words += [_unescaped(net)] if net else [name, number]
        elif word.startswith(("//", "/*")):
            continue
        elif not groups:
            raise _Group(path, text, found.start()).wrong(word)
        elif word == ")":
            group = groups.pop()
            scope = None
            if not group.words:
                raise group.wrong(word)
        else:
            groups[-1].words.append(_unescaped(word))
            scope = None
            continue
        if not groups:
            return _file(group, nets)
        if prefix := _scope(groups):
            nets[prefix + group.words[0]] = group.number("TC"), group.number("T1")
        else:
            groups[-1].inner[group.words[0]] = group
    raise ToolError(f"{path}: the file ends too soon")


def _scope(groups: Sequence[_Group]) -> str:
    """Return what comes before the name of a net in these groups; empty if no nets are there."""
    if not groups or groups[-1].words != ["NET"]:
        return ""
    scopes = [one.words[-1] for one in groups if one.words[:1] == ["INSTANCE"]]
    if len(scopes) != len(groups) - 2:
        return ""
    return "".join(f"{scope}{DIVIDER}" for scope in scopes)


def _file(root: _Group, nets: Mapping[str, tuple[float, float]]) -> SaifFile:
    if root.words[0] != "SAIFILE":
        raise root.wrong(root.words[0])
    if "DURATION" not in root.inner:
        raise ToolError(f"{root.path}: no DURATION")
    unit_ps = 1e3  # SAIF's default is a nanosecond
    if timescale := root.inner.get("TIMESCALE"):
        scale = re.fullmatch(r"(\d+)([munpf]?s)", "".join(timescale.words[1:]))
        if scale is None:
            raise timescale.wrong(" ".join(timescale.words[1:]))
        unit_ps = int(scale[1]) * _TIMESCALE_PS[scale[2]]
    return SaifFile(
        root.number("DURATION") * unit_ps,
        {name: NetActivity(int(toggles), high * unit_ps) for name, (toggles, high) in nets.items()},
    )
