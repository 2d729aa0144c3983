# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The paper on a software and a hardware crypto suite: its figures, computed again."""
