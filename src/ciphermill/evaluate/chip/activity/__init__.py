# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a design's nets do while it works: simulation, and counts of changes."""
