# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The C library, installed, found by pkg-config and used by a C program."""

import ctypes
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from ciphermill.algorithms import PRESENT
from ciphermill.toolchain.model import ensure_model

ROOT = Path(__file__).parent.parent
BUILT = ROOT / "build/library-test/libciphermill_c.so"

pytestmark = [
    pytest.mark.skipif(not BUILT.exists(), reason="no C library built: make test-python"),
    pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler here"),
    pytest.mark.skipif(not shutil.which("pkg-config"), reason="no pkg-config here"),
]

INVALID, AUTHENTICATION = 1, 4
CBC = 1

# Stacks larger than memory: the system refuses each thread of the engine.
NO_THREADS = {"RUST_MIN_STACK": str(1 << 60)}


@pytest.mark.parametrize(("standard", "environment"), [("c99", {}), ("c11", NO_THREADS)])
def test_a_c_program(standard: str, environment: dict[str, str], tmp_path: Path) -> None:
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
    loaded |= environment
    ran = subprocess.run(
        [program], env=loaded, cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr


def test_a_model_signs_for_the_processor() -> None:
    library = ctypes.CDLL(str(BUILT))
    models = str(ensure_model("ecc-stream").parent).encode()
    model, cpu = ctypes.c_void_p(), ctypes.c_void_p()
    assert library.ciphermill_open(b"model:ecc-stream", models, ctypes.byref(model)) == 0
    assert library.ciphermill_open(b"cpu", None, ctypes.byref(cpu)) == 0
    parts = [ctypes.create_string_buffer(size) for size in (32, 64, 64)]
    key, public_key, signature = ((part, ctypes.c_size_t(len(part))) for part in parts)
    digest = (bytes(range(32)), ctypes.c_size_t(32))
    assert library.ciphermill_generate_key(model, b"p-256", *key, *public_key) == 0
    assert library.ciphermill_sign(model, b"p-256", *key, *digest, *signature) == 0
    for device in (model, cpu):
        asked = (device, b"p-256", *public_key, *digest, *signature)
        assert library.ciphermill_verify(*asked) == 0
    parts[2][40] = parts[2].raw[40] ^ 1
    for device in (model, cpu):
        asked = (device, b"p-256", *public_key, *digest, *signature)
        assert library.ciphermill_verify(*asked) == AUTHENTICATION
        library.ciphermill_close(device)


class Request(ctypes.Structure):
    """``ciphermill_request``."""

    _fields_ = (
        ("mode", ctypes.c_uint32),
        ("direction", ctypes.c_uint32),
        ("key", ctypes.c_char_p),
        ("key_bytes", ctypes.c_size_t),
        ("iv", ctypes.c_char_p),
        ("associated_data", ctypes.c_char_p),
        ("associated_bytes", ctypes.c_size_t),
        ("algorithm", ctypes.c_char_p),
    )


def test_a_model_encrypts_by_a_cipher_with_blocks_of_eight_bytes() -> None:
    library = ctypes.CDLL(str(BUILT))
    models = str(ensure_model("suite").parent).encode()
    model = ctypes.c_void_p()
    assert library.ciphermill_open(b"model:suite", models, ctypes.byref(model)) == 0
    assert library.ciphermill_offers(model, b"present", b"decrypt") == 1
    for vector in PRESENT.vectors:
        # An IV of zeros adds nothing to the first block of CBC.
        key = (vector.key, len(vector.key))
        request = Request(CBC, 0, *key, bytes(8), None, 0, b"present")
        data = ctypes.create_string_buffer(vector.given, 8)
        asked = (model, ctypes.byref(request), data, data)
        assert library.ciphermill_run(*asked, ctypes.c_size_t(8), None) == 0
        assert data.raw == vector.answer
        request.direction = 1
        assert library.ciphermill_run(*asked, ctypes.c_size_t(8), None) == 0
        assert data.raw == vector.given
        assert library.ciphermill_run(*asked, ctypes.c_size_t(7), None) == INVALID
    library.ciphermill_close(model)


OPENS_A_MODEL = r"""
#include <ciphermill.h>
#include <stdio.h>
int main(void) {
    ciphermill_device *device = NULL;
    int status = ciphermill_open("model:mine", NULL, &device);
    printf("%d %s\n", status, status ? ciphermill_error() : "");
    return 0;
}
"""
A_MODEL = r"""
#include <stdio.h>
__attribute__((constructor)) static void begin(void) { puts("the caller's code ran"); }
"""
NOBODY = 65534


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a set-user-ID program of another")
def test_a_set_user_id_program_loads_no_code_that_its_caller_names() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copy(BUILT, folder / "libciphermill_c.so.0")
        (folder / "program.c").write_text(OPENS_A_MODEL)
        (folder / "mine.c").write_text(A_MODEL)
        include = ROOT / "engine/capi/include"
        link = [folder / "libciphermill_c.so.0", f"-Wl,-rpath,{folder}"]
        program = folder / "program"
        subprocess.run(
            ["cc", f"-I{include}", "-o", program, folder / "program.c", *link], check=True
        )
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-o", folder / "mine.so", folder / "mine.c"], check=True
        )

        def run() -> str:
            ran = subprocess.run(
                [program],
                env={"CIPHERMILL_MODELS": str(folder)},
                user=NOBODY,
                group=NOBODY,
                extra_groups=[],
                capture_output=True,
                text=True,
                check=True,
                timeout=60,
            )
            return ran.stdout

        # A program without further rights loads the models that its user names.
        assert "the caller's code ran" in run()
        program.chmod(0o4755)
        if os.statvfs(folder).f_flag & os.ST_NOSUID:
            pytest.skip("the file system of temporary files has no set-user-ID programs")
        said = run()
        assert "the caller's code ran" not in said
        assert said.startswith("1 ") and "more rights" in said
