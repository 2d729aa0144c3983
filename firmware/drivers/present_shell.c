// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition shell: PRESENT-80 behind the coprocessor shell's three registers.
#define KEY_BITS 80
#define BLOCK_WORDS 2

#include "shell.h"
