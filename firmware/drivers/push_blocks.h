// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of 16 bytes into a coprocessor's DATA_IN, where the bus waits until it takes them.
#ifndef CIPHERMILL_PUSH_BLOCKS_H
#define CIPHERMILL_PUSH_BLOCKS_H

#include <stddef.h>

#include "mmio.h"

#define BLOCK_BYTES 16
#define BLOCK_WORDS 4

// Pushes a block with a pad: each of its words is added to it, bit by bit.
static inline void push_padded(uint32_t data_in, const uint32_t *block, uint32_t pad) {
  // The loads stand together, so that none waits for a store before it.
  uint32_t first = block[0] ^ pad, second = block[1] ^ pad;
  uint32_t third = block[2] ^ pad, fourth = block[3] ^ pad;
  register_write(data_in + 0, first);
  register_write(data_in + 4, second);
  register_write(data_in + 8, third);
  register_write(data_in + 12, fourth);
}

static inline void push_block(uint32_t data_in, const uint32_t *block) {
  push_padded(data_in, block, 0);
}

// Pushes a message: whole blocks, then its end, in whole words and with zeros behind them.
static inline void push_blocks(uint32_t data_in, const uint32_t *input, size_t bytes) {
  for (; bytes >= 4 * BLOCK_BYTES; bytes -= 4 * BLOCK_BYTES, input += 4 * BLOCK_WORDS) {
    push_block(data_in, input);
    push_block(data_in, input + BLOCK_WORDS);
    push_block(data_in, input + 2 * BLOCK_WORDS);
    push_block(data_in, input + 3 * BLOCK_WORDS);
  }
  for (; bytes >= BLOCK_BYTES; bytes -= BLOCK_BYTES, input += BLOCK_WORDS) {
    push_block(data_in, input);
  }
  for (size_t word = 0; bytes != 0 && word < BLOCK_WORDS; word++) {
    register_write(data_in + 4 * word, 4 * word < bytes ? input[word] : 0);
  }
}

#endif
