# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The provider's cipher pipelines, in OpenSSL 3.5."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.openssl import LATER, ROOT, OpenSsl, needs_openssl_3_5, needs_provider

from .test_provider_tls import certificate, check_session

__all__ = ["certificate"]

pytestmark = [needs_provider, needs_openssl_3_5]

CHANNELS = ROOT / "build/models/test-channels.so"


@pytest.fixture
def later(openssl: OpenSsl) -> OpenSsl:
    """OpenSSL 3.5 in a folder of its own."""
    return OpenSsl(openssl.folder, str(LATER / "bin/openssl"), LATER / "lib")


def check(environment: dict[str, str], *arguments: str | Path) -> dict[str, int]:
    """Run a program of the tests; what the provider counted."""
    program, *rest = arguments
    ran = subprocess.run(
        [sys.executable, Path(__file__).with_name(str(program)), *rest],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", ran.stdout)}


@pytest.mark.parametrize("threshold", ["1", "never"])
@pytest.mark.parametrize("name", ["messages", "galois", "units", "states"])
def test_pipes_are_the_default_provider_s_messages(
    name: str, threshold: str, later: OpenSsl
) -> None:
    counted = check(later.configure(threshold=threshold), "pipeline_client.py", name)
    assert (counted["device_pipes"] > 0) == (threshold == "1")
    assert counted["software_pipes"] > 0 or threshold == "1"
    assert counted["device_failures"] == 0
    # Software works on the caller's thread.
    assert counted["threads"] == 1 or threshold == "1"


def test_pipes_go_through_the_channels_of_an_accelerator(later: OpenSsl) -> None:
    """Short messages take fewer cycles side by side than one after the other."""
    if not CHANNELS.is_file():
        pytest.skip("not built: ciphermill build tests/designs/channels.toml")
    ours = later.configure(
        device=f"model:{CHANNELS.stem}", models=str(CHANNELS.parent), on_failure="fail"
    )
    alone = check(ours, "pipeline_client.py", "in_turn")
    together = check(ours, "pipeline_client.py", "together")
    assert together["device_bytes"] == alone["device_bytes"]
    assert (alone["device_pipes"], together["device_pipes"]) == (0, 12)
    assert together["device_cycles"] < 0.6 * alone["device_cycles"]


def test_tls_records_in_cbc_go_through_pipelines(later: OpenSsl, certificate: None) -> None:
    counted = check(later.configure(on_failure="fail"), "tls_pipelines.py", later.folder)
    # Two cipher suites, three connections, eight records there and back, and one that is altered.
    assert counted["device_pipes"] == 2 * 3 * (8 + 8 + 1)
    assert counted["software_pipes"] == 0


@pytest.mark.parametrize("side", ["client", "server"])
@pytest.mark.parametrize("session", ["1.2 in CBC", "1.2 in CBC, the MAC before the padding", "1.3"])
def test_tls_with_libssl(session: str, side: str, later: OpenSsl, certificate: None) -> None:
    check_session(later, session, side)
