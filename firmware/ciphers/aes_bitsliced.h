// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// AES on two blocks at once in Boolean operations: constant time, with no look-up
// and no branch that depends on key or data. Bit j of all 32 bytes is word j.
#ifndef CIPHERMILL_AES_BITSLICED_H
#define CIPHERMILL_AES_BITSLICED_H

#include <stdint.h>

struct aes_bitsliced_schedule {
  uint32_t slices[15][8]; // round keys, each in both blocks' places
  unsigned rounds;        // 0: no key
};

// Expands a key of 128, 192 or 256 bits, in constant time. Returns 0, or -1 for
// other key sizes.
int aes_bitsliced_expand(struct aes_bitsliced_schedule *schedule, const uint32_t *key,
                         unsigned key_bits);

// Encrypt or decrypt two blocks of 4 words each; input and output may be the same.
void aes_bitsliced_encrypt(const struct aes_bitsliced_schedule *schedule, const uint32_t *first,
                           const uint32_t *second, uint32_t *first_out, uint32_t *second_out);
void aes_bitsliced_decrypt(const struct aes_bitsliced_schedule *schedule, const uint32_t *first,
                           const uint32_t *second, uint32_t *first_out, uint32_t *second_out);

#endif
