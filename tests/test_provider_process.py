# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider inside a process: its threads, signals, memory, and how it ends."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest
from support.openssl import MODEL, PLACES, ROOT, OpenSsl, compile_guest, needs_provider

pytestmark = needs_provider


@pytest.fixture(scope="session")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A C program that has the provider in its process."""
    return compile_guest("provider_guest", tmp_path_factory.mktemp("guest"))


OURS, THEIRS = "provider=ciphermill", "provider=default"


def _run_guest(
    guest: Path, check: str, whose: str, environment: dict[str, str], *more: str
) -> dict[str, int]:
    """Return what it printed; skip the test where the system does not allow the check."""
    ran = subprocess.run(
        [guest, check, whose, *more],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if ran.returncode == 77:
        pytest.skip(f"the system does not allow it: {check}")
    assert ran.returncode == 0, ran.stderr
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", ran.stdout)}


@pytest.mark.parametrize("whose", [OURS, THEIRS])
def test_a_blocked_signal_waits_for_the_program(whose: str, guest: Path, openssl: OpenSsl) -> None:
    counted = _run_guest(guest, "signals", whose, openssl.configure())
    assert (counted["threads"] > 1) == (whose == OURS)


@pytest.mark.parametrize("threshold", ["1", "never"])
def test_a_process_has_its_threads_to_itself(threshold: str, guest: Path, openssl: OpenSsl) -> None:
    counted = _run_guest(guest, "threads", OURS, openssl.configure(threshold=threshold))
    assert counted["loaded"] == 1
    assert (counted["used"] > 1) == (threshold == "1")
    assert counted["idle"] == 1


@pytest.mark.parametrize("check", ["namespace", "used_namespace"])
def test_a_process_may_leave_its_user_namespace(check: str, guest: Path, openssl: OpenSsl) -> None:
    _run_guest(guest, check, OURS, openssl.configure())


@pytest.mark.parametrize("device", ["cpu", "model"])
def test_a_user_that_may_have_one_thread(device: str, guest: Path, tmp_path: Path) -> None:
    """Without a thread of its own, the provider works in the caller's."""
    if device == "model" and not MODEL.is_file():
        pytest.skip(f"not built: ciphermill build {MODEL.stem}")
    # The user needs access to the program, which the folders of tests do not give.
    with tempfile.TemporaryDirectory(prefix="ciphermill-") as name:
        folder = Path(name)
        module = next(place for place in PLACES if (place / "ciphermill.so").exists())
        for file in (module / "ciphermill.so", guest, MODEL):
            if file.is_file():
                shutil.copy(file, folder)
        folder.chmod(0o755)
        openssl = OpenSsl(folder)
        settings = {"module": str(folder / "ciphermill.so"), "on_failure": "fail"}
        if device == "model":
            settings |= {"device": f"model:{MODEL.stem}", "models": str(folder)}
        ours = openssl.configure(**settings)
        Path(ours["OPENSSL_CONF"]).chmod(0o644)
        _run_guest(folder / guest.name, "limit", OURS, ours, str(UNUSED_USER))


@pytest.mark.parametrize(
    ("check", "on_failure"), [("memory", "software"), ("memory_fails", "fail")]
)
def test_a_process_without_memory_goes_on(
    check: str, on_failure: str, guest: Path, openssl: OpenSsl
) -> None:
    _run_guest(guest, check, OURS, openssl.configure(on_failure=on_failure, macs="yes"))
    (counted,) = openssl.log()
    assert counted["device_failures"] == 0
    assert counted["device_updates"] == 1


@pytest.mark.parametrize("keys", ["yes", "held"])
def test_threads_and_a_forked_child_sign_with_one_key(
    keys: str, guest: Path, openssl: OpenSsl
) -> None:
    _run_guest(guest, "keys", OURS, openssl.configure(keys=keys))


UNUSED_USER = 64_321
"""A number that no user of the machine has, so that it has no other process."""


@pytest.mark.parametrize("threshold", ["1", "never"])
@pytest.mark.parametrize("end", ["killed", "leaks"])
def test_a_program_that_frees_nothing_leaves_its_counters(
    end: str, threshold: str, guest: Path, openssl: OpenSsl
) -> None:
    ours = openssl.configure(threshold=threshold)
    ran = subprocess.run([guest, end, OURS], env=ours, timeout=120, check=False)
    assert ran.returncode == (-signal.SIGKILL if end == "killed" else 0)
    (counted,) = openssl.log()
    who = "device" if threshold == "1" else "software"
    assert 600 <= counted[f"{who}_updates"] <= 1000
    assert counted[f"{who}_bytes"] == 64 * counted[f"{who}_updates"]
    # The log does not have a line for each update.
    assert len(openssl.lines()) < 100


def test_every_thread_of_the_engine_starts_with_its_signals_blocked() -> None:
    helper = ROOT / "engine/core/src/process.rs"
    sources = [*ROOT.glob("engine/*/src/**/*.rs"), *ROOT.glob("engine/devices/*/src/**/*.rs")]
    assert helper in sources
    for source in sources:
        code = source.read_text().split("#[cfg(test)]\nmod tests {")[0]
        started = re.findall(r"thread::spawn\(|thread::Builder|scope\.spawn\(", code)
        allowed = source == helper or source.name == "tests.rs"
        assert allowed or not started, f"{source}: use ciphermill::process::spawn"


def test_the_unsafe_code_under_a_sanitizer() -> None:
    """Callers without padding have buffers that are exactly as long as the output."""
    if not shutil.which("cargo"):
        pytest.skip("no cargo here")
    about = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    host = about.split("host: ")[1].split()[0]
    asked = ["rustc", "--print", "sysroot"]
    sysroot = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    if not list((sysroot / "lib/rustlib" / host / "lib").glob("librustc-*_rt.asan.a")):
        pytest.skip("this Rust has no AddressSanitizer")
    # On a stable compiler sanitizers are behind this variable.
    unstable = {"RUSTC_BOOTSTRAP": "1", "RUSTFLAGS": "-Zsanitizer=address"}
    ran = subprocess.run(
        [
            *("cargo", "test", "--quiet", "--locked", "--profile", "sanitize", "--target", host),
            *("--package", "ciphermill-provider", "--package", "ciphermill-c", "--lib", "ffi::"),
        ],
        cwd=ROOT / "engine",
        env=os.environ | unstable | {"CARGO_TARGET_DIR": "target/sanitize"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    passed = [int(count) for count in re.findall(r"ok\. (\d+) passed", ran.stdout)]
    assert len(passed) == 2, ran.stdout
    assert all(passed), ran.stdout


def test_it_stays_mapped() -> None:
    if not shutil.which("readelf"):
        pytest.skip("no readelf here")
    for place in PLACES:
        if (module := place / "ciphermill.so").exists():
            ran = subprocess.run(
                ["readelf", "--dynamic", module], capture_output=True, text=True, check=True
            )
            assert "NODELETE" in ran.stdout, module
