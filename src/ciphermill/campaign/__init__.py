# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Running measurements and keeping what was seen."""
