# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Treemaps divide their room without overlap, in proportion, and label what has room."""

import doctest
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermill.report import treemap
from ciphermill.report.treemap import Rectangle, branch_colours, module_tree, squarify, treemap_svg

ROOM = Rectangle(10, 20, 500, 380)
AREAS = {
    "": 1.0,
    "gen_a.u_core": 20.0,
    "gen_a.u_core.u_round": 30.0,
    "gen_a.u_core.u_round.u_sbox": 40.0,
    "gen_a.u_core.u_keys": 9.0,
}


def test_examples() -> None:
    assert doctest.testmod(treemap).failed == 0


def overlap(a: Rectangle, b: Rectangle) -> float:
    width = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
    height = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
    return max(width, 0) * max(height, 0)


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=30))
def test_squarify_fills_the_room_in_proportion_without_overlap(values: list[float]) -> None:
    values.sort(reverse=True)
    places = squarify(values, ROOM)
    room = ROOM.width * ROOM.height
    for value, place in zip(values, places, strict=True):
        assert place.width * place.height == pytest.approx(room * value / sum(values), rel=1e-6)
        assert place.x >= ROOM.x - 1e-6
        assert place.y >= ROOM.y - 1e-6
        assert place.x + place.width <= ROOM.x + ROOM.width + 1e-6
        assert place.y + place.height <= ROOM.y + ROOM.height + 1e-6
    assert all(overlap(a, b) < 1e-6 * room for a, b in combinations(places, 2))


def test_squarify_gives_the_papers_example() -> None:
    # Bruls, Huizing, van Wijk, figure 4: areas 6, 6, 4, 3, 2, 2, 1 in 6 by 4.
    places = squarify([6, 6, 4, 3, 2, 2, 1], Rectangle(0, 0, 6, 4))
    assert [(p.width, p.height) for p in places[:2]] == [(3.0, 2.0), (3.0, 2.0)]
    assert places[2].width == pytest.approx(12 / 7)
    assert places[2].height == pytest.approx(7 / 3)
    assert places[3].width == pytest.approx(9 / 7)


def test_squarify_refuses_nothing_to_show() -> None:
    with pytest.raises(ValueError, match="positive"):
        squarify([1.0, 0.0], ROOM)


def test_tree_leaves_generate_blocks_out_and_keeps_the_sum() -> None:
    tree = module_tree(AREAS)
    assert tree.value == sum(AREAS.values())
    (core,) = tree.parts
    assert core.path == "gen_a.u_core"
    assert [part.name for part in core.parts] == ["u_round", "u_keys"]
    # Branches of the core have colours, since all is in the core.
    colours = branch_colours(tree)
    assert set(colours) == {"", "gen_a.u_core.u_round", "gen_a.u_core.u_keys"}
    assert len(set(colours.values())) == 3


def drawn(svg: str) -> list[tuple[str, Rectangle]]:
    root = ElementTree.fromstring(svg)
    return [
        (group.get("class") or "", Rectangle(*(float(mark.get(a) or 0) for a in names)))
        for group in root.iter("g")
        for mark in group.iter("rect")
        if (names := ("x", "y", "width", "height"))
    ]


def test_leaves_do_not_overlap_and_texts_stay_inside() -> None:
    svg = treemap_svg(module_tree(AREAS), what="area", unit="µm²", top="top")
    leaves = [place for kind, place in drawn(svg) if kind == "leaf"]
    assert len(leaves) == len(AREAS)
    assert all(overlap(a, b) == 0 for a, b in combinations(leaves, 2))
    for text in ElementTree.fromstring(svg).iter("text"):
        x, y = float(text.get("x") or 0), float(text.get("y") or 0)
        assert any(p.x <= x and p.y <= y <= p.y + p.height for _, p in drawn(svg))
        assert x + 7 * len(text.text or "") <= 500


def test_labels_say_shares_and_every_rectangle_has_a_title() -> None:
    svg = treemap_svg(module_tree(AREAS), what="area", unit="µm²", top="t<op>")
    assert 'role="img"' in svg
    assert "gen_a.u_core.u_round.u_sbox 40 %" in svg
    assert "t&lt;op&gt;" in svg
    assert ">u_round 70 %<" in svg
    assert svg.count("<title>") == svg.count("<rect")
    assert re.search(r"<title>gen_a.u_core itself: 20.0 µm², 20 %</title>", svg)


def test_many_small_modules_get_no_text_that_does_not_fit() -> None:
    values = {f"u_part_with_a_long_name_{k}": 1.0 for k in range(400)}
    svg = treemap_svg(module_tree(values), what="area", unit="µm²", top="top")
    assert svg.count("<rect") == 400
    assert "<text" not in svg


def test_treemap_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no power"):
        treemap_svg(module_tree({}), what="power", unit="mW", top="top")
