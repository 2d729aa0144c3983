# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
# Generated from hw/coprocessor/coprocessor.rdl by `make generate`; do not edit.
"""Addresses and fields of the registers of the block coprocessors."""

from ciphermill.registers import Field

ID = 0x000
ID__VERSION = Field(0, 8)
ID__VERSION_VALUE = 0x1
ID__KIND = Field(8, 8)
ID__KIND__UNROLLED = 0x10
ID__KIND__UNROLLED_PIPELINED = 0x11
ID__KIND__ITERATIVE = 0x12
ID__KIND__ROUND = 0x13
ID__KIND__LINEAR_LAYER = 0x14
ID__KIND__PRESENT_ITERATIVE = 0x20
ID__KIND__PRESENT_UNROLLED = 0x21
ID__KIND__PRESENT_SERIAL = 0x22
ID__MAGIC = Field(16, 16)
ID__MAGIC_VALUE = 0x434D
CONTROL = 0x004
CONTROL__DECRYPT = Field(0, 1)
CONTROL__KEY_SIZE = Field(1, 2)
CONTROL__FINAL_ROUND = Field(3, 1)
CONTROL__ZEROISE = Field(8, 1)
STATUS = 0x008
STATUS__BUSY = Field(0, 1)
STATUS__AVAILABLE = Field(1, 1)
STATUS__ACCEPTS = Field(2, 1)
STATUS__ERROR = Field(3, 1)
KEY = 0x020
DATA_IN = 0x100
DATA_OUT = 0x200
DATA_OUT_WIDE = 0x280
