# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs evaluations and stores their measurements."""
