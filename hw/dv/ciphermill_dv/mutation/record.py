# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Records which benches the tests of an IP run, and on which builds, without running them.

As a pytest plugin, this module puts a recorder in the place of
:func:`ciphermill_dv.simulate.run_bench`; each test then only records what it would run. Tests
that start other programs or lint are skipped. Runs that a test expects to fail do not count.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import ciphermill_dv.simulate as simulate

TARGET = "CIPHERMILL_MUTATION_RECORD"
"""The environment variable that names the file to write to."""


@dataclass
class Job:
    """One run of a bench, as a test asks for it; the arguments of ``run_bench``."""

    test: str
    bench: str
    top: str
    sources: list[str]
    parameters: dict[str, int] = field(default_factory=dict)
    tests: list[str] | None = None
    options: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    seed: int = 1
    plusargs: list[str] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    """Folders that the test added to Python's search path."""


def jobs_of(*tests: Path) -> list[Job]:
    """Return the runs that some test files or folders ask for, in their order.

    Raises:
        RuntimeError: They ask for none.
    """
    target = simulate.build_root() / "mutation" / "jobs.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", __name__, "-p", "no:cacheprovider"),
            *("-m", "not synthesis", *map(str, tests)),
        ],
        cwd=simulate.REPOSITORY,
        env={**os.environ, TARGET: str(target), "PYTHONPATH": _search_path()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    jobs = [Job(**json.loads(line)) for line in target.read_text().splitlines()]
    if not jobs:
        raise RuntimeError(f"no test runs a bench:\n{done.stdout[-2000:]}")
    return jobs


def _search_path() -> str:
    own = str(simulate.REPOSITORY / "hw" / "dv")
    return os.pathsep.join(filter(None, [own, os.environ.get("PYTHONPATH")]))


def _install(target: Path) -> None:
    import pytest

    before = set(sys.path)

    def record(
        bench: Path,
        top: str,
        sources: Sequence[Path],
        parameters: Mapping[str, int] | None = None,
        *,
        tests: str | Sequence[str] | None = None,
        options: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        seed: int = 1,
        plusargs: Sequence[str] = (),
    ) -> None:
        job = Job(
            os.environ["PYTEST_CURRENT_TEST"].rsplit(" ", 1)[0],
            str(bench),
            top,
            [str(source) for source in sources],
            dict(parameters or {}),
            [tests] if isinstance(tests, str) else list(tests) if tests else None,
            list(options),
            dict(environment or {}),
            seed,
            list(plusargs),
            [folder for folder in sys.path if folder not in before],
        )
        _recorded.append(json.dumps(asdict(job)))

    def skip(*_: Any, **__: Any) -> Any:
        pytest.skip("recording which benches run")

    simulate.run_bench = record
    simulate.lint = skip
    subprocess.Popen.__init__ = skip  # type: ignore[method-assign]


_recorded: list[str] = []
"""The runs that the present test has asked for."""


def pytest_runtest_logreport(report: Any) -> None:
    """Write what a test has asked for, unless it was to fail."""
    if report.when == "call" and TARGET in os.environ:
        if "DID NOT RAISE" not in report.longreprtext:
            with Path(os.environ[TARGET]).open("a") as file:
                file.writelines(f"{line}\n" for line in _recorded)
        _recorded.clear()


if TARGET in os.environ:
    _install(Path(os.environ[TARGET]))
