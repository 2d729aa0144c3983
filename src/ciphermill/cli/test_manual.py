# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The manual: complete in the site's page and for ``man``; guides that name the command."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ciphermill.cli import manual
from ciphermill.cli.failures import ExitCode
from ciphermill.cli.main import cli

HOME = Path(__file__).parents[3]


def commands() -> dict[str, click.Command]:
    """Commands and their own commands, by their names."""
    return dict(inside(cli))


def inside(group: click.Group, called: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group, info_name="ciphermill")
    for name in group.list_commands(context):
        one = group.get_command(context, name)
        assert one
        yield f"{called}{name}", one
        if isinstance(one, click.Group):
            yield from inside(one, f"{called}{name} ")


@pytest.fixture(scope="module")
def page() -> str:
    """The page of the command line, as MkDocs gets it."""
    path = HOME / "scripts" / "command_page.py"
    specification = importlib.util.spec_from_file_location("command_page", path)
    assert specification is not None
    assert specification.loader is not None
    hook = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(hook)
    text = (HOME / "docs/reference/command-line.md").read_text(encoding="utf-8")
    assert hook.on_page_markdown("other") == "other"
    made: str = hook.on_page_markdown(text)
    return made


def test_the_page_has_every_command_option_and_example(page: str) -> None:
    assert "scripts/command_page.py" in (HOME / "mkdocs.yml").read_text(encoding="utf-8")
    assert "Sentinel" not in page
    assert "<!-- commands -->" not in page
    for name, command in commands().items():
        assert f"## ciphermill {name}\n" in page
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.opts[-1] in page
        examples = [
            line.strip()
            for line in (command.epilog or "").splitlines()
            if line.strip().startswith("ciphermill ")
        ]
        assert examples, name
        assert all(f"\n{example}\n" in page for example in examples), name


def test_a_command_is_summed_up_on_one_line() -> None:
    context = click.Context(cli, info_name="ciphermill")
    shown = [line for line in cli.get_help(context).splitlines()[1:] if line.endswith("...")]
    assert not shown, "the first sentence of a command's help is its line in the list"


def test_an_option_of_several_commands_is_worded_alike() -> None:
    said: dict[str, set[str]] = {}
    for command in commands().values():
        for option in command.params:
            if isinstance(option, click.Option):
                said.setdefault(option.opts[-1], set()).add(option.help or "")
    for name in ("--store", "--plot", "--part"):
        assert len(said[name]) == 1, name
    for text in said["--json"]:
        assert re.fullmatch(r"Print (one object|a list of \w+) and nothing else\.", text)


def test_help_names_every_exit_code() -> None:
    for code in ExitCode:
        assert re.search(rf"[ \n]{code:d} [a-z]", cli.epilog or ""), code


def test_tables_of_options_have_two_columns(page: str) -> None:
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) > 100
    assert {line.count("|") for line in rows} == {3}
    assert not [line for line in rows if line.endswith("|  |")], "nothing is left unsaid"


def test_manual_pages_render(tmp_path: Path) -> None:
    manual.main(str(tmp_path / "man1"))
    pages = sorted((tmp_path / "man1").iterdir())
    assert [path.name for path in pages] == sorted(
        ["ciphermill.1", *(f"ciphermill-{name.replace(' ', '-')}.1" for name in commands())]
    )
    called = {f"ciphermill-{name.replace(' ', '-')}": f"ciphermill {name}" for name in commands()}
    called["ciphermill"] = "ciphermill"
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff, which shows manual pages, is not installed")
    for path in pages:
        done = subprocess.run(
            [groff, "-man", "-Tutf8", "-ww", "-P-c", path],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == "", path
        # Overstrikes mark bold letters.
        shown = re.sub(".\b", "", done.stdout)
        name = called[path.stem]
        words = " ".join(shown.split())
        assert f"SYNOPSIS {name} [OPTIONS]" in words
        assert "OPTIONS" in words
        assert "EXAMPLES" in words
        assert "ciphermill " in words


@pytest.mark.parametrize(
    ("words", "expected"),
    [("ciphermill wei", "plain,weigh"), ("ciphermill physical --target nan", "plain,nangate45")],
)
def test_bash_completes(words: str, expected: str) -> None:
    program = Path(sys.executable).with_name("ciphermill")
    environment = {
        **os.environ,
        "_CIPHERMILL_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    done = subprocess.run(
        [program], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout.split() == [expected], done.stderr


def guides() -> list[Path]:
    found = [HOME / "docs/index.md"]
    for folder in ("how-to", "tutorial"):
        found += sorted((HOME / "docs" / folder).glob("*.md"))
    return found


@pytest.mark.parametrize("path", guides(), ids=lambda path: path.stem)
def test_a_guide_that_names_the_bare_command_says_how_to_have_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```.*?```", text, re.DOTALL))
    if re.search(r"^\s*(\$ )?ciphermill ", blocks, re.MULTILINE):
        assert ". .venv/bin/activate" in text
    assert ". $(BIN)/activate" in (HOME / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", guides(), ids=lambda path: path.stem)
def test_a_guide_that_traces_names_the_headers(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if "--trace " in text:
        assert "apt install liblz4-dev zlib1g-dev" in text
