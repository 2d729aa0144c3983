# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The syntax of liberty files: groups, attributes, nothing of their meaning.

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

_TOKEN = re.compile(
    r"""
    (?P<blank>(?:[ \t\r\f\v\n]|\\[ \t]*\r?\n|/\*[\s\S]*?\*/|//[^\n]*)+)
    | "(?P<string>(?:[^"\\]|\\[\s\S])*)"
    | (?P<mark>[(){}:;,])
    | (?P<word>(?:[^\s(){}:;,"\\/]|/(?![*/])|\\(?![ \t]*\r?\n))+)
    """,
    re.VERBOSE,
)
# Statements without comments or odd values, which are nearly all, in one step each.
_PLAIN = re.compile(
    r"""
    \s*+ (?:
      (?P<name>[A-Za-z_]\w*+) \s*+ (?:
          : [ \t]*+ (?: "(?P<string>[^"\\]*+)" | (?P<word>[\w.+-]++) ) [ \t]*+ ;
        | \( (?P<list> (?: [^()"{}:;/\\]++ | "[^"\\]*+" | \\\r?\n )*+ ) \) \s*+ (?P<then>[{;])
      )
      | (?P<close>\})
    )
    """,
    re.VERBOSE,
)
_ITEM = re.compile(r'"([^"]*)"|([^\s,"\\]+)')
_JOIN = re.compile(r"\\[ \t]*\r?\n")
_UNITS = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-z]*)\s*")


@dataclass(slots=True)
class Group:
    """A group: ``kind (arguments) { attributes, groups }``."""

    kind: str
    arguments: list[str]
    line: int
    """Line that it begins at, from 1."""
    simple: dict[str, str] = field(default_factory=dict)
    """Simple attributes; of several with one name the last holds."""
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
        """Return a complex attribute's values, None where it is absent."""
        return self.lists[name][-1] if name in self.lists else None


def read_groups(text: str, path: Path) -> Group:
    """Return the library group of a liberty file.

    Args:
        text: The file's content.
        path: For messages.

    Raises:
        ToolError: The text is not liberty; the message begins with path and line.
    """
    return _Reader(text, path).read()


def syntax_error(path: Path, line: int, what: str) -> ToolError:
    """Return the error of a line of a file."""
    return ToolError(f"{path}:{line}: {what}")


def number(text: str) -> float:
    """Return a number of a liberty file.

    Raises:
        ValueError: It is none, or not finite.
    """
    value = float(text)
    if not -1e300 < value < 1e300:  # NaN and infinities fail this too
        raise ValueError(text)
    return value


def quantity(text: str) -> tuple[float, str]:
    """Return the number and the unit of an attribute such as ``1ns``.

    Raises:
        ValueError: It is none.
    """
    found = _UNITS.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return number(found[1]), found[2]


def _items(text: str) -> list[str]:
    """Return the values of a list in which every quote has its other."""
    return [string or word for string, word in _ITEM.findall(text)]


class _Reader:
    """Reads one file, with a stack of the groups that are open."""

    def __init__(self, text: str, path: Path) -> None:
        self._text = text
        self._path = path
        self._at = 0
        self._line = 1
        self._counted = 0
        self._newline = False
        """A line ended between the token just read and the one before it."""

    def _error(self, what: str) -> ToolError:
        return syntax_error(self._path, self._line_here(), what)

    def _line_here(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = max(self._counted, self._at)
        return self._line

    def _next(self) -> tuple[str, str]:
        """Return kind (string, word, mark; empty at the end) and text of the next token."""
        self._newline = False
        while True:
            found = _TOKEN.match(self._text, self._at)
            if found is None:
                if self._at >= len(self._text):
                    return "", ""
                raise self._error(f"unexpected {self._text[self._at]!r}")
            kind = found.lastgroup or ""
            if kind == "blank":
                self._newline = "\n" in _JOIN.sub("", found[0])
                self._at = found.end()
                continue
            self._at = found.end()
            value = found[kind]
            if kind == "string" and "\\" in value:
                value = _JOIN.sub("", value)
            return kind, value

    def _peek(self) -> tuple[str, str]:
        at = self._at
        token = self._next()
        self._at = at
        return token

    def read(self) -> Group:
        root = Group("", [], 1)
        stack = [root]
        while True:
            self._plain(stack)
            kind, value = self._next()
            if not kind:
                break
            if kind == "mark" and value == ";":
                continue
            if kind == "mark" and value == "}":
                stack.pop()
                if not stack:
                    raise self._error("'}' without a group")
                continue
            if kind != "word":
                raise self._error(f"expected the name of an attribute, found {value[:40]!r}")
            group = self._statement(value, stack[-1])
            if group is not None:
                stack.append(group)
        if len(stack) > 1:
            raise self._error(f"group {stack[-1].kind!r} of line {stack[-1].line} never ends")
        libraries = list(root.of("library"))
        if len(libraries) != 1:
            raise syntax_error(self._path, 1, f"expected one library group, found {len(libraries)}")
        return libraries[0]

    def _plain(self, stack: list[Group]) -> None:
        """Read statements as long as they are plain; what is not is left to the rest."""
        text, match = self._text, _PLAIN.match
        while (found := match(text, self._at)) is not None:
            name, string, word, items, then, close = found.groups()
            if close:
                if len(stack) == 1:
                    return
                stack.pop()
            elif items is None:
                stack[-1].simple[name] = word if string is None else string
            elif then == "{":
                self._at = found.start("name")
                group = Group(name, _items(items), self._line_here())
                stack[-1].groups.append(group)
                stack.append(group)
            elif name == "include_file":
                return
            else:
                stack[-1].lists.setdefault(name, []).append(_items(items))
            self._at = found.end()

    def _statement(self, name: str, group: Group) -> Group | None:
        """Read what follows a name into ``group``; return the group that it opens, if it does."""
        kind, value = self._next()
        if kind == "mark" and value == ":":
            group.simple[name] = self._simple()
            return None
        if kind != "mark" or value != "(":
            raise self._error(f"expected ':' or '(' after {name[:40]!r}")
        line = self._line_here()
        arguments = self._arguments(name)
        if self._peek() == ("mark", "{"):
            self._next()
            opened = Group(name, arguments, line)
            group.groups.append(opened)
            return opened
        if name == "include_file":
            raise self._error("include_file is not supported: give the whole library in one file")
        group.lists.setdefault(name, []).append(arguments)
        return None

    def _simple(self) -> str:
        parts: list[str] = []
        while True:
            at = self._at
            kind, value = self._next()
            ends = not kind or (kind == "mark" and value in ";}")
            if ends or (parts and self._newline):
                if kind != "mark" or value != ";":
                    self._at = at
                if not parts:
                    raise self._error("an attribute without a value")
                return " ".join(parts)
            if kind == "mark" and value in "{":
                raise self._error("unexpected '{' in an attribute's value")
            parts.append(value)

    def _arguments(self, name: str) -> list[str]:
        arguments: list[str] = []
        joined = False  # a colon keeps what follows in the same argument, as in ``A[3:0]``
        while True:
            kind, value = self._next()
            if not kind or (kind == "mark" and value in "{};("):
                raise self._error(f"the list after {name[:40]!r} has no end")
            if kind == "mark" and value == ")":
                return arguments
            if kind == "mark" and value == ",":
                joined = False
            elif arguments and (joined or (kind == "mark" and value == ":")):
                arguments[-1] += value
                joined = value == ":"
            else:
                arguments.append(value)
