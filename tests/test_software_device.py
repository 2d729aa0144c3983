# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The device ``software`` beside the others: OpenSSL without AES instructions, in a process."""

import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ciphermill import (
    DeviceError,
    InvalidError,
    UnsupportedError,
    _engine,
    encrypt,
    open_device,
    transform,
)
from ciphermill.software import VARIABLE, WITHOUT_AES, RestartNeeded, SoftwareDevice, check_process

from .conftest import Ciphermill

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="OpenSSL can be kept from the instructions on x86-64"
)
ASKED: Any = {"mode": "ctr", "key": bytes(32), "iv": bytes(16)}


@pytest.fixture
def software() -> Iterator[SoftwareDevice]:
    device = open_device("software")
    if not isinstance(device, SoftwareDevice):
        pytest.skip("the environment hides the AES instructions from OpenSSL")
    yield device
    device.close()


def test_it_gives_what_others_give_and_has_no_aes_instructions(software: SoftwareDevice) -> None:
    data = os.urandom(100_000)
    told: list[tuple[int, int | None]] = []
    output, timing = software.transform(
        data, direction="encrypt", progress=lambda *done: told.append(done), **ASKED
    )
    expected, _ = transform(data, direction="encrypt", **ASKED)
    assert output == expected
    assert told[-1] == (len(data), len(data))
    assert timing.method == "measured"
    assert 0 < timing.processing_s <= timing.total_s
    assert "without AES instructions" in software.description
    assert ("xts", "decrypt") in software.operations


def test_it_streams_files(software: SoftwareDevice, tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(os.urandom(50_000))
    done = software.stream_path_timed(source, target, direction="encrypt", **ASKED)
    expected, _ = transform(source.read_bytes(), direction="encrypt", **ASKED)
    assert target.read_bytes() == expected
    assert done["time_total_s"] > 0


def test_its_errors_come_over(software: SoftwareDevice) -> None:
    with pytest.raises(InvalidError, match="key"):
        software.transform(b"", mode="ctr", direction="encrypt", key=b"short", iv=bytes(16))
    with pytest.raises(OverflowError):
        software.transform(b"abc", direction="encrypt", data_unit_bytes=-1, **ASKED)
    # The next call works.
    assert software.transform(b"abc", direction="encrypt", **ASKED)[0]


def test_a_process_that_has_ended_is_a_device_error(software: SoftwareDevice) -> None:
    os.kill(software._process.pid, signal.SIGKILL)
    software._process.wait()
    with pytest.raises(DeviceError, match="software"):
        software.transform(b"abc", direction="encrypt", **ASKED)


FORKS = """
import ciphermill, gc, os
device = ciphermill.open_device("software")
asked = {"mode": "ctr", "direction": "encrypt", "key": bytes(32), "iv": bytes(16)}
if (child := os.fork()) == 0:
    try:
        device.transform(b"abc", **asked)
    except ciphermill.DeviceError as error:
        assert "open the device again" in str(error)
        del device
        gc.collect()
        os._exit(ciphermill.open_device("software").transform(b"abc", **asked)[0] == b"")
    os._exit(1)
assert os.waitpid(child, 0)[1] == 0
assert device.transform(b"abc", **asked)[0]
"""


def test_a_forked_child_does_not_share_it(software: SoftwareDevice) -> None:
    """Sharing would give each process the answers of the other."""
    subprocess.run([sys.executable, "-c", FORKS], check=True, timeout=120)


def test_an_isolated_interpreter_takes_no_code_from_the_environment(
    software: SoftwareDevice, tmp_path: Path
) -> None:
    (tmp_path / "ciphermill.py").write_text("raise SystemExit('code of another')")
    code = "import ciphermill; ciphermill.open_device('software').close()"
    ran = subprocess.run(
        [sys.executable, "-I", "-c", code],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr


def test_its_process_ends_with_the_one_that_opened_it() -> None:
    code = """
import ciphermill, os
device = ciphermill.open_device("software")
print(device._process.pid, flush=True)
os._exit(0)  # Without tidying up.
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    child = Path(f"/proc/{int(ran.stdout)}/stat")
    for _ in range(2000):
        if not child.exists() or child.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        signal.sigtimedwait([], 0.01)
    raise AssertionError("the child goes on without its parent")


def test_the_engine_says_in_which_environment_it_has_it(software: SoftwareDevice) -> None:
    with pytest.raises(UnsupportedError, match=f"{VARIABLE}={WITHOUT_AES}"):
        _engine.Device("software")
    with pytest.raises(UnsupportedError, match=VARIABLE):
        encrypt(b"abc", key=bytes(32), device=software)
    with pytest.raises(RestartNeeded):
        check_process()


def test_files_go_through_it(ciphermill: Ciphermill, plain: bytes, key: Path) -> None:
    sealed = ciphermill("encrypt", "plain", "--device", "software", "--key-file", key)
    assert sealed.code == 0, sealed
    opened = ciphermill("decrypt", "plain.cm", "-o", "-", "--key-file", key)
    assert opened.out == plain
