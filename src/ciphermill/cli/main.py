# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The command ``ciphermill``: finds a command's module and turns errors into exit codes."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import NoReturn

import click

from ciphermill.cli import failures
from ciphermill.names import did_you_mean
from ciphermill.software import RestartNeeded, restart

_COMMANDS = {
    "encrypt": "ciphermill.cli.encrypt",
    "decrypt": "ciphermill.cli.decrypt",
    "inspect": "ciphermill.cli.inspect",
    "web": "ciphermill.cli.web",
    "digest": "ciphermill.cli.digest",
    "devices": "ciphermill.cli.devices",
    "weigh": "ciphermill.cli.weigh",
    "bench": "ciphermill.cli.bench",
    "speed": "ciphermill.cli.speed",
    "cosim": "ciphermill.cli.cosim",
    "physical": "ciphermill.cli.physical",
    "paper": "ciphermill.cli.paper",
    "campaign": "ciphermill.cli.campaign",
    "explore": "ciphermill.cli.explore",
    "results": "ciphermill.cli.results",
    "report": "ciphermill.cli.report",
    "export": "ciphermill.cli.export",
    "build": "ciphermill.cli.build",
    "serve": "ciphermill.cli.serve",
}


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is asked for."""

    table: Mapping[str, str] = _COMMANDS
    """Commands by their names, and the module of each."""
    called = "command"
    """The kind of the names in the table, for error messages."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands, the most used first."""
        return list(self.table)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. For an unknown name, suggest the closest ones."""
        name = args[0]
        if name in self.table or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        question = did_you_mean(name, self.table)
        there = f"{question} There are:" if question else "there are:"
        ctx.fail(f"no {self.called} is called {name!r}; {there} {', '.join(self.table)}")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, or None."""
        if cmd_name not in self.table:
            return None
        return self.made(cmd_name, importlib.import_module(self.table[cmd_name]))

    def made(self, _: str, module: ModuleType) -> click.Command:
        """The command of a module of the table."""
        command = module.command
        assert isinstance(command, click.Command)  # noqa: S101 - for the type checker
        return command


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    from ciphermill._engine import __version__

    click.echo(f"ciphermill {__version__}")
    context.exit()


_EPILOG = """\b
Examples:
  ciphermill encrypt holiday.jpg            makes holiday.jpg.cm
  ciphermill decrypt holiday.jpg.cm         makes holiday.jpg
  ciphermill web                            pictures and files, in the browser
  ciphermill weigh holiday.jpg              software beside simulated hardware
  ciphermill bench                          every device 20 times: median and spread
  ciphermill speed                          software, by threads, as openssl speed
  ciphermill digest holiday.jpg             its SHA-256, as sha256sum prints it
  ciphermill devices                        devices that can encrypt
  ciphermill cosim --partition iterative    an embedded system, cycle by cycle
  ciphermill physical aes-iterative         area, clock, power and energy
  ciphermill explore --list                 spaces of designs, to find the best ones

Exit codes: 0 done, 1 files or tools failed, 2 usage, 3 damaged input, 4 wrong
password or altered data, 5 device failed, 6 outputs differ, 130 interrupted,
143 terminated.
"""


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EPILOG,
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Encrypt files with the fastest engine available, and compare engines."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line; ends the process with an exit code (failures.ExitCode)."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        sys.exit(failures.run(cli, given or ["--help"]))
    except RestartNeeded:
        restart(given)
        raise
