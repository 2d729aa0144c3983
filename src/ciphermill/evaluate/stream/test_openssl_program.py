# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The application that calls OpenSSL: its output, its device, and its errors."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from support.openssl import PLACES, needs_provider
from support.processes import has_ended

from ciphermill import DeviceError, environment
from ciphermill.algorithms import AES
from ciphermill.design.operations import Operation
from ciphermill.evaluate.stream import openssl_program
from ciphermill.evaluate.stream.message import iv_of, key_of
from ciphermill.evaluate.stream.openssl_program import OpenSslApplication, build_application
from ciphermill.toolchain.errors import ToolError

UPDATE = 4096
DATA = bytes(range(256)) * 50  # three updates and a part of one
EXPECTED: dict[str, Callable[[], Any]] = {
    "ecb": modes.ECB,
    "cbc": lambda: modes.CBC(iv_of(AES)),
    "ctr": lambda: modes.CTR(iv_of(AES)),
}


@pytest.fixture
def application(monkeypatch: pytest.MonkeyPatch) -> OpenSslApplication:
    return _on("cpu", monkeypatch)


def _on(device: str, monkeypatch: pytest.MonkeyPatch) -> OpenSslApplication:
    place = next(one for one in PLACES if (one / "ciphermill.so").exists())
    monkeypatch.setattr(openssl_program, "provider_folder", lambda: place)
    return OpenSslApplication(device)


@needs_provider
@pytest.mark.parametrize("verb", ["encrypt", "decrypt"])
@pytest.mark.parametrize("mode", EXPECTED)
def test_output_is_that_of_another_library(
    mode: str, verb: str, application: OpenSslApplication, tmp_path: Path
) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(DATA)
    cipher = Cipher(algorithms.AES(key_of(AES)), EXPECTED[mode]())
    worker = cipher.encryptor() if verb == "encrypt" else cipher.decryptor()
    expected = worker.update(DATA) + worker.finalize()
    for implementation in ("software", "software+", "hardware"):
        found = application.stream(
            implementation,
            source,
            target,
            algorithm=AES,
            operation=Operation(mode, verb),
            update_bytes=UPDATE,
        )
        assert target.read_bytes() == expected, implementation
        target.unlink()
        assert (found["bytes"], found["updates"]) == (len(DATA), 4)
        assert 0 < found["time_inside_write_s"] < found["time_total_s"]
        hardware = implementation == "hardware"
        assert found["device_bytes"] == (len(DATA) if hardware else 0)
        assert found["device_updates"] == (4 if hardware else 0)
    assert [one.name for one in tmp_path.iterdir()] == ["in"]


@needs_provider
def test_work_that_a_device_has_left_to_software_is_an_error(
    application: OpenSslApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").write_bytes(DATA)
    honest = application._environment
    monkeypatch.setattr(
        application,
        "_environment",
        lambda _: honest("hardware") | {"CIPHERMILL_THRESHOLD": "never"},
    )
    with pytest.raises(DeviceError, match="cpu did 0 of 12800 bytes"):
        _run(application, tmp_path)


@needs_provider
def test_errors_of_the_program_are_told_and_leave_the_output(
    application: OpenSslApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").write_bytes(b"as it was")
    with pytest.raises(DeviceError, match="in: No such file"):
        _run(application, tmp_path)
    (tmp_path / "in").write_bytes(DATA[:-1])
    with pytest.raises(DeviceError, match="whole number of blocks"):
        _run(application, tmp_path, "cbc")
    with pytest.raises(DeviceError, match="no device files in /nowhere"):
        _run(_on("stream:/nowhere", monkeypatch), tmp_path)
    assert (tmp_path / "out").read_bytes() == b"as it was"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["in", "out"]


@needs_provider
def test_streams_at_once_begin_when_all_are_ready(
    application: OpenSslApplication, tmp_path: Path
) -> None:
    files = [(tmp_path / f"in{n}", tmp_path / f"out{n}") for n in range(3)]
    for number, (source, _) in enumerate(files[:2]):
        source.write_bytes(DATA[number * 16 :])
    asked: dict[str, Any] = {
        **{"algorithm": AES, "operation": Operation("ctr", "encrypt"), "update_bytes": UPDATE}
    }
    with pytest.raises(DeviceError, match="in2: No such file"):
        application.stream_together("hardware", files, **asked)
    # One that had begun would have ended.
    assert not any(target.exists() for _, target in files)
    files[2][0].write_bytes(DATA[32:])
    found = application.stream_together("hardware", files, **asked)
    assert [one["bytes"] for one in found] == [len(DATA), len(DATA) - 16, len(DATA) - 32]
    for source, target in files:
        cipher = Cipher(algorithms.AES(key_of(AES)), EXPECTED["ctr"]()).encryptor()
        assert target.read_bytes() == cipher.update(source.read_bytes()) + cipher.finalize()


def test_an_interrupt_ends_every_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "application"
    program.write_text(f"#!/bin/sh\necho ready; echo $$ >> {tmp_path}/begun; exec sleep 100\n")
    program.chmod(0o755)
    monkeypatch.setattr(openssl_program, "provider_folder", lambda: tmp_path)
    monkeypatch.setattr(openssl_program, "build_application", lambda: program)
    application = OpenSslApplication("cpu")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    # The second one is waited for when the interrupt comes.
    monkeypatch.setattr(application, "_result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        application.stream_together(
            "software",
            [(tmp_path / "in", None)] * 2,
            algorithm=AES,
            operation=Operation("ctr", "encrypt"),
            update_bytes=UPDATE,
        )
    assert all(has_ended(int(one)) for one in (tmp_path / "begun").read_text().split())


def _run(application: OpenSslApplication, folder: Path, mode: str = "ctr") -> None:
    application.stream(
        "hardware",
        folder / "in",
        folder / "out",
        algorithm=AES,
        operation=Operation(mode, "encrypt"),
        update_bytes=UPDATE,
    )


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openssl_program, "build_folder", lambda: tmp_path)
    with pytest.raises(ToolError, match="make provider"):
        openssl_program.provider_folder()
    (tmp_path / "cc").write_text(
        "#!/bin/sh\necho 'fatal error: openssl/opensslv.h: No such file' >&2\nexit 1\n"
    )
    (tmp_path / "cc").chmod(0o755)
    monkeypatch.setattr(environment, "find_program", lambda _: str(tmp_path / "cc"))
    with pytest.raises(ToolError, match="apt install libssl-dev"):
        build_application()
    monkeypatch.setattr(environment, "find_program", lambda _: None)
    with pytest.raises(ToolError, match="no C compiler"):
        build_application()
