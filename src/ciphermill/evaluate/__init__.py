# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Evaluators, one folder each: they measure or estimate a workload on a design."""
