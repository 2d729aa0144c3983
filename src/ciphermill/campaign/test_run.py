# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A run evaluates each point once, stores it at once, and goes on where a killed one ended."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ciphermill.campaign import run as module
from ciphermill.campaign.run import Point, Run
from ciphermill.campaign.store import Store
from ciphermill.campaign.store.sqlite import SQLite
from ciphermill.design import Measurement, Provenance, Space
from ciphermill.evaluate.evaluator import Cancelled, Evaluator, Progress
from ciphermill.toolchain.errors import ToolError

ORIGIN = Provenance(commit="abc", command="ciphermill test", processor="p")


@dataclass
class Fake:
    """An evaluator whose designs are names; what a name does is in ``acts``."""

    acts: dict[str, Callable[[Progress], object]] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    prepared: list[str] = field(default_factory=list)

    def evaluate(
        self, design: str, _: object, __: object, *, progress: Progress
    ) -> list[Measurement]:
        self.done.append(design)
        if design in self.acts:
            self.acts[design](progress)
        return [Measurement(design=design, method="simulated")]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    found = Fake()
    evaluator = Evaluator(
        "fake",
        lambda *_: True,
        lambda *_: [],
        prepare=lambda design, *_: found.prepared.append(design),
        alone=lambda design: design.startswith("alone"),
    )
    monkeypatch.setattr(module, "evaluate", found.evaluate)
    monkeypatch.setattr(module, "find_evaluator", lambda *_: evaluator)
    return found


def points(names: str) -> list[Point]:
    return [Point(name, None, None) for name in names.split()]


def stored(path: Path) -> list[tuple[int, str | None]]:
    with Store(path) as store:
        return [(record.run, record.measurement.design) for record in store.records()]


def fail(_: Progress) -> None:
    raise ToolError("no tool")


def test_points_are_prepared_evaluated_and_stored_in_order(fake: Fake, tmp_path: Path) -> None:
    first = threading.Event()
    # The second point ends before the first.
    fake.acts = {"a": lambda _: bool(first.wait(30)), "b": lambda _: first.set()}
    with Store(tmp_path / "s") as store:
        run = Run(store, ORIGIN, points("a b alone a"), jobs=2)
        seen = run.go()
    assert [one.design for one in seen] == ["a", "b", "alone"]
    assert all(one.provenance == ORIGIN for one in seen)
    assert fake.prepared == ["a", "b", "alone"]
    assert fake.done[0] == "alone"
    assert stored(tmp_path / "s") == [(1, "a"), (1, "b"), (1, "alone")]


def test_a_run_makes_the_points_of_spaces(fake: Fake) -> None:
    asked = Point(Space(("a", "b")), Space(("fast", "slow")), "w")
    run = Run(None, ORIGIN, [asked, Point("a", "fast", "w"), Point("c", None, "w")])
    assert [(one.design, one.platform) for one in run.points] == [
        ("a", "fast"),
        ("a", "slow"),
        ("b", "fast"),
        ("b", "slow"),
        ("c", None),
    ]
    assert [one.design for one in run.go()] == list("aabbc")
    assert [one.design for one in run.of(asked)] == list("aabb")


def killed(path: Path, fake: Fake, names: str, origin: Provenance = ORIGIN) -> None:
    fake.acts = {"c": fail}
    with Store(path) as store, pytest.raises(ToolError):
        Run(store, origin, points(names), jobs=1).go()
    fake.acts, fake.done = {}, []


def test_a_killed_run_is_continued_without_its_stored_points(fake: Fake, tmp_path: Path) -> None:
    killed(tmp_path / "s", fake, "a b c")
    with Store(tmp_path / "s") as store:
        run = Run(store, ORIGIN, points("a b c"))
        assert [one.design for one in run.go()] == ["a", "b", "c"]
    assert fake.done == ["c"]
    assert (run.number, run.continued) == (1, 2)
    assert stored(tmp_path / "s") == [(1, "a"), (1, "b"), (1, "c")]
    # A run that has ended is not continued but done again.
    with Store(tmp_path / "s") as store:
        Run(store, ORIGIN, points("a b c")).go()
    assert len(stored(tmp_path / "s")) == 6


@pytest.mark.parametrize(
    ("names", "origin"),
    [
        ("a b d", ORIGIN),
        ("a b c", ORIGIN.model_copy(update={"commit": "def"})),
        ("a b c", ORIGIN.model_copy(update={"processor": "q"})),
    ],
)
def test_another_run_continues_nothing(
    fake: Fake, tmp_path: Path, names: str, origin: Provenance
) -> None:
    killed(tmp_path / "s", fake, "a b c")
    with Store(tmp_path / "s") as store:
        Run(store, origin, points(names)).go()
    assert sorted(fake.done) == sorted(names.split())


def test_changed_sources_continue_nothing(fake: Fake, tmp_path: Path) -> None:
    dirty = ORIGIN.model_copy(update={"commit": "abc-dirty"})
    killed(tmp_path / "s", fake, "a b c", dirty)
    with Store(tmp_path / "s") as store:
        Run(store, dirty, points("a b c")).go()
    assert sorted(fake.done) == ["a", "b", "c"]


def test_a_run_that_somebody_is_at_is_left_alone(fake: Fake, tmp_path: Path) -> None:
    path = tmp_path / "s"
    other: list[bool] = []

    def meanwhile(_: Progress) -> None:
        if not other:
            other.append(True)
            with Store(path) as second:
                Run(second, ORIGIN, points("a b")).go()

    fake.acts = {"b": meanwhile}
    with Store(path) as store:
        Run(store, ORIGIN, points("a b"), jobs=1).go()
    assert stored(path) == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]


def test_a_failing_tool_leaves_the_others_going_where_that_is_asked(
    fake: Fake, tmp_path: Path
) -> None:
    fake.acts = {"a": fail, "alone": fail}
    with Store(tmp_path / "s") as store:
        run = Run(store, ORIGIN, points("a alone b"), keep_going=ToolError)
        assert [one.design for one in run.go()] == ["b"]
    assert {place: str(error) for place, error in run.errors.items()} == {
        0: "no tool",
        1: "no tool",
    }


def test_a_failing_point_stops_the_others_and_its_error_is_raised(
    fake: Fake, tmp_path: Path
) -> None:
    stopped = threading.Event()

    def long(progress: Progress) -> None:
        if progress.cancelled.wait(30):
            stopped.set()
            progress.done("long", 0.5)

    fake.acts = {"long": long, "bad": fail}
    with Store(tmp_path / "s") as store, pytest.raises(ToolError):
        Run(store, ORIGIN, points("long bad"), jobs=2).go()
    assert stopped.is_set()


def test_a_run_can_be_cancelled_from_another_thread(fake: Fake, tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        run = Run(store, ORIGIN, points("a"))

        def wait(progress: Progress) -> None:
            threading.Thread(target=run.cancel).start()
            assert progress.cancelled.wait(30)
            progress.done("a", 0.5)

        fake.acts = {"a": wait}
        with pytest.raises(Cancelled):
            run.go()
    assert stored(tmp_path / "s") == []


def test_measurements_that_cannot_be_stored_are_there_all_the_same(
    fake: Fake, tmp_path: Path
) -> None:
    with Store(tmp_path / "s") as store:
        assert isinstance(store._database, SQLite)
        store._database.connection.execute("PRAGMA query_only = ON")
        run = Run(store, ORIGIN, points("a b"))
        assert len(run.go()) == 2
    assert run.number is None
    assert run.unstored is not None
    assert stored(tmp_path / "s") == []
