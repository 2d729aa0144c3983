# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The wheel: its contents, and its commands in an empty folder without a checkout."""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import ciphermill

HOME = Path(__file__).resolve().parent.parent
RECORD = "ciphermill-0.dist-info/RECORD"


@pytest.fixture(scope="module")
def backend() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "wheel_backend", HOME / "scripts" / "wheel_backend.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def package_files() -> Iterator[Path]:
    """Yield the files that maturin puts into a wheel, by pyproject.toml: the package, no tests."""
    for path in sorted((HOME / "src").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and not path.match("test_*.py"):
            yield path


def bare_wheel(path: Path) -> Path:
    """A wheel as maturin makes it, with the engine that is already built."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    with zipfile.ZipFile(path, "w") as wheel:
        for file in package_files():
            name = file.relative_to(HOME / "src").as_posix()
            wheel.write(file, name)
            rows.writerow([name, "sha256=of-maturin", file.stat().st_size])
        rows.writerow([RECORD, "", ""])
        wheel.writestr(RECORD, text.getvalue())
    return path


@pytest.fixture(scope="module")
def wheel(backend: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = bare_wheel(tmp_path_factory.mktemp("wheel") / "ciphermill-0-py3-none-any.whl")
    backend.add_sources(path, HOME)
    assert [other.name for other in path.parent.iterdir()] == [path.name], "nothing is left over"
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(folder)
    return folder


def run(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command in a folder, with a user's folders in it."""
    named = {name: value for name, value in os.environ.items() if "CIPHERMILL" not in name}
    return subprocess.run(
        [sys.executable, "-c", "from ciphermill.cli.main import main; main()", *arguments],
        cwd=folder,
        env=named
        | {
            "PYTHONPATH": str(installed),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "XDG_DATA_HOME": str(folder / "data"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_record_names_every_file_with_its_hash(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        rows = list(csv.reader(io.StringIO(opened.read(RECORD).decode())))
        assert len(set(names)) == len(names)
        assert sorted(row[0] for row in rows) == sorted(names)
        assert rows[-1] == [RECORD, "", ""]
        added = [row for row in rows if row[0].startswith("ciphermill/source_tree/")]
        assert len(added) > 200
        for name, digest, size in added:
            data = opened.read(name)
            text = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={text}", len(data)), name


def test_the_wheel_has_the_sources_and_not_their_tests(wheel: Path) -> None:
    prefix = "ciphermill/source_tree/"
    with zipfile.ZipFile(wheel) as opened:
        have = {name.removeprefix(prefix) for name in opened.namelist() if prefix in name}
    if not shutil.which("git"):
        pytest.skip("no git")
    tracked = subprocess.run(
        ["git", "ls-files", "designs", "firmware", "hw", "platforms"],
        cwd=HOME,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    if not tracked:
        pytest.skip("no checkout")
    apart = {"dv", "formal", "tests"}
    missing = {
        name for name in tracked if (HOME / name).is_file() and apart.isdisjoint(name.split("/"))
    } - have
    assert not missing
    assert not [name for name in have if not apart.isdisjoint(name.split("/"))]
    assert {"LICENSE", "docs/reference/registers.md", "hw/accel/accel.rdl"} <= have


def test_equal_sources_give_equal_wheels(backend: ModuleType, wheel: Path, tmp_path: Path) -> None:
    again = bare_wheel(tmp_path / "again.whl")
    backend.add_sources(again, HOME)
    assert again.read_bytes() == wheel.read_bytes()


def test_a_wheel_that_has_them_or_is_none_of_ours_is_refused(
    backend: ModuleType, wheel: Path, tmp_path: Path
) -> None:
    whole = wheel.read_bytes()
    with pytest.raises(RuntimeError, match="not as maturin builds it"):
        backend.add_sources(wheel, HOME)
    assert wheel.read_bytes() == whole
    with zipfile.ZipFile(tmp_path / "empty.whl", "w"):
        pass
    with pytest.raises(RuntimeError, match="not as maturin builds it"):
        backend.add_sources(tmp_path / "empty.whl", HOME)


def test_installed_it_knows_designs_platforms_and_papers(installed: Path, tmp_path: Path) -> None:
    code = """
import json, ciphermill
from ciphermill import design
from ciphermill.papers.thesis_zynq_ciphers.published import load
from ciphermill.design import platform_names
from ciphermill.design.streaming_platform import StreamingPlatform
print(json.dumps([
    ciphermill.__file__, str(design.find_home()), str(design.models_folder()),
    list(design.design_names()), list(platform_names(StreamingPlatform)),
]))
load()
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    package, home, models, designs, platforms = json.loads(done.stdout)
    assert Path(package).is_relative_to(installed)
    assert Path(home) == installed / "ciphermill" / "source_tree"
    assert Path(models) == tmp_path / ".cache" / "ciphermill" / "models"
    assert "aes-iterative" in designs and "zedboard" in platforms


def test_installed_it_encrypts_and_streams(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(os.urandom(100_000))
    (tmp_path / "key").write_bytes(os.urandom(32))
    for command in (
        ("encrypt", "plain", "--key-file", "key"),
        ("decrypt", "plain.cm", "--key-file", "key", "-o", "again"),
    ):
        done = run(installed, tmp_path, *command)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "again").read_bytes() == (tmp_path / "plain").read_bytes()
    done = run(installed, tmp_path, "campaign", "zedboard", "--largest", "64k", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    assert (tmp_path / "data" / "ciphermill").is_dir()


def test_versions_agree() -> None:
    engine = tomllib.loads((HOME / "engine" / "Cargo.toml").read_text(encoding="utf-8"))
    package = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))
    workspace = engine["workspace"]
    version = workspace["package"]["version"]
    assert version == package["project"]["version"] == ciphermill.__version__
    ours = [one for one in workspace["dependencies"].values() if "path" in one]
    assert ours and all(one["version"] == version for one in ours)


@pytest.fixture(scope="module")
def crates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return the files of each crate that can be published, by its name."""
    if not shutil.which("cargo"):
        pytest.skip("no cargo")
    makefile = (HOME / "Makefile").read_text(encoding="utf-8")
    [private] = [line for line in makefile.splitlines() if line.startswith("PRIVATE_CRATES")]
    target = tmp_path_factory.mktemp("crates")
    excluded = [f"--exclude={name}" for name in private.split(":=")[1].split()]
    done = subprocess.run(
        ["cargo", "package", "--workspace", "--no-verify", "--allow-dirty", *excluded],
        cwd=HOME / "engine",
        env=os.environ | {"CARGO_TARGET_DIR": str(target), "CARGO_NET_OFFLINE": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    contents = {}
    for path in (target / "package").glob("*.crate"):
        with tarfile.open(path) as crate:
            [root] = {name.split("/")[0] for name in crate.getnames()}
            names = [name.split("/", 1)[1] for name in crate.getnames()]
            manifest = crate.extractfile(f"{root}/Cargo.toml")
            assert manifest is not None
            contents[root.rsplit("-", 1)[0]] = names
            package = tomllib.loads(manifest.read().decode())["package"]
            for key in ("description", "keywords", "categories", "rust-version"):
                assert package[key], f"{root} has no {key}"
            assert (package["license"], package["readme"]) == ("Apache-2.0", "README.md")
    return contents


def test_crates_hold_what_they_need_and_no_more(crates: dict[str, list[str]]) -> None:
    assert set(crates) == {
        "ciphermill",
        *(f"ciphermill-{name}" for name in ["accelerator", "cpu", "cuda", "devices", "gpu"]),
        *(f"ciphermill-{name}" for name in ["linux", "model", "opencl", "stream"]),
    }
    # What a driver compiles at run time.
    folders = {"ciphermill-gpu": {"kernels"}}
    for name, files in crates.items():
        assert {"Cargo.toml", "README.md", "src/lib.rs"} <= set(files), name
        for file in files:
            top = file.split("/")[0]
            folder = top in {"src", "tests", "examples"} | folders.get(name, set())
            assert folder or file in {
                *("Cargo.toml", "Cargo.toml.orig", "Cargo.lock", "README.md"),
                ".cargo_vcs_info.json",
            }, f"{name}: {file}"
            # The driver that the tests simulate is C++, which a script compiles.
            suffixes = (".rs", ".cc", ".sh") if top == "tests" else (".rs",)
            assert top not in {"src", "tests", "examples"} or file.endswith(suffixes), file
