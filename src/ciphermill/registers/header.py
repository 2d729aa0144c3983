# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
# Generated from hw/prim/header.rdl by `make generate`; do not edit.
"""Addresses and fields of the registers of every accelerator."""

from ciphermill.registers import Field

IDENTIFICATION = 0x000
VERSION = 0x004
VERSION__PATCH = Field(0, 8)
VERSION__MINOR = Field(8, 8)
VERSION__MAJOR = Field(16, 8)
CAPABILITY = 0x008
CONTROL = 0x010
STATUS = 0x018
STATUS__BUSY = Field(0, 1)
STATUS__VALUE = Field(1, 31)
ERROR = 0x01C
