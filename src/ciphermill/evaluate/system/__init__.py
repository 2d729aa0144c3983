# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs firmware on an embedded system and measures its cycles."""
