# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Pins and clock of the KC705, part XC7K325T-2FFG900C (UG810; they agree with those of LiteX). Nothing
# here was tried on a board.

# The oscillator of 200 MHz; the MMCM's clocks follow from it.
set_property -dict {PACKAGE_PIN AD12 IOSTANDARD LVDS} [get_ports sysclk_p]
set_property -dict {PACKAGE_PIN AD11 IOSTANDARD LVDS} [get_ports sysclk_n]
create_clock -period 5.000 -name sysclk [get_ports sysclk_p]

# The USB serial port (CP2103); the names are those of the CP2103.
set_property -dict {PACKAGE_PIN M19 IOSTANDARD LVCMOS25} [get_ports usb_uart_tx]
set_property -dict {PACKAGE_PIN K24 IOSTANDARD LVCMOS25} [get_ports usb_uart_rx]

# Button and lights.
set_property -dict {PACKAGE_PIN AB7 IOSTANDARD LVCMOS15} [get_ports cpu_reset]
set_property -dict {PACKAGE_PIN AB8 IOSTANDARD LVCMOS15} [get_ports {gpio_led[0]}]
set_property -dict {PACKAGE_PIN AA8 IOSTANDARD LVCMOS15} [get_ports {gpio_led[1]}]
set_property -dict {PACKAGE_PIN AC9 IOSTANDARD LVCMOS15} [get_ports {gpio_led[2]}]
set_property -dict {PACKAGE_PIN AB9 IOSTANDARD LVCMOS15} [get_ports {gpio_led[3]}]

# Serial line, button and lights are not timed: each input is synchronised, no output is sampled.
set_false_path -from [get_ports {usb_uart_tx cpu_reset}]
set_false_path -to [get_ports {usb_uart_rx gpio_led[*]}]

set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 2.5 [current_design]
set_property BITSTREAM.GENERAL.COMPRESS true [current_design]
