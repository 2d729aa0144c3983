// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// AES by tables that hold SubBytes and MixColumns in one: a round is 16 look-ups
// (Daemen and Rijmen, "AES Proposal: Rijndael", section 5.2.1). The fastest plain C
// here. Look-ups by secret bytes: NOT constant time where memory is cached or its
// latency depends on the address.
#ifndef CIPHERMILL_AES_TABLE_H
#define CIPHERMILL_AES_TABLE_H

#include "aes_schedule.h"

// Turns an encryption schedule into that of the equivalent inverse cipher (FIPS 197,
// 5.3.5): InvMixColumns on all round keys but the first and the last, order kept.
void aes_table_invert(struct aes_schedule *schedule);

// Encrypt or decrypt blocks of 4 words, each by itself; input and output may be
// the same. Decryption needs an inverted schedule.
void aes_table_encrypt(const struct aes_schedule *schedule, const uint32_t *input,
                       uint32_t *output, unsigned blocks);
void aes_table_decrypt(const struct aes_schedule *schedule, const uint32_t *input,
                       uint32_t *output, unsigned blocks);

#endif
