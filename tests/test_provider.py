# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider, driven by the real ``openssl``: ciphers, settings, failures."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.openssl import PLACES, ROOT, OpenSsl, cipher, needs_provider

from ciphermill.toolchain.model import ensure_model

from .conftest import Ciphermill, wait_for

pytestmark = needs_provider

GCM_MODEL = ROOT / "build/models/aes-pipelined-gcm.so"


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("mode", ["ecb", "cbc", "ctr"])
def test_enc_is_the_default_provider_s(mode: str, bits: int, openssl: OpenSsl) -> None:
    for threshold in ("1", "never"):
        ours = openssl.configure(threshold=threshold)
        for length in (0, 1, 16, 4097, 200_003):
            data = os.urandom(length)
            theirs = openssl.enc(openssl.plain(), *cipher(mode, bits), stdin=data)
            assert openssl.enc(ours, *cipher(mode, bits), stdin=data) == theirs, length
            back = openssl.enc(ours, "-d", *cipher(mode, bits), stdin=theirs)
            assert back == data, length
        counted = openssl.log()[-1]
        assert (counted["device_bytes"] > 0) == (threshold == "1")
        assert counted["device_failures"] == 0


@pytest.mark.parametrize("chunk", [1, 7, 33, 4099])
@pytest.mark.parametrize("mode", ["cbc", "ctr"])
def test_odd_chunks(mode: str, chunk: int, openssl: OpenSsl) -> None:
    data = os.urandom(5003)
    for threshold in ("1", "auto"):
        ours = openssl.configure(threshold=threshold)
        size = ("-bufsize", str(chunk))
        theirs = openssl.enc(openssl.plain(), *cipher(mode, 256), stdin=data)
        assert openssl.enc(ours, *cipher(mode, 256), *size, stdin=data) == theirs
        assert openssl.enc(ours, "-d", *cipher(mode, 256), *size, stdin=theirs) == data


def test_speed_runs_and_short_updates_stay_in_software(openssl: OpenSsl) -> None:
    ours = openssl.configure(threshold="auto")
    ran = openssl(ours, "speed", "-seconds", "1", "-bytes", "1024", "-evp", "aes-256-ctr")
    assert ran.returncode == 0, ran
    (counted,) = openssl.log()
    assert counted["software_bytes"] >= 1_000_000
    assert counted["device_bytes"] == 0


@pytest.mark.parametrize("threshold", ["1", "auto"])
@pytest.mark.parametrize(
    "check",
    [
        *("partial_updates", "copies", "galois", "disturbed", "long_updates", "data_units"),
        *("codes", "threads_and_forks"),
    ],
)
def test_a_program_on_libcrypto(check: str, threshold: str, openssl: OpenSsl) -> None:
    ours = openssl.configure(threshold=threshold, macs="yes")
    ran = subprocess.run(
        [sys.executable, Path(__file__).with_name("provider_client.py"), check],
        env=ours,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    if threshold == "1":
        assert int(re.findall(r"device_bytes=(\d+)", ran.stdout)[0]) > 0, ran.stdout


@pytest.mark.skipif(not GCM_MODEL.is_file(), reason="not built: ciphermill build aes-pipelined-gcm")
def test_gcm_with_its_tag_from_an_accelerator(openssl: OpenSsl) -> None:
    ours = openssl.configure(device=f"model:{GCM_MODEL.stem}", models=str(GCM_MODEL.parent))
    ran = subprocess.run(
        [sys.executable, Path(__file__).with_name("provider_client.py"), "galois"],
        env=ours,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    counted = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", ran.stdout)}
    assert counted["device_bytes"] > 0
    assert counted["device_cycles"] > 0
    assert counted["device_failures"] == 0


def test_cbc_is_offered_when_it_is_asked_for(openssl: OpenSsl) -> None:
    for cbc in ("yes", "no"):
        ran = openssl(openssl.configure(cbc=cbc), "list", "-cipher-algorithms", "-verbose")
        lines = ran.stdout.decode().splitlines()
        ours = " ".join(line.upper() for line in lines if line.endswith("@ ciphermill"))
        assert all(f"AES-256-{mode}" in ours for mode in ("ECB", "CTR", "GCM", "XTS"))
        assert ("AES-256-CBC" in ours) == (cbc == "yes")


@pytest.mark.parametrize("threshold", ["1", "never"])
def test_digests_are_the_default_provider_s(threshold: str, openssl: OpenSsl) -> None:
    ours = openssl.configure(threshold=threshold, digests="yes")
    on_device = 0
    for name in ("sha224", "sha256", "sha384", "sha512", "sha512-224", "sha512-256"):
        for length in (0, 1, 200_003):
            data = os.urandom(length)
            expected = openssl(openssl.plain(), "dgst", f"-{name}", "-binary", stdin=data)
            ran = openssl(ours, "dgst", f"-{name}", "-binary", stdin=data)
            assert (ran.returncode, ran.stdout) == (0, expected.stdout), (name, length)
            on_device = length if threshold == "1" else 0
            counted = openssl.log()[-1]
            assert counted["device_bytes"] == on_device
            assert counted["software_bytes"] == length - on_device
    # The default provider has no Ascon.
    ran = openssl(ours, "dgst", "-ascon-hash256", "-r", stdin=b"")
    expected_hash = "0b3be5850f2f6b98caf29f8fdea89b64a1fa70aa249b8f839bd53baa304d92b2"
    assert ran.stdout.decode().split()[0] == expected_hash, ran
    # An HMAC of OpenSSL's own on our digest.
    arguments = ("dgst", "-sha256", "-hmac", "key", "-r")
    assert openssl(ours, *arguments).stdout == openssl(openssl.plain(), *arguments).stdout


def test_digests_and_codes_from_an_accelerator(openssl: OpenSsl) -> None:
    library = ensure_model("sha2-stream")
    device = {"device": "model:sha2-stream", "models": str(library.parent), "threshold": "1"}
    ours = openssl.configure(**device, digests="yes", macs="yes")
    (openssl.folder / "message").write_bytes(os.urandom(1000))
    for arguments in (
        ("dgst", "-sha256", "-r", "message"),
        ("dgst", "-sha512-224", "-r", "message"),
        ("mac", "-digest", "SHA2-384", "-macopt", "hexkey:00112233", "-in", "message", "HMAC"),
    ):
        expected = openssl(openssl.plain(), *arguments)
        ran = openssl(ours, *arguments)
        assert (ran.returncode, ran.stdout) == (0, expected.stdout), (arguments, ran.stderr)
        counted = openssl.log()[-1]
        assert (counted["device_bytes"], counted["device_failures"]) == (1000, 0)
        assert counted["device_cycles"] > 0


def test_digests_are_offered_when_they_are_asked_for(openssl: OpenSsl) -> None:
    for digests in ("yes", "no"):
        ran = openssl(openssl.configure(digests=digests), "list", "-digest-algorithms")
        assert (b"ciphermill" in ran.stdout) == (digests == "yes")


@pytest.mark.parametrize("threshold", ["1", "never"])
def test_codes_are_the_default_provider_s(threshold: str, openssl: OpenSsl) -> None:
    ours = openssl.configure(threshold=threshold, macs="yes")
    for name in ("SHA256", "SHA2-384", "SHA1"):
        for length in (0, 1, 200_003):
            data = os.urandom(length)
            (openssl.folder / "message").write_bytes(data)
            mac = ("mac", "-digest", name, "-macopt", "hexkey:00112233", "-in", "message", "HMAC")
            expected = openssl(openssl.plain(), *mac)
            ran = openssl(ours, *mac)
            assert (ran.returncode, ran.stdout) == (0, expected.stdout), (name, length, ran.stderr)
            assert expected.stdout
            counted = openssl.log()[-1]
            # Devices have HMAC with SHA-2; the other hashes are software's.
            on_device = length if threshold == "1" and name != "SHA1" else 0
            assert counted["device_bytes"] == on_device, (name, length)
            assert counted["software_bytes"] == length - on_device, (name, length)


def test_a_code_with_another_digest_says_what_to_choose(openssl: OpenSsl) -> None:
    ours = openssl.configure(macs="yes")
    ran = openssl(ours, "mac", "-digest", "SM3", "-macopt", "key:k", "HMAC")
    assert ran.returncode != 0
    assert b"fetch HMAC with provider=default" in ran.stderr


def test_codes_are_offered_when_they_are_asked_for(openssl: OpenSsl) -> None:
    for macs in ("yes", "no"):
        ran = openssl(openssl.configure(macs=macs), "list", "-mac-algorithms")
        assert (b"ciphermill" in ran.stdout) == (macs == "yes")


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ({"device": "abacus"}, 'no device is called "abacus"; there are cpu, software'),
        ({"threshold": "much"}, "threshold = much: choose auto, never or a number of bytes"),
        ({"cbc": "perhaps"}, "cbc = perhaps: choose yes or no"),
        ({"digests": "perhaps"}, "digests = perhaps: choose yes or no"),
        ({"macs": "perhaps"}, "macs = perhaps: choose yes or no"),
        ({"keys": "perhaps"}, "keys = perhaps: choose yes, no or held"),
        ({"device": "software"}, "choose cpu"),
        ({"device": "software+"}, "choose cpu"),
    ],
)
def test_a_wrong_setting_is_named(setting: dict[str, str], reason: str, openssl: OpenSsl) -> None:
    # OpenSSL skips a configured provider that fails to load; the log has the reason.
    ran = openssl(openssl.configure(**setting), "enc", *cipher("ctr", 256), stdin=b"x")
    assert ran.returncode == 0
    (error,) = openssl.errors()
    assert reason in error
    # A provider asked for by name fails at once, with the reason.
    variables = {f"CIPHERMILL_{name.upper()}": value for name, value in setting.items()}
    module = next(place for place in PLACES if (place / "ciphermill.so").exists())
    asked = ("list", "-providers", "-provider-path", str(module), "-provider", "ciphermill")
    ran = openssl(openssl.plain() | variables, *asked)
    assert ran.returncode != 0
    assert reason in ran.stderr.decode()


@pytest.mark.parametrize("on_failure", ["software", "fail"])
def test_a_device_that_is_not_there(on_failure: str, openssl: OpenSsl) -> None:
    """A missing device is an error at the first update for it, not in programs without one."""
    settings = {"device": "stream:/nowhere", "threshold": "64", "on_failure": on_failure}
    ours, data = openssl.configure(**settings), bytes(64)
    ran = openssl(ours, "enc", *cipher("ctr", 256), stdin=b"x")
    assert (ran.returncode, openssl.errors()) == (0, [])
    ran = openssl(ours, "enc", *cipher("ctr", 256), stdin=data)
    (error,) = openssl.errors()
    assert "device stream:/nowhere" in error and "ciphermill serve" in error
    if on_failure == "fail":
        assert ran.returncode != 0
        assert b"ciphermill serve" in ran.stderr
    else:
        assert ran.stdout == openssl(openssl.plain(), "enc", *cipher("ctr", 256), stdin=data).stdout


def test_wrong_padding_and_lengths_are_errors(openssl: OpenSsl) -> None:
    ours = openssl.configure()
    for data, reason in ((bytes(32), b"bad decrypt"), (bytes(17), b"wrong final block length")):
        ran = openssl(ours, "enc", "-d", *cipher("cbc", 128), stdin=data)
        assert ran.returncode != 0
        assert reason in ran.stderr, ran


@pytest.mark.parametrize("on_failure", ["software", "fail"])
def test_a_simulator_that_is_killed(
    on_failure: str, openssl: OpenSsl, ciphermill: Ciphermill, tmp_path: Path
) -> None:
    board = tmp_path / "board"
    simulator = ciphermill.serve(board)
    ours = openssl.configure(device=f"stream:{board}", on_failure=on_failure)
    (openssl.folder / "plain").write_bytes(os.urandom(20_000_000))
    arguments = [*cipher("ctr", 256), "-in", "plain", "-bufsize", "100000"]
    process = subprocess.Popen(
        ["openssl", "enc", *arguments, "-out", "sealed"],
        cwd=openssl.folder,
        env=ours,
        stderr=subprocess.PIPE,
    )
    try:
        sealed = openssl.folder / "sealed"
        wait_for(lambda: sealed.exists() and sealed.stat().st_size > 0)
        simulator.process.kill()
        begin = time.monotonic()
        _, err = process.communicate(timeout=60)
        assert time.monotonic() - begin < 30
    finally:
        process.kill()
    openssl(openssl.plain(), "enc", *arguments, "-out", "expected")
    expected = (openssl.folder / "expected").read_bytes()
    (counted,) = openssl.log()
    assert counted["device_failures"] >= 1
    assert counted["device_bytes"] > 0
    if on_failure == "software":
        assert process.returncode == 0, err
        assert sealed.read_bytes() == expected
        assert counted["software_bytes"] > 0
    else:
        assert process.returncode != 0
        assert b"device stream:" in err, err
        # The output is right up to the failure.
        assert expected.startswith(sealed.read_bytes())


def test_a_board_that_nobody_uses_is_another_s(
    openssl: OpenSsl, ciphermill: Ciphermill, tmp_path: Path
) -> None:
    """An idle process gives the device's only queue back."""
    board = tmp_path / "board"
    ciphermill.serve(board)
    ours = openssl.configure(device=f"stream:{board}", on_failure="fail")
    data = os.urandom(40_000)
    encrypt = ("enc", *cipher("ctr", 256))
    expected = openssl(openssl.plain(), *encrypt, stdin=data).stdout
    first = subprocess.Popen(
        ["openssl", *encrypt, "-bufsize", "8192", "-out", "sealed"],
        cwd=openssl.folder,
        env=ours,
        stdin=subprocess.PIPE,
    )
    try:
        assert first.stdin is not None
        first.stdin.write(data[:20_000])
        first.stdin.flush()
        sealed = openssl.folder / "sealed"
        wait_for(lambda: sealed.exists() and sealed.stat().st_size > 0)
        # The board may be busy at first; it becomes free.
        wait_for(lambda: openssl(ours, *encrypt, stdin=data).stdout == expected)
        assert first.poll() is None
        first.stdin.write(data[20_000:])
        first.stdin.close()
        assert first.wait(timeout=60) == 0
    finally:
        first.kill()
    assert sealed.read_bytes() == expected
    (counted,) = (line for line in openssl.log() if line["process"] == first.pid)
    assert counted["device_failures"] == 0
