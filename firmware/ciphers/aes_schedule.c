// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
#include "aes_schedule.h"

#include "aes_sbox.h"

#define BYTE(s) s,

static const uint8_t sbox[256] = {AES_SBOX(BYTE)};
static const uint8_t inverse_sbox[256] = {AES_INVERSE_SBOX(BYTE)};

static inline uint32_t substitute(const uint8_t *table, uint32_t word) {
  return (uint32_t)table[word & 0xFF] | (uint32_t)table[word >> 8 & 0xFF] << 8 |
         (uint32_t)table[word >> 16 & 0xFF] << 16 | (uint32_t)table[word >> 24] << 24;
}

uint32_t aes_substitute_by_table(uint32_t word) { return substitute(sbox, word); }

uint32_t aes_inverse_substitute_by_table(uint32_t word) { return substitute(inverse_sbox, word); }

int aes_expand(struct aes_schedule *schedule, const uint32_t *key, unsigned key_bits,
               aes_substitute *sub_word) {
  schedule->rounds = 0;
  if (key_bits != 128 && key_bits != 192 && key_bits != 256) {
    return -1;
  }
  unsigned key_words = key_bits / 32;
  unsigned rounds = key_words + 6;
  unsigned total = 4 * (rounds + 1);
  uint32_t *words = schedule->words;
  uint32_t constant = 1; // Rcon
  for (unsigned index = 0; index < key_words; index++) {
    words[index] = key[index];
  }
  unsigned position = 0; // index modulo key_words
  for (unsigned index = key_words; index < total; index++) {
    uint32_t word = words[index - 1];
    if (position == 0) {
      word = sub_word(word >> 8 | word << 24) ^ constant; // RotWord, SubWord
      constant = (constant << 1) ^ ((constant >> 7) * 0x11B);
    } else if (key_words == 8 && position == 4) {
      word = sub_word(word);
    }
    words[index] = words[index - key_words] ^ word;
    position = position + 1 == key_words ? 0 : position + 1;
  }
  schedule->rounds = rounds;
  return 0;
}
