#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Processes that do what they may not, and random system calls for a while: hostile.sh FOLDER SECONDS
# SEED. Programs of calls that reached new code stay in FOLDER/corpus for the next time.
folder=$1
. "$folder/commands.sh"
load kernel_crypto=0
program hostile_test
program fuzz_ioctls "$2" "$3" "$folder/corpus"
program ciphermill_test known_answers
unload
