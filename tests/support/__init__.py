# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What tests of several rooms share; no part of the package."""
