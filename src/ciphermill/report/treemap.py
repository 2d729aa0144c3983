# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A treemap of modules as SVG: each module's share of a whole is its share of a rectangle.

Rectangles are nearly square (Bruls, Huizing, van Wijk: "Squarified treemaps", VisSym 2000,
section 3). Submodules are inside their module, under a heading if there is room for one.
The module's own value, without its submodules, is a rectangle beside them.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ciphermill.report import format as human

COLOURS = 6
"""The number of colours in the page's style; further branches reuse them."""
_FONT = 13.0
_LETTER = 0.58 * _FONT
"""Width of a letter, on the wide side of most fonts."""
_HEADING = 20.0
_GAP = 3.0
_LEAST = 1.5
"""The least side of a rectangle that is drawn; a smaller one would be only border."""
_DOMINANT = 0.85
"""Share from which a part counts as the whole in the choice of colours."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle by its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    def inset(self, gap: float, top: float | None = None) -> Rectangle:
        """Return the rectangle inside a border."""
        top = gap if top is None else top
        width, height = self.width - 2 * gap, self.height - gap - top
        return Rectangle(self.x + gap, self.y + top, max(width, 0.0), max(height, 0.0))


def squarify(values: Sequence[float], room: Rectangle) -> list[Rectangle]:
    """Divide a rectangle in proportion to values, into near squares.

    Args:
        values: Positive, best in falling order.
        room: The rectangle to divide completely.

    Raises:
        ValueError: A value is not positive.

    >>> [(place.width, place.height) for place in squarify([2, 1, 1], Rectangle(0, 0, 4, 2))]
    [(2.0, 2.0), (2.0, 1.0), (2.0, 1.0)]
    """
    if any(value <= 0 for value in values):
        raise ValueError("a treemap's values are positive")
    found: list[Rectangle] = []
    left = list(values)
    while left:
        total, side = sum(left), min(room.width, room.height)
        scale = room.width * room.height / total
        count = 1
        while count < len(left) and (
            _worst(left[: count + 1], side, scale) <= _worst(left[:count], side, scale)
        ):
            count += 1
        room = _row(left[:count], sum(left[:count]) / total, room, found)
        del left[:count]
    return found


def _worst(row: Sequence[float], side: float, scale: float) -> float:
    """Return the largest ratio of sides in a row along a side (the paper's ``worst``)."""
    total = sum(row) * scale
    if not total or not side:
        return float("inf")
    squared = side * side
    largest, smallest = max(row) * scale, min(row) * scale
    return max(squared * largest / total**2, total**2 / (squared * smallest))


def _row(row: Sequence[float], share: float, room: Rectangle, found: list[Rectangle]) -> Rectangle:
    """Lay a row along the shorter side of a rectangle and return the rest of it."""
    upright = room.width >= room.height
    thick = share * (room.width if upright else room.height)
    x, y = room.x, room.y
    for value in row:
        part = value / sum(row) * (room.height if upright else room.width)
        found.append(Rectangle(x, y, *((thick, part) if upright else (part, thick))))
        x, y = (x, y + part) if upright else (x + part, y)
    if upright:
        return Rectangle(room.x + thick, room.y, room.width - thick, room.height)
    return Rectangle(room.x, room.y + thick, room.width, room.height - thick)


@dataclass(slots=True)
class Node:
    """A module in the tree of modules."""

    path: str
    """Dots between instances; empty at the top."""
    own: float = 0.0
    """Without its parts."""
    parts: list[Node] = field(default_factory=list)

    @property
    def value(self) -> float:
        """With its parts."""
        return self.own + sum(part.value for part in self.parts)

    @property
    def name(self) -> str:
        """The instance's own name."""
        return self.path.rpartition(".")[2]


def module_tree(values: Mapping[str, float]) -> Node:
    """Return modules as a tree.

    Modules without a value of their own and with one part are left out: generate
    blocks, most of them.

    Args:
        values: By module path, dots between, each without the module's parts;
            what is not positive is left out.
    """
    nodes = {"": Node("")}
    for path, value in values.items():
        if value > 0:
            _node(nodes, path).own += value
    return _collapsed(nodes[""])


def _node(nodes: dict[str, Node], path: str) -> Node:
    if path not in nodes:
        nodes[path] = Node(path)
        _node(nodes, path.rpartition(".")[0]).parts.append(nodes[path])
    return nodes[path]


def _collapsed(node: Node) -> Node:
    node.parts = sorted(map(_collapsed, node.parts), key=lambda part: (-part.value, part.path))
    if node.path and not node.own and len(node.parts) == 1:
        return node.parts[0]
    return node


def branch_colours(tree: Node) -> dict[str, int]:
    """Assign a colour, a number from 1 on, to each branch, by its path.

    Branches are the parts of the first module, from the top down, with several parts of a
    large share.
    """
    while tree.parts and tree.parts[0].value > _DOMINANT * tree.value and tree.parts[0].parts:
        tree = tree.parts[0]
    colours = {part.path: k % (COLOURS - 1) + 2 for k, part in enumerate(tree.parts)}
    return {"": 1, **colours}


def treemap_svg(
    tree: Node,
    *,
    what: str,
    unit: str,
    top: str,
    colours: Mapping[str, int] | None = None,
    width: float = 500.0,
    height: float = 380.0,
) -> str:
    """Return a treemap as an SVG in the page's colours.

    Args:
        tree: What is shown.
        what: What the values are, such as ``area``, for its alternative text.
        unit: Their unit.
        top: Name of the top module.
        colours: From ``branch_colours``; the tree's own unless given.
        width: In pixels at which text is 13 pixels high.
        height: The same.
    """
    total = tree.value
    if total <= 0:
        raise ValueError(f"a treemap of no {what}")
    colours = branch_colours(tree) if colours is None else colours
    drawing = _Drawing(total, unit, top, colours)
    drawing.node(tree, Rectangle(0, 0, width, height))
    label = html.escape(f"Treemap of {what} by module. {spoken(tree, top)}", quote=True)
    return (
        f'<svg class="treemap" role="img" aria-label="{label}" '
        f'viewBox="0 0 {width:g} {height:g}">{"".join(drawing.marks)}</svg>'
    )


def spoken(tree: Node, top: str) -> str:
    """Return the shares in words, the largest first, those below 1 % together."""
    own = sorted(((node.own, node.path) for node in walk(tree) if node.own > 0), reverse=True)
    large = [(value, path) for value, path in own if value >= 0.01 * tree.value]
    text = ", ".join(f"{path or top} {percent(value / tree.value)}" for value, path in large)
    rest = len(own) - len(large)
    return f"{text}{f', and {rest} below 1 %' if rest else ''}."


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all that is in it, from the top down."""
    yield node
    for part in node.parts:
        yield from walk(part)


def percent(share: float) -> str:
    """A share as people read it.

    >>> [percent(share) for share in (0.5, 0.0123, 0.0004, 1e-6, 0.0)]
    ['50 %', '1.2 %', '0.04 %', '< 0.01 %', '0 %']
    """
    if 0 < share < 0.00005:
        return "< 0.01 %"
    digits = 0 if share >= 0.0995 else 1 if share >= 0.00995 else 2
    return f"{100 * share:.{digits}f} %" if share else "0 %"


class _Drawing:
    """Collects the marks of one treemap."""

    def __init__(self, total: float, unit: str, top: str, colours: Mapping[str, int]) -> None:
        self._total = total
        self._unit = unit
        self._top = top
        self._colours = colours
        self.marks: list[str] = []

    def node(self, node: Node, room: Rectangle) -> None:
        """Draw a module: as a rectangle, or as a frame around its parts."""
        if not node.parts:
            self._leaf(node, node.name or self._top, room)
            return
        inner = room
        if node.path:
            inner = self._frame(node, room)
        pieces = [(part.value, part) for part in node.parts]
        if node.own > 0:
            pieces.append((node.own, Node(node.path, node.own)))
        pieces.sort(key=lambda piece: -piece[0])
        places = squarify([value for value, _ in pieces], inner)
        for (_, piece), place in zip(pieces, places, strict=True):
            if piece.path == node.path:
                self._leaf(piece, f"{node.name or self._top} itself", place)
            else:
                self.node(piece, place)

    def _frame(self, node: Node, room: Rectangle) -> Rectangle:
        self._rectangle(node, node.value, room, "frame")
        text = _fitting((f"{node.name} {self._share(node.value)}", node.name), room.width)
        if not text or room.height < 3 * _HEADING:
            return room.inset(_GAP)
        self._text(text, room.x + 7, room.y + _HEADING / 2 + 1, "heading")
        return room.inset(_GAP, _HEADING)

    def _leaf(self, node: Node, name: str, room: Rectangle) -> None:
        place = room.inset(_GAP / 2)
        if min(place.width, place.height) < _LEAST:
            return
        self._rectangle(node, node.own, place, "leaf", name)
        share = self._share(node.own)
        middle = place.y + place.height / 2
        line = 1.3 * _FONT
        first = _fitting((name,), place.width)
        if first and place.height >= 2.4 * line:
            self._text(first, place.x + 7, middle - line / 2)
            if second := _fitting((share,), place.width):
                self._text(second, place.x + 7, middle + line / 2, "share")
        elif place.height >= line and (
            text := _fitting((f"{name} {share}", name, share), place.width)
        ):
            self._text(text, place.x + 7, middle)

    def _share(self, value: float) -> str:
        return percent(value / self._total)

    def _rectangle(
        self, node: Node, value: float, place: Rectangle, kind: str, name: str = ""
    ) -> None:
        colour = self._colour(node.path)
        path = node.path or self._top
        about = f"{path}{' itself' if name.endswith(' itself') else ''}: "
        about += f"{human.significant(value)} {self._unit}, {self._share(value)}"
        self.marks.append(
            f'<g class="{kind}" style="--branch:var(--series-{colour})">'
            f"<title>{html.escape(about)}</title>"
            f'<rect x="{place.x:.1f}" y="{place.y:.1f}" width="{place.width:.1f}" '
            f'height="{place.height:.1f}" rx="2"/></g>'
        )

    def _colour(self, path: str) -> int:
        while path not in self._colours:
            path = path.rpartition(".")[0]
        return self._colours[path]

    def _text(self, text: str, x: float, y: float, kind: str = "") -> None:
        named = f' class="{kind}"' if kind else ""
        self.marks.append(
            f'<text{named} x="{x:.1f}" y="{y:.1f}" dy=".35em">{html.escape(text)}</text>'
        )


def _fitting(texts: Sequence[str], width: float) -> str:
    """Return the first text that fits, else the last one cut short, else nothing."""
    letters = int((width - 12) / _LETTER)
    for text in texts:
        if len(text) <= letters:
            return text
    return f"{texts[-1][: letters - 1]}…" if letters >= 5 else ""
