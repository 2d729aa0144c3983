// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
#include "ascon.h"

#include "zeroise.h"

#define AEAD_INITIAL_VALUE 0x00001000808C0001u
#define HASH_INITIAL_VALUE 0x0000080100CC0002u
#define AEAD_RATE 16
#define HASH_RATE 8
#define LONG_ROUNDS 12
#define SHORT_ROUNDS 8

// S0 to S4 of the standard's section 3.
struct state {
  uint64_t words[5];
};

static uint64_t rotate(uint64_t word, unsigned bits) {
  return word >> bits | word << (64 - bits);
}

// The last `rounds` of the twelve rounds.
static void permute(struct state *state, unsigned rounds) {
  uint64_t a = state->words[0];
  uint64_t b = state->words[1];
  uint64_t c = state->words[2];
  uint64_t d = state->words[3];
  uint64_t e = state->words[4];
  for (unsigned round = LONG_ROUNDS - rounds; round < LONG_ROUNDS; round++) {
    c ^= 0xF0u - 0x0Fu * round;
    a ^= e;
    e ^= d;
    c ^= b;
    uint64_t first = a;
    uint64_t second = b;
    a ^= ~b & c;
    b ^= ~c & d;
    c ^= ~d & e;
    d ^= ~e & first;
    e ^= ~first & second;
    b ^= a;
    a ^= e;
    d ^= c;
    c = ~c;
    a ^= rotate(a, 19) ^ rotate(a, 28);
    b ^= rotate(b, 61) ^ rotate(b, 39);
    c ^= rotate(c, 1) ^ rotate(c, 6);
    d ^= rotate(d, 10) ^ rotate(d, 17);
    e ^= rotate(e, 7) ^ rotate(e, 41);
  }
  state->words[0] = a;
  state->words[1] = b;
  state->words[2] = c;
  state->words[3] = d;
  state->words[4] = e;
}

static uint64_t load(const uint8_t *bytes) {
  uint64_t word = 0;
  for (unsigned index = 0; index < 8; index++) {
    word |= (uint64_t)bytes[index] << (8 * index);
  }
  return word;
}

static void store(uint8_t *bytes, uint64_t word) {
  for (unsigned index = 0; index < 8; index++) {
    bytes[index] = (uint8_t)(word >> (8 * index));
  }
}

// Adds a byte to the state; byte 0 is the lowest one of the first word.
static void add_byte(struct state *state, size_t index, uint8_t byte) {
  state->words[index / 8] ^= (uint64_t)byte << (8 * (index % 8));
}

static uint8_t byte_of(const struct state *state, size_t index) {
  return (uint8_t)(state->words[index / 8] >> (8 * (index % 8)));
}

// Absorbs a message with its padding. The last block is left to permute.
static void absorb(struct state *state, const uint8_t *data, size_t bytes, size_t rate,
                   unsigned rounds) {
  while (bytes >= rate) {
    for (size_t word = 0; word < rate / 8; word++) {
      state->words[word] ^= load(data + 8 * word);
    }
    permute(state, rounds);
    data += rate;
    bytes -= rate;
  }
  for (size_t index = 0; index < bytes; index++) {
    add_byte(state, index, data[index]);
  }
  add_byte(state, bytes, 1);
}

// Initialisation and associated data.
static void begin(struct state *state, const uint8_t *key, const uint8_t *nonce,
                  const uint8_t *aad, size_t aad_bytes) {
  state->words[0] = AEAD_INITIAL_VALUE;
  state->words[1] = load(key);
  state->words[2] = load(key + 8);
  state->words[3] = load(nonce);
  state->words[4] = load(nonce + 8);
  permute(state, LONG_ROUNDS);
  state->words[3] ^= load(key);
  state->words[4] ^= load(key + 8);
  if (aad_bytes != 0) {
    absorb(state, aad, aad_bytes, AEAD_RATE, SHORT_ROUNDS);
    permute(state, SHORT_ROUNDS);
  }
  state->words[4] ^= (uint64_t)1 << 63;
}

// Finalisation: the tag is in the last two words.
static void finish(struct state *state, const uint8_t *key) {
  state->words[2] ^= load(key);
  state->words[3] ^= load(key + 8);
  permute(state, LONG_ROUNDS);
  state->words[3] ^= load(key);
  state->words[4] ^= load(key + 8);
}

void ascon_aead128_encrypt(const uint8_t *key, const uint8_t *nonce, const uint8_t *aad,
                           size_t aad_bytes, const uint8_t *input, size_t bytes,
                           uint8_t *output, uint8_t *tag) {
  struct state state;
  begin(&state, key, nonce, aad, aad_bytes);
  for (; bytes >= AEAD_RATE; bytes -= AEAD_RATE, input += AEAD_RATE, output += AEAD_RATE) {
    for (unsigned word = 0; word < 2; word++) {
      state.words[word] ^= load(input + 8 * word);
      store(output + 8 * word, state.words[word]);
    }
    permute(&state, SHORT_ROUNDS);
  }
  for (size_t index = 0; index < bytes; index++) {
    add_byte(&state, index, input[index]);
    output[index] = byte_of(&state, index);
  }
  add_byte(&state, bytes, 1);
  finish(&state, key);
  store(tag, state.words[3]);
  store(tag + 8, state.words[4]);
  zeroise(&state, sizeof state);
}

int ascon_aead128_decrypt(const uint8_t *key, const uint8_t *nonce, const uint8_t *aad,
                          size_t aad_bytes, const uint8_t *input, size_t bytes, uint8_t *output,
                          const uint8_t *tag) {
  struct state state;
  uint8_t *plain = output;
  size_t left = bytes;
  begin(&state, key, nonce, aad, aad_bytes);
  for (; left >= AEAD_RATE; left -= AEAD_RATE, input += AEAD_RATE, plain += AEAD_RATE) {
    for (unsigned word = 0; word < 2; word++) {
      uint64_t coded = load(input + 8 * word);
      store(plain + 8 * word, state.words[word] ^ coded);
      state.words[word] = coded;
    }
    permute(&state, SHORT_ROUNDS);
  }
  for (size_t index = 0; index < left; index++) {
    plain[index] = (uint8_t)(input[index] ^ byte_of(&state, index));
    add_byte(&state, index, plain[index]);
  }
  add_byte(&state, left, 1);
  finish(&state, key);
  uint64_t difference = (state.words[3] ^ load(tag)) | (state.words[4] ^ load(tag + 8));
  zeroise(&state, sizeof state);
  if (difference != 0) {
    zeroise(output, bytes);
    return -1;
  }
  return 0;
}

void ascon_hash256(const uint8_t *message, size_t bytes, uint8_t *digest) {
  struct state state = {{HASH_INITIAL_VALUE, 0, 0, 0, 0}};
  permute(&state, LONG_ROUNDS);
  absorb(&state, message, bytes, HASH_RATE, LONG_ROUNDS);
  for (unsigned word = 0; word < ASCON_DIGEST_BYTES / 8; word++) {
    permute(&state, LONG_ROUNDS);
    store(digest + 8 * word, state.words[0]);
  }
  zeroise(&state, sizeof state);
}
