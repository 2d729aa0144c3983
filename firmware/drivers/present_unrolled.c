// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition unrolled: all rounds of PRESENT in hardware.
#define KIND COPROCESSOR__IDENTIFICATION__KIND__PRESENT_UNROLLED
#define KIND_TOO COPROCESSOR__IDENTIFICATION__KIND__PRESENT_UNROLLED
#define BLOCK_WORDS 2

static int key_is_possible(unsigned bits) { return bits == 80 || bits == 128; }
static unsigned key_size(unsigned bits) { return bits == 128; }

#include "block_coprocessor.h"
