# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider in TLS: ``openssl``, curl, nginx and Python at both ends."""

from __future__ import annotations

import getpass
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.openssl import PLACES, ROOT, OpenSsl, needs_provider

from ciphermill.toolchain.model import ensure_model

from .conftest import wait_for

pytestmark = needs_provider


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
    "1.3 on P-256": ["-tls1_3", "-groups", "P-256"],
    "1.2": ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"],
    "1.2 in CBC": ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-SHA384"],
    "1.2 in CBC, the MAC before the padding": [
        *("-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-SHA384", "-no_etm"),
    ],
}


@pytest.mark.parametrize("side", ["client", "server"])
@pytest.mark.parametrize("session", list(SESSIONS))
def test_tls_over_loopback(session: str, side: str, openssl: OpenSsl, certificate: None) -> None:
    """A megabyte from client to server, of which one has the provider."""
    check_session(openssl, session, side)


def check_session(openssl: OpenSsl, session: str, side: str) -> None:
    """Send a megabyte from client to server, of which one has the provider, and look at its log."""
    # Records in CBC are the default provider's: ours does not offer CBC unless it is told to.
    # HMAC is taken from ours where it needs no countermeasure against padding oracles.
    macs = "no" if "MAC before" in session else "yes"
    ours, plain = openssl.configure(cbc="no", macs=macs, keys="yes"), openssl.plain()
    # Lines of upper-case letters could be commands to s_client.
    data = os.urandom(500_000).hex().encode()
    server = ours if side == "server" else plain
    client = ours if side == "client" else plain
    transfer(openssl, server, client, SESSIONS[session], data)
    (counted,) = openssl.log()
    if "CBC" in session:
        # The device computes codes of the data, but encrypts none of it.
        codes = len(data) if macs == "yes" else 0
        assert counted["device_bytes"] < codes + len(data)
        return
    assert counted["device_bytes"] >= len(data)
    if session == "1.3 on P-256":
        # A digest that is signed or verified, and a secret.
        assert counted["software_bytes"] >= 64
    if session == "1.2":
        assert counted["device_records"] >= len(data) // 16384


def test_a_tls_server_signs_and_agrees_on_a_device(openssl: OpenSsl, certificate: None) -> None:
    """The device has curves alone, so that all its bytes are a digest and a public key."""
    models = ensure_model("ecc-stream").parent
    device = {"device": "model:ecc-stream", "models": str(models), "on_failure": "fail"}
    ours = openssl.configure(cbc="no", keys="yes", **device)
    transfer(openssl, ours, openssl.plain(), SESSIONS["1.3 on P-256"], b"message\n")
    (counted,) = openssl.log()
    assert (counted["device_updates"], counted["device_bytes"]) == (2, 32 + 64)


def transfer(
    openssl: OpenSsl,
    server_environment: dict[str, str],
    client_environment: dict[str, str],
    options: list[str],
    data: bytes,
) -> None:
    """Send data from a client to a server, through TLS."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"127.0.0.1:{port}"
    received = openssl.folder / "received"
    with received.open("wb") as out:
        server = subprocess.Popen(
            [
                *(openssl.program, "s_server", "-accept", address, "-naccept", "1", "-quiet"),
                *("-cert", "cert.pem", "-key", "key.pem", *options[:1]),
            ],
            cwd=openssl.folder,
            env=server_environment,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.PIPE,
        )
        try:
            wait_for(lambda: _listens(port))
            client = openssl(
                client_environment,
                *("s_client", "-connect", address, "-quiet", "-no_ign_eof", *options),
                stdin=data,
            )
            server.wait(30)
        finally:
            server.kill()
            server.communicate()
    assert client.returncode == 0, client
    assert received.read_bytes() == data


@pytest.mark.parametrize("keys", ["yes", "no"])
@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_curl_fetches_through_the_device(
    version: str, keys: str, openssl: OpenSsl, certificate: None
) -> None:
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
            env=openssl.configure(keys=keys),
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
    # Digests that are signed, of the certificate and of the handshake.
    assert (counted["software_bytes"] > 0) == (keys == "yes")


NGINX = """\
user {user};
pid nginx.pid;
error_log stderr;
worker_processes 2;
daemon off;
events {{}}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_certificate cert.pem;
        ssl_certificate_key key.pem;
        root .;
    }}
}}
"""


@pytest.mark.parametrize(("version", "keys"), [("1_2", "yes"), ("1_3", "yes"), ("1_3", "held")])
def test_nginx_signs_and_encrypts_in_its_workers(
    version: str, keys: str, openssl: OpenSsl, certificate: None
) -> None:
    """The process that reads the key forks the processes that sign with it."""
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if not nginx:
        pytest.skip("no nginx here")
    data = os.urandom(1_000_000)
    (openssl.folder / "file").write_bytes(data)
    openssl.folder.chmod(0o755)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (openssl.folder / "nginx.conf").write_text(NGINX.format(port=port, user=getpass.getuser()))
    server = subprocess.Popen(
        [nginx, "-p", ".", "-c", "nginx.conf"],
        cwd=openssl.folder,
        env=openssl.configure(keys=keys),
        stderr=subprocess.PIPE,
    )
    try:
        wait_for(lambda: _listens(port) or server.poll() is not None)
        for _ in range(4):
            got = openssl(
                openssl.plain(),
                *("s_client", "-connect", f"127.0.0.1:{port}", "-quiet", "-ign_eof"),
                *("-CAfile", "cert.pem", "-verify_return_error", f"-tls{version}"),
                stdin=b"GET /file HTTP/1.0\r\n\r\n",
            )
            assert got.returncode == 0, (got.stderr, server.poll())
            assert got.stdout.endswith(b"\r\n\r\n" + data)
    finally:
        server.terminate()
        errors = server.communicate(timeout=30)[1]
    assert server.returncode == 0, errors
    counted = openssl.log()
    assert sum(process["device_bytes"] for process in counted) >= 4 * len(data)
    # A digest that is signed, in each handshake.
    assert sum(process["software_bytes"] for process in counted) >= 4 * 32


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


def _commands(section: str) -> list[str]:
    """Return the commands in a section of the how-to, each on one line."""
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


def _listens(port: int) -> bool:
    """Whether a server listens there, without connecting to it."""
    tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
    rows = [row for table in tables if table.exists() for row in table.read_text().splitlines()[1:]]
    return any(row.split()[1].endswith(f":{port:04X}") and "0A" in row.split()[3] for row in rows)
