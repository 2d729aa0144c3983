# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Evaluators: what measures a workload on a design and a platform, one folder each."""
