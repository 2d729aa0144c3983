// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// PRESENT on 32 blocks at once in Boolean operations: constant time, with no look-up
// and no branch that depends on key or data. Word i holds bit i of all blocks, so that
// pLayer is only a matter of where a result is put.
#ifndef CIPHERMILL_PRESENT_BITSLICED_H
#define CIPHERMILL_PRESENT_BITSLICED_H

#include "present_schedule.h"

#define PRESENT_BITSLICED_BLOCKS 32

// Encrypt or decrypt 1 to 32 blocks of 2 words; input and output may be the same. Fewer
// than 32 take as long as 32.
void present_bitsliced_encrypt(const struct present_schedule *schedule, const uint32_t *input,
                               uint32_t *output, unsigned blocks);
void present_bitsliced_decrypt(const struct present_schedule *schedule, const uint32_t *input,
                               uint32_t *output, unsigned blocks);

#endif
