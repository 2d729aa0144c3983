// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition stream: a FIFO link between the processor and an AES core, written and
// read by custom instructions. STREAM_DEPTH blocks are in flight: the link's own
// limit is the same unless the hardware was built with another one.
#include "instructions.h"
#include "partition.h"

#ifdef BLOCKS_IN_FLIGHT
#define STREAM_DEPTH BLOCKS_IN_FLIGHT
#else
#define STREAM_DEPTH 4
#endif

const unsigned partition_block_words = 4;

static int key_set;
static int for_decryption;

// The first four words come in registers.
static inline void push_key(const uint32_t *key, unsigned key_bits, uint32_t k0, uint32_t k1,
                            uint32_t k2, uint32_t k3) {
  UNIT_PUT(UNIT_STREAM, STREAM_PUSH_KEY, k0, k1);
  UNIT_PUT(UNIT_STREAM, STREAM_PUSH_KEY, k2, k3);
  if (key_bits > 128) {
    UNIT_PUT(UNIT_STREAM, STREAM_PUSH_KEY, key[4], key[5]);
  }
  if (key_bits > 192) {
    UNIT_PUT(UNIT_STREAM, STREAM_PUSH_KEY, key[6], key[7]);
  }
}

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  key_set = 0;
  if (key_bits != 128 && key_bits != 192 && key_bits != 256) {
    return PARTITION_KEY_SIZE;
  }
  uint32_t size = (key_bits - 128) >> 6;
  uint32_t control =
      size << COPROCESSOR__CONTROL__KEY_SIZE_bp | (decrypt ? COPROCESSOR__CONTROL__DECRYPT_bm : 0);
  UNIT_PUT(UNIT_STREAM, STREAM_CONTROL, control, 0);
  push_key(key, key_bits, key[0], key[1], key[2], key[3]);
  key_set = 1;
  for_decryption = decrypt;
  return PARTITION_OK;
}

static inline void push(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  UNIT_PUT(UNIT_STREAM, STREAM_PUSH, a, b);
  UNIT_PUT(UNIT_STREAM, STREAM_PUSH, c, d);
}

static int finish_message(void) {
  uint32_t status = UNIT_GET(UNIT_STREAM, STREAM_STATUS);
  return status & COPROCESSOR__STATUS__ERROR_bm ? PARTITION_HARDWARE : PARTITION_OK;
}

// Loads and stores stand apart from the instructions (instructions.h).
#define PULL_AND(then)                                  \
  do {                                                  \
    uint32_t w0 = UNIT_GET(UNIT_STREAM, STREAM_PULL);   \
    uint32_t w1 = UNIT_GET(UNIT_STREAM, STREAM_PULL);   \
    uint32_t w2 = UNIT_GET(UNIT_STREAM, STREAM_PULL);   \
    uint32_t w3 = UNIT_GET(UNIT_STREAM, STREAM_PULL);   \
    then;                                               \
    output[0] = w0;                                     \
    output[1] = w1;                                     \
    output[2] = w2;                                     \
    output[3] = w3;                                     \
  } while (0)

int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (!key_set || decrypt != for_decryption) {
    return PARTITION_NO_KEY;
  }
  const uint32_t *end = input + 4 * blocks;
  const uint32_t *last = output + 4 * blocks;
  for (unsigned ahead = blocks < STREAM_DEPTH ? blocks : STREAM_DEPTH; ahead != 0; ahead--) {
    push(input[0], input[1], input[2], input[3]);
    input += 4;
  }
  for (; input != end; input += 4, output += 4) {
    uint32_t a = input[0], b = input[1], c = input[2], d = input[3];
    PULL_AND(push(a, b, c, d));
  }
  for (; output != last; output += 4) {
    PULL_AND();
  }
  return finish_message();
}

// The key and the text of a block go in before the result of the block before comes out.
int partition_process_each(const uint32_t *keys, unsigned key_words, unsigned key_bits,
                           const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (blocks == 0) {
    return PARTITION_OK;
  }
  int error = partition_set_key(keys, key_bits, decrypt);
  if (error != PARTITION_OK) {
    return error;
  }
  push(input[0], input[1], input[2], input[3]);
  for (const uint32_t *last = output + 4 * (blocks - 1); output != last; output += 4) {
    keys += key_words;
    input += 4;
    uint32_t k0 = keys[0], k1 = keys[1], k2 = keys[2], k3 = keys[3];
    uint32_t a = input[0], b = input[1], c = input[2], d = input[3];
#if STREAM_DEPTH == 1
    PULL_AND();
    push_key(keys, key_bits, k0, k1, k2, k3);
    push(a, b, c, d);
#else
    push_key(keys, key_bits, k0, k1, k2, k3);
    PULL_AND(push(a, b, c, d));
#endif
  }
  PULL_AND();
  return finish_message();
}

void partition_zeroise(void) {
  UNIT_PUT(UNIT_STREAM, STREAM_CONTROL, COPROCESSOR__CONTROL__ZEROISE_bm, 0);
  key_set = 0;
}
