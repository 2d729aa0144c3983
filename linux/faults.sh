#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Messages and streams of all rings at once through a card with faults: faults.sh FOLDER MESSAGES
# FAULT... They begin when the driver is loaded, since the kernel's own tests of its algorithms fail by
# them, and end before it goes.
folder=$1
messages=$2
shift 2
. "$folder/commands.sh"
# A message that hangs is given up after a fifth of a second.
load timeout_ms=200
for fault in "$@"; do
    card_command "fault $fault" || echo "not ok $fault is no fault"
done
program ciphermill_test faults "$messages"
sum=0
for fault in "$@"; do
    card_command "fault ${fault%%=*}=never"
    card_command counts
    case $answers in
        *" ${fault%%=*}="*) ;;
        *) echo "not ok ${fault%%=*} never struck" ;;
    esac
done
for answer in $answers; do
    case $answer in
        messages=* | interrupts=*) ;;
        *=*) sum=$((sum + ${answer#*=})) ;;
    esac
done
echo "ok faults struck: $sum, $answers"
program ciphermill_test known_answers
unload
