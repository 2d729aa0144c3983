# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Activity of a design's nets: simulation, and counts of changes."""
