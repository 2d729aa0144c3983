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
  (void)decrypt; // each block says its direction
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

#define PUT(direction, block)                                  \
  do {                                                         \
    UNIT_PUT(UNIT_BLOCK, direction, (block)[0], (block)[1]);   \
    UNIT_PUT(UNIT_BLOCK, direction + 1, (block)[2], (block)[3]); \
  } while (0)

static void get(uint32_t *block) {
  block[0] = UNIT_GET(UNIT_BLOCK, BLOCK_GET + 0);
  block[1] = UNIT_GET(UNIT_BLOCK, BLOCK_GET + 1);
  block[2] = UNIT_GET(UNIT_BLOCK, BLOCK_GET + 2);
  block[3] = UNIT_GET(UNIT_BLOCK, BLOCK_GET + 3);
}

// The direction is part of the instruction, so each has its own loop.
#define PROCESS(direction)                                                  \
  do {                                                                      \
    PUT(direction, input);                                                  \
    for (const uint32_t *end = input + 4 * (blocks - 1); input != end; output += 4) { \
      input += 4;                                                           \
      PUT(direction, input);                                                \
      get(output);                                                          \
    }                                                                       \
    get(output);                                                            \
  } while (0)

int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (!key_set) {
    return PARTITION_NO_KEY;
  }
  if (blocks == 0) {
    return PARTITION_OK;
  }
  if (decrypt) {
    PROCESS(BLOCK_DECRYPT);
  } else {
    PROCESS(BLOCK_ENCRYPT);
  }
  uint32_t status = UNIT_GET(UNIT_BLOCK, BLOCK_STATUS);
  return status & INSTRUCTION_STATUS_ERROR ? PARTITION_HARDWARE : PARTITION_OK;
}

void partition_zeroise(void) {
  UNIT_PUT(UNIT_BLOCK, BLOCK_ZEROISE, 0, 0);
  key_set = 0;
}
