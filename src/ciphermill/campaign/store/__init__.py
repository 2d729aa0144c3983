# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The results store, by the path of a file or by the URL of a database."""

from .errors import StoreError, StoreUnavailable
from .location import Location, default_location
from .migrations import SCHEMA_VERSION
from .runs import SELECTED, Record
from .store import Store
