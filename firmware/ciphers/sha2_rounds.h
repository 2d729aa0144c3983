// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The compression of SHA-2, for one size of words. The file that includes this defines
//
// WORD              type of a word
// VALUE             the member of union sha2_value with such words
// ROUNDS            rounds of a block
// BIG_SIGMA0, BIG_SIGMA1      three rotations
// SMALL_SIGMA0, SMALL_SIGMA1  two rotations and a shift
// constants         the table of the rounds' constants
#include "sha2.h"
#include "zeroise.h"

static inline WORD rotate(WORD word, unsigned bits) {
  return word >> bits | word << (8 * sizeof word - bits);
}

static inline WORD three_rotations(WORD x, unsigned first, unsigned second, unsigned third) {
  return rotate(x, first) ^ rotate(x, second) ^ rotate(x, third);
}

static inline WORD two_rotations(WORD x, unsigned first, unsigned second, unsigned shift) {
  return rotate(x, first) ^ rotate(x, second) ^ x >> shift;
}

static inline WORD choose(WORD x, WORD y, WORD z) { return z ^ (x & (y ^ z)); }
static inline WORD majority(WORD x, WORD y, WORD z) { return (x & y) | (z & (x | y)); }

static inline WORD load(const uint8_t *bytes) {
  WORD word = 0;
  for (unsigned index = 0; index < sizeof word; index++) {
    word = word << 8 | bytes[index];
  }
  return word;
}

// A round. The next one has the variables under other names, so that none is moved.
#define ROUND(a, b, c, d, e, f, g, h, index)                                            \
  do {                                                                                  \
    WORD sum = h + three_rotations(e, BIG_SIGMA1) + choose(e, f, g) + constant[index] + \
               word[index];                                                             \
    d += sum;                                                                           \
    h = sum + three_rotations(a, BIG_SIGMA0) + majority(a, b, c);                       \
  } while (0)

static void compress(union sha2_value *value, const uint8_t *data, size_t blocks) {
  WORD *hash = value->VALUE;
  WORD words[16]; // the last ones of the message schedule
  for (; blocks != 0; blocks--, data += sizeof words) {
    WORD a = hash[0], b = hash[1], c = hash[2], d = hash[3];
    WORD e = hash[4], f = hash[5], g = hash[6], h = hash[7];
    for (unsigned index = 0; index < 16; index++) {
      words[index] = load(data + index * sizeof(WORD));
    }
    for (unsigned round = 0; round < ROUNDS; round += 8) {
      const WORD *constant = constants + round;
      WORD *word = words + (round & 8);
      for (unsigned index = round & 8; round >= 16 && index < (round & 8) + 8; index++) {
        words[index] += two_rotations(words[(index + 1) & 15], SMALL_SIGMA0) +
                        words[(index + 9) & 15] +
                        two_rotations(words[(index + 14) & 15], SMALL_SIGMA1);
      }
      ROUND(a, b, c, d, e, f, g, h, 0);
      ROUND(h, a, b, c, d, e, f, g, 1);
      ROUND(g, h, a, b, c, d, e, f, 2);
      ROUND(f, g, h, a, b, c, d, e, 3);
      ROUND(e, f, g, h, a, b, c, d, 4);
      ROUND(d, e, f, g, h, a, b, c, 5);
      ROUND(c, d, e, f, g, h, a, b, 6);
      ROUND(b, c, d, e, f, g, h, a, 7);
    }
    hash[0] += a;
    hash[1] += b;
    hash[2] += c;
    hash[3] += d;
    hash[4] += e;
    hash[5] += f;
    hash[6] += g;
    hash[7] += h;
  }
  zeroise(words, sizeof words);
}
