// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition iterative: one round of AES in hardware, used again and again.
#define KIND COPROCESSOR__IDENTIFICATION__KIND__ITERATIVE
#define KIND_TOO COPROCESSOR__IDENTIFICATION__KIND__ITERATIVE
#define BLOCK_WORDS 4

static int key_is_possible(unsigned bits) { return bits == 128 || bits == 192 || bits == 256; }
static unsigned key_size(unsigned bits) { return (bits - 128) >> 6; }

#include "block_coprocessor.h"
