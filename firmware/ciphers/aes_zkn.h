// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// AES with the instructions of Zkne and Zknd (RISC-V Cryptography Extensions, Volume I,
// 1.0.1), one byte of a round each. Constant time: no look-up in memory.
#ifndef CIPHERMILL_AES_ZKN_H
#define CIPHERMILL_AES_ZKN_H

#include "aes_schedule.h"

// SubWord for aes_expand, in constant time.
uint32_t aes_zkn_substitute(uint32_t word);

// InvMixColumns on all round keys but the first and the last (FIPS 197, 5.3.5).
void aes_zkn_invert(struct aes_schedule *schedule);

// Encrypt or decrypt blocks of 4 words; input and output may be the same.
// Decryption needs an inverted schedule.
void aes_zkn_encrypt(const struct aes_schedule *schedule, const uint32_t *input, uint32_t *output,
                     unsigned blocks);
void aes_zkn_decrypt(const struct aes_schedule *schedule, const uint32_t *input, uint32_t *output,
                     unsigned blocks);

#endif
