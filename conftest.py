# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What holds for every test: signals, cell libraries, which tests are for `make verify`, order.

`tests/verify.txt` names the tests that `make verify` runs and `make test` leaves out;
`tests/durations.json` tells how long tests take, so that the longest begin first.
"""

from __future__ import annotations

import json
import os
import re
import signal
from collections import Counter
from pathlib import Path

import pytest

# A shell that starts the tests in the background has them ignore Ctrl-C, and nohup
# has them ignore a hang-up; the programs under test would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Cell libraries are no part of the project; those that lie beside it are found without being named.
_BESIDE = Path(__file__).resolve().parent.parent / "shared" / "pdk"
if _BESIDE.is_dir():
    os.environ.setdefault("CIPHERMILL_PDK_PATH", str(_BESIDE))

HERE = Path(__file__).resolve().parent
DURATIONS = HERE / "tests" / "durations.json"
LEAST_S = 0.5
"""Shorter tests are not kept in the file of durations."""
_lines = (HERE / "tests" / "verify.txt").read_text().splitlines()
VERIFY = {line: re.compile(line) for line in _lines if line and not line.startswith("#")}
"""Regular expressions that the names of long tests begin with."""

_told = Counter[str]()
_taken: dict[str, float] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record-durations", action="store_true", help=f"renew {DURATIONS.relative_to(HERE)}"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what `make verify` runs; put files with the longest tests first."""
    met = set()
    for item in items:
        for line, pattern in VERIFY.items():
            if pattern.match(item.nodeid):
                item.add_marker("verify")
                met.add(line)
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and met != VERIFY.keys():
        unmet = ", ".join(VERIFY.keys() - met)
        raise pytest.UsageError(f"tests/verify.txt names tests that do not exist: {unmet}")
    seconds: dict[str, float] = json.loads(DURATIONS.read_text())
    longest: dict[Path, float] = {}
    for item in items:
        longest[item.path] = max(longest.get(item.path, 0.0), seconds.get(item.nodeid, 0.0))
    items.sort(key=lambda item: -longest[item.path])  # tests of a file stay together


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _taken[report.nodeid] = _taken.get(report.nodeid, 0.0) + report.duration
    if report.when == "call" or report.outcome == "skipped":
        _told[report.outcome] += 1


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say how many checks ran and how to run the others; keep durations where that is asked."""
    if not config.option.collectonly and config.option.markexpr in ("verify", "not verify"):
        rest = {"verify": "test", "not verify": "verify"}[config.option.markexpr]
        ran = _told["passed"] + _told["failed"]
        terminalreporter.write_line(
            f"{ran} checks ran, {_told['skipped']} were skipped; make {rest} runs the others"
        )
    if config.option.record_durations:
        known: dict[str, float] = json.loads(DURATIONS.read_text())
        known |= {name: round(seconds, 1) for name, seconds in _taken.items()}
        kept = {name: seconds for name, seconds in sorted(known.items()) if seconds >= LEAST_S}
        DURATIONS.write_text(json.dumps(kept, indent=0) + "\n")
