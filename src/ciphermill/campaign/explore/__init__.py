# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Explorations: which candidates of a space are the best, by as few dear measurements as possible.

``explore.explore`` is the loop. A search proposes candidates, workers measure them, and the
race decides which of them get dear measurements.
"""
