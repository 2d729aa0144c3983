# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider, driven by the real ``openssl`` and by a program on libcrypto."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .conftest import Ciphermill, wait_for

ROOT = Path(__file__).parent.parent
PLACES = [ROOT / "build/provider-test", ROOT / "build/provider"]
MODEL = ROOT / "build/models/aes-pipelined.so"
GCM_MODEL = ROOT / "build/models/aes-pipelined-gcm.so"
KEYS = {128: "00112233445566778899aabbccddeeff", 192: "01" * 24, 256: "a7" * 32}
IV = "ff" * 15 + "fe"


def _missing() -> str | None:
    if not shutil.which("openssl"):
        return "no openssl here"
    version = subprocess.run(["openssl", "version"], capture_output=True, text=True).stdout
    found = re.match(r"OpenSSL (\d+)\.", version)
    if not found or int(found[1]) < 3:
        return f"{version.strip()} is older than OpenSSL 3.0"
    if not any((place / "ciphermill.so").exists() for place in PLACES):
        return "no provider built: make provider"
    return None


pytestmark = pytest.mark.skipif(bool(_missing()), reason=_missing() or "")


@dataclass
class OpenSsl:
    """``openssl`` in a folder of its own, with the provider in its configuration or not."""

    folder: Path

    def configure(self, **settings: str) -> dict[str, str]:
        """The environment with the provider, set up so."""
        module = next(place for place in PLACES if (place / "ciphermill.so").exists())
        log = str(self.folder / "log")
        default = {"module": f"{module}/ciphermill.so", "threshold": "1", "cbc": "yes", "log": log}
        settings = default | settings
        lines = [
            "openssl_conf = init",
            "[init]\nproviders = providers\nalg_section = algorithms",
            "[algorithms]\ndefault_properties = ?provider=ciphermill",
            "[providers]\nciphermill = ours\ndefault = theirs",
            "[theirs]\nactivate = 1",
            "[ours]\nactivate = 1",
            *(f"{name} = {value}" for name, value in settings.items()),
        ]
        path = self.folder / f"{len(list(self.folder.iterdir()))}.cnf"
        path.write_text("\n".join(lines) + "\n")
        return self.plain() | {"OPENSSL_CONF": str(path)}

    def plain(self) -> dict[str, str]:
        """The environment without it."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("CIPHERMILL_")}
        kept.pop("OPENSSL_CONF", None)
        return kept

    def __call__(
        self, environment: dict[str, str], *arguments: str, stdin: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["openssl", *arguments],
            cwd=self.folder,
            env=environment,
            input=stdin,
            capture_output=True,
            timeout=120,
            check=False,
        )

    def enc(self, environment: dict[str, str], *arguments: str, stdin: bytes) -> bytes:
        ran = self(environment, "enc", *arguments, stdin=stdin)
        assert ran.returncode == 0, ran
        return ran.stdout

    def lines(self) -> list[dict[str, Any]]:
        """Every line of the log."""
        path = self.folder / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def log(self) -> list[dict[str, Any]]:
        """What processes with the provider counted: the last line of each."""
        counted = [line for line in self.lines() if "error" not in line]
        return list({line["process"]: line for line in counted}.values())

    def errors(self) -> list[str]:
        """The reasons in the log why something did not work."""
        return [line["error"] for line in self.lines() if "error" in line]


@pytest.fixture
def openssl(tmp_path: Path) -> OpenSsl:
    folder = tmp_path / "openssl"
    folder.mkdir()
    return OpenSsl(folder)


def cipher(mode: str, bits: int) -> list[str]:
    return [f"-aes-{bits}-{mode}", "-K", KEYS[bits], *(["-iv", IV] if mode != "ecb" else [])]


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
        "threads_and_forks",
    ],
)
def test_a_program_on_libcrypto(check: str, threshold: str, openssl: OpenSsl) -> None:
    ours = openssl.configure(threshold=threshold)
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


@pytest.fixture
def certificate(openssl: OpenSsl) -> None:
    made = openssl(
        openssl.plain(),
        *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
        *("-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=localhost", "-days", "2"),
        *("-addext", "subjectAltName=DNS:localhost"),
    )
    assert made.returncode == 0, made


SESSIONS = {
    "1.3": ["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"],
    "1.2": ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"],
    "1.2 in CBC": ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-SHA384"],
    "1.2 in CBC, the MAC before the padding": [
        *("-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-SHA384", "-no_etm"),
    ],
}


@pytest.mark.parametrize("side", ["client", "server"])
@pytest.mark.parametrize("session", list(SESSIONS))
def test_tls_over_loopback(session: str, side: str, openssl: OpenSsl, certificate: None) -> None:
    """A megabyte from client to server; one of them has the provider, the other has not."""
    # Records in CBC are the default provider's: ours does not offer CBC unless it is told to.
    ours, plain = openssl.configure(cbc="no"), openssl.plain()
    options = SESSIONS[session]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"127.0.0.1:{port}"
    # Lines of upper-case letters could be commands to s_client.
    data = os.urandom(500_000).hex().encode()
    received = openssl.folder / "received"
    with received.open("wb") as out:
        server = subprocess.Popen(
            [
                *("openssl", "s_server", "-accept", address, "-naccept", "1", "-quiet"),
                *("-cert", "cert.pem", "-key", "key.pem", *options[:1]),
            ],
            cwd=openssl.folder,
            env=ours if side == "server" else plain,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.PIPE,
        )
        try:
            wait_for(lambda: _listens(port))
            client = openssl(
                ours if side == "client" else plain,
                *("s_client", "-connect", address, "-quiet", "-no_ign_eof", *options),
                stdin=data,
            )
            server.wait(30)
        finally:
            server.kill()
            server.communicate()
    assert client.returncode == 0, client
    assert received.read_bytes() == data
    (counted,) = openssl.log()
    if "CBC" in session:
        assert counted["device_bytes"] < len(data)
        return
    assert counted["device_bytes"] >= len(data)
    if session == "1.2":
        assert counted["device_records"] >= len(data) // 16384


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_curl_fetches_through_the_device(version: str, openssl: OpenSsl, certificate: None) -> None:
    curl = subprocess.run(["curl", "--version"], capture_output=True, text=True, check=False)
    if "OpenSSL/3" not in curl.stdout:
        pytest.skip("no curl on OpenSSL 3 here")
    data = os.urandom(1_000_000)
    (openssl.folder / "file").write_bytes(data)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [
            *("openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-naccept", "1", "-quiet"),
            *("-cert", "cert.pem", "-key", "key.pem", "-WWW"),
        ],
        cwd=openssl.folder,
        env=openssl.plain(),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        wait_for(lambda: _listens(port))
        got = subprocess.run(
            [
                *("curl", "--silent", "--cacert", "cert.pem", "--noproxy", "*"),
                *(f"--tlsv{version}", "--tls-max", version),
                *("--resolve", f"localhost:{port}:127.0.0.1", f"https://localhost:{port}/file"),
            ],
            cwd=openssl.folder,
            env=openssl.configure(),
            capture_output=True,
            timeout=60,
            check=False,
        )
    finally:
        server.kill()
        server.communicate()
    assert got.returncode == 0, got.stderr
    assert got.stdout == data
    (counted,) = openssl.log()
    assert counted["device_bytes"] >= len(data)
    assert counted["software_bytes"] == 0


def test_tls_records_in_cbc_are_refused(openssl: OpenSsl) -> None:
    ours = openssl.configure(cbc="yes")
    ran = subprocess.run(
        [sys.executable, Path(__file__).with_name("provider_client.py"), "records"],
        env=ours,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr


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
    for name in ("sha256", "sha512"):
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


def test_digests_are_offered_when_they_are_asked_for(openssl: OpenSsl) -> None:
    for digests in ("yes", "no"):
        ran = openssl(openssl.configure(digests=digests), "list", "-digest-algorithms")
        assert (b"ciphermill" in ran.stdout) == (digests == "yes")


def _commands(section: str) -> list[str]:
    """The commands in a section of the how-to, each on one line."""
    page = (ROOT / "docs/how-to/openssl.md").read_text()
    part = page.split(f"\n## {section}\n")[1].split("\n## ")[0]
    blocks = "\n".join(re.findall(r"```console\n(.*?)```", part, re.DOTALL))
    lines = blocks.replace("\\\n", "").splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def test_the_recipe_of_the_how_to_shows_its_proof(openssl: OpenSsl) -> None:
    """A server that ends by Ctrl-C has left its counters in the log."""
    if not shutil.which("curl"):
        pytest.skip("no curl here")
    page = (ROOT / "docs/how-to/openssl.md").read_text()
    (configuration,) = re.findall(r"```ini\n(.*?)```", page, re.DOTALL)
    (openssl.folder / "openssl.cnf").write_text(configuration)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    module = next(place for place in PLACES if (place / "ciphermill.so").exists())
    shell: dict[str, Any] = {
        "cwd": openssl.folder,
        "env": openssl.plain() | {"OPENSSL_MODULES": str(module), "no_proxy": "*"},
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }
    certify, serve, fetch, show = (
        ["bash", "-c", command.replace("4433", str(port))] for command in _commands("A TLS server")
    )
    subprocess.run(certify, **shell, check=True, timeout=60)
    server = subprocess.Popen(serve, **shell, start_new_session=True)
    try:
        wait_for(lambda: _listens(port))
        page_of_server = subprocess.run(fetch, **shell, check=True, timeout=60).stdout
        assert b"Ciphers supported in s_server" in page_of_server
        os.killpg(server.pid, signal.SIGINT)
        assert server.wait(30) != 0
    finally:
        server.kill()
        server.communicate()
    shown = subprocess.run(show, **shell, check=True, timeout=60).stdout
    counted = json.loads(shown)
    assert counted["device"] == "cpu"
    assert counted["device_bytes"] >= len(page_of_server) // 2


@pytest.fixture(scope="session")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A C program that has the provider in its process."""
    compiler = shutil.which("cc")
    if not compiler or not Path("/usr/include/openssl/evp.h").is_file():
        pytest.skip("no C compiler, or no headers of OpenSSL, here")
    built = tmp_path_factory.mktemp("guest") / "provider_guest"
    source = Path(__file__).with_name("provider_guest.c")
    flags = ("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", built)
    subprocess.run([compiler, *flags, source, "-lcrypto", "-pthread"], check=True)
    return built


OURS, THEIRS = "provider=ciphermill", "provider=default"


def _run_guest(
    guest: Path, check: str, whose: str, environment: dict[str, str], *more: str
) -> dict[str, int]:
    """What it printed; the test is skipped where the system does not allow the check."""
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
    """Where no thread can be had, the caller's does the work."""
    if device == "model" and not MODEL.is_file():
        pytest.skip(f"not built: ciphermill build {MODEL.stem}")
    # The user must reach what it runs, which it may not in the folders of tests.
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
    # Not a line for each update.
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


def _listens(port: int) -> bool:
    """Whether a server listens there, without connecting to it."""
    tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
    rows = [row for table in tables if table.exists() for row in table.read_text().splitlines()[1:]]
    return any(row.split()[1].endswith(f":{port:04X}") and "0A" in row.split()[3] for row in rows)


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ({"device": "abacus"}, 'no device is called "abacus"; there are cpu, software'),
        ({"threshold": "much"}, "threshold = much: choose auto, never or a number of bytes"),
        ({"cbc": "perhaps"}, "cbc = perhaps: choose yes or no"),
        ({"digests": "perhaps"}, "digests = perhaps: choose yes or no"),
        ({"device": "software"}, "choose cpu"),
        ({"device": "software+"}, "choose cpu"),
    ],
)
def test_a_wrong_setting_is_named(setting: dict[str, str], reason: str, openssl: OpenSsl) -> None:
    # OpenSSL goes on without a provider that its configuration cannot load: the log tells.
    ran = openssl(openssl.configure(**setting), "enc", *cipher("ctr", 256), stdin=b"x")
    assert ran.returncode == 0
    (error,) = openssl.errors()
    assert reason in error
    # A provider that is asked for by name is missed at once, and the reason printed.
    variables = {f"CIPHERMILL_{name.upper()}": value for name, value in setting.items()}
    module = next(place for place in PLACES if (place / "ciphermill.so").exists())
    asked = ("list", "-providers", "-provider-path", str(module), "-provider", "ciphermill")
    ran = openssl(openssl.plain() | variables, *asked)
    assert ran.returncode != 0
    assert reason in ran.stderr.decode()


@pytest.mark.parametrize("on_failure", ["software", "fail"])
def test_a_device_that_is_not_there(on_failure: str, openssl: OpenSsl) -> None:
    """It is missed at the first update that is for it, not by programs that have none."""
    settings = {"device": "stream:/nowhere", "threshold": "64", "on_failure": on_failure}
    ours, data = openssl.configure(**settings), bytes(64)
    ran = openssl(ours, "enc", *cipher("ctr", 256), stdin=b"x")
    assert (ran.returncode, openssl.errors()) == (0, [])
    ran = openssl(ours, "enc", *cipher("ctr", 256), stdin=data)
    (error,) = openssl.errors()
    assert "device stream:/nowhere" in error and "ciphermill simulate" in error
    if on_failure == "fail":
        assert ran.returncode != 0
        assert b"ciphermill simulate" in ran.stderr
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
        # What was written is right as far as it goes.
        assert expected.startswith(sealed.read_bytes())


def test_a_board_that_nobody_uses_is_another_s(
    openssl: OpenSsl, ciphermill: Ciphermill, tmp_path: Path
) -> None:
    """A process that goes on living gives the one queue back while it has nothing to do."""
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
        # Whether the board is still busy at first or not, it is free in the end.
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
