# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Measures an FPGA on a board with memory banks, and devices of this machine beside it."""
