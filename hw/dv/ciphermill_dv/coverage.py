# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Functional coverage: which combinations of conditions the tests have met.

A :class:`Coverage` has axes (direction, key size, stall pattern, ...) with their values; the
bins are their cross product, less those that cannot occur. Runs of all processes add up in
``build/coverage/<name>.json``. ``python -m ciphermill_dv.coverage`` prints the totals.
"""

from __future__ import annotations

import fcntl
import itertools
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .simulate import build_root

Bin = tuple[str, ...]


def coverage_folder() -> Path:
    """Return the folder of the coverage files."""
    return build_root() / "coverage"


class Coverage:
    """A cross of axes and how often each of its bins was met.

    Args:
        name: Name of the file that the hits go to.
        axes: Values of each axis, by the axis' name.
        possible: Says whether a bin (as keyword arguments) can occur at all.
    """

    def __init__(
        self,
        name: str,
        axes: Mapping[str, Sequence[object]],
        possible: Callable[..., bool] = lambda **_: True,
    ) -> None:
        self.name = name
        self.axes = {axis: [str(value) for value in values] for axis, values in axes.items()}
        self.bins: set[Bin] = {
            tuple(str(value) for value in values)
            for values in itertools.product(*axes.values())
            if possible(**dict(zip(axes, values, strict=True)))
        }
        self.hits: Counter[Bin] = Counter()

    def sample(self, **values: object) -> None:
        """Count one bin, given a value for each axis.

        Raises:
            KeyError: It is not a bin.
        """
        met = tuple(str(values[axis]) for axis in self.axes)
        if met not in self.bins:
            raise KeyError(f"{self.name}: not a bin: {values}")
        self.hits[met] += 1

    def missing(self) -> list[Bin]:
        """Return the bins not met yet by this object."""
        return sorted(self.bins - self.hits.keys())

    def write(self) -> Path:
        """Add the hits to those in the file, empty the counters, and return the file."""
        path = coverage_folder() / f"{self.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            total = Counter(_read_hits(path)) if path.is_file() else Counter()
            total.update(self.hits)
            content = {
                "name": self.name,
                "axes": self.axes,
                "bins": len(self.bins),
                "met": len(self.bins & total.keys()),
                "missing": [list(bin_) for bin_ in sorted(self.bins - total.keys())],
                "hits": [[list(bin_), total[bin_]] for bin_ in sorted(total)],
            }
            path.write_text(json.dumps(content, indent=1) + "\n")
        self.hits.clear()
        return path


def _read_hits(path: Path) -> dict[Bin, int]:
    return {tuple(bin_): count for bin_, count in json.loads(path.read_text())["hits"]}


def report() -> str:
    """Return a table of all coverage files: bins met, and the first ones missing."""
    lines = []
    for path in sorted(coverage_folder().glob("*.json")):
        content = json.loads(path.read_text())
        axes = " x ".join(f"{axis} ({len(v)})" for axis, v in content["axes"].items())
        lines.append(f"{content['name']}: {content['met']} of {content['bins']} bins: {axes}")
        lines += [f"  missing: {', '.join(bin_)}" for bin_ in content["missing"][:20]]
        if len(content["missing"]) > 20:
            lines.append(f"  ... and {len(content['missing']) - 20} more")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(report() + "\n")
