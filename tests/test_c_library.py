# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The C library, installed, found by pkg-config and used by a C program."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BUILT = ROOT / "build/library-test/libciphermill_c.so"

pytestmark = [
    pytest.mark.skipif(not BUILT.exists(), reason="no C library built: make test-python"),
    pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler here"),
    pytest.mark.skipif(not shutil.which("pkg-config"), reason="no pkg-config here"),
]


@pytest.mark.parametrize("standard", ["c99", "c11"])
def test_a_c_program(standard: str, tmp_path: Path) -> None:
    script = ROOT / "scripts/install_library.sh"
    subprocess.run([script, BUILT, tmp_path / "usr"], check=True)
    paths = os.environ | {"PKG_CONFIG_PATH": str(tmp_path / "usr/lib/pkgconfig")}
    asked = ["pkg-config", "--cflags", "--libs", "ciphermill"]
    flags = subprocess.run(asked, env=paths, check=True, capture_output=True, text=True)
    program = tmp_path / "program"
    source = Path(__file__).with_name("c_library.c")
    strict = [f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run(["cc", *strict, "-o", program, source, *flags.stdout.split()], check=True)
    loaded = os.environ | {"LD_LIBRARY_PATH": str(tmp_path / "usr/lib")}
    ran = subprocess.run([program], env=loaded, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
