#!/usr/bin/env python3
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Refuse circles of files within a Rust crate: no file may need one that needs it.

Arrows are the paths ``crate::...``, ``super::...`` and ``self::...`` of a file, tests left out.
A name that a module passes on by ``pub use`` counts as the file that defines it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ENGINE = Path(__file__).parent.parent / "engine"
Module = tuple[str, ...]
TESTS = re.compile(
    r"#\[cfg\((?:all\()?test\b[^\n]*\n(?:pub(?:\(crate\))? )?mod \w+ \{.*?\n\}", re.S
)
PATH = re.compile(r"\b(?:crate|super)(?:::\w+)+")


def source(path: Path) -> str:
    """The file's text without comments and without modules of tests."""
    return TESTS.sub("", re.sub(r"//[^\n]*", "", path.read_text()))


def leaves(tree: str, prefix: Module = ()) -> Iterator[tuple[Module, str]]:
    """The paths of a use tree, each with the name that it gets here."""
    opening = tree.find("{")
    if opening < 0:
        path, _, alias = tree.strip().partition(" as ")
        parts = tuple(part for part in path.strip().split("::") if part)
        if parts:
            full = prefix + (parts[:-1] if parts[-1] == "self" else parts)
            yield full, alias.strip() or full[-1]
        return
    head = tuple(part for part in tree[:opening].strip().split("::") if part)
    depth, start, inner = 0, 0, tree[opening + 1 : tree.rindex("}")]
    for index, letter in enumerate(inner + ","):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            if inner[start:index].strip():
                yield from leaves(inner[start:index], prefix + head)
            start = index + 1


class Crate:
    """The modules of one crate and what each of them names."""

    def __init__(self, root: Path) -> None:
        self.texts: dict[Module, str] = {}
        for path in sorted(root.rglob("*.rs")):
            parts = path.relative_to(root).with_suffix("").parts
            if parts[-1] in ("tests", "main", "misuse"):
                continue
            module = parts[:-1] if parts[-1] in ("lib", "mod") else parts
            self.texts[module] = source(path)
        self.passed_on = {
            (module, name): path
            for module, text in self.texts.items()
            for tree in re.findall(r"pub(?:\([a-z]+\))? use ([^;]+);", text)
            for path, name in leaves(tree)
        }

    def resolve(self, module: Module, path: Module) -> Module | None:
        """The file that defines what a path in this module names."""
        place: Module = module
        rest = path
        if rest[0] == "crate":
            place, rest = (), rest[1:]
        elif rest[0] in ("self", "super"):
            while rest and rest[0] in ("self", "super"):
                place, rest = (place[:-1] if rest[0] == "super" else place), rest[1:]
        elif place + rest[:1] not in self.texts:
            return None
        while rest:
            if place + rest[:1] in self.texts:
                place, rest = place + rest[:1], rest[1:]
            elif (place, rest[0]) in self.passed_on:
                return self.resolve(place, self.passed_on[place, rest[0]])
            else:
                break
        return place

    def arrows(self, module: Module) -> set[Module]:
        """The files that a file needs."""
        text = self.texts[module]
        uses = re.findall(r"\buse ([^;]+);", text)
        paths = [path for tree in uses for path, _ in leaves(tree)]
        body = re.sub(r"\buse [^;]+;", "", text)
        paths += [tuple(found.split("::")) for found in PATH.findall(body)]
        # A module passes names on without needing them.
        found = {self.resolve(module, path) for path in paths if path}
        passed = re.findall(r"pub(?:\([a-z]+\))? use ([^;]+);", text)
        found -= {self.resolve(module, path) for tree in passed for path, _ in leaves(tree)}
        return {one for one in found if one is not None and one != module and one != ()}

    def circles(self) -> list[list[Module]]:
        """Sets of files that need each other (Tarjan's strongly connected components)."""
        needs = {module: self.arrows(module) for module in self.texts if module}
        order: dict[Module, int] = {}
        low: dict[Module, int] = {}
        stack: list[Module] = []
        circles: list[list[Module]] = []

        def visit(module: Module) -> None:
            order[module] = low[module] = len(order)
            stack.append(module)
            for other in sorted(needs.get(module, ())):
                if other not in order:
                    visit(other)
                if other in stack:
                    low[module] = min(low[module], low[other])
            if low[module] == order[module]:
                circle = stack[stack.index(module) :]
                del stack[stack.index(module) :]
                if len(circle) > 1:
                    circles.append(circle)

        for module in needs:
            if module not in order:
                visit(module)
        return circles


def main() -> int:
    """Print each circle; 1 where there is one."""
    found = 0
    for manifest in sorted(ENGINE.glob("**/Cargo.toml")):
        root = manifest.parent / "src"
        if "target" in manifest.parts or not root.is_dir():
            continue
        crate = Crate(root)
        for circle in crate.circles():
            found = 1
            names = ["::".join(module) for module in circle]
            print(f"{manifest.parent.relative_to(ENGINE)}: a circle of {', '.join(names)}")
            if "-v" in sys.argv:
                for module in circle:
                    needs = [one for one in crate.arrows(module) if one in circle]
                    print("   ", "::".join(module), "->", ["::".join(one) for one in needs])
    return found


if __name__ == "__main__":
    sys.exit(main())
