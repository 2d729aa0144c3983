// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The driver of the memory-mapped coprocessors that do whole blocks and expand the
// key themselves. A partition's source defines what it is for and includes this:
//
// KIND, KIND_TOO      the kind in IDENTIFICATION, either of them
// BLOCK_WORDS         words in a block
// key_is_possible     a function of the key's bits
// key_size            the value of CONTROL's key size for these bits
//
// As many blocks are in flight as the hardware takes. Nothing polls: the bus waits
// where the hardware has no room or no result yet.
#ifndef CIPHERMILL_BLOCK_COPROCESSOR_H
#define CIPHERMILL_BLOCK_COPROCESSOR_H

#include "coprocessor.h"
#include "partition.h"

// The hardware's parameter; 0 is the unrolled one between two registers, which holds
// two blocks.
#if !defined(BLOCKS_IN_FLIGHT) || BLOCKS_IN_FLIGHT == 0
#define DEPTH 2u
#else
#define DEPTH BLOCKS_IN_FLIGHT
#endif

const unsigned partition_block_words = BLOCK_WORDS;

static int identified; // the coprocessor is the one
static int key_set;
static uint32_t control = 0xFFFFFFFF; // what CONTROL holds; no such value at first

static void select_control(uint32_t value) {
  if (value != control) {
    register_write(SOC_COPROCESSOR_CONTROL, value);
    control = value;
  }
}

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  key_set = 0;
  if (!key_is_possible(key_bits)) {
    return PARTITION_KEY_SIZE;
  }
  if (!identified) {
    if (!coprocessor_is(KIND) && !coprocessor_is(KIND_TOO)) {
      return PARTITION_HARDWARE;
    }
    identified = 1;
  }
  select_control(key_size(key_bits) << COPROCESSOR__CONTROL__KEY_SIZE_bp |
                 (decrypt ? COPROCESSOR__CONTROL__DECRYPT_bm : 0));
  uint32_t address = SOC_COPROCESSOR_KEY;
  for (unsigned bits = 0; bits < key_bits; bits += 32, address += 4) {
    register_write(address, *key++);
  }
  key_set = 1;
  return PARTITION_OK;
}

static inline void push(const uint32_t *block) {
  register_write(SOC_COPROCESSOR_DATA_IN + 0, block[0]);
  register_write(SOC_COPROCESSOR_DATA_IN + 4, block[1]);
#if BLOCK_WORDS == 4
  register_write(SOC_COPROCESSOR_DATA_IN + 8, block[2]);
  register_write(SOC_COPROCESSOR_DATA_IN + 12, block[3]);
#endif
}

static inline void pop(uint32_t *block) {
  block[0] = register_read(SOC_COPROCESSOR_DATA_OUT + 0);
  block[1] = register_read(SOC_COPROCESSOR_DATA_OUT + 4);
#if BLOCK_WORDS == 4
  block[2] = register_read(SOC_COPROCESSOR_DATA_OUT + 8);
  block[3] = register_read(SOC_COPROCESSOR_DATA_OUT + 12);
#endif
}

int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (!key_set || (decrypt != 0) != (control & COPROCESSOR__CONTROL__DECRYPT_bm)) {
    return PARTITION_NO_KEY;
  }
  const uint32_t *end = input + BLOCK_WORDS * blocks;
  const uint32_t *last = output + BLOCK_WORDS * blocks;
  for (unsigned ahead = blocks < DEPTH ? blocks : DEPTH; ahead != 0; ahead--) {
    push(input);
    input += BLOCK_WORDS;
  }
  for (; input != end; input += BLOCK_WORDS, output += BLOCK_WORDS) {
    pop(output);
    push(input);
  }
  for (; output != last; output += BLOCK_WORDS) {
    pop(output);
  }
  return coprocessor_failed() ? PARTITION_HARDWARE : PARTITION_OK;
}

void partition_zeroise(void) {
  register_write(SOC_COPROCESSOR_CONTROL, COPROCESSOR__CONTROL__ZEROISE_bm);
  control = 0xFFFFFFFF;
  key_set = 0;
}

#endif
