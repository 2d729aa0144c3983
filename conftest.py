# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Settings of all tests: signals, cell libraries, the tests of `make verify`, order.

`tests/verify.txt` names the tests that `make verify` runs and `make test` leaves out;
`tests/durations.json` tells how long the longest test of each file takes: long files go first.
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from ciphermill_dv import coverage

# A shell that starts the tests in the background has them ignore Ctrl-C, and nohup
# has them ignore a hang-up; the programs under test would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Cell libraries are not part of the project. Those in a folder beside it are found by default.
_BESIDE = Path(__file__).resolve().parent.parent / "shared" / "pdk"
if _BESIDE.is_dir():
    os.environ.setdefault("CIPHERMILL_PDK_PATH", str(_BESIDE))

HERE = Path(__file__).resolve().parent
DURATIONS = HERE / "tests" / "durations.json"
MEASURED = Path(os.environ.get("CIPHERMILL_BUILD", HERE / "build")) / "durations.json"
"""Durations on this machine; `make durations` copies them to the file that is kept."""
PROCESSOR_SECONDS = MEASURED.with_name("processor_seconds.json")
"""Processor time of each test, of the programs that it started too: unlike the durations, these
hold while other work shares the machine. What tests share counts for the first that needs it."""
_lines = (HERE / "tests" / "verify.txt").read_text().splitlines()
VERIFY = {line: re.compile(line) for line in _lines if line and not line.startswith("#")}
"""Regular expressions that the names of long tests begin with."""

_wrong = set[str]()
_told = Counter[str]()
_taken: dict[str, float] = {}
_used: dict[str, float] = {}
_COUNT = "processor seconds"
_COUNTED = pytest.StashKey[float]()
"""Processor time of this process when it was last counted."""


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
        unmet = ", ".join(sorted(VERIFY.keys() - met))
        wrong = (
            f"tests/verify.txt names tests that do not exist: {unmet}; "
            "correct these lines, or remove them"
        )
        if not hasattr(config, "workeroutput"):
            raise pytest.UsageError(wrong)
        # An error inside a worker would be shown as one of xdist: the main process says it.
        config.workeroutput["wrong"] = wrong
        items.clear()
    longest: dict[str, float] = json.loads(DURATIONS.read_text())
    # Tests of a file stay together, for what they share; a file that is new comes first.
    items.sort(key=lambda item: -longest.get(item.nodeid.split("::")[0], math.inf))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a worker of xdist found to be wrong."""
    _wrong.update(getattr(node, "workeroutput", {}).get("wrong", "").splitlines())


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """End as a usage error where the choice of tests is wrong."""
    if _wrong:
        raise pytest.UsageError(*_wrong)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note where the processor time of a test begins."""
    item.stash[_COUNTED] = _processor_seconds()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the processor time to the report, which a worker of xdist sends on."""
    report = yield
    now = _processor_seconds()
    report.user_properties.append((_COUNT, now - item.stash[_COUNTED]))
    item.stash[_COUNTED] = now
    return report


def _processor_seconds() -> float:
    """Return what this process has used, and what those that it started and awaited have."""
    return sum(os.times()[:4])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _taken[report.nodeid] = _taken.get(report.nodeid, 0.0) + report.duration
    for name, seconds in report.user_properties:
        if name == _COUNT and isinstance(seconds, float):
            _used[report.nodeid] = _used.get(report.nodeid, 0.0) + seconds
    if report.when == "call" or report.outcome == "skipped":
        _told[report.outcome] += 1


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print how many checks ran and how to run the others; store the durations."""
    if not config.option.collectonly and config.option.markexpr in ("verify", "not verify"):
        rest = {"verify": "test", "not verify": "verify"}[config.option.markexpr]
        ran = _told["passed"] + _told["failed"]
        terminalreporter.write_line(coverage.report())
        terminalreporter.write_line(
            f"{ran} checks ran, {_told['skipped']} were skipped; make {rest} runs the others"
        )
    if _taken:
        MEASURED.parent.mkdir(parents=True, exist_ok=True)
        known = _stored(MEASURED)
        for name, seconds in _taken.items():
            file = name.split("::")[0]
            known[file] = max(known.get(file, 0.0), round(seconds, 1))
        MEASURED.write_text(json.dumps(dict(sorted(known.items())), indent=0) + "\n")
        used = _stored(PROCESSOR_SECONDS)
        used.update({name: round(seconds, 1) for name, seconds in _used.items()})
        dearest = sorted(used.items(), key=lambda entry: -entry[1])
        PROCESSOR_SECONDS.write_text(json.dumps(dict(dearest), indent=0) + "\n")


def _stored(file: Path) -> dict[str, float]:
    """Return the seconds that earlier runs stored."""
    stored: dict[str, float] = json.loads(file.read_text()) if file.is_file() else {}
    return stored
