# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The lint finds what is wrong, and in whole systems parameters that do not exist."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from ciphermill_dv.simulate import lint

from ciphermill.design import Partition, SoftCore, System

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "lint_rtl.py"


@pytest.fixture(scope="module")
def lint_system() -> Callable[..., subprocess.CompletedProcess[str]]:
    spec = importlib.util.spec_from_file_location("lint_rtl", SCRIPT)
    assert spec is not None and spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.lint_system


def test_lint_finds_what_is_wrong(tmp_path: Path) -> None:
    good = tmp_path / "good.sv"
    good.write_text("module good(input logic a_i, output logic b_o); assign b_o = a_i; endmodule\n")
    assert lint("good", [good]).returncode == 0
    bad = tmp_path / "bad.sv"
    bad.write_text(
        "module bad(input logic a_i, output logic [1:0] b_o); assign b_o = a_i; endmodule\n"
    )
    done = lint("bad", [bad])
    assert done.returncode
    assert "WIDTHEXPAND" in done.stdout


def test_a_system_as_it_is_passes(
    lint_system: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = lint_system(System(partition=Partition.SOFTWARE))
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"Partition": 9}, "Partition must be 0 to 8"),
        ({"SoftCore": 4}, "SoftCore must be 0"),
        ({"Interface": 3}, "Interface must be 0"),
        ({"BlocksInFlight": 9}, "BlocksInFlight must be 8 at most"),
        ({"SBox": 3}, "SBox must be 0"),
        ({"MemoryBytes": 5000}, "MemoryBytes must be a power of two"),
    ],
)
def test_parameters_that_do_not_exist_stop_elaboration(
    lint_system: Callable[..., subprocess.CompletedProcess[str]],
    change: dict[str, int],
    complaint: str,
) -> None:
    done = lint_system(System(partition=Partition.SOFTWARE), change)
    assert done.returncode
    assert complaint in done.stdout


def test_ibex_hosts_no_instructions(
    lint_system: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    system = System(partition=Partition.INSTRUCTION, soft_core=SoftCore.VEXRISCV)
    done = lint_system(system, {"SoftCore": 2})
    assert done.returncode
    assert "Ibex and CVA6 have no port for custom instructions" in done.stdout
