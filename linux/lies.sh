#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# A card whose registers lie. Where the driver could be led astray it names what cannot be and leaves
# the card alone; where the lie only promises what the card does not have, messages fail and the rest
# works. It uses the card when it tells the truth again.
folder=$1
. "$folder/commands.sh"

complains() {
    dmesg | grep -E 'BUG|WARNING|KASAN|Call Trace'
}

refused() {
    dmesg --clear
    card_command "lie $1" || echo "not ok $1: the card does not lie"
    insmod "$folder/driver/ciphermill.ko"
    if bound; then
        echo "not ok $1 is believed"
    elif ! dmesg | grep ciphermill | grep -qF "$2"; then
        echo "not ok $1 is refused without the words '$2': $(dmesg | grep ciphermill)"
    elif complains; then
        echo "not ok $1: the kernel complains"
    else
        echo "ok $1 is refused: $2"
    fi
    rmmod ciphermill
    card_command truth
}

promised() {
    dmesg --clear
    card_command "lie $1" || echo "not ok $1: the card does not lie"
    insmod "$folder/driver/ciphermill.ko" kernel_crypto=0
    if ! bound; then
        echo "not ok $1 is refused"
    elif ! "$folder/tests/hostile_test" "$prefix" promised; then
        echo "not ok $1: a message that the card cannot do"
    elif ! "$folder/tests/ciphermill_test" "$prefix" $2; then
        echo "not ok $1: messages that the card can do"
    elif complains; then
        echo "not ok $1: the kernel complains"
    else
        echo "ok $1 does no harm"
    fi
    rmmod ciphermill
    card_command truth
}

refused identification=0x12345678 'the card identifies itself as 0x12345678 instead of'
refused version=0x020000 'the card has version 2.0: this driver knows 1 only'
refused rings=0 "the card's CAPABILITY cannot be"
refused rings=255 "the card's CAPABILITY cannot be"
refused log2-entries=0 "the card's CAPABILITY cannot be"
refused key-slots=0 "the card's CAPABILITY cannot be"
refused key-slots=255 "the card's CAPABILITY cannot be"
refused channel-offset=0 "the card's CHANNEL_OFFSET cannot be 0"
refused channel-offset=0xfffff000 "the card's CHANNEL_OFFSET cannot be 0xfffff000"
refused channel-offset=0x10000 "the card's CHANNEL_OFFSET cannot be 0x10000"
refused channel-offset=0x8002 "the card's CHANNEL_OFFSET cannot be 0x8002"
refused ring-identification=0 'a ring identifies itself as 0x00000000 instead of'
refused ring-version=0x020000 'a ring has version 2.0: this driver knows 1 only'
refused channel-identification=0 'the accelerator identifies itself as 0x00000000 instead of'
refused channel-version=0x030000 'the accelerator has version 3.0: this driver knows 2 only'
refused channel-capability=0 "the card's CAPABILITY of the accelerator cannot be 0"
refused channel-capability=0x7000 "the card's CAPABILITY of the accelerator cannot be 0x7000"
# Every mode and hash, every size of key.
promised channel-capability=0x17fffc00 known_answers
# More slots and longer rings than there are, no clock, a narrow bus.
promised key-slots=200 'known_answers two_processes'
promised log2-entries=15 'known_answers streams'
promised clock=0 known_answers
promised clock=0xffffffff known_answers
promised data-bytes=0 known_answers
promised rings=1 known_answers
load
check "the truth" bound
unload
