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

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  key_set = 0;
  if (key_bits != 128 && key_bits != 192 && key_bits != 256) {
    return PARTITION_KEY_SIZE;
  }
  uint32_t size = (key_bits - 128) >> 6;
  uint32_t control = (size << STREAM_CONTROL_KEY_SIZE_SHIFT) | (decrypt ? STREAM_CONTROL_DECRYPT : 0);
  UNIT_PUT(UNIT_STREAM, STREAM_CONTROL, control, 0);
  UNIT_PUT(UNIT_STREAM, STREAM_PUSH_KEY, key[0], key[1]);
  UNIT_PUT(UNIT_STREAM, STREAM_PUSH_KEY, key[2], key[3]);
  if (key_bits >= 192) {
    UNIT_PUT(UNIT_STREAM, STREAM_PUSH_KEY, key[4], key[5]);
  }
  if (key_bits == 256) {
    UNIT_PUT(UNIT_STREAM, STREAM_PUSH_KEY, key[6], key[7]);
  }
  key_set = 1;
  for_decryption = decrypt;
  return PARTITION_OK;
}

static void push(const uint32_t *block) {
  UNIT_PUT(UNIT_STREAM, STREAM_PUSH, block[0], block[1]);
  UNIT_PUT(UNIT_STREAM, STREAM_PUSH, block[2], block[3]);
}

static void pull(uint32_t *block) {
  block[0] = UNIT_GET(UNIT_STREAM, STREAM_PULL);
  block[1] = UNIT_GET(UNIT_STREAM, STREAM_PULL);
  block[2] = UNIT_GET(UNIT_STREAM, STREAM_PULL);
  block[3] = UNIT_GET(UNIT_STREAM, STREAM_PULL);
}

int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (!key_set || decrypt != for_decryption) {
    return PARTITION_NO_KEY;
  }
  const uint32_t *end = input + 4 * blocks;
  unsigned ahead = blocks < STREAM_DEPTH ? blocks : STREAM_DEPTH;
  for (; ahead != 0; ahead--, input += 4) {
    push(input);
  }
  uint32_t *last = output + 4 * blocks;
  for (; input != end; input += 4, output += 4) {
    pull(output);
    push(input);
  }
  for (; output != last; output += 4) {
    pull(output);
  }
  uint32_t status = UNIT_GET(UNIT_STREAM, STREAM_STATUS);
  return status & INSTRUCTION_STATUS_ERROR ? PARTITION_HARDWARE : PARTITION_OK;
}

void partition_zeroise(void) {
  UNIT_PUT(UNIT_STREAM, STREAM_CONTROL, STREAM_CONTROL_ZEROISE, 0);
  key_set = 0;
}
