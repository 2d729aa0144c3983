# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Two build folders share artefacts through a folder, and through a real S3-compatible server."""

import logging
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ciphermill import environment

from .cache import Cache
from .errors import ToolError
from .shared_cache import VARIABLE, SharedCache, _of, shared_cache

pytest.importorskip("fsspec", reason="fsspec is not installed")

NAME = "model/" + "k" * 64 + ".so"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    moto = pytest.importorskip("moto.server", reason="moto is not installed")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ann")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "word")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    import s3fs

    files = s3fs.S3FileSystem()
    files.mkdir("bucket", acl=None) if not files.exists("bucket") else None
    return "s3://bucket/prefix"


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return f"file://{tmp_path}/shared"


def get(where: Path, url: str, content: bytes = b"model" * 999) -> tuple[bytes, int]:
    """Return an artefact of a build folder, and how often it was built."""
    built = []

    def build(folder: Path) -> Path:
        built.append(folder)
        path = folder / "x.so"
        path.write_bytes(content)
        return path

    path = Cache(where, SharedCache(url)).get("model", "k" * 64, ".so", build)
    return path.read_bytes(), len(built)


@pytest.mark.parametrize("kind", ["folder", "s3"])
def test_an_artefact_is_built_on_one_machine(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(kind)
    assert get(tmp_path / "a", url) == (b"model" * 999, 1)
    assert get(tmp_path / "b", url, b"other") == (b"model" * 999, 0)
    assert get(tmp_path / "c", f"{url}/elsewhere", b"other") == (b"other", 1)
    assert not list((tmp_path / "b" / "model").glob(".*")), "no scratch folder is left"


def test_a_program_stays_one(tmp_path: Path, folder: str) -> None:
    shared, source = SharedCache(folder), tmp_path / "x"
    for mode in (0o755, 0o644):
        source.write_bytes(b"#!")
        source.chmod(mode)
        shared.put(f"simulation/{mode}", source)
        fetched = shared.fetch(f"simulation/{mode}", tmp_path)
        assert fetched is not None
        assert (fetched.stat().st_mode & 0o111 != 0) == (mode == 0o755)
        fetched.unlink()


def spoil(path: Path, kind: str) -> None:
    content = path.read_bytes()
    if kind == "cut":
        path.write_bytes(content[:-1])
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "one bit":
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    else:  # a whole object of another name
        path.with_name("other.so").write_bytes(content)
        SharedCache(f"file://{path.parents[1]}").put("model/other.so", path)
        path.write_bytes(path.with_name("other.so").read_bytes())


@pytest.mark.parametrize("kind", ["cut", "empty", "one bit", "another's"])
def test_a_damaged_object_is_built_again_and_replaced(
    kind: str, tmp_path: Path, folder: str, caplog: pytest.LogCaptureFixture
) -> None:
    get(tmp_path / "a", folder)
    spoil(tmp_path / "shared" / NAME, kind)
    assert get(tmp_path / "b", folder, b"own") == (b"own", 1)
    assert "damaged" in caplog.text
    assert get(tmp_path / "c", folder, b"other") == (b"own", 0)


def test_an_unreachable_store_is_told_once_and_fails_no_build(
    tmp_path: Path, s3: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    shared = SharedCache(s3)
    for number in range(3):
        path = tmp_path / "x"
        path.write_bytes(b"x")
        assert shared.fetch(f"model/{number}.so", tmp_path) is None
        shared.put(f"model/{number}.so", path)
    s3fs.S3FileSystem.clear_instance_cache()
    (told,) = [one for one in caplog.records if one.name.startswith("ciphermill")]
    assert told.levelno == logging.WARNING
    assert "artefacts are built here" in told.getMessage()


def test_a_missing_package_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    assert get(tmp_path / "a", "s3://ann:secret@bucket/x") == (b"model" * 999, 1)
    assert "pip install 'ciphermill[shared-cache]'" in caplog.text
    assert "secret" not in caplog.text


def test_a_failed_build_is_not_shared(tmp_path: Path, folder: str) -> None:
    def fail(_: Path) -> Path:
        raise ToolError("no")

    with pytest.raises(ToolError, match=r"^no$"):
        Cache(tmp_path / "a", SharedCache(folder)).get("model", "k" * 64, ".so", fail)
    assert not (tmp_path / "shared" / NAME).exists()


def test_the_variable_chooses_except_in_a_program_with_more_rights(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert shared_cache() is None
    monkeypatch.setenv(VARIABLE, folder)
    assert str(shared_cache()).startswith(f"{folder}/{platform.machine()}-")
    assert shared_cache() is shared_cache()
    assert _of(folder, os.getpid()) is not _of(folder, 1)
    monkeypatch.setattr(environment, "is_privileged", lambda: True)
    assert shared_cache() is None


def test_a_warning_reaches_standard_error_without_any_set_up() -> None:
    program = (
        "from ciphermill.toolchain.shared_cache import SharedCache; from pathlib import Path; "
        "SharedCache('nonsense://x').fetch('a/b', Path('.'))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.stderr.startswith("the shared cache nonsense://x failed: ")
