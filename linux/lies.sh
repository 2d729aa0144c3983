#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# A card whose registers lie: the driver says so and leaves it alone, and uses it when it tells the
# truth again.
. "$1/commands.sh"
driver=/sys/bus/pci/drivers/ciphermill

# Whether the driver has the card.
bound() {
    ls "$driver" | grep -q ':'
}

for lie in identification=0x12345678 version=0x020000 rings=0 rings=255 log2-entries=0 \
    channel-offset=0 channel-offset=0xfffff000 channel-offset=0x10000 channel-offset=0x8002 \
    ring-identification=0 ring-version=0x020000 channel-identification=0 \
    channel-version=0x030000; do
    dmesg --clear
    card_command "lie $lie" || echo "not ok $lie: the card does not lie"
    insmod "$1/driver/ciphermill.ko"
    if bound; then
        echo "not ok $lie is believed"
    elif ! dmesg | grep -q ciphermill; then
        echo "not ok $lie is refused without a word"
    elif dmesg | grep -E 'BUG|WARNING|KASAN|Call Trace'; then
        echo "not ok $lie: the kernel complains"
    else
        echo "ok $lie is refused"
    fi
    rmmod ciphermill
    card_command truth
done
insmod "$1/driver/ciphermill.ko"
if bound; then echo "ok the truth"; else echo "not ok the truth"; fi
rmmod ciphermill
