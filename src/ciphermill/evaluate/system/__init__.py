# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Running firmware on an embedded system, and reading what it cost."""
