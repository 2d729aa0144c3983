# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
# Generated from hw/card/card.rdl by `make generate`; do not edit.
"""Addresses and fields of the registers of the card."""

from ciphermill.registers import Field

IDENTIFICATION = 0x000
IDENTIFICATION__MAGIC_VALUE = 0x44434D43
VERSION = 0x004
VERSION__PATCH = Field(0, 8)
VERSION__PATCH_VALUE = 0x0
VERSION__MINOR = Field(8, 8)
VERSION__MINOR_VALUE = 0x0
VERSION__MAJOR = Field(16, 8)
VERSION__MAJOR_VALUE = 0x1
CAPABILITY = 0x008
CAPABILITY__RINGS = Field(0, 8)
CAPABILITY__KEY_SLOTS = Field(8, 8)
CAPABILITY__LOG2_ENTRIES = Field(16, 5)
CAPABILITY__DATA_BYTES = Field(24, 6)
CLOCK = 0x00C
CONTROL = 0x010
CONTROL__RESET = Field(0, 1)
STATUS = 0x018
STATUS__BUSY = Field(0, 1)
STATUS__RESETTING = Field(1, 1)
ERROR = 0x01C
CHANNEL_OFFSET = 0x020
CYCLES_LOW = 0x030
CYCLES_HIGH = 0x034
