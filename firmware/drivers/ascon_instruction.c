// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition instruction: the state of Ascon and its permutation are custom instructions;
// keys, padding and the order of a message are in C (NIST SP 800-232, sections 4 and 5).
// The permutation runs while the processor goes on with loads and stores.
#include "instructions.h"
#include "partition.h"
#include "zeroise.h"

#define KEY_BITS 128
#define KEY_WORDS 4
#define RATE 16
#define HASH_RATE 8

#define ADD(word, low, high) UNIT_PUT(UNIT_SPONGE, SPONGE_ADD + (word), low, high)
#define SET(word, low, high) UNIT_PUT(UNIT_SPONGE, SPONGE_SET + (word), low, high)
#define GET(word, half) UNIT_GET(UNIT_SPONGE, SPONGE_GET + 2 * (word) + (half))
#define PERMUTE_12() UNIT_PUT(UNIT_SPONGE, SPONGE_PERMUTE_12, 0, 0)
#define PERMUTE_8() UNIT_PUT(UNIT_SPONGE, SPONGE_PERMUTE_8, 0, 0)

static uint32_t key[KEY_WORDS];
static int key_set;

int partition_set_key(const uint32_t *given, unsigned key_bits, int decrypt) {
  (void)decrypt; // one key serves both directions
  key_set = key_bits == KEY_BITS;
  if (!key_set) {
    return PARTITION_KEY_SIZE;
  }
  for (unsigned word = 0; word < KEY_WORDS; word++) {
    key[word] = given[word];
  }
  return PARTITION_OK;
}

// The bytes of a word that belong to a message with so many bytes from its first on.
static uint32_t mask(size_t bytes) { return bytes >= 4 ? 0xFFFFFFFF : (1u << (8 * bytes)) - 1; }

// Up to 15 bytes in whole words, with the byte 0x01 behind them and zeros to the end.
static void pad(uint32_t *block, const uint32_t *input, size_t bytes) {
  for (size_t word = 0; word < RATE / 4; word++) {
    size_t left = bytes > 4 * word ? bytes - 4 * word : 0;
    block[word] = left != 0 ? input[word] & mask(left) : 0;
  }
  block[bytes / 4] |= 1u << (8 * (bytes % 4));
}

static void begin(const struct partition_message *message) {
  const uint32_t *nonce = message->nonce;
  SET(0, 0x808C0001u, 0x00001000u);
  SET(1, key[0], key[1]);
  SET(2, key[2], key[3]);
  SET(3, nonce[0], nonce[1]);
  SET(4, nonce[2], nonce[3]);
  PERMUTE_12();
  ADD(3, key[0], key[1]);
  ADD(4, key[2], key[3]);
  const uint32_t *data = message->associated;
  size_t left = message->associated_bytes;
  if (left != 0) {
    for (; left >= RATE; left -= RATE, data += RATE / 4) {
      ADD(0, data[0], data[1]);
      ADD(1, data[2], data[3]);
      PERMUTE_8();
    }
    uint32_t block[RATE / 4];
    pad(block, data, left);
    ADD(0, block[0], block[1]);
    ADD(1, block[2], block[3]);
    PERMUTE_8();
  }
  ADD(4, 0, 0x80000000u);
}

static void get(uint32_t *block) {
  block[0] = GET(0, 0);
  block[1] = GET(0, 1);
  block[2] = GET(1, 0);
  block[3] = GET(1, 1);
}

static void run_text(const struct partition_message *message, int decrypt) {
  const uint32_t *input = message->input;
  uint32_t *output = message->output;
  size_t left = message->bytes;
  for (; left >= RATE; left -= RATE, input += RATE / 4, output += RATE / 4) {
    uint32_t a = input[0], b = input[1], c = input[2], d = input[3];
    if (decrypt) {
      uint32_t state[RATE / 4];
      get(state);
      SET(0, a, b);
      SET(1, c, d);
      PERMUTE_8();
      output[0] = a ^ state[0];
      output[1] = b ^ state[1];
      output[2] = c ^ state[2];
      output[3] = d ^ state[3];
    } else {
      ADD(0, a, b);
      ADD(1, c, d);
      uint32_t state[RATE / 4];
      get(state);
      PERMUTE_8();
      output[0] = state[0];
      output[1] = state[1];
      output[2] = state[2];
      output[3] = state[3];
    }
  }
  // The rest, in either direction: the sum of state and input leaves, and the state takes
  // the plaintext.
  uint32_t state[RATE / 4], block[RATE / 4];
  get(state);
  pad(block, input, left);
  for (size_t word = 0; 4 * word < left; word++) {
    uint32_t sum = (state[word] ^ block[word]) & mask(left - 4 * word);
    if (decrypt) {
      block[word] = sum | (block[word] & ~mask(left - 4 * word));
    }
    output[word] = sum;
  }
  ADD(0, block[0], block[1]);
  ADD(1, block[2], block[3]);
  zeroise(block, sizeof block);
}

static int run_aead(const struct partition_message *message, int decrypt) {
  begin(message);
  run_text(message, decrypt);
  ADD(2, key[0], key[1]);
  ADD(3, key[2], key[3]);
  PERMUTE_12();
  ADD(3, key[0], key[1]);
  ADD(4, key[2], key[3]);
  uint32_t *tag = message->tag;
  uint32_t a = GET(3, 0), b = GET(3, 1), c = GET(4, 0), d = GET(4, 1);
  UNIT_PUT(UNIT_SPONGE, SPONGE_ZEROISE, 0, 0);
  if (!decrypt) {
    tag[0] = a;
    tag[1] = b;
    tag[2] = c;
    tag[3] = d;
    return PARTITION_OK;
  }
  if (((a ^ tag[0]) | (b ^ tag[1]) | (c ^ tag[2]) | (d ^ tag[3])) != 0) {
    zeroise(message->output, message->bytes);
    return PARTITION_TAG;
  }
  return PARTITION_OK;
}

static void run_digest(const struct partition_message *message) {
  const uint32_t *input = message->input;
  uint32_t *output = message->output;
  size_t left = message->bytes;
  SET(0, 0x00CC0002u, 0x00000801u);
  SET(1, 0, 0);
  SET(2, 0, 0);
  SET(3, 0, 0);
  SET(4, 0, 0);
  PERMUTE_12();
  for (; left >= HASH_RATE; left -= HASH_RATE, input += HASH_RATE / 4) {
    ADD(0, input[0], input[1]);
    PERMUTE_12();
  }
  uint32_t block[RATE / 4];
  pad(block, input, left);
  ADD(0, block[0], block[1]);
  for (unsigned word = 0; word < 8; word += 2) {
    PERMUTE_12();
    output[word] = GET(0, 0);
    output[word + 1] = GET(0, 1);
  }
  UNIT_PUT(UNIT_SPONGE, SPONGE_ZEROISE, 0, 0);
  zeroise(block, sizeof block);
}

int partition_run(enum workload_operation operation, const struct partition_message *message) {
  if (operation == OPERATION_DIGEST) {
    run_digest(message);
    return PARTITION_OK;
  }
  return key_set ? run_aead(message, operation == OPERATION_DECRYPT) : PARTITION_NO_KEY;
}

void partition_zeroise(void) {
  UNIT_PUT(UNIT_SPONGE, SPONGE_ZEROISE, 0, 0);
  zeroise(key, sizeof key);
  key_set = 0;
}
