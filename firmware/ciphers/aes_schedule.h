// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The AES key schedule (FIPS 197, 5.2), as words in memory order: byte 4i + j of
// the schedule is bits 8j+7 to 8j of word i.
#ifndef CIPHERMILL_AES_SCHEDULE_H
#define CIPHERMILL_AES_SCHEDULE_H

#include <stdint.h>

#define AES_SCHEDULE_WORDS 60 // 15 round keys of 256-bit keys

struct aes_schedule {
  uint32_t words[AES_SCHEDULE_WORDS];
  unsigned rounds; // 10, 12 or 14; 0: no key
};

// Substitutes the four bytes of a word (SubWord).
typedef uint32_t aes_substitute(uint32_t word);

// Expands a key of 128, 192 or 256 bits with the caller's SubWord, so that it
// runs in constant time where that does. Returns 0, or -1 for other key sizes:
// then schedule->rounds is 0.
int aes_expand(struct aes_schedule *schedule, const uint32_t *key, unsigned key_bits,
               aes_substitute *substitute);

// SubWord by table: not constant time where memory is cached.
uint32_t aes_substitute_by_table(uint32_t word);

// The inverse of it.
uint32_t aes_inverse_substitute_by_table(uint32_t word);

#endif
