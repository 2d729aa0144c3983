# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The syntax of liberty files: groups and attributes, without their meaning.

Source: Liberty Reference Manual, chapter 1 ("Syntax of group, simple attribute
and complex attribute statements"). A file is one ``library`` group; a group
holds simple attributes (``name : value ;``), complex attributes
(``name (value, ...) ;``) and groups (``name (argument, ...) { ... }``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .errors import ToolError

_STRING = r'"(?:[^"\\]|\\.)*+"'
_JOIN = re.compile(r"\\[ \t]*\r?\n")
_COMMENT = re.compile(rf"{_STRING}|/\*.*?\*/|//[^\n\v]*", re.DOTALL)
_BLANK = re.compile(r"[\s;]*")
_STATEMENT = re.compile(
    rf"""
    [\s;]*+ (?:
      (?P<name>(?!/\*)[^\s(){{}}:;,"]++) \s*+ (?:
          : \s*+ (?P<value>(?:{_STRING}|[^\n"{{}};])++)
        | \( (?P<list>(?:{_STRING}|[^"(){{}};])*+) \) (?:\s*+(?P<opens>\{{))?+
      )
      | (?P<close>\}})
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_ITEM = re.compile(rf'({_STRING})|([^\s,"]+)', re.DOTALL)
_UNITS = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-z]*)\s*")


@dataclass(slots=True)
class Group:
    """A group: ``kind (arguments) { attributes, groups }``."""

    kind: str
    arguments: list[str]
    line: int
    """Line that it begins at, from 1."""
    simple: dict[str, str] = field(default_factory=dict)
    """Simple attributes; the last one of a name counts."""
    lists: dict[str, list[list[str]]] = field(default_factory=dict)
    """Complex attributes, in order."""
    groups: list[Group] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The first argument, empty where there is none."""
        return self.arguments[0] if self.arguments else ""

    def of(self, *kinds: str) -> Iterator[Group]:
        """Yield the groups of some kinds, in order."""
        return (group for group in self.groups if group.kind in kinds)

    def only_list(self, name: str) -> list[str] | None:
        """Return a complex attribute's values, None if it is absent."""
        return self.lists[name][-1] if name in self.lists else None


def read_groups(text: str, path: Path) -> Group:
    """Return the library group of a liberty file.

    Args:
        text: The file's content.
        path: For messages.

    Raises:
        ToolError: The text is not liberty; the message begins with path and line.
    """
    text = _without_comments(text)
    stack = [Group("", [], 1)]
    end, line, counted = 0, 1, 0
    while (found := _STATEMENT.match(text, end)) is not None:
        name, value, items, opens, _ = found.groups()
        if name is None:
            stack.pop()
            if not stack:
                raise _error(text, found.end() - 1, path, "'}' without a group")
        elif value is not None:
            stack[-1].simple[name] = " ".join(_items(value)) if '"' in value else value.strip()
        elif opens:
            line += _lines(text, counted, counted := found.start("name"))
            group = Group(name, _items(items), line)
            stack[-1].groups.append(group)
            stack.append(group)
        elif name == "include_file":
            said = "include_file is not supported: give the whole library in one file"
            raise _error(text, found.start("name"), path, said)
        else:
            stack[-1].lists.setdefault(name, []).append(_items(items))
        end = found.end()
    rest = _BLANK.match(text, end)
    if rest is not None and rest.end() < len(text):
        said = text[rest.end() : rest.end() + 40].split("\n")[0]
        raise _error(text, rest.end(), path, f"not a statement or its end: {said!r}")
    if len(stack) > 1:
        said = f"group {stack[-1].kind!r} of line {stack[-1].line} never ends"
        raise _error(text, len(text), path, said)
    libraries = list(stack[0].of("library"))
    if len(libraries) != 1:
        raise syntax_error(path, 1, f"expected one library group, found {len(libraries)}")
    return libraries[0]


def _without_comments(text: str) -> str:
    r"""Return a text with joined lines and without comments.

    Each line that is joined to the next is marked by a vertical tab, so that lines can be
    counted and a value ends with its line.
    """
    text = _JOIN.sub("\v", text)
    if "/*" not in text and "//" not in text:
        return text
    return _COMMENT.sub(
        lambda found: found[0] if found[0][0] == '"' else "\v" * _lines(found[0]) or " ", text
    )


def _lines(text: str, start: int = 0, end: int | None = None) -> int:
    """Return the number of line ends in (a part of) a text without comments."""
    return text.count("\n", start, end) + text.count("\v", start, end)


def _items(text: str) -> list[str]:
    """Return the values of a list, or the parts of a value."""
    return [string[1:-1].replace("\v", "") or word for string, word in _ITEM.findall(text)]


def _error(text: str, place: int, path: Path, what: str) -> ToolError:
    return syntax_error(path, 1 + _lines(text, 0, place), what)


def syntax_error(path: Path, line: int, what: str) -> ToolError:
    """Return the error of a line of a file."""
    return ToolError(f"{path}:{line}: {what}")


def number(text: str) -> float:
    """Return a number of a liberty file.

    Raises:
        ValueError: It is not a number, or not finite.
    """
    value = float(text)
    if not -1e300 < value < 1e300:  # NaN and infinities fail this too
        raise ValueError(text)
    return value


def quantity(text: str) -> tuple[float, str]:
    """Return the number and the unit of an attribute such as ``1ns``.

    Raises:
        ValueError: It is not a number with a unit.
    """
    found = _UNITS.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return number(found[1]), found[2]
