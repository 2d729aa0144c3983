# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``openssl`` with the provider, for the tests of both."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLACES = [ROOT / "build/provider-test", ROOT / "build/provider"]
MODEL = ROOT / "build/models/aes-pipelined.so"
LATER = ROOT / "build/openssl-3.5"
"""Where OpenSSL 3.5 is."""
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


needs_provider = pytest.mark.skipif(bool(_missing()), reason=_missing() or "")
"""Skips tests of the provider where it or openssl is missing."""


needs_openssl_3_5 = pytest.mark.skipif(
    not (LATER / "bin/openssl").is_file(), reason="no OpenSSL 3.5 built: make openssl-3.5"
)
"""Skips tests of what OpenSSL has from 3.5 on, which is built for tests alone."""


def compile_guest(name: str, folder: Path) -> Path:
    """Compile a C program of the tests that has the provider in its process."""
    compiler = shutil.which("cc")
    if not compiler or not Path("/usr/include/openssl/evp.h").is_file():
        pytest.skip("no C compiler, or no headers of OpenSSL, here")
    flags = ("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", folder / name)
    source = ROOT / f"tests/{name}.c"
    subprocess.run([compiler, *flags, source, "-lssl", "-lcrypto", "-pthread"], check=True)
    return folder / name


@dataclass
class OpenSsl:
    """``openssl`` in a folder of its own, with the provider in its configuration or not."""

    folder: Path
    program: str = "openssl"
    libraries: Path | None = None
    """Where its libraries are, if not in their usual place."""

    def configure(self, **settings: str) -> dict[str, str]:
        """The environment with the provider, configured by these settings."""
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
        return kept | ({"LD_LIBRARY_PATH": str(self.libraries)} if self.libraries else {})

    def __call__(
        self, environment: dict[str, str], *arguments: str, stdin: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [self.program, *arguments],
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
        """The counters of processes with the provider: the last line of each."""
        counted = [line for line in self.lines() if "error" not in line]
        return list({line["process"]: line for line in counted}.values())

    def errors(self) -> list[str]:
        """The reasons of failures in the log."""
        return [line["error"] for line in self.lines() if "error" in line]


def cipher(mode: str, bits: int) -> list[str]:
    return [f"-aes-{bits}-{mode}", "-K", KEYS[bits], *(["-iv", IV] if mode != "ecb" else [])]
