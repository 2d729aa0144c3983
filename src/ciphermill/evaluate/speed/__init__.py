# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Repeats an operation in software for a fixed time, as ``openssl speed`` does."""
