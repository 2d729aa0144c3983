# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Keeps the measured candidates as a study of Optuna, so that Optuna's own tools can open it.

The study is in the database of the results store, and is called ``NAME NUMBER`` by the name and the
number of the exploration. It has a trial for each candidate that got every step or failed, in the
order of the search. No trial is written twice: a candidate is known by its digest.
"""

from __future__ import annotations

from collections.abc import Sequence

import optuna
from sqlalchemy.exc import SQLAlchemyError

from ciphermill.campaign.explore.known import Known
from ciphermill.campaign.explore.trials import Trials
from ciphermill.campaign.store import Location, StoreError


class KeptStudy:
    """A study in the database of the results store."""

    def __init__(self, location: Location, name: str, known: Known) -> None:
        """Open the study, or begin it.

        Raises:
            StoreError: The database cannot be used.
        """
        self._location = location
        self._trials = Trials(known)
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        try:
            self._study = optuna.create_study(
                storage=optuna.storages.RDBStorage(database_url(location)),
                study_name=name,
                load_if_exists=True,
                directions=self._trials.directions,
            )
            self._there = {
                (one.user_attrs.get("digest"), one.state) for one in self._study.get_trials()
            }
        except (SQLAlchemyError, optuna.exceptions.OptunaError) as error:
            raise self._error(error) from error

    def keep(self, indexes: Sequence[int]) -> None:
        """Write the trials of candidates that are finished or have failed, in this order.

        Raises:
            StoreError: The database cannot be written.
        """
        for index in indexes:
            trial = self._trials.ended(index)
            key = (trial.user_attrs["digest"], trial.state)
            if key in self._there:
                continue
            try:
                self._study.add_trial(trial)
            except (SQLAlchemyError, optuna.exceptions.OptunaError) as error:
                raise self._error(error) from error
            self._there.add(key)

    def _error(self, error: Exception) -> StoreError:
        return StoreError(
            f"Optuna cannot keep its study in {self._location}: {error}; run the same command "
            "again to continue"
        )


def database_url(location: Location) -> str:
    """Return the URL with which SQLAlchemy opens the database of a results store."""
    if location.file is not None:
        return f"sqlite:///{location.file.resolve()}"
    return location.url.replace("postgresql://", "postgresql+psycopg://", 1)
