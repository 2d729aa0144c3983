# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Formats figures with three significant digits and a unit."""

from __future__ import annotations

from collections.abc import Sequence

_TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_LEAST, _MOST = 1e-6, 1e15
"""Figures of any size between these have no exponent."""
_SIZE_UNITS = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"))


def significant(value: float, digits: int = 3) -> str:
    """Round to significant digits, without an exponent.

    >>> [significant(v) for v in (0, 0.001234, 1.5, 15.04, 152.4, 1234.5)]
    ['0', '0.00123', '1.50', '15.0', '152', '1,234']
    """
    if value == 0:
        return "0"
    # The exponent of the rounded value, so that 9.999 becomes 10.0 and not 10.00.
    exponent = int(f"{value:e}".partition("e")[2])
    rounded = round(value, digits - 1 - exponent)
    exponent = int(f"{rounded:e}".partition("e")[2])
    return f"{rounded if exponent < digits else value:,.{max(digits - 1 - exponent, 0)}f}"


def any_figure(value: float, digits: int = 3) -> str:
    """Round a figure of any size: one that would be hard to read has an exponent.

    >>> [any_figure(v) for v in (0, -1.5e-12, 0.00123, 1234.5, 1.7e308)]
    ['0', '-1.50e-12', '0.00123', '1,234', '1.70e+308']
    """
    if value and not _LEAST <= abs(value) < _MOST:
        return f"{value:.{digits - 1}e}"
    return significant(value, digits)


def count(value: float) -> str:
    """Format a whole number with thousands separators.

    >>> count(21822.67)
    '21,823'
    """
    return f"{value:,.0f}"


def listed(words: Sequence[str]) -> str:
    """Write words as a phrase.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def duration(seconds: float) -> str:
    """A time with a suitable unit.

    >>> [duration(t) for t in (2.0, 0.00345, 9.9996e-4, 4.2e-8)]
    ['2.00 s', '3.45 ms', '1.00 ms', '42.0 ns']
    """
    for scale, unit in _TIME_UNITS:
        if seconds >= scale * 0.9995:
            return f"{significant(seconds / scale)} {unit}"
    return f"{significant(seconds / 1e-9)} ns"


def throughput(mb_s: float) -> str:
    """A rate in MB (1,000,000 bytes) or GB a second.

    >>> [throughput(r) for r in (12.345, 999.0, 1530.0)]
    ['12.3 MB/s', '999 MB/s', '1.53 GB/s']
    """
    if mb_s >= 999.5:
        return f"{significant(mb_s / 1000)} GB/s"
    return f"{significant(mb_s)} MB/s"


def throughput_tick(mb_s: float) -> str:
    """A rate on an axis, without trailing zeros.

    >>> [throughput_tick(r) for r in (0.1, 10, 1000)]
    ['0.1 MB/s', '10 MB/s', '1 GB/s']
    """
    return f"{mb_s / 1000:g} GB/s" if mb_s >= 1000 else f"{mb_s:g} MB/s"


def size(count: int) -> str:
    """A number of bytes, decimal units.

    >>> [size(n) for n in (999, 61306, 1_048_576)]
    ['999 bytes', '61.3 kB', '1.05 MB']
    """
    for scale, unit in _SIZE_UNITS:
        if count >= scale:
            return f"{significant(count / scale)} {unit}"
    return f"{count} bytes"


def ratio(value: float) -> str:
    """A factor.

    >>> [ratio(v) for v in (1.0, 23.45, 0.0123, 1e300)]
    ['1.00x', '23.4x', '0.0123x', '1.00e+300x']
    """
    return f"{any_figure(value)}x"
