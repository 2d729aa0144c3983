#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Messages through a card with faults: faults.sh FOLDER MESSAGES FAULT... They begin when the driver
# is loaded, since the kernel's own tests of its algorithms fail by them, and end before it goes.
folder=$1
messages=$2
shift 2
. "$folder/commands.sh"
mount -t devtmpfs devtmpfs /dev 2> /dev/null
# A message that hangs is given up after a fifth of a second.
insmod "$folder/driver/ciphermill.ko" timeout_ms=200 && echo "ok load"
prefix=/dev/ciphermill0-
for fault in "$@"; do
    card_command "fault $fault" || echo "not ok $fault is no fault"
done
if "$folder/tests/ciphermill_test" "$prefix" faults "$messages"; then
    echo "ok $messages messages"
else
    echo "not ok $messages messages"
fi
for fault in "$@"; do
    card_command "fault ${fault%%=*}=never"
    card_command counts
    case $answers in
        *" ${fault%%=*}="*) ;;
        *) echo "not ok ${fault%%=*} never struck" ;;
    esac
done
sum=0
for answer in $answers; do
    case $answer in
        messages=* | interrupts=*) ;;
        *=*) sum=$((sum + ${answer#*=})) ;;
    esac
done
echo "ok faults struck: $sum, $answers"
if "$folder/tests/ciphermill_test" "$prefix" known_answers; then
    echo "ok after faults"
else
    echo "not ok after faults"
fi
if rmmod ciphermill; then echo "ok unload"; else echo "not ok unload"; fi
