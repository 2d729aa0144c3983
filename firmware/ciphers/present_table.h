// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// PRESENT by tables of bytes: a round is 16 look-ups. Look-ups by secret bytes: NOT
// constant time where memory is cached or its latency depends on the address. The key
// schedule is constant time.
#ifndef CIPHERMILL_PRESENT_TABLE_H
#define CIPHERMILL_PRESENT_TABLE_H

#include "present_schedule.h"

// Encrypt or decrypt blocks of 2 words; input and output may be the same. Decryption
// needs a schedule that present_table_invert has prepared.
void present_table_encrypt(const struct present_schedule *schedule, const uint32_t *input,
                           uint32_t *output, unsigned blocks);
void present_table_decrypt(const struct present_schedule *schedule, const uint32_t *input,
                           uint32_t *output, unsigned blocks);
void present_table_invert(struct present_schedule *schedule);

#endif
