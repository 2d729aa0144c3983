// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
#include "present_schedule.h"

#include "zeroise.h"

// The S-box on the four bits of `word` at `position` and above.
static uint32_t substitute_nibble(uint32_t word, unsigned position) {
  uint32_t bits[4];
  uint32_t result[4];
  for (unsigned bit = 0; bit < 4; bit++) {
    bits[bit] = word >> (position + bit) & 1;
  }
  present_sbox_circuit(bits, result);
  word &= ~((uint32_t)15 << position);
  for (unsigned bit = 0; bit < 4; bit++) {
    word |= (result[bit] & 1) << (position + bit);
  }
  return word;
}

// The key register is held at the top of four words, the highest first: 80 bits take
// words 0 and 1 and the upper half of word 2.
static void load_key(uint32_t *k, const uint32_t *key, unsigned key_bits) {
  for (unsigned word = 0; word < 4; word++) {
    k[word] = 32 * word < key_bits ? present_swap(key[word]) : 0;
  }
  if (key_bits == 80) {
    k[2] &= 0xFFFF0000;
  }
}

// Rotates 80 bits to the left by 61, which is 19 to the right.
static void rotate_80(uint32_t *k) {
  uint32_t low16 = k[2] >> 16;
  uint32_t high = k[0], middle = k[1];
  // The lowest 19 bits come to the top: 3 bits of `middle`, then low16.
  k[0] = (middle & 7) << 29 | low16 << 13 | high >> 19;
  k[1] = high << 13 | middle >> 19;
  k[2] = (middle >> 3) << 16;
}

// Rotates 128 bits to the left by 61.
static void rotate_128(uint32_t *k) {
  uint32_t a = k[0], b = k[1], c = k[2], d = k[3];
  k[0] = b << 29 | c >> 3;
  k[1] = c << 29 | d >> 3;
  k[2] = d << 29 | a >> 3;
  k[3] = a << 29 | b >> 3;
}

int present_expand(struct present_schedule *schedule, const uint32_t *key, unsigned key_bits) {
  schedule->ready = 0;
  if (key_bits != 80 && key_bits != 128) {
    return -1;
  }
  uint32_t k[4];
  load_key(k, key, key_bits);
  for (unsigned round = 1;; round++) {
    schedule->keys[round - 1] = (struct present_word){k[0], k[1]};
    if (round == PRESENT_ROUND_KEYS) {
      break;
    }
    if (key_bits == 80) {
      rotate_80(k);
      k[0] = substitute_nibble(k[0], 28);
      // The round counter goes to bits 19 to 15 of the register: 1 of word 2, 4 of word 1.
      k[1] ^= round >> 1;
      k[2] ^= (round & 1) << 31;
    } else {
      rotate_128(k);
      k[0] = substitute_nibble(substitute_nibble(k[0], 28), 24);
      // To bits 66 to 62: 3 of word 1, 2 of word 2.
      k[1] ^= round >> 2;
      k[2] ^= (round & 3) << 30;
    }
  }
  zeroise(k, sizeof k);
  schedule->ready = 1;
  return 0;
}
