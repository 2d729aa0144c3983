# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
# Generated from hw/coprocessor/coprocessor_shell.rdl by `make generate`; do not edit.
"""Addresses and fields of the registers of the coprocessor shell."""

from ciphermill.registers import Field

CONTROL = 0x000
CONTROL__INSTRUCTION = Field(0, 4)
CONTROL__INSTRUCTION__NONE = 0x0
CONTROL__INSTRUCTION__LOAD_KEY = 0x1
CONTROL__INSTRUCTION__LOAD_TEXT = 0x2
CONTROL__INSTRUCTION__RUN = 0x3
CONTROL__INSTRUCTION__READ = 0x4
CONTROL__INSTRUCTION__STREAM = 0x5
CONTROL__INSTRUCTION__STREAM_KEY = 0x6
CONTROL__INSTRUCTION__ZEROISE = 0x7
CONTROL__BUSY = Field(0, 1)
CONTROL__AVAILABLE = Field(1, 1)
CONTROL__ACCEPTS = Field(2, 1)
CONTROL__ERROR = Field(3, 1)
CONTROL__INDEX = Field(4, 2)
CONTROL__DECRYPT = Field(8, 1)
DATA_IN = 0x004
DATA_OUT = 0x008
