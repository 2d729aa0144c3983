// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
#include "sha2.h"

#include "zeroise.h"

#define INNER_PAD 0x36
#define OUTER_PAD 0x5C

void sha2_begin(struct sha2 *state, const struct sha2_function *function) {
  state->function = function;
  state->value = function->initial;
  state->bytes = 0;
}

void sha2_add(struct sha2 *state, const uint8_t *data, size_t bytes) {
  const struct sha2_function *function = state->function;
  size_t size = function->block_bytes;
  size_t held = (size_t)state->bytes & (size - 1);
  state->bytes += bytes;
  while (bytes != 0) {
    if (held == 0 && bytes >= size) { // whole blocks from where they are
      size_t blocks = bytes / size;
      function->compress(&state->value, data, blocks);
      data += blocks * size;
      bytes -= blocks * size;
      continue;
    }
    size_t taken = bytes < size - held ? bytes : size - held;
    for (size_t index = 0; index < taken; index++) {
      state->block[held + index] = data[index];
    }
    data += taken;
    bytes -= taken;
    held += taken;
    if (held == size) {
      function->compress(&state->value, state->block, 1);
      held = 0;
    }
  }
}

// A byte 80, zeros, and the length in bits at the end of a block (section 5.1).
static void pad(struct sha2 *state) {
  size_t size = state->function->block_bytes;
  size_t held = (size_t)state->bytes & (size - 1);
  state->block[held++] = 0x80;
  if (held > size - 2 * state->function->word_bytes) { // the length goes into a block of its own
    for (; held < size; held++) {
      state->block[held] = 0;
    }
    state->function->compress(&state->value, state->block, 1);
    held = 0;
  }
  for (; held < size - 8; held++) {
    state->block[held] = 0;
  }
  uint64_t bits = state->bytes << 3;
  for (size_t index = 1; index <= 8; index++) {
    state->block[size - index] = (uint8_t)bits;
    bits >>= 8;
  }
  state->function->compress(&state->value, state->block, 1);
}

void sha2_end(struct sha2 *state, uint8_t *digest) {
  pad(state);
  unsigned word_bytes = state->function->word_bytes;
  for (unsigned index = 0; index < state->function->digest_bytes; index++) {
    unsigned word = index / word_bytes;
    unsigned shift = 8 * (word_bytes - 1 - index % word_bytes);
    digest[index] = word_bytes == 4 ? (uint8_t)(state->value.narrow[word] >> shift)
                                    : (uint8_t)(state->value.wide[word] >> shift);
  }
  zeroise(state, sizeof *state);
}

void sha2_digest(const struct sha2_function *function, const uint8_t *message, size_t bytes,
                 uint8_t *digest) {
  struct sha2 state;
  sha2_begin(&state, function);
  sha2_add(&state, message, bytes);
  sha2_end(&state, digest);
}

// Begins a hash with the key's block and a pad.
static void begin_padded(struct sha2 *state, const struct sha2_function *function,
                         const uint8_t *key, uint8_t pad_byte) {
  uint8_t block[SHA2_MAXIMUM_BLOCK_BYTES];
  for (unsigned index = 0; index < function->block_bytes; index++) {
    block[index] = key[index] ^ pad_byte;
  }
  sha2_begin(state, function);
  sha2_add(state, block, function->block_bytes);
  zeroise(block, sizeof block);
}

void sha2_hmac(const struct sha2_function *function, const uint8_t *key, size_t key_bytes,
               const uint8_t *message, size_t bytes, uint8_t *code) {
  struct sha2 state;
  uint8_t block[SHA2_MAXIMUM_BLOCK_BYTES] = {0}; // K0 of FIPS 198-1
  uint8_t inner[SHA2_MAXIMUM_DIGEST_BYTES];
  if (key_bytes > function->block_bytes) {
    sha2_digest(function, key, key_bytes, block);
  } else {
    for (size_t index = 0; index < key_bytes; index++) {
      block[index] = key[index];
    }
  }
  begin_padded(&state, function, block, INNER_PAD);
  sha2_add(&state, message, bytes);
  sha2_end(&state, inner);
  begin_padded(&state, function, block, OUTER_PAD);
  sha2_add(&state, inner, function->digest_bytes);
  sha2_end(&state, code);
  zeroise(block, sizeof block);
  zeroise(inner, sizeof inner);
}
