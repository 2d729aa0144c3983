// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition shell: AES-128 behind the coprocessor shell's three registers.
#define KEY_BITS 128
#define BLOCK_WORDS 4

#include "shell.h"
