// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition iterative: one round of PRESENT in hardware, used again and again.
#define KIND COPROCESSOR__IDENTIFICATION__KIND__PRESENT_ITERATIVE
#define KIND_TOO COPROCESSOR__IDENTIFICATION__KIND__PRESENT_ITERATIVE
#define BLOCK_WORDS 2

static int key_is_possible(unsigned bits) { return bits == 80 || bits == 128; }
static unsigned key_size(unsigned bits) { return bits == 128; }

#include "block_coprocessor.h"
