# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area, timing, power and energy of a design on an FPGA or in standard cells."""
