#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# The card disappears, its process and all, while programs use it: they end, and the module can go.
folder=$1
. "$folder/commands.sh"
load
# They fail when the card goes: their answers do not count.
timeout 120 "$folder/tests/ciphermill_test" "$prefix" faults 100000 > /dev/null 2>&1
check "programs end" [ $? != 124 ]
for _ in $(seq 100); do
    bound || break
    sleep 0.1
done
check "the card has gone" sh -c "! ls '$driver' | grep -q ':'"
unload
