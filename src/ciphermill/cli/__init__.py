# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The command line: one thin module for each command."""
