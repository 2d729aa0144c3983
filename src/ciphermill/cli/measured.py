# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Code that ``weigh --verdict`` and ``bench`` share: devices and messages of AES to measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ciphermill.cli import progress
from ciphermill.cli.failures import ExitCode, Failure
from ciphermill.evaluate.bench.able import has_aes, key_sizes, references

__all__ = ["has_aes", "key_sizes", "references"]

if TYPE_CHECKING:
    from ciphermill.design import Measurement
    from ciphermill.registry import AnyDevice


def open_devices(names: Sequence[str], *, silent: bool) -> list[AnyDevice]:
    """Open the named devices; without names, those that are present but ``software``.

    ``software`` is OpenSSL without AES instructions, which is slow; it is measured if named.

    Raises:
        ciphermill.Error: A named device cannot be opened.
    """
    from ciphermill.registry import devices, open_device

    if not names:
        return [one for one in devices() if one.name != "software"]
    with progress.of_work(silent=silent) as report:
        return [open_device(name, report=report) for name in dict.fromkeys(names)]


def refuse_failed(seen: Sequence[Measurement]) -> None:
    """End the command if a device failed.

    Raises:
        Failure: One did.
    """
    from ciphermill.evaluate.device.weigh import failure

    notes = list(dict.fromkeys(filter(None, map(failure, seen))))
    if notes:
        more = f", and {len(notes) - 1} more" if len(notes) > 1 else ""
        raise Failure(notes[0] + more, ExitCode.DEVICE)


def check_key_bits(key_bits: int, mode: str) -> None:
    """Refuse a key that the mode does not have.

    Raises:
        click.UsageError: It has not.
    """
    allowed = key_sizes(mode)
    if key_bits not in allowed:
        raise click.UsageError(
            f"--key-bits {key_bits}: AES in mode {mode} has keys of "
            f"{', '.join(map(str, allowed))} bits"
        )


def check_sizes(sizes: Sequence[int], mode: str) -> None:
    """Refuse sizes that the mode does not have.

    Raises:
        click.UsageError: One of them is none.
    """
    for size in sizes:
        whole = mode in ("ecb", "cbc")
        fewest = 16 if mode == "xts" else 1
        if size < fewest or (whole and size % 16):
            least = "whole blocks of 16" if whole else f"{fewest} or more"
            raise click.UsageError(f"--bytes {size}: a message in mode {mode} has {least} bytes")
