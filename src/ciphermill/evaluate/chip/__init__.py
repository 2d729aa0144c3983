# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What designs take of a chip."""
