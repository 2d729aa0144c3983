// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
#include "present_bitsliced.h"

#include "zeroise.h"

// Transposes 32 words of 32 bits: bit j of word i <-> bit i of word j, by exchanging
// squares of half the size in each step.
static void transpose(uint32_t *words) {
  static const uint32_t masks[5] = {0x0000FFFF, 0x00FF00FF, 0x0F0F0F0F, 0x33333333, 0x55555555};
  for (unsigned step = 0, size = 16; size != 0; size >>= 1, step++) {
    uint32_t mask = masks[step];
    for (unsigned index = 0; index < 32; index = (index + size + 1) & ~size) {
      uint32_t difference = ((words[index] >> size) ^ words[index + size]) & mask;
      words[index + size] ^= difference;
      words[index] ^= difference << size;
    }
  }
}

// Bit i of the state is slice i; missing blocks are zero.
static void load(uint32_t *slices, const uint32_t *input, unsigned blocks) {
  for (unsigned block = 0; block < PRESENT_BITSLICED_BLOCKS; block++) {
    struct present_word word = {0, 0};
    if (block < blocks) {
      word = present_load(input + 2 * block);
    }
    slices[block] = word.low;
    slices[32 + block] = word.high;
  }
  transpose(slices);
  transpose(slices + 32);
}

static void store(uint32_t *slices, uint32_t *output, unsigned blocks) {
  transpose(slices);
  transpose(slices + 32);
  for (unsigned block = 0; block < blocks; block++) {
    present_store((struct present_word){slices[32 + block], slices[block]}, output + 2 * block);
  }
}

// All ones or all zeros, as bit `bit` of the round key says.
static inline uint32_t mask_of(uint32_t half, unsigned bit) { return 0u - (half >> bit & 1); }

static void add_round_key(uint32_t *slices, const struct present_word *key) {
  for (unsigned bit = 0; bit < 32; bit++) {
    slices[bit] ^= mask_of(key->low, bit);
    slices[32 + bit] ^= mask_of(key->high, bit);
  }
}

// addRoundKey, sBoxLayer, pLayer: bit b of S-box n goes to bit n + 16 b.
static void encrypt_round(const uint32_t *from, uint32_t *to, const struct present_word *key) {
  uint32_t half = key->low;
  for (unsigned sbox = 0; sbox < 16; sbox++, half >>= 4) {
    uint32_t x[4];
    uint32_t y[4];
    if (sbox == 8) {
      half = key->high;
    }
    for (unsigned bit = 0; bit < 4; bit++) {
      x[bit] = from[4 * sbox + bit] ^ mask_of(half, bit);
    }
    present_sbox_circuit(x, y);
    for (unsigned bit = 0; bit < 4; bit++) {
      to[sbox + 16 * bit] = y[bit];
    }
  }
}

// The inverses of pLayer and sBoxLayer, then addRoundKey.
static void decrypt_round(const uint32_t *from, uint32_t *to, const struct present_word *key) {
  uint32_t half = key->low;
  for (unsigned sbox = 0; sbox < 16; sbox++, half >>= 4) {
    uint32_t x[4];
    uint32_t y[4];
    if (sbox == 8) {
      half = key->high;
    }
    for (unsigned bit = 0; bit < 4; bit++) {
      x[bit] = from[sbox + 16 * bit];
    }
    present_inverse_sbox_circuit(x, y);
    for (unsigned bit = 0; bit < 4; bit++) {
      to[4 * sbox + bit] = y[bit] ^ mask_of(half, bit);
    }
  }
}

// 31 rounds, an odd number: the state ends in the second buffer.
void present_bitsliced_encrypt(const struct present_schedule *schedule, const uint32_t *input,
                               uint32_t *output, unsigned blocks) {
  uint32_t slices[2][64];
  load(slices[0], input, blocks);
  for (unsigned round = 0; round < 31; round++) {
    encrypt_round(slices[round & 1], slices[~round & 1], &schedule->keys[round]);
  }
  add_round_key(slices[1], &schedule->keys[31]);
  store(slices[1], output, blocks);
  zeroise(slices, sizeof slices);
}

void present_bitsliced_decrypt(const struct present_schedule *schedule, const uint32_t *input,
                               uint32_t *output, unsigned blocks) {
  uint32_t slices[2][64];
  load(slices[0], input, blocks);
  add_round_key(slices[0], &schedule->keys[31]);
  for (unsigned round = 0; round < 31; round++) {
    decrypt_round(slices[round & 1], slices[~round & 1], &schedule->keys[30 - round]);
  }
  store(slices[1], output, blocks);
  zeroise(slices, sizeof slices);
}
