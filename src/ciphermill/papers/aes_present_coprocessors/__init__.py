# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES and PRESENT paper: coprocessors behind one shell."""
