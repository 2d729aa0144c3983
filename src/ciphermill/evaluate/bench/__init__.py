# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs one operation of AES several times on a device: the median and the spread."""
