# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Helpers for tests of several folders; not part of the package."""
