// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
#include "aes_portable.h"

#include "aes_sbox.h"

#define BYTE(s) s,

static const uint8_t sbox[256] = {AES_SBOX(BYTE)};
static const uint8_t inverse_sbox[256] = {AES_INVERSE_SBOX(BYTE)};

static uint8_t times_2(uint8_t value) {
  return (uint8_t)((value << 1) ^ (0x1B & (0u - (value >> 7))));
}

static void add_round_key(uint8_t *state, const uint32_t *words) {
  const uint8_t *key = (const uint8_t *)words;
  for (unsigned index = 0; index < 16; index++) {
    state[index] ^= key[index];
  }
}

// SubBytes and ShiftRows; byte r + 4c of the state is row r, column c.
static void substitute_and_shift(uint8_t *state) {
  uint8_t before[16];
  for (unsigned index = 0; index < 16; index++) {
    before[index] = sbox[state[index]];
  }
  for (unsigned index = 0; index < 16; index++) {
    state[index] = before[(index + 4 * (index & 3)) & 15];
  }
}

static void inverse_shift_and_substitute(uint8_t *state) {
  uint8_t before[16];
  for (unsigned index = 0; index < 16; index++) {
    before[index] = inverse_sbox[state[index]];
  }
  for (unsigned index = 0; index < 16; index++) {
    state[index] = before[(index - 4 * (index & 3)) & 15];
  }
}

static void mix_columns(uint8_t *state) {
  for (uint8_t *column = state; column < state + 16; column += 4) {
    uint8_t first = column[0];
    uint8_t all = (uint8_t)(column[0] ^ column[1] ^ column[2] ^ column[3]);
    column[0] ^= (uint8_t)(all ^ times_2((uint8_t)(column[0] ^ column[1])));
    column[1] ^= (uint8_t)(all ^ times_2((uint8_t)(column[1] ^ column[2])));
    column[2] ^= (uint8_t)(all ^ times_2((uint8_t)(column[2] ^ column[3])));
    column[3] ^= (uint8_t)(all ^ times_2((uint8_t)(column[3] ^ first)));
  }
}

// The inverse matrix is the matrix itself after circ(5, 0, 4, 0).
static void inverse_mix_columns(uint8_t *state) {
  for (uint8_t *column = state; column < state + 16; column += 4) {
    uint8_t even = times_2(times_2((uint8_t)(column[0] ^ column[2])));
    uint8_t odd = times_2(times_2((uint8_t)(column[1] ^ column[3])));
    column[0] ^= even;
    column[1] ^= odd;
    column[2] ^= even;
    column[3] ^= odd;
  }
  mix_columns(state);
}

void aes_portable_encrypt(const struct aes_schedule *schedule, const uint8_t *input,
                          uint8_t *output) {
  uint8_t state[16];
  const uint32_t *key = schedule->words;
  for (unsigned index = 0; index < 16; index++) {
    state[index] = input[index];
  }
  add_round_key(state, key);
  for (unsigned round = 1; round < schedule->rounds; round++) {
    substitute_and_shift(state);
    mix_columns(state);
    add_round_key(state, key + 4 * round);
  }
  substitute_and_shift(state);
  add_round_key(state, key + 4 * schedule->rounds);
  for (unsigned index = 0; index < 16; index++) {
    output[index] = state[index];
  }
}

void aes_portable_decrypt(const struct aes_schedule *schedule, const uint8_t *input,
                          uint8_t *output) {
  uint8_t state[16];
  const uint32_t *key = schedule->words;
  for (unsigned index = 0; index < 16; index++) {
    state[index] = input[index];
  }
  add_round_key(state, key + 4 * schedule->rounds);
  for (unsigned round = schedule->rounds - 1; round > 0; round--) {
    inverse_shift_and_substitute(state);
    add_round_key(state, key + 4 * round);
    inverse_mix_columns(state);
  }
  inverse_shift_and_substitute(state);
  add_round_key(state, key);
  for (unsigned index = 0; index < 16; index++) {
    output[index] = state[index];
  }
}
