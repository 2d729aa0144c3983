# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
import multiprocessing
import os
import shutil
import time
from pathlib import Path

import pytest

from .cache import Cache, code_key, content_key, locked, replace
from .errors import ToolError


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "a.sv", tmp_path / "b.sv"]
    for path in paths:
        path.write_text(path.stem, encoding="utf-8")
    return paths


def test_a_key_depends_on_content_names_and_facts_alone(
    tmp_path: Path, sources: list[Path]
) -> None:
    def key(facts: dict[str, object] | None = None) -> str:
        return content_key(sources, facts or {"width": 1}, relative_to=tmp_path)

    first = key()
    assert key() == first
    assert content_key(reversed(sources), {"width": 1}, relative_to=tmp_path) == first
    assert key({"width": 2}) != first
    sources[0].write_text("other", encoding="utf-8")
    assert key() != first
    sources[0].write_text("a", encoding="utf-8")
    assert key() == first
    sources[0] = sources[0].rename(tmp_path / "c.sv")
    assert key() != first


def test_bytes_do_not_move_between_files_unseen(tmp_path: Path, sources: list[Path]) -> None:
    sources[0].write_text("ab", encoding="utf-8")
    sources[1].write_text("c", encoding="utf-8")
    first = content_key(sources, {}, relative_to=tmp_path)
    sources[0].write_text("a", encoding="utf-8")
    sources[1].write_text("bc", encoding="utf-8")
    assert content_key(sources, {}, relative_to=tmp_path) != first


def test_a_missing_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"gone\.sv"):
        content_key([tmp_path / "gone.sv"], {}, relative_to=tmp_path)


def test_on_a_full_disk_nothing_is_kept_and_the_reason_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verilator and yosys cut files short on a full disk, and end as if they had not."""

    def cut_short(folder: Path) -> Path:
        path = folder / "x.so"
        path.write_text("mod", encoding="utf-8")
        return path

    def fails(_: Path) -> Path:
        raise ToolError("make: *** No targets.  Stop.")

    cache, left = Cache(tmp_path), shutil.disk_usage(tmp_path)._replace(free=4096)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: left)
    with pytest.raises(ToolError, match=f"no space left on the disk of {tmp_path}/model$"):
        cache.get("model", "key", ".so", cut_short)
    assert not cache.path("model", "key", ".so").exists()
    with pytest.raises(ToolError, match=r"no space left on .*: make: \*\*\* No targets"):
        cache.get("model", "key", ".so", fails)
    monkeypatch.undo()
    with pytest.raises(ToolError, match=r"^make: \*\*\* No targets"):
        cache.get("model", "key", ".so", fails)
    assert cache.get("model", "key", ".so", cut_short).is_file()


def test_an_artefact_is_built_once(tmp_path: Path) -> None:
    built: list[Path] = []

    def build(folder: Path) -> Path:
        built.append(folder)
        path = folder / "x.so"
        path.write_text("model", encoding="utf-8")
        return path

    cache = Cache(tmp_path)
    paths = {cache.get("model", "k" * 64, ".so", build) for _ in range(3)}
    assert len(built) == 1
    assert paths.pop().read_text(encoding="utf-8") == "model"
    assert not built[0].exists()
    assert [path.name for path in (tmp_path / "model").iterdir()] == ["k" * 64 + ".so"]


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    def fail(folder: Path) -> Path:
        (folder / "half").touch()
        raise ToolError("no")

    cache = Cache(tmp_path)
    with pytest.raises(ToolError):
        cache.get("model", "k", ".so", fail)
    assert not cache.path("model", "k", ".so").exists()
    assert all(path.suffix == ".lock" for path in (tmp_path / "model").iterdir())


def test_what_was_not_used_for_longest_is_removed(tmp_path: Path) -> None:
    cache = Cache(tmp_path)

    def build(folder: Path) -> Path:
        path = folder / "x"
        path.write_bytes(bytes(100))
        return path

    def names() -> list[str]:
        return sorted(path.stem for path in (tmp_path / "model").iterdir())

    hour = 3600.0
    for age, key in enumerate("abcd"):
        path = cache.get("model", key, ".so", build)
        os.utime(path, (0, time.time() - (10 - age) * hour))
    cache.get("model", "a", ".so", build)  # used again, and so the newest
    cache.prune("model", ".so", most_bytes=400, least_seconds=0)
    assert names() == ["a", "b", "c", "d"]
    cache.prune("model", ".so", most_bytes=200, least_seconds=8.5 * hour)
    assert names() == ["a", "c", "d"]
    cache.prune("model", ".so", most_bytes=200, least_seconds=0)
    assert names() == ["a", "d"]


def _build_slowly(folder: Path, log: Path) -> None:
    def build(scratch: Path) -> Path:
        with log.open("a") as file:
            file.write("built\n")
        time.sleep(0.5)
        path = scratch / "x"
        path.touch()
        return path

    Cache(folder).get("model", "k", ".so", build)


def test_processes_that_want_the_same_build_it_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    context = multiprocessing.get_context("fork")
    processes = [
        context.Process(target=_build_slowly, args=(tmp_path / "cache", log)) for _ in range(4)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(30)
        assert process.exitcode == 0
    assert log.read_text() == "built\n"


def test_who_waits_is_told(tmp_path: Path) -> None:
    waits: list[int] = []
    with locked(tmp_path / "lock"):
        context = multiprocessing.get_context("fork")
        waiting = context.Event()

        def other() -> None:
            with locked(tmp_path / "lock", waiting.set):
                pass

        process = context.Process(target=other)
        process.start()
        assert waiting.wait(30)
    process.join(30)
    assert process.exitcode == 0
    with locked(tmp_path / "lock", lambda: waits.append(1)):
        assert not waits


def test_a_target_is_replaced_in_one_step(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "deep" / "target"
    for text in ("one", "two"):
        source.unlink(missing_ok=True)
        source.write_text(text, encoding="utf-8")
        replace(source, target)
        assert target.read_text(encoding="utf-8") == text
    assert [path.name for path in target.parent.iterdir()] == ["target"]


def test_code_counts_wherever_it_lies(tmp_path: Path) -> None:
    for name, text in (("a", "x = 1"), ("b", "x = 2")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "own.py").write_text(text, encoding="utf-8")
    keys = {
        code_key("rtlil.py"),
        code_key("rtlil.py", "cache.py"),
        code_key("rtlil.py", tmp_path / "a" / "own.py"),
        code_key("rtlil.py", tmp_path / "b" / "own.py"),
    }
    assert len(keys) == 4
    with pytest.raises(ToolError, match=r"none\.py"):
        code_key("none.py")
