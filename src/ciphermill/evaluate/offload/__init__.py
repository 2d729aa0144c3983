# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a message costs on a device, by its length and by how many are handed over together."""
