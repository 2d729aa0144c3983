# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Helpers for tests of several folders; no part of the package."""
