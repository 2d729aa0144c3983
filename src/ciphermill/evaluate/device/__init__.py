# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Measures devices of the engine: software in wall time, models in simulated time."""
