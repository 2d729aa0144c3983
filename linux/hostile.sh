#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Processes that do what they may not, and random system calls for a while: hostile.sh FOLDER SECONDS
# SEED. Programs of calls that reached new code stay in FOLDER/corpus for the next time.
folder=$1
prefix=/dev/ciphermill0-
mount -t devtmpfs devtmpfs /dev 2> /dev/null
mount -t tmpfs tmpfs /mnt
insmod "$folder/driver/ciphermill.ko" kernel_crypto=0 && echo "ok load"
"$folder/tests/hostile_test" "$prefix"
"$folder/tests/fuzz_ioctls" "$prefix" "$2" "$3" "$folder/corpus"
"$folder/tests/ciphermill_test" "$prefix" known_answers
if rmmod ciphermill; then echo "ok unload"; else echo "not ok unload"; fi
