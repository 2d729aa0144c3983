# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cycles of an engine that runs micro-programs, from the timing of its instructions."""
