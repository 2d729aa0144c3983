# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Rows of ``make bench``: what is not measured says so. Nothing here is timed."""

from __future__ import annotations

import doctest
import importlib
import subprocess
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ciphermill import DeviceError

BENCH = Path(__file__).parent.parent / "bench"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports a module of the folder bench/ by its name."""
    monkeypatch.syspath_prepend(str(BENCH))

    def load(name: str) -> ModuleType:
        return importlib.import_module(name)

    return load


def test_a_row_says_whether_its_target_is_met(bench: Any) -> None:
    rows = bench("rows")

    def verdict(value: float | None, target: float | None) -> str:
        row = rows.Row("what", "seen", "", value, target, "", ())
        assert row.verdict in rows.table([row])
        return str(row.verdict)

    assert verdict(0.5, 1.0) == "missed"
    assert verdict(1.0, 1.0) == "met"
    assert verdict(None, 1.0) == "unmeasured"
    assert verdict(0.5, None) == "no target"
    shown = rows.table([rows.unmeasured("what", 1.0, "there is none")])
    assert "what: unmeasured: there is none" in shown


def test_instructions_that_are_missing_leave_rows(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = bench("streams")
    monkeypatch.setattr(streams, "build", lambda: Path("program"))
    monkeypatch.setattr(streams, "_build_peer", lambda _: "no peer")
    monkeypatch.setattr(streams, "_cpu", lambda *_: 100.0)
    monkeypatch.setattr(streams, "flags", lambda: {"aes", "avx", "avx2"})
    rows = streams.run(1, 0.1)
    assert len(rows) == 2 * len(streams.SIDES)
    for row in rows:
        beside_peer = "beside libipsec-mb" in row.what
        if "AES-NI" in row.what and not beside_peer:
            assert row.value == 1.0
        else:
            assert row.value is None
            assert row.note.startswith("unmeasured: ")
            assert ("no peer" in row.note) == ("AES-NI" in row.what)
    assert any("VAES-256" in row.what for row in rows)
    assert any("this processor has no vaes" in row.note for row in rows)


def test_without_openssl_3_5_pipelines_are_unmeasured(
    bench: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pipelines = bench("pipelines")
    monkeypatch.setattr(pipelines, "LATER", tmp_path)
    rows = pipelines.run(1)
    assert len(rows) == len(pipelines.OPERATIONS) * len(pipelines.SIZES)
    assert {(row.value, "make openssl-3.5" in row.note) for row in rows} == {(None, True)}
    assert {row.target for row in rows if "CBC, encrypt" in row.what} == {3.5}


def test_without_opencl_and_cuda_the_graphics_rows_are_unmeasured(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphics = bench("graphics")
    asked = []

    def ran(command: list[str], **options: Any) -> SimpleNamespace:
        asked.append((command, options["env"]))
        return SimpleNamespace(returncode=0, stdout='"there is no OpenCL"')

    def absent(_: str) -> None:
        raise DeviceError("absent")

    monkeypatch.setattr(subprocess, "run", ran)
    monkeypatch.setattr(graphics, "open_device", absent)
    rows = graphics.run(1)
    assert {row.value for row in rows} == {None}
    # Both run on the same core.
    [(command, environment)] = asked
    assert command[:2] == ["taskset", "--cpu-list"] and "," not in command[2]
    assert environment["POCL_CPU_MAX_CU_COUNT"] == "1"
    assert all("32 MiB, one core" in row.what for row in rows if "there is no OpenCL" in row.note)
    assert [row.target for row in rows if "GCM, " in row.what] == [None, None]
    assert graphics.measure(1) == "absent"


def test_a_copy_to_a_card_that_fails_is_a_row(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    graphics = bench("graphics")

    class Memory:
        def __init__(self, _: int) -> None: ...

        def put(self, _: bytes) -> None:
            raise OSError("cuMemcpyHtoD_v2 of CUDA's driver fails with status 700")

    monkeypatch.setattr(graphics, "RESIDENT_BYTES", 1 << 10)
    monkeypatch.setattr(graphics.cuda_memory, "Memory", Memory)
    monkeypatch.setattr(graphics, "open_device", lambda _: SimpleNamespace(name="cuda:0"))
    row = graphics._resident("tables", "ctr", 1)
    assert (row.value, "status 700" in row.note) == (None, True)


def test_a_rate_on_a_card_is_a_share_of_its_limits(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphics = bench("graphics")
    assert doctest.testmod(graphics).failed == 0
    assert graphics.reached("NVIDIA A100 (CUDA)", "tables", "ctr", 1e5) == ""
    # Of the real memory and cipher of this machine, as a card's.
    held: list[bytes] = []

    class Memory:
        def __init__(self, _: int) -> None: ...

        def put(self, data: bytes) -> None:
            held[:] = [data]

        def get(self) -> bytes:
            return held[0]

    card = SimpleNamespace(name="cuda:0", description="NVIDIA H200 (CUDA)")
    device = graphics.open_device("cpu")

    def encrypt(_: str, __: object, **asked: Any) -> tuple[None, SimpleNamespace]:
        asked.pop("device")
        held[:] = [device.run("encrypt", held[0], algorithm="aes", **asked)[0]]
        return None, SimpleNamespace(total_s=2048 / 400e9)

    monkeypatch.setattr(graphics, "RESIDENT_BYTES", 2048)
    monkeypatch.setattr(graphics.cuda_memory, "Memory", Memory)
    monkeypatch.setattr(graphics, "run_in_memory", encrypt)
    monkeypatch.setattr(
        graphics, "open_device", lambda name: card if name.startswith("cuda") else device
    )
    row = graphics._resident("bitsliced", "ctr", 2)
    assert row.value == pytest.approx(3.2)
    assert row.beside == "of memory 17 %, of integer operations 81 %"
