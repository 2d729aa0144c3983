# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Exit codes, and errors as a line on standard error.

docs/reference/exit-codes.md documents the codes, which are stable.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
from collections.abc import Iterator
from enum import IntEnum
from types import FrameType

import click

from ciphermill import _engine
from ciphermill.names import did_you_mean

PROGRAM = "ciphermill"
_COMPLETION = "_CIPHERMILL_COMPLETE"
"""Environment variable with which a shell asks for completions."""
STORE = f"{PROGRAM}.store"
"""Key of the open results store in the ``meta`` of click's context."""


class ExitCode(IntEnum):
    """Exit codes of the process."""

    DONE = 0
    FAILED = 1
    """A file, a tool or the results store failed."""
    USAGE = 2
    """The request is invalid, or the device does not offer it."""
    DAMAGED = 3
    """The input is damaged, truncated, of another kind, or malformed."""
    AUTHENTICATION = 4
    """Wrong password or key, or data that was altered."""
    DEVICE = 5
    """A device or a simulated system failed, disappeared or gave an invalid response."""
    DIFFERENT = 6
    """Outputs of devices differ, or an output is not the known answer."""
    INTERRUPTED = 130
    """Interrupted: 128 + SIGINT, as in shells."""
    TERMINATED = 143
    """Ended by another process: 128 + SIGTERM."""


class Failure(Exception):
    """A failure of a command, with its exit code."""

    def __init__(self, message: str, code: ExitCode = ExitCode.FAILED) -> None:
        super().__init__(message)
        self.code = code


class Terminated(BaseException):
    """SIGTERM or SIGHUP: stops the same way as Ctrl-C."""


_CODES: tuple[tuple[type[Exception], ExitCode], ...] = (
    (_engine.InvalidError, ExitCode.USAGE),
    (_engine.UnsupportedError, ExitCode.USAGE),
    (_engine.DamagedError, ExitCode.DAMAGED),
    (_engine.AuthenticationError, ExitCode.AUTHENTICATION),
    (_engine.DeviceError, ExitCode.DEVICE),
    (_engine.CancelledError, ExitCode.INTERRUPTED),
    (_engine.Error, ExitCode.FAILED),
    (OSError, ExitCode.FAILED),
)


def run(command: click.Command, arguments: list[str]) -> int:
    """Run a command, print its error as one line, and return its exit code."""
    if _COMPLETION in os.environ:
        command.main(arguments, prog_name=PROGRAM, complete_var=_COMPLETION)
    _heed_termination()
    try:
        code = _invoke(command, arguments)
        sys.stdout.flush()
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else PROGRAM
        _say(f"{_usage(error)} (see: {where} --help)")
        return ExitCode.USAGE
    except click.ClickException as error:
        _say(error.format_message())
        return error.exit_code
    except Terminated as stopped:
        _say(f"terminated; {_what_is_left(stopped)}")
        return ExitCode.TERMINATED
    except (KeyboardInterrupt, click.Abort) as stopped:
        _say(f"interrupted; {_what_is_left(stopped)}")
        return ExitCode.INTERRUPTED
    except Exception as error:
        code = exit_code(error)
        if code is None:
            raise
        _say(_words(error))
        if isinstance(error, OSError):
            _forget_output()
        return code
    return code if isinstance(code, int) else ExitCode.DONE


def _invoke(command: click.Command, arguments: list[str]) -> object:
    """Click's ``main``, with a different message for an interrupt."""
    try:
        with command.make_context(PROGRAM, list(arguments)) as context:
            try:
                return command.invoke(context)
            except (KeyboardInterrupt, Terminated, click.Abort) as stopped:
                store = context.meta.get(STORE)
                if store is not None and store.last_run is not None:
                    stopped.add_note(
                        f"what was measured is stored as run {store.last_run} in {store.location}"
                    )
                raise
    except click.exceptions.Exit as ended:
        return ended.exit_code


def _what_is_left(stopped: BaseException) -> str:
    """Return what a command that was stopped has left, as a clause."""
    return "; ".join(getattr(stopped, "__notes__", ())) or "no output was left"


def exit_code(error: Exception) -> ExitCode | None:
    """The exit code for an error that users can meet; None for a bug of Ciphermill."""
    if isinstance(error, Failure):
        return error.code
    for kind, code in _CODES:
        if isinstance(error, kind):
            return code
    from ciphermill.campaign.store import StoreError
    from ciphermill.design import CannotBeError, DesignError
    from ciphermill.evaluate.stream.kernel import SimulationError, WrongStreamError
    from ciphermill.evaluate.system.errors import CosimError, DoesNotFit, WrongOutput
    from ciphermill.toolchain.errors import ToolError

    codes = {
        (CannotBeError, DoesNotFit): ExitCode.USAGE,
        (DesignError,): ExitCode.DAMAGED,
        (WrongOutput, WrongStreamError): ExitCode.DIFFERENT,
        (CosimError, SimulationError): ExitCode.DEVICE,
        (ToolError, StoreError): ExitCode.FAILED,
    }
    return next((code for kinds, code in codes.items() if isinstance(error, kinds)), None)


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        # Without the error number that Python prepends.
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _usage(error: click.UsageError) -> str:
    """Click's message; for an unknown choice, with the closest one."""
    message = error.format_message().rstrip(".")
    kind = getattr(getattr(error, "param", None), "type", None)
    given = re.search(r": '(.*)' is not (one of )?'", message)
    if isinstance(kind, click.Choice) and given:
        question = did_you_mean(given[1], map(str, kind.choices))
        return f"{message}; {question}" if question else message
    return message


def _say(message: str) -> None:
    # Standard error may be closed or full: the message is lost.
    with contextlib.suppress(OSError):
        click.echo(f"{PROGRAM}: {message}", err=True)


def _forget_output() -> None:
    """Keep the interpreter from failing again on unwritten standard output."""
    with contextlib.suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _heed_termination() -> None:
    def terminate(_: int, __: FrameType | None) -> None:
        raise Terminated

    for number in (signal.SIGTERM, signal.SIGHUP):
        # A process that was started with a signal ignored (nohup) keeps ignoring it.
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, terminate)


@contextlib.contextmanager
def reading(what: str) -> Iterator[None]:
    """Name the file that could not be read."""
    try:
        yield
    except OSError as error:
        raise Failure(f"cannot read {what}: {error.strerror or error}") from error
