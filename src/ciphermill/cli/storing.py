# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs that go to the results store, and are shown whether or not it takes them.

What was measured took minutes; a disk that is full when it is stored must not lose it.
So a command stores first, prints, writes its pages, and then says what became of the run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ciphermill.campaign.store import Store, StoreError
    from ciphermill.design import Measurement


@dataclass(frozen=True)
class StoredRun:
    """What became of a run."""

    store: Store
    number: int | None
    """Its number in the store."""
    error: StoreError | None = None
    """Why it is not there."""

    def tell(self, *, fail: bool = True) -> None:
        """Say where the run is, on standard error.

        Args:
            fail: Whether a run that could not be stored ends the command; otherwise
                that is a warning, because something worse comes after it.

        Raises:
            StoreError: It could not be stored.
        """
        sys.stdout.flush()
        if self.error is None:
            click.echo(f"Stored as run {self.number} in {self.store.path}", err=True)
        elif fail:
            raise self.error
        else:
            click.echo(f"ciphermill: warning: {self.error}", err=True)


def store_run(store: Store, measurements: Sequence[Measurement], started: datetime) -> StoredRun:
    """Store what this command has measured; ``StoredRun.tell`` says if that failed."""
    from ciphermill.campaign.store import StoreError
    from ciphermill.toolchain import provenance

    command = provenance.command_line(sys.argv)
    try:
        return StoredRun(store, store.add_run(measurements, command=command, started=started))
    except StoreError as error:
        return StoredRun(store, None, error)
