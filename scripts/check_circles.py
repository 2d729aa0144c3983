#!/usr/bin/env python3
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Refuse circles of files within a Rust crate or a Python folder: imports must not form a loop.

In Rust, arrows are the paths ``crate::...``, ``super::...`` and ``self::...`` of a file, tests left
out. A name that a module re-exports by ``pub use`` counts as the file that defines it. In Python,
arrows are imports, tests and imports for the type checker left out.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ENGINE = Path(__file__).parent.parent / "engine"
TOOLS = Path(__file__).parent.parent / "src" / "ciphermill"
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
        # A module re-exports names without needing them.
        found = {self.resolve(module, path) for path in paths if path}
        passed = re.findall(r"pub(?:\([a-z]+\))? use ([^;]+);", text)
        found -= {self.resolve(module, path) for tree in passed for path, _ in leaves(tree)}
        return {one for one in found if one is not None and one != module and one != ()}


def circle(needs: Mapping[Module, set[Module]]) -> list[Module]:
    """Return a circle of files, the last equal to the first; empty where there is none."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        found: list[Module] = error.args[1]
        return found[::-1]
    return []


def imports(tree: ast.AST, package: Module) -> Iterator[Module]:
    """The names that a Python file imports when it runs, as full paths."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (tuple(one.name.split(".")) for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            base += tuple((node.module or "").split(".")) if node.module else ()
            yield from ((*base, one.name) for one in node.names)
        else:
            yield from imports(node, package)


def room_needs(room: Path) -> dict[Module, set[Module]]:
    """The files of a room of the tools, and what each needs of the same room."""
    files: dict[Module, Path] = {}
    for path in sorted(room.rglob("*.py")):
        if not path.name.startswith(("test_", "conftest")):
            parts = path.relative_to(TOOLS.parent).with_suffix("").parts
            files[parts[:-1] if parts[-1] == "__init__" else parts] = path
    needs: dict[Module, set[Module]] = {}
    for module, path in files.items():
        package = module if path.name == "__init__.py" else module[:-1]
        found = imports(ast.parse(path.read_text()), package)
        # A name of a module is the module; a name of a package may be a file of it.
        owners = {name if name in files else name[:-1] for name in found}
        needs[module] = {one for one in owners if one in files and one != module}
    return needs


def main() -> int:
    """Print a circle of each crate and room that has one; 1 where there is one."""
    graphs: dict[str, tuple[str, dict[Module, set[Module]]]] = {}
    for manifest in sorted(ENGINE.glob("**/Cargo.toml")):
        root = manifest.parent / "src"
        if "target" not in manifest.parts and root.is_dir():
            crate = Crate(root)
            needs = {module: crate.arrows(module) for module in crate.texts if module}
            graphs[str(manifest.parent.relative_to(ENGINE))] = "::", needs
    for room in sorted(TOOLS.iterdir()):
        if room.is_dir():
            graphs[room.name] = ".", room_needs(room)
    found = 0
    for name, (joint, needs) in graphs.items():
        if files := circle(needs):
            found = 1
            print(f"{name}: a circle: {' -> '.join(joint.join(one) for one in files)}")
    return found


if __name__ == "__main__":
    sys.exit(main())
