# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The FPGA of a board as a device: of the command line, of Python and of the C library."""

from __future__ import annotations

import ctypes
import json
import random
from pathlib import Path

import pytest

import ciphermill as library
from ciphermill.design import Board, Core, load_design, load_platform
from ciphermill.evaluate.evaluate import evaluate
from ciphermill.papers.aes_fpga_vs_gpu.experiment import message as paper_message
from ciphermill.registry import open_engine_device, openssl
from ciphermill.toolchain.model import ensure_model

from .conftest import Ciphermill
from .test_c_library import BUILT, Request

PAPER = "model:aes-fpga-paper"
SMALL = Path(__file__).parent / "designs" / "board.toml"
"""3 KiB of memory."""
C_CTR = 2
C_UNSUPPORTED = 2


@pytest.fixture
def short_key(tmp_path: Path) -> Path:
    path = tmp_path / "short-key"
    path.write_bytes(bytes(range(16)))
    return path


def test_a_file_goes_through_the_board_and_back_through_the_processor(
    ciphermill: Ciphermill, plain: bytes, short_key: Path
) -> None:
    asked = ("--device", PAPER, "--mode", "ctr", "--key-bits", "128", "--key-file", short_key)
    there = ciphermill("encrypt", "plain", *asked)
    assert there.code == 0, there
    for device in ("cpu", f"{PAPER},clock_mhz=100,memory_clock_mhz=66"):
        back = ciphermill(
            *("decrypt", "plain.cm", "-o", "-", "--key-file", short_key, "--device", device)
        )
        assert back.code == 0, back
        assert back.out == plain


def test_what_the_board_lacks_is_refused(
    ciphermill: Ciphermill, plain: bytes, key: Path, short_key: Path
) -> None:
    assert plain
    before = ciphermill.files()
    for mode, secret in (("cbc", short_key), ("gcm", short_key), ("ctr", key)):
        outcome = ciphermill(
            *("encrypt", "plain", "--device", PAPER, "--mode", mode, "--key-file", secret)
        )
        outcome.failed(2, PAPER, "choose another device or mode")
    assert ciphermill.files() == before


def test_it_is_listed_and_weighed(ciphermill: Ciphermill, plain: bytes) -> None:
    listed = json.loads(ciphermill("devices", "--json").out)
    [facts] = [one for one in listed if one["device"] == PAPER]
    assert facts["key_bits"] == [128]
    assert {one["mode"] for one in facts["operations"]} == {"ctr"}
    assert (facts["clock.mhz"], facts["architecture"]) == (70.0, "stepped")
    names = (PAPER, f"{PAPER},clock_mhz=140,memory_clock_mhz=66")
    wanted = [word for name in names for word in ("--device", name)]
    outcome = ciphermill("weigh", "plain", "--json", "--key-bits", "128", *wanted)
    assert outcome.code == 0, outcome
    seen = json.loads(outcome.out)
    assert [(one["device"], one["mode"]) for one in seen] == [
        (name, "ctr") for name in names for _ in range(2)
    ]
    slow, _, fast, _ = seen
    assert slow["correct"] and slow["method"] == "simulated" and slow["bytes"] == len(plain)
    # Cores of 33 cycles a block, four of them.
    assert 33 / 4 <= slow["cycles.per_block"] < 9
    assert fast["time.processing_s"] == pytest.approx(slow["time.processing_s"] / 2, rel=0.02)
    # Each byte crosses the link twice, which no clock of the FPGA changes.
    for one in (slow, fast):
        assert one["time.transfer_s"] == pytest.approx(16 * len(plain) / 489.6e6)
        spent = one["time.processing_s"] + one["time.transfer_s"]
        assert one["time.total_s"] == pytest.approx(spent)


@pytest.mark.parametrize("seed", range(3))
def test_messages_longer_than_the_memory_are_the_processor_s(seed: int) -> None:
    chosen = random.Random(seed)
    device, reference = open_engine_device(f"model:{SMALL},clock_mhz=40"), openssl()
    assert device.name == "model:test-board,clock_mhz=40"
    for length in (0, 1, chosen.randrange(3072), 3072, 3073, chosen.randrange(3072, 20_000)):
        data, key = chosen.randbytes(length), chosen.randbytes(16)
        # The counter wraps around.
        iv = bytes([255]) * 15 + chosen.randbytes(1)
        asked = {"mode": "ctr", "direction": "encrypt", "key": key, "iv": iv}
        output, timing = device.transform(data, **asked)
        assert output == reference.transform(data, **asked)[0]
        assert timing.method == "simulated"


def test_device_and_paper_agree_on_the_way_over_the_link(
    ciphermill: Ciphermill, tmp_path: Path
) -> None:
    """``bench`` and ``paper`` show the same rate of the same board, transfers included."""
    length = 16 << 10
    told = ciphermill(
        *("bench", "--device", PAPER, "--mode", "ctr", "--key-bits", "128", "--json"),
        *("--bytes", str(length), "--report", tmp_path / "bench.html"),
    )
    assert told.code == 0, told
    [seen] = json.loads(told.out)
    board = load_platform("celoxica-rc1000", Board)
    alone, whole = evaluate(load_design("aes-fpga-paper", Core), board, paper_message(length))
    assert seen["throughput.mb_s"] == pytest.approx(whole.throughput_mb_s, rel=1e-3)
    assert seen["throughput.processing_mb_s"] == pytest.approx(alone.throughput_mb_s, rel=1e-3)


def test_a_setting_that_no_model_has_is_refused() -> None:
    with pytest.raises(library.InvalidError, match="memory_clock_mhz is a number from"):
        open_engine_device(f"{PAPER},memory_clock_mhz=0")
    with pytest.raises(library.InvalidError, match="which has no memory banks"):
        open_engine_device("model:aes-iterative,memory_clock_mhz=33")


def test_a_board_has_no_device_files(ciphermill: Ciphermill, tmp_path: Path) -> None:
    outcome = ciphermill("serve", "aes-fpga-paper", "--dir", tmp_path / "board")
    outcome.failed(2, f"use the device {PAPER}")


@pytest.mark.skipif(not BUILT.exists(), reason="no C library built: make test-python")
def test_the_c_library_has_it() -> None:
    functions = ctypes.CDLL(str(BUILT))
    models = str(ensure_model(SMALL).parent).encode()
    device = ctypes.c_void_p()
    assert functions.ciphermill_open(b"model:test-board", models, ctypes.byref(device)) == 0
    plain, key, iv = random.Random(1).randbytes(5000), bytes(range(16)), bytes(16)
    answer, _ = openssl().transform(plain, mode="ctr", direction="encrypt", key=key, iv=iv)
    data = ctypes.create_string_buffer(plain, len(plain))
    request = Request(C_CTR, 0, key, 16, iv, None, 0, None)
    length = ctypes.c_size_t(len(plain))
    asked = (device, ctypes.byref(request), data, data)
    assert functions.ciphermill_run(*asked, length, None) == 0
    assert data.raw == answer
    request.key_bytes, request.key = 32, bytes(32)
    assert functions.ciphermill_run(*asked, length, None) == C_UNSUPPORTED
    functions.ciphermill_close(device)
