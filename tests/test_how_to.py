# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The guides whose every step is written out are followed to the letter, in a copy of the tree.

A page is followed from top to bottom by its code blocks:

- A block below a paragraph that ends with a path and a colon is a new file.
- A ``diff`` block below such a paragraph is a change of that file.
- A ``console`` block has commands and what they print. ``…`` stands for any text; alone on a
  line, for any lines.
- A ``sh`` block needs what is not here, such as a board; it is left out.
- Any other ``python`` block is a program; what it prints stands in its comments.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ciphermill.algorithms import ascon, present

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "engine/target"
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
ENGINE = "src/ciphermill/_engine.abi3.so"
ROW = "Repeatable("
PATH = re.compile(r"`([\w./-]+\.\w+)`[^`]*:$")


@dataclass(frozen=True)
class Step:
    """A code block of a page."""

    language: str
    path: str | None
    text: str


def steps(page: str) -> Iterator[Step]:
    """Yield the code blocks of a page."""
    text = (ROOT / "docs/how-to" / f"{page}.md").read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        paragraph = text[: block.start()].rstrip().split("\n\n")[-1]
        named = PATH.search(paragraph)
        yield Step(block[2], named and named[1], textwrap.dedent(block[3]))


def changed(text: str, diff: str) -> str:
    """Return a file with a change; the lines that the change shows must stand there once."""
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] != "+")
    after = "".join(line[1:] for line in lines if line[0] != "-")
    assert text.count(before) == 1, f"the file does not have, once:\n{before}"
    return text.replace(before, after)


def printed(output: str, expected: str) -> None:
    """Compare what a command printed with what the page says."""
    lines = [re.escape(line).replace("…", ".*") for line in expected.splitlines()]
    pattern = "".join("(.*\n)*" if line == ".*" else f"{line} *\n" for line in lines)
    shown = output.strip("\n") + "\n" if output.strip() else ""
    assert re.fullmatch(pattern, shown), f"{output}\nis not:\n{expected}"


@dataclass(frozen=True)
class Reader:
    """Somebody who follows pages in a checkout of their own."""

    tree: Path

    def run(self, *command: str) -> str:
        """Run a command there, and return what it prints."""
        paths = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {
            **os.environ,
            "PATH": paths,
            "PYTHONPATH": str(self.tree / "src"),
            "CIPHERMILL_BUILD": os.environ.get("CIPHERMILL_BUILD", str(ROOT / "build")),
            "CIPHERMILL_STORE": str(self.tree / "results.sqlite"),
            "CARGO_TARGET_DIR": str(TARGET),
            "CARGO_NET_OFFLINE": "true",
            "COLUMNS": "120",
        }
        done = subprocess.run(
            command, cwd=self.tree, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
        return done.stdout

    def follow(self, page: str) -> None:
        """Follow a page from its first to its last step."""
        self.take(steps(page))

    def take(self, them: Iterable[Step]) -> None:
        """Take some steps of a page."""
        for step in them:
            if step.language == "console":
                for part in step.text.split("$ ")[1:]:
                    command, _, expected = part.partition("\n")
                    printed(self.run("bash", "-c", command), expected.strip("\n"))
            elif step.language == "sh":
                continue  # for somebody with a board
            elif step.path is None:
                assert step.language == "python", f"a block that nothing follows: {step}"
                said = re.findall(r"print\(.*  # (.*)", step.text)
                printed(self.run("python", "-c", step.text), "\n".join(said))
            elif step.language == "diff":
                path = self.tree / step.path
                path.write_text(changed(path.read_text(encoding="utf-8"), step.text))
            else:
                path = self.tree / step.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(step.text)


GUIDES = ("board", "core", "device", "page", "paper", "platform")


@pytest.mark.parametrize("page", [*(f"add-a-{one}" for one in GUIDES), "add-an-evaluator"])
def test_every_change_of_a_guide_fits(page: str) -> None:
    """The changes fit the files as they are, in the order of the page."""
    files: dict[str, str] = {}
    for step in steps(page):
        if step.language == "diff":
            assert step.path is not None
            text = files.get(step.path) or (ROOT / step.path).read_text(encoding="utf-8")
            files[step.path] = changed(text, step.text)
    assert files


def shown(given: Any, real: Any) -> None:
    """Compare what a page shows of a value with the value; ``...`` stands for the rest."""
    if isinstance(given, Excerpt):
        for name, one in given.fields.items():
            shown(one, getattr(real, name))
    elif isinstance(given, dict):
        assert given.items() <= real.items()
    elif isinstance(given, tuple) and given and given[-1] is ...:
        assert given[:-1] == real[: len(given) - 1]
    elif isinstance(given, tuple):
        assert [one for one in given if one not in real] == []
    else:
        assert given == real


class Excerpt:
    """An algorithm, or its RTL, of which a page shows some fields."""

    def __init__(self, *_rest: object, **fields: Any) -> None:
        self.fields = fields


def test_what_the_guide_shows_of_algorithms_is_theirs() -> None:
    blocks = [step.text for step in steps("add-an-algorithm") if step.language == "python"]
    blocks = [text for text in blocks if not text.startswith(ROW)]
    for text in blocks:
        name = text.split()[0]
        module = {"PRESENT": present, "ASCON": ascon}[name]
        names = {**vars(module), "Algorithm": Excerpt, "Rtl": Excerpt}
        exec(text, names)
        shown(names[name], getattr(module, name))
    assert blocks


def test_the_row_of_speed_that_the_guide_shows_is_there() -> None:
    rows = [step.text for step in steps("add-an-algorithm") if step.text.startswith(ROW)]
    source = (ROOT / "src/ciphermill/evaluate/speed/operations.py").read_text(encoding="utf-8")
    assert rows
    assert [row for row in rows if row.strip() not in source] == []


@pytest.mark.parametrize("page", ["add-an-algorithm", "add-a-partition"])
def test_files_that_a_guide_names_are_there(page: str) -> None:
    text = (ROOT / "docs/how-to" / f"{page}.md").read_text(encoding="utf-8")
    named = re.findall(
        r"`((?:src|hw|engine|firmware|designs|scripts|tests|docs)/[a-z0-9_./-]+)`", text
    )
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_names_that_the_guide_to_partitions_finds_in_a_file_are_there() -> None:
    text = (ROOT / "docs/how-to/add-a-partition.md").read_text(encoding="utf-8")
    pairs = re.findall(r"`(\w+)`\s+(?:in|of)\s+`(\w+/[\w./-]+\.\w+)`", text)
    assert pairs
    assert [
        (name, path)
        for name, path in pairs
        if not re.search(rf"\b{name}\b", (ROOT / path).read_text(encoding="utf-8"))
    ] == []


def test_the_guide_names_every_place_of_an_algorithm_s_number() -> None:
    text = (ROOT / "docs/how-to/add-an-algorithm.md").read_text(encoding="utf-8")
    sources = [*ROOT.glob("hw/soc/rtl/**/*.sv"), *ROOT.glob("hw/coprocessor/rtl/*.sv")]
    places = [path for path in sources if "AlgorithmPresent" in path.read_text(encoding="utf-8")]
    assert places
    relative = [str(path.relative_to(ROOT)) for path in places]
    assert [path for path in relative if f"`{path}`" not in text] == []


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in [*listed.stdout.split("\0"), ENGINE]:
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    return Reader(tmp_path)


def test_a_page_and_its_evaluator(reader: Reader) -> None:
    reader.follow("add-an-evaluator")
    reader.follow("add-a-page")


@pytest.mark.parametrize("page", ["add-a-board", "add-a-core", "add-a-paper", "add-a-platform"])
def test_a_guide(reader: Reader, page: str) -> None:
    reader.follow(page)


def test_a_device(reader: Reader) -> None:
    *before, program = steps("add-a-device")
    reader.take(before)
    # The page says `make setup`, which this stands for, without the optimiser.
    reader.run(
        "cargo", "build", "--quiet", "--manifest-path=engine/Cargo.toml", "-pciphermill-python"
    )
    shutil.copy(TARGET / "debug/lib_engine.so", reader.tree / ENGINE)
    assert "hash" in reader.run("ciphermill", "devices")
    reader.take([program])
