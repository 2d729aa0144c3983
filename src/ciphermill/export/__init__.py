# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Exports: RTL, drivers, self-tests and figures of one module, in a folder."""
