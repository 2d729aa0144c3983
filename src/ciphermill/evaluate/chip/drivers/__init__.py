# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""How blocks are handed to a core, for each family of ports."""
