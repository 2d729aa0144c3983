# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Drivers that pass blocks to a core, one for each kind of ports."""
