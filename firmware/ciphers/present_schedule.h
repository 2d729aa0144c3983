// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The PRESENT key schedule (Bogdanov et al., "PRESENT: An Ultra-Lightweight Block
// Cipher", CHES 2007, section 3 and appendix II). Blocks and keys are bytes, the first
// the most significant, as the paper prints them.
#ifndef CIPHERMILL_PRESENT_SCHEDULE_H
#define CIPHERMILL_PRESENT_SCHEDULE_H

#include <stdint.h>

#define PRESENT_ROUND_KEYS 32

// 64 bits: bit 63 of the paper is bit 31 of `high`.
struct present_word {
  uint32_t high;
  uint32_t low;
};

struct present_schedule {
  struct present_word keys[PRESENT_ROUND_KEYS];
  unsigned ready; // 0: no key
};

// Expands a key of 80 or 128 bits, in constant time. Returns 0, or -1 for other sizes.
int present_expand(struct present_schedule *schedule, const uint32_t *key, unsigned key_bits);

// Reads and writes 8 bytes, most significant first, held in two words of memory.
static inline uint32_t present_swap(uint32_t word) {
  word = (word & 0x00FF00FF) << 8 | (word >> 8 & 0x00FF00FF);
  return word << 16 | word >> 16;
}

static inline struct present_word present_load(const uint32_t *block) {
  return (struct present_word){present_swap(block[0]), present_swap(block[1])};
}

static inline void present_store(struct present_word word, uint32_t *block) {
  block[0] = present_swap(word.high);
  block[1] = present_swap(word.low);
}

// The S-box (section 3) and its inverse as Boolean functions, from their algebraic
// normal forms: bit i of every S-box's input is x[i], of its output y[i].
static inline void present_sbox_circuit(const uint32_t *x, uint32_t *y) {
  uint32_t a = x[0], b = x[1], c = x[2], d = x[3];
  uint32_t bc = b & c;
  uint32_t abc = a & bc;
  uint32_t m = d & (b ^ c);
  uint32_t am = a & m;
  y[0] = a ^ c ^ d ^ bc;
  y[1] = b ^ d ^ m ^ abc ^ am;
  y[2] = ~(c ^ d ^ (a & (b ^ d)) ^ (b & d) ^ am);
  y[3] = ~(a ^ b ^ d ^ bc ^ abc ^ am);
}

static inline void present_inverse_sbox_circuit(const uint32_t *x, uint32_t *y) {
  uint32_t a = x[0], b = x[1], c = x[2], d = x[3];
  uint32_t ac = a & c;
  uint32_t majority = (a & (b | c)) | (b & c);
  y[0] = ~(a ^ c ^ (b & d));
  y[1] = a ^ b ^ (ac & ~b) ^ (d & ~((b ^ c) & ~a));
  y[2] = ~(majority ^ (ac & b) ^ (d & ~(a | b)) ^ (ac & d));
  y[3] = (a | b) ^ c ^ d ^ (ac & (b ^ d));
}

#endif
