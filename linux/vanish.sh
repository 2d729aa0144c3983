#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# The card disappears, its process and all, while programs use it: they end, and the module can go.
insmod "$1/driver/ciphermill.ko"
prefix=/dev/ciphermill0-
mount -t devtmpfs devtmpfs /dev 2> /dev/null
# They fail when the card goes: their answers do not count.
timeout 120 "$1/tests/ciphermill_test" "$prefix" faults 100000 > /dev/null 2>&1
[ $? = 124 ] && echo "not ok a program hangs"
for _ in $(seq 100); do
    ls /sys/bus/pci/drivers/ciphermill | grep -q ':' || break
    sleep 0.1
done
if ls /sys/bus/pci/drivers/ciphermill | grep -q ':'; then
    echo "not ok the card is still there"
else
    echo "ok the card has gone"
fi
if rmmod ciphermill; then echo "ok unload"; else echo "not ok unload"; fi
