# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis on Zynq ciphers: streams through a board."""
