# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# ZedBoard. All pins belong to the processing system, whose own constraints place them, and
# clock and reset come from there: FCLK_CLK0, 100 MHz, which the processing system's block
# constrains. Everything in the logic runs on it, so no clock is crossed but by the interrupts,
# which the processing system synchronises.
set_property BITSTREAM.GENERAL.COMPRESS true [current_design]
