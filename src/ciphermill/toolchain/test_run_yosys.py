# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tools that take too long or are interrupted are stopped; their words are told."""

import threading
import time
from pathlib import Path

import pytest

from ciphermill.design import find_home

from . import run_yosys as subject
from .errors import ToolError
from .run_yosys import relative, run_yosys, stopped_on_error

HOME = find_home()


@pytest.fixture
def sleeping(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that sleeps instead of working."""
    monkeypatch.setattr(subject, "PROGRAM", "import time; time.sleep(100)")


def _run(time_limit_s: float | None = None) -> None:
    missing = HOME / "build" / "never-written"
    run_yosys(["help"], [missing], what="nothing", home=HOME, time_limit_s=time_limit_s)


@pytest.mark.usefixtures("sleeping")
def test_time_limit() -> None:
    started = time.monotonic()
    with pytest.raises(ToolError, match=r"nothing took longer than 1 s .* --time-limit"):
        _run(1)
    assert time.monotonic() - started < 30


@pytest.mark.usefixtures("sleeping")
def test_interruption_stops_tools_in_threads() -> None:
    errors: list[str] = []

    def work() -> None:
        for _ in range(2):  # the second may not even start
            try:
                _run()
            except ToolError as error:
                errors.append(str(error).splitlines()[0])

    thread = threading.Thread(target=work)
    with pytest.raises(KeyboardInterrupt), stopped_on_error():
        thread.start()
        while not subject._running:
            time.sleep(0.01)
        raise KeyboardInterrupt
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert errors == ["nothing failed:", "nothing was stopped"]
    with stopped_on_error():
        assert not subject._stopping.is_set()


def test_path_that_yosys_cannot_name() -> None:
    assert relative(HOME / "hw" / "a.sv", HOME) == "hw/a.sv"
    with pytest.raises(ToolError, match="no path with a space"):
        relative(Path("/tmp/my core.sv"), HOME)
