# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The first line of a failed tool's error gives the reason: a signal, or short memory."""

import os
import resource
import sys

import pytest

from .errors import ToolError, failed, reason_of_end
from .verilator import run

LAST_WORDS = "print('%Error: an unrelated last line', flush=True); import os; "


def _first_line(code: str) -> str:
    with pytest.raises(ToolError) as caught:
        run([sys.executable, "-c", code], "the tool", os.environ)
    return str(caught.value).splitlines()[0]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("SIGKILL", "ended by SIGKILL (Killed); Linux does so when memory is short"),
        ("SIGSEGV", "ended by SIGSEGV (Segmentation fault)"),
        ("SIGABRT", "ended by SIGABRT (Aborted)"),
    ],
)
def test_a_signal_is_named_before_the_log(name: str, reason: str) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    line = _first_line(f"{LAST_WORDS} import signal; os.kill(os.getpid(), signal.{name})")
    assert line.startswith(f"the tool failed: {reason}")


def test_a_signal_that_a_shell_reports_is_named() -> None:
    with pytest.raises(ToolError, match=r"^the tool failed: ended by SIGSEGV"):
        run(["sh", "-c", "sh -c 'kill -SEGV $$'; exit $?"], "the tool", os.environ)


def test_short_memory_is_the_reason() -> None:
    grab = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (200 << 20,) * 2); "
        "print('working', flush=True); bytearray(1 << 30)"
    )
    assert _first_line(grab).startswith("the tool failed: short of memory")


def test_a_compiler_that_was_killed_inside_make_is_named() -> None:
    output = (
        "g++: fatal error: Killed signal terminated program cc1plus\n"
        "compilation terminated.\nmake: *** [Vsoc.mk:60: Vsoc.o] Error 1\n"
    )
    first = str(failed("compiling the model", output, code=2)).splitlines()[0]
    assert first.startswith("compiling the model failed: cc1plus was ended by a signal (Killed)")
    assert "memory is short" in first


@pytest.mark.parametrize("code", [1, 2, 127, 255])
def test_a_tool_that_ends_by_itself_is_left_to_its_own_words(code: int) -> None:
    assert reason_of_end(code, "%Error: top.sv:3: syntax error") is None
    assert str(failed("lint", "%Error: top.sv:3", code=code)) == "lint failed:\n%Error: top.sv:3"
