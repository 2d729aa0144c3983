# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill weigh --verdict``: from which size offload pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ciphermill.cli import measured, progress, running

if TYPE_CHECKING:
    from ciphermill.campaign.run import Run
    from ciphermill.campaign.store import Store

SIZES = tuple(16 << (2 * step) for step in range(14))
"""16 bytes to 1 GiB, four times as long each."""


def measure(
    names: Sequence[str],
    sizes: Sequence[int],
    mode: str,
    key_bits: int,
    store: Store,
    *,
    silent: bool,
) -> Run:
    """Measure devices with messages of each size, one and many at once.

    Args:
        names: Devices; without any those that compute for real, and the models that are built.
        sizes: Lengths of a message in bytes.
        mode: Mode of AES.
        key_bits: Bits of the key.
        store: Where the measurements go.
        silent: Whether no progress is shown.

    Raises:
        click.UsageError: A named device does not have the mode, or there is nothing to compare.
    """
    from ciphermill.campaign.run import Point, Run
    from ciphermill.evaluate.device.weigh import Device
    from ciphermill.evaluate.evaluator import Progress
    from ciphermill.evaluate.offload.evaluator import AT_ONCE, MOST_BYTES, Lengths
    from ciphermill.registry import MODEL_PREFIX

    found = measured.open_devices(names, silent=silent)
    able = {one.name: one for one in found if measured.has_aes(one, mode, key_bits)}
    unable = [one.name for one in found if one.name not in able]
    if names and unable:
        raise click.UsageError(
            f"{' and '.join(unable)} cannot encrypt AES-{key_bits} in mode {mode}: "
            "name another --device or --mode"
        )
    for name in unable:
        progress.say(f"{name} is left out: it cannot encrypt AES-{key_bits} in mode {mode}")
    references = measured.references(list(able))
    points = [
        Point(Device(name), None, Lengths(size, mode, key_bits, at_once, able, references))
        for at_once in (1, AT_ONCE)
        for size in sizes
        for name in able
        if at_once == 1 or (at_once * size <= MOST_BYTES and not name.startswith(MODEL_PREFIX))
    ]
    with progress.of_steps("sizes and devices", silent=silent) as advance:
        told = Progress(progress.say_nothing if advance or silent else progress.say)
        told.points = advance or told.points
        run = Run(store, running.origin(), points, progress=told)
        run.go()
    return run
