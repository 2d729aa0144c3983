// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Fake of the sponge's instructions (hw/coprocessor, "state and permutation of Ascon"). The
// S-box is the standard's table (section 3.3), column by column.
#include "fake.h"
#include "instructions.h"

static const uint8_t sbox[32] = {4,  11, 31, 20, 26, 21, 9,  2,  27, 5,  8,  18, 29, 3,  6,  28,
                                 30, 19, 7,  14, 0,  13, 17, 24, 16, 12, 1,  25, 22, 10, 15, 23};
static const unsigned rotations[5][2] = {{19, 28}, {61, 39}, {1, 6}, {10, 17}, {7, 41}};
static uint64_t state[5];

static uint64_t rotate(uint64_t word, unsigned bits) { return word >> bits | word << (64 - bits); }

static void permute(unsigned rounds) {
  for (unsigned round = 12 - rounds; round < 12; round++) {
    uint64_t mixed[5] = {0};
    state[2] ^= (uint64_t)(15 - round) << 4 | round;
    for (unsigned bit = 0; bit < 64; bit++) {
      unsigned column = 0;
      for (unsigned word = 0; word < 5; word++) {
        column = column << 1 | (state[word] >> bit & 1);
      }
      for (unsigned word = 0; word < 5; word++) {
        mixed[word] |= (uint64_t)(sbox[column] >> (4 - word) & 1) << bit;
      }
    }
    for (unsigned word = 0; word < 5; word++) {
      state[word] = mixed[word] ^ rotate(mixed[word], rotations[word][0]) ^
                    rotate(mixed[word], rotations[word][1]);
    }
  }
}

uint32_t custom_instruction(unsigned unit, unsigned function, uint32_t a, uint32_t b) {
  uint64_t value = a | (uint64_t)b << 32;
  if (unit != UNIT_SPONGE) {
    broken("another unit", unit);
  }
  if (function < SPONGE_ADD + 5) {
    state[function] ^= value;
  } else if (function >= SPONGE_SET && function < SPONGE_SET + 5) {
    state[function - SPONGE_SET] = value;
  } else if (function >= SPONGE_GET && function < SPONGE_GET + 10) {
    return (uint32_t)(state[(function - SPONGE_GET) / 2] >> 32 * (function & 1));
  } else if (function == SPONGE_PERMUTE_12 || function == SPONGE_PERMUTE_8) {
    permute(function == SPONGE_PERMUTE_12 ? 12 : 8);
  } else if (function == SPONGE_ZEROISE) {
    memset(state, 0, sizeof state);
  } else {
    broken("no such function", function);
  }
  return 0;
}
