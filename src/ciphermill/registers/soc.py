# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
# Generated from hw/soc/soc.rdl by `make generate`; do not edit.
"""Base addresses of the peripherals."""

SYSTEM = 0x80000000
COPROCESSOR = 0x80010000
ACCELERATOR = 0x80020000
DMA = 0x80030000
