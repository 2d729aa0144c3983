# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Weighing devices of the engine: software by the wall clock, models by their own."""
