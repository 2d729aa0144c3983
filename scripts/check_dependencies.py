# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Licences, sources and known advisories of what the project depends on, without a network.

Rust: every crate that ``engine/Cargo.lock`` pins, by the policy of ``engine/deny.toml`` (which
cargo-deny reads too), and the advisories of ``engine/advisories.toml``. Python: every line of
``requirements.lock`` is pinned by hash and comes from the index, no version has an advisory of
that file, and what the wheel asks for says in its metadata that it has a permissive licence.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "engine"

PERMISSIVE = re.compile(
    r"\b(MIT|BSD|BSD[ -][23]-Clause|Apache[- ]2\.0|Apache Software License|ISC|ISCL"
    r"|Python Software Foundation License|License :: Public Domain)\b"
)
"""Names of permissive licences in older Python metadata, which has no SPDX expression."""
PERMISSIVE_SPDX = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause",
    "CC0-1.0", "HPND", "ISC", "MIT", "MIT-0", "MIT-CMU", "PSF-2.0", "Zlib",
}  # fmt: skip
"""Permissive licences in the SPDX expressions of Python packages (PEP 639)."""

OF_EXTRAS = {
    "psycopg": ("LGPL-3.0-only", "the PostgreSQL driver, used unchanged, of one optional extra"),
    "certifi": ("MPL-2.0", "a list of certificates, used unchanged, which ray's requests need"),
}
"""Packages of optional extras alone with another licence, and why each is accepted. Neither is
part of the wheel: who installs the extra gets it from the index."""


def satisfied(expression: str, allowed: set[str]) -> bool:
    """Whether an SPDX expression can be met with the licences that are allowed.

    >>> allowed = {"MIT", "ISC", "Apache-2.0 WITH LLVM-exception"}
    >>> satisfied("MIT OR GPL-3.0", allowed), satisfied("MIT AND GPL-3.0", allowed)
    (True, False)
    >>> satisfied("(GPL-3.0 OR ISC) AND MIT", allowed), satisfied("MIT/Apache-2.0", allowed)
    (True, True)
    >>> satisfied("Apache-2.0 WITH LLVM-exception", allowed), satisfied("Apache-2.0", allowed)
    (True, False)
    """
    text = re.sub(r"\s+WITH\s+", "\0", expression.replace("/", " OR "))
    tokens = re.findall(r"[()]|[^\s()]+", text)
    tokens.reverse()

    def either() -> bool:
        met = both()
        while tokens and tokens[-1] == "OR":
            tokens.pop()
            # Both sides are parsed, whatever the first one gives.
            met = both() or met
        return met

    def both() -> bool:
        met = one()
        while tokens and tokens[-1] == "AND":
            tokens.pop()
            met = one() and met
        return met

    def one() -> bool:
        word = tokens.pop()
        if word == "(":
            met = either()
            tokens.pop()
            return met
        return word.replace("\0", " WITH ") in allowed

    met = either()
    if tokens:
        raise ValueError(f"{expression!r} is no licence expression")
    return met


def crates(packages: list[dict[str, Any]], policy: dict[str, Any]) -> Iterator[str]:
    """Yield violations of crates, given as ``cargo metadata`` lists them."""
    allowed = set(policy["licenses"]["allow"])
    registries = {f"registry+{url}" for url in policy["sources"]["allow-registry"]}
    for package in packages:
        name = f"{package['name']} {package['version']}"
        if package["source"] is not None and package["source"] not in registries:
            yield f"{name} comes from {package['source']}: engine/deny.toml does not allow it"
        if not package["license"] or not satisfied(package["license"], allowed):
            yield f"{name} has licence {package['license']}: engine/deny.toml does not allow it"


def pinned(lock_text: str) -> list[dict[str, Any]]:
    """Return name and version of every Python package that a requirements file pins.

    >>> pinned("jinja2==3.1.6 --hash=sha256:00")
    [{'name': 'jinja2', 'version': '3.1.6'}]
    """
    found = re.findall(r"^([\w.-]+)==([^\s;]+)", lock_text, re.MULTILINE)
    return [{"name": name, "version": version} for name, version in found]


def advisories(packages: list[dict[str, Any]], known: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the packages that a known advisory is about."""
    for package in packages:
        for advisory in known:
            about = package["name"] == advisory["package"]
            if about and Version(package["version"]) < Version(advisory["patched"]):
                yield (
                    f"{package['name']} {package['version']}: {advisory['id']} "
                    f"({advisory['what']}) is mended in {advisory['patched']}"
                )


def lock(text: str) -> Iterator[str]:
    """Yield the lines of a requirements file that are not pinned by hash or not of an index."""
    for entry in re.sub(r"\\\n", " ", text).splitlines():
        line = entry.partition(" #")[0].strip()
        if not line or line.startswith("#"):
            continue
        if "==" not in line or "--hash=sha256:" not in line or "://" in line or " @ " in line:
            yield f"requirements.lock: {line[:60]}: not a version pinned by hash"


def wheel(project: dict[str, Any]) -> Iterator[str]:
    """Yield the packages that the wheel asks for whose licence is not permissive."""
    needed = _unlicensed(project["dependencies"])
    extras = [one for extra in project["optional-dependencies"].values() for one in extra]
    for name, words in {**_unlicensed(extras), **needed}.items():
        accepted, _ = OF_EXTRAS.get(name, ("", ""))
        if name in needed or accepted not in words:
            yield f"{name} has no permissive licence in its metadata: {[w[:60] for w in words]}"


def _unlicensed(requirements: list[str]) -> dict[str, list[str]]:
    """Return the packages without a permissive licence that these need, and their licences."""
    waiting = [*requirements]
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    while waiting:
        requirement = Requirement(waiting.pop())
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if name in seen or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        seen.add(name)
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            # Not of this platform.
            continue
        waiting += package.requires or []
        said = package.metadata
        words = [str(text) for text in said.get_all("License-Expression") or []]
        if words:
            permissive = all(satisfied(text, PERMISSIVE_SPDX) for text in words)
        else:
            classifiers = said.get_all("Classifier") or []
            words = [*(said.get_all("License") or [])]
            words += [entry for entry in classifiers if entry.startswith("License ::")]
            permissive = any(PERMISSIVE.search(text[:200]) for text in words)
        if not permissive:
            found[name] = words
    return found


def main() -> int:
    """Check everything; the exit code."""
    listed = subprocess.run(
        ["cargo", "metadata", "--locked", "--format-version", "1"],
        cwd=ENGINE,
        capture_output=True,
        text=True,
        check=True,
    )
    packages = json.loads(listed.stdout)["packages"]
    policy = tomllib.loads((ENGINE / "deny.toml").read_text(encoding="utf-8"))
    known = tomllib.loads((ENGINE / "advisories.toml").read_text(encoding="utf-8"))
    lock_text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wrong = [
        *crates(packages, policy),
        *advisories(packages, known["advisory"]),
        *advisories(pinned(lock_text), known["python"]["advisory"]),
        *lock(lock_text),
        *wheel(project),
    ]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
