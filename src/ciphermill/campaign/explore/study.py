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
from optuna.trial import TrialState
from sqlalchemy.exc import SQLAlchemyError

from ciphermill.campaign.explore.known import Known
from ciphermill.campaign.explore.trials import Trials
from ciphermill.campaign.store import Location, Store, StoreError
from ciphermill.campaign.store.postgresql import timeouts
from ciphermill.passwords import without_passwords

_ATTEMPTS = 5
"""How often a trial is written to a database whose connection was lost each time."""


class KeptStudy:
    """A study in the database of the results store."""

    def __init__(self, store: Store, name: str, known: Known) -> None:
        """Take the name; the study is opened, or begun, when the first trial is written."""
        self._store = store
        self._name = name
        self._trials = Trials(known)
        self._study: optuna.Study | None = None
        self._there = set[tuple[str, TrialState]]()
        """The digest of each trial that is written, and its state."""
        optuna.logging.set_verbosity(optuna.logging.WARNING)

    def keep(self, indexes: Sequence[int]) -> None:
        """Write the trials of candidates that are finished or have failed, in this order.

        After a lost connection Optuna writes a trial again for a few seconds, and does nothing
        else again. So the store waits until the database answers, and the study is opened anew,
        which tells what had been written.

        Raises:
            StoreError: The database cannot be written.
        """
        trials = [self._trials.ended(index) for index in indexes]
        for attempt in range(_ATTEMPTS):
            try:
                study = self._study = self._study or self._opened()
                for trial in trials:
                    key = (trial.user_attrs["digest"], trial.state)
                    if key not in self._there:
                        study.add_trial(trial)
                        self._there.add(key)
            except (SQLAlchemyError, optuna.exceptions.OptunaError) as error:
                self._study = None
                if self._store.location.file or attempt + 1 == _ATTEMPTS:
                    raise self._error(error) from error
                self._store.wait()
            else:
                return

    def _opened(self) -> optuna.Study:
        study = optuna.create_study(
            storage=storage_of(self._store.location),
            study_name=self._name,
            load_if_exists=True,
            directions=self._trials.directions,
        )
        self._there = {(one.user_attrs["digest"], one.state) for one in study.get_trials()}
        return study

    def _error(self, error: Exception) -> StoreError:
        # The reason is the driver's: Optuna guesses, and SQLAlchemy adds the statement.
        cause = error.__cause__ if isinstance(error.__cause__, SQLAlchemyError) else error
        reason = str(getattr(cause, "orig", cause)).strip().partition("\n")[0]
        where = self._store.location
        advice = "is its disk full? Make room" if where.file else "see that the server runs"
        return StoreError(
            f"Optuna cannot keep its study in {where}: {without_passwords(reason)}; {advice}, then "
            "run the same command again"
        )


def storage_of(location: Location) -> optuna.storages.RDBStorage:
    """Return Optuna's storage in the database of a results store.

    A lost connection is noticed as soon as one of the store's own.
    """
    if location.file is not None:
        return optuna.storages.RDBStorage(f"sqlite:///{location.file.resolve()}")
    return optuna.storages.RDBStorage(
        location.url.replace("postgresql://", "postgresql+psycopg://", 1),
        engine_kwargs={"connect_args": timeouts(location.url)},
    )
