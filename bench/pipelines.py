# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cipher pipelines of the OpenSSL provider beside updates of one message each.

``pipelines.c`` measures, on one processor, in OpenSSL 3.5: a pipeline of the provider on ``cpu``,
the provider's updates one after the other, and those of the default provider, in turns. The
provider chooses between its software and the device, as it does by default.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import provider
from rows import Row, unmeasured

from ciphermill.design import Measurement, Method

ROOT = Path(__file__).resolve().parent.parent
LATER = ROOT / "build" / "openssl-3.5"
OPERATIONS = (
    ("CBC", "encrypt", 8),
    ("CBC", "encrypt", 16),
    ("CBC", "encrypt", 32),
    ("CBC", "decrypt", 16),
    ("CTR", "encrypt", 16),
    ("GCM", "encrypt", 16),
)
"""Mode, direction and number of pipes."""
SIZES = (1024, 16_384)
"""Bytes of a message: a short record, and the longest of TLS."""
SIDE_BY_SIDE = 3.5
"""Of the rate of one message in CBC encryption: what several in one processor reach with AES-NI."""
CONFIGURATION = """\
openssl_conf = init
[init]
providers = providers
[providers]
ciphermill = ours
default = theirs
[theirs]
activate = 1
[ours]
module = {module}
activate = 1
cbc = yes
threshold = auto
on_failure = fail
"""


def run(rounds: int) -> list[Row]:
    """Measure; where OpenSSL 3.5 is not built, the rows say so."""
    if not (LATER / "bin" / "openssl").is_file():
        why = "there is no OpenSSL 3.5: make openssl-3.5"
        return [
            unmeasured(_what(operation, size), _target(operation), why)
            for operation in OPERATIONS
            for size in SIZES
        ]
    module = provider.build()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "pipelines"
        source = Path(__file__).with_suffix(".c")
        places = (f"-I{LATER}/include", f"-L{LATER}/lib", "-lcrypto")
        subprocess.run(["cc", "-O2", "-o", program, source, *places], check=True)
        (folder / "cnf").write_text(CONFIGURATION.format(module=module))
        environment = os.environ | {
            "OPENSSL_CONF": str(folder / "cnf"),
            "LD_LIBRARY_PATH": f"{LATER}/lib",
        }
        return [
            _row(program, environment, operation, size, rounds)
            for operation in OPERATIONS
            for size in SIZES
        ]


def _what(operation: tuple[str, str, int], size: int) -> str:
    mode, direction, pipes = operation
    return f"{pipes} pipes in {mode}, {direction}, {size} bytes"


def _target(operation: tuple[str, str, int]) -> float:
    return SIDE_BY_SIDE if operation[:2] == ("CBC", "encrypt") else 1.0


def _row(
    program: Path,
    environment: dict[str, str],
    operation: tuple[str, str, int],
    size: int,
    rounds: int,
) -> Row:
    mode, direction, pipes = operation
    processor = min(os.sched_getaffinity(0))
    arguments = [f"AES-128-{mode}", direction, pipes, size, 5 * rounds]
    ran = subprocess.run(
        ["taskset", "--cpu-list", str(processor), program, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise RuntimeError(f"pipelines in {mode} failed: {ran.stderr}")
    pipeline, single, default, counted = map(float, ran.stdout.split())
    where = "device" if counted else "software"
    measurements = tuple(
        Measurement(
            device=f"cpu ({which})",
            algorithm="aes",
            mode=mode.lower(),
            operation=direction,
            key_bits=128,
            bytes=size,
            throughput_mb_s=rate,
            method=Method.MEASURED,
        )
        for which, rate in (
            (f"pipeline of {pipes}", pipeline),
            ("updates", single),
            ("OpenSSL's updates", default),
        )
    )
    return Row(
        what=_what(operation, size),
        seen=f"{pipeline:,.0f} MB/s ({where})",
        beside=f"updates: OpenSSL {default:,.0f}, ours {single:,.0f} MB/s",
        value=pipeline / default,
        target=_target(operation),
        unit="",
        measurements=measurements,
    )
