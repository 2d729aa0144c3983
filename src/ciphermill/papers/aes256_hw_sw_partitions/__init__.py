# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES-256 paper: five splits between hardware and software on a soft core."""
