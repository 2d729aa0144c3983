// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
#include "aes_bitsliced.h"

#include "aes_schedule.h"
#include "aes_sbox_circuit.h"
#include "zeroise.h"

// Exchanges the bits of `high` at positions mask << shift with those of `low` at mask.
#define SWAP(high, low, mask, shift)                      \
  do {                                                    \
    uint32_t difference = ((high >> shift) ^ low) & mask; \
    low ^= difference;                                    \
    high ^= difference << shift;                          \
  } while (0)

// Transposes the 8 by 8 bits of each byte lane: bit j of word k <-> bit k of word j.
static void transpose(uint32_t *q) {
  for (unsigned index = 0; index < 8; index += 2) {
    SWAP(q[index], q[index + 1], 0x55555555, 1);
  }
  for (unsigned index = 0; index < 8; index += (index & 1) ? 3 : 1) {
    SWAP(q[index], q[index + 2], 0x33333333, 2);
  }
  for (unsigned index = 0; index < 4; index++) {
    SWAP(q[index], q[index + 4], 0x0F0F0F0F, 4);
  }
}

// Column c of block b is word 2c + b before, so bit 2c + b of lane r is row r of it.
static void load(uint32_t *q, const uint32_t *first, const uint32_t *second) {
  for (unsigned column = 0; column < 4; column++) {
    q[2 * column] = first[column];
    q[2 * column + 1] = second[column];
  }
  transpose(q);
}

static void store(uint32_t *q, uint32_t *first, uint32_t *second) {
  transpose(q);
  for (unsigned column = 0; column < 4; column++) {
    first[column] = q[2 * column];
    second[column] = q[2 * column + 1];
  }
}

static void add_round_key(uint32_t *q, const uint32_t *key) {
  for (unsigned bit = 0; bit < 8; bit++) {
    q[bit] ^= key[bit];
  }
}

// Row r rotates by r columns: lane r by 2r bits, to the right for encryption.
static void shift_rows(uint32_t *q) {
  for (unsigned bit = 0; bit < 8; bit++) {
    uint32_t x = q[bit];
    q[bit] = (x & 0x000000FF) | (x & 0x0000FC00) >> 2 | (x & 0x00000300) << 6 |
             (x & 0x00F00000) >> 4 | (x & 0x000F0000) << 4 | (x & 0xC0000000) >> 6 |
             (x & 0x3F000000) << 2;
  }
}

static void inverse_shift_rows(uint32_t *q) {
  for (unsigned bit = 0; bit < 8; bit++) {
    uint32_t x = q[bit];
    q[bit] = (x & 0x000000FF) | (x & 0x00003F00) << 2 | (x & 0x0000C000) >> 6 |
             (x & 0x000F0000) << 4 | (x & 0x00F00000) >> 4 | (x & 0x03000000) << 6 |
             (x & 0xFC000000) >> 2;
  }
}

static uint32_t rotate_right(uint32_t word, unsigned by) { return word >> by | word << (32 - by); }

// Row r becomes 2 (a[r] + a[r+1]) + a[r+1] + a[r+2] + a[r+3]; a rotation by a lane
// brings a[r+1] to row r. Doubling moves bit 7 to bits 0, 1, 3 and 4.
static void mix_columns(uint32_t *q) {
  uint32_t next[8];
  uint32_t pair[8];
  for (unsigned bit = 0; bit < 8; bit++) {
    next[bit] = rotate_right(q[bit], 8);
    pair[bit] = q[bit] ^ next[bit];
    next[bit] ^= rotate_right(pair[bit], 16);
  }
  q[0] = pair[7] ^ next[0];
  q[1] = pair[0] ^ pair[7] ^ next[1];
  q[2] = pair[1] ^ next[2];
  q[3] = pair[2] ^ pair[7] ^ next[3];
  q[4] = pair[3] ^ pair[7] ^ next[4];
  q[5] = pair[4] ^ next[5];
  q[6] = pair[5] ^ next[6];
  q[7] = pair[6] ^ next[7];
}

// The inverse matrix is the matrix itself after circ(5, 0, 4, 0).
static void inverse_mix_columns(uint32_t *q) {
  uint32_t pair[8];
  for (unsigned bit = 0; bit < 8; bit++) {
    pair[bit] = q[bit] ^ rotate_right(q[bit], 16);
  }
  q[0] ^= pair[6];
  q[1] ^= pair[6] ^ pair[7];
  q[2] ^= pair[0] ^ pair[7];
  q[3] ^= pair[1] ^ pair[6];
  q[4] ^= pair[2] ^ pair[6] ^ pair[7];
  q[5] ^= pair[3] ^ pair[7];
  q[6] ^= pair[4];
  q[7] ^= pair[5];
  mix_columns(q);
}

// SubWord for the key schedule, in constant time.
static uint32_t substitute(uint32_t word) {
  uint32_t q[8] = {word};
  transpose(q);
  aes_sbox_circuit(q);
  transpose(q);
  return q[0];
}

int aes_bitsliced_expand(struct aes_bitsliced_schedule *schedule, const uint32_t *key,
                         unsigned key_bits) {
  struct aes_schedule words;
  schedule->rounds = 0;
  if (aes_expand(&words, key, key_bits, substitute) != 0) {
    return -1;
  }
  for (unsigned round = 0; round <= words.rounds; round++) {
    load(schedule->slices[round], words.words + 4 * round, words.words + 4 * round);
  }
  schedule->rounds = words.rounds;
  zeroise(&words, sizeof words);
  return 0;
}

void aes_bitsliced_encrypt(const struct aes_bitsliced_schedule *schedule, const uint32_t *first,
                           const uint32_t *second, uint32_t *first_out, uint32_t *second_out) {
  uint32_t q[8];
  load(q, first, second);
  add_round_key(q, schedule->slices[0]);
  for (unsigned round = 1; round < schedule->rounds; round++) {
    aes_sbox_circuit(q);
    shift_rows(q);
    mix_columns(q);
    add_round_key(q, schedule->slices[round]);
  }
  aes_sbox_circuit(q);
  shift_rows(q);
  add_round_key(q, schedule->slices[schedule->rounds]);
  store(q, first_out, second_out);
}

void aes_bitsliced_decrypt(const struct aes_bitsliced_schedule *schedule, const uint32_t *first,
                           const uint32_t *second, uint32_t *first_out, uint32_t *second_out) {
  uint32_t q[8];
  load(q, first, second);
  add_round_key(q, schedule->slices[schedule->rounds]);
  for (unsigned round = schedule->rounds - 1; round > 0; round--) {
    inverse_shift_rows(q);
    aes_inverse_sbox_circuit(q);
    add_round_key(q, schedule->slices[round]);
    inverse_mix_columns(q);
  }
  inverse_shift_rows(q);
  aes_inverse_sbox_circuit(q);
  add_round_key(q, schedule->slices[0]);
  store(q, first_out, second_out);
}
