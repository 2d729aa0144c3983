// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition instruction, whole-block form: custom instructions carry keys and blocks
// to an AES core and back, two words at a time. Two blocks are in flight: a block
// is put while the one before is computed.
#include "instructions.h"
#include "partition.h"

const unsigned partition_block_words = 4;

static int key_set;

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  (void)decrypt; // each block has its own direction
  key_set = 0;
  switch (key_bits) {
    case 128:
      UNIT_PUT(UNIT_BLOCK, BLOCK_KEY_128 + 0, key[0], key[1]);
      UNIT_PUT(UNIT_BLOCK, BLOCK_KEY_128 + 1, key[2], key[3]);
      break;
    case 192:
      UNIT_PUT(UNIT_BLOCK, BLOCK_KEY_192 + 0, key[0], key[1]);
      UNIT_PUT(UNIT_BLOCK, BLOCK_KEY_192 + 1, key[2], key[3]);
      UNIT_PUT(UNIT_BLOCK, BLOCK_KEY_192 + 2, key[4], key[5]);
      break;
    case 256:
      UNIT_PUT(UNIT_BLOCK, BLOCK_KEY_256 + 0, key[0], key[1]);
      UNIT_PUT(UNIT_BLOCK, BLOCK_KEY_256 + 1, key[2], key[3]);
      UNIT_PUT(UNIT_BLOCK, BLOCK_KEY_256 + 2, key[4], key[5]);
      UNIT_PUT(UNIT_BLOCK, BLOCK_KEY_256 + 3, key[6], key[7]);
      break;
    default:
      return PARTITION_KEY_SIZE;
  }
  key_set = 1;
  return PARTITION_OK;
}

// Loads and stores stand apart from the instructions (instructions.h). The direction is
// part of the instruction, so each direction has its own loop.
#define PUT(direction, a, b, c, d)                    \
  do {                                                \
    UNIT_PUT(UNIT_BLOCK, direction, a, b);            \
    UNIT_PUT(UNIT_BLOCK, (direction) + 1, c, d);      \
  } while (0)

#define GET_AND(then)                                       \
  do {                                                      \
    uint32_t w0 = UNIT_GET(UNIT_BLOCK, BLOCK_GET + 0);      \
    uint32_t w1 = UNIT_GET(UNIT_BLOCK, BLOCK_GET + 1);      \
    uint32_t w2 = UNIT_GET(UNIT_BLOCK, BLOCK_GET + 2);      \
    uint32_t w3 = UNIT_GET(UNIT_BLOCK, BLOCK_GET + 3);      \
    then;                                                   \
    output[0] = w0;                                         \
    output[1] = w1;                                         \
    output[2] = w2;                                         \
    output[3] = w3;                                         \
  } while (0)

#define PROCESS(direction)                                                           \
  do {                                                                               \
    const uint32_t *end = input + 4 * blocks;                                        \
    for (unsigned ahead = blocks < 2 ? blocks : 2; ahead != 0; ahead--, input += 4) { \
      PUT(direction, input[0], input[1], input[2], input[3]);                        \
    }                                                                                \
    for (; input != end; input += 4, output += 4) {                                  \
      uint32_t a = input[0], b = input[1], c = input[2], d = input[3];               \
      GET_AND(PUT(direction, a, b, c, d));                                           \
    }                                                                                \
    for (; output != last; output += 4) {                                            \
      GET_AND();                                                                     \
    }                                                                                \
  } while (0)

int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (!key_set) {
    return PARTITION_NO_KEY;
  }
  const uint32_t *last = output + 4 * blocks;
  if (decrypt) {
    PROCESS(BLOCK_DECRYPT);
  } else {
    PROCESS(BLOCK_ENCRYPT);
  }
  uint32_t status = UNIT_GET(UNIT_BLOCK, BLOCK_STATUS);
  return status & COPROCESSOR__STATUS__ERROR_bm ? PARTITION_HARDWARE : PARTITION_OK;
}

void partition_zeroise(void) {
  UNIT_PUT(UNIT_BLOCK, BLOCK_ZEROISE, 0, 0);
  key_set = 0;
}
