// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition unrolled: all rounds of AES in hardware, combinational or pipelined.
#define KIND COPROCESSOR__IDENTIFICATION__KIND__UNROLLED
#define KIND_TOO COPROCESSOR__IDENTIFICATION__KIND__UNROLLED_PIPELINED
#define BLOCK_WORDS 4

static int key_is_possible(unsigned bits) { return bits == 128 || bits == 192 || bits == 256; }
static unsigned key_size(unsigned bits) { return (bits - 128) >> 6; }

#include "block_coprocessor.h"
