# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Papers: each one's published figures, experiments and conclusions, a folder each."""
