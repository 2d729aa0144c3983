# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The manual of the command line, generated from the commands.

``python -m ciphermill.cli.manual FOLDER`` writes manual pages for ``man``. The site's page
of the command line is made from the same entries (scripts/command_page.py).
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from ciphermill.cli.failures import PROGRAM
from ciphermill.cli.main import cli

_EXAMPLES = "Examples:"
_UNWRAPPED = "\b"
"""Click's mark for a paragraph whose line breaks are kept."""


@dataclass(frozen=True)
class Entry:
    """The documentation of a command."""

    name: str
    """Its full name: ``ciphermill encrypt``."""
    summary: str
    usage: str
    """The arguments."""
    paragraphs: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    """Each option and its help text."""
    examples: tuple[str, ...]
    """Command lines with descriptions."""
    notes: tuple[str, ...]
    """Paragraphs after the examples."""
    commands: tuple[tuple[str, str], ...] = ()
    """The commands of a group, each with a sentence."""

    @property
    def page(self) -> str:
        """Name of its manual page: ``ciphermill-encrypt``."""
        return self.name.replace(" ", "-")


def entries() -> list[Entry]:
    """Return the entries of the program and of its commands, in their order."""
    context = click.Context(cli, info_name=PROGRAM, **cli.context_settings)
    return list(_entries(cli, context))


def _entries(command: click.Command, context: click.Context) -> Iterator[Entry]:
    yield _entry(command, context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            one = command.get_command(context, name)
            if one is not None and not one.hidden:
                yield from _entries(one, click.Context(one, context, info_name=name))


def _entry(command: click.Command, context: click.Context) -> Entry:
    records = (option.get_help_record(context) for option in command.get_params(context))
    commands: tuple[tuple[str, str], ...] = ()
    if isinstance(command, click.Group):
        found = (
            (name, command.get_command(context, name)) for name in command.list_commands(context)
        )
        commands = tuple((name, one.get_short_help_str(200)) for name, one in found if one)
    examples, notes = _epilog(command.epilog or "")
    return Entry(
        name=context.command_path,
        summary=command.get_short_help_str(200),
        usage=" ".join(command.collect_usage_pieces(context)),
        paragraphs=_paragraphs(command.help or ""),
        options=tuple(record for record in records if record and record[1]),
        examples=examples,
        notes=notes,
        commands=commands,
    )


def _paragraphs(text: str) -> tuple[str, ...]:
    cleaned = inspect.cleandoc(text).replace(_UNWRAPPED, "")
    return tuple(" ".join(part.split()) for part in cleaned.split("\n\n") if part.strip())


def _epilog(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the examples of an epilog, and its other paragraphs."""
    examples: tuple[str, ...] = ()
    notes = []
    for part in inspect.cleandoc(text).split("\n\n"):
        lines = [line for line in part.splitlines() if line.strip() not in ("", _UNWRAPPED)]
        if lines and lines[0].strip().removeprefix(_UNWRAPPED).strip() == _EXAMPLES:
            examples = tuple(line.strip() for line in lines[1:])
        elif lines:
            notes.append(" ".join(" ".join(lines).split()))
    return examples, tuple(notes)


def markdown() -> str:
    """Return the manual as Markdown, with a section for each command."""
    return "\n".join(line for entry in entries() for line in _section(entry))


def _section(entry: Entry) -> Iterator[str]:
    yield f"## {entry.name}"
    yield ""
    for paragraph in entry.paragraphs:
        yield _plain(paragraph)
        yield ""
    yield from ("```text", f"{entry.name} {entry.usage}", "```", "")
    if entry.commands:
        yield from ("| command | what it does |", "|---|---|")
        for name, text in entry.commands:
            yield f"| [`{name}`](#{entry.page}-{name}) | {_cell(text)} |"
        yield ""
    yield from ("| option | what it does |", "|---|---|")
    for written, text in entry.options:
        yield f"| `{written.replace('|', '&#124;')}` | {_cell(text)} |"
    yield ""
    if entry.examples:
        yield from ("```sh", *entry.examples, "```", "")
    for note in entry.notes:
        yield _plain(note)
        yield ""


def _plain(text: str) -> str:
    """Return a text with Markdown and HTML characters escaped."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("*", "\\*")


def _cell(text: str) -> str:
    return " ".join(_plain(text).replace("|", "&#124;").replace("[", "\\[").split())


def manual_pages(version: str) -> Mapping[str, str]:
    """Return the manual pages (man(7)): file name and text."""
    found = entries()
    return {f"{one.page}.1": "".join(_page(one, found, version)) for one in found}


def _page(entry: Entry, every: list[Entry], version: str) -> Iterator[str]:
    yield f'.TH {entry.page.upper()} 1 "" "Ciphermill {version}" "Ciphermill"\n'
    yield f".SH NAME\n{_roff(entry.page)} \\- {_roff(entry.summary.rstrip('.'))}\n"
    yield f".SH SYNOPSIS\n.B {_roff(entry.name)}\n{_roff(entry.usage)}\n"
    yield ".SH DESCRIPTION\n"
    for paragraph in entry.paragraphs:
        yield f".PP\n{_roff(paragraph)}\n"
    if entry.commands:
        yield ".SH COMMANDS\n"
        for name, text in entry.commands:
            yield f".TP\n.B {_roff(name)}\n{_roff(text)}\n"
    yield ".SH OPTIONS\n"
    for written, text in entry.options:
        yield f".TP\n.B {_roff(written)}\n{_roff(' '.join(text.split()))}\n"
    if entry.examples:
        lines = "\n".join(map(_roff, entry.examples))
        yield f".SH EXAMPLES\n.nf\n{lines}\n.fi\n"
    for note in entry.notes:
        yield f".PP\n{_roff(note)}\n" if entry.examples else f".SH NOTES\n{_roff(note)}\n"
    others = [one.page for one in every if one is not entry]
    seen = others if entry is every[0] else [every[0].page]
    yield f".SH SEE ALSO\n{', '.join(f'{_roff(page)}(1)' for page in seen)}\n"


def _roff(text: str) -> str:
    """Return a text with roff requests escaped."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def main(folder: str) -> None:
    """Write the manual pages to a folder, which is created if it is missing."""
    from ciphermill._engine import __version__

    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in manual_pages(__version__).items():
        (Path(folder) / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m ciphermill.cli.manual FOLDER")
    main(sys.argv[1])
