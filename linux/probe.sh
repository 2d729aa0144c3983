#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# The bus: linux/probe with the card linux/card/examples/inverter.rs.
insmod "$1/probe/probe.ko" && rmmod probe
if dmesg | grep -q 'probe: passed'; then
    echo "ok probe"
else
    echo "not ok probe"
fi
