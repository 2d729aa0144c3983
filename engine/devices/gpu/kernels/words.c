// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A word of a work-item: 32 bits, or a vector of LANES times 32 bits where the device computes
// with vectors (a processor). Data are little-endian words: bits 8r to 8r + 7 are the byte in row
// r of a column (FIPS 197, 3.4).

#if LANES == 1
typedef uint32_t word_t;
#define LOAD(unit, data) ((data)[unit])
// 1 where a is less than b, otherwise 0.
#define IS_LESS(a, b) ((word_t)((a) < (b)))
#else
#define JOIN_NAMES(a, b) a##b
#define JOIN(a, b) JOIN_NAMES(a, b)
typedef JOIN(uint, LANES) word_t;
#define LOAD(unit, data) JOIN(vload, LANES)(unit, data)
#define IS_LESS(a, b) (-JOIN(as_uint, LANES)((a) < (b)))
#endif

// A block of CTR as the numbers of its four words, the highest first.
typedef struct {
  uint32_t words[4];
} counter_t;

INLINE word_t swap_bytes(word_t word) {
  return (ROTATE_LEFT(word, 8) & 0x00ff00ffu) | (ROTATE_LEFT(word, 24) & 0xff00ff00u);
}

// result = a where the mask has ones, otherwise b.
#ifndef SELECT
#define SELECT(result, mask, a, b) result = (((a) ^ (b)) & (mask)) ^ (b)
#endif

// Exchanges the bits of `low` at mask << shift with those of `high` at mask.
#define EXCHANGE(low, high, mask, shift)                       \
  do {                                                         \
    const word_t lower = low;                                  \
    SELECT(low, (word_t)((mask) << shift), high << shift, low); \
    SELECT(high, (word_t)(mask), lower >> shift, high);        \
  } while (0)

#ifndef EXCHANGE_16
#define EXCHANGE_16(low, high) EXCHANGE(low, high, 0x0000ffffu, 16)
#define EXCHANGE_8(low, high) EXCHANGE(low, high, 0x00ff00ffu, 8)
#endif
