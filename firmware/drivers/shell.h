// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The driver of the coprocessor shell, in its stream mode: a fresh key and a text are
// word after word of DATA_IN, a result is word after word of DATA_OUT. A partition's
// source defines KEY_BITS and BLOCK_WORDS and includes this.
//
// A key goes with the text after it. Texts without a key of their own need the other
// stream mode, which is chosen when the first of them comes.
#ifndef CIPHERMILL_SHELL_H
#define CIPHERMILL_SHELL_H

#include "coprocessor.h"
#include "partition.h"

#define DEPTH 2u // most texts in flight
#define DIRECTION(decrypt) ((decrypt) ? COPROCESSOR_SHELL__COMMAND__DECRYPT_bm : 0)

const unsigned partition_block_words = BLOCK_WORDS;

static uint32_t mode;   // the instruction that stands in COMMAND
static int key_set;     // 1: a key is in the shell
static int key_pending; // 1: it waits for the text that goes with it

static void select_mode(uint32_t instruction) {
  if (mode != instruction) {
    register_write(SHELL(COMMAND), instruction);
    mode = instruction;
  }
}

// Whether a text was dropped, or a result was read that is not there.
static inline int shell_failed(void) {
  return (register_read(SHELL(COMMAND)) & COPROCESSOR_SHELL__COMMAND__ERROR_bm) != 0;
}

static inline void push_key(const uint32_t *key) {
  register_write(SHELL(DATA_IN), key[0]);
  register_write(SHELL(DATA_IN), key[1]);
  register_write(SHELL(DATA_IN), key[2]);
#if KEY_BITS == 128
  register_write(SHELL(DATA_IN), key[3]);
#endif
}

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  if (key_bits != KEY_BITS) {
    key_set = 0;
    return PARTITION_KEY_SIZE;
  }
  if (key_pending) {
    mode = 0; // a key whose text never came: the instruction anew, so that words are a key again
  }
  select_mode(SHELL_INSTRUCTION(STREAM_KEY) | DIRECTION(decrypt));
  push_key(key);
  key_set = 1;
  key_pending = 1;
  return PARTITION_OK;
}

static inline void push(const uint32_t *block) {
  register_write(SHELL(DATA_IN), block[0]);
  register_write(SHELL(DATA_IN), block[1]);
#if BLOCK_WORDS == 4
  register_write(SHELL(DATA_IN), block[2]);
  register_write(SHELL(DATA_IN), block[3]);
#endif
}

static inline void pop(uint32_t *block) {
  block[0] = register_read(SHELL(DATA_OUT));
  block[1] = register_read(SHELL(DATA_OUT));
#if BLOCK_WORDS == 4
  block[2] = register_read(SHELL(DATA_OUT));
  block[3] = register_read(SHELL(DATA_OUT));
#endif
}

int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (!key_set || (decrypt != 0) != (mode / COPROCESSOR_SHELL__COMMAND__DECRYPT_bm)) {
    return PARTITION_NO_KEY;
  }
  const uint32_t *end = input + BLOCK_WORDS * blocks;
  const uint32_t *last = output + BLOCK_WORDS * blocks;
  unsigned ahead = blocks < DEPTH ? blocks : DEPTH;
  if (key_pending && ahead != 0) {
    push(input);
    key_pending = 0;
    input += BLOCK_WORDS;
    ahead--;
  }
  if (ahead != 0 || input != end) { // texts without a key
    select_mode(SHELL_INSTRUCTION(STREAM) | DIRECTION(decrypt));
  }
  for (; ahead != 0; ahead--, input += BLOCK_WORDS) {
    push(input);
  }
  for (; input != end; input += BLOCK_WORDS, output += BLOCK_WORDS) {
    pop(output);
    push(input);
  }
  for (; output != last; output += BLOCK_WORDS) {
    pop(output);
  }
  return shell_failed() ? PARTITION_HARDWARE : PARTITION_OK;
}

// The paper's workload: the key and the text of a block go in before the result of the
// block before comes out.
int partition_process_each(const uint32_t *keys, unsigned key_words, unsigned key_bits,
                           const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (blocks == 0) {
    return PARTITION_OK;
  }
  int error = partition_set_key(keys, key_bits, decrypt);
  if (error != PARTITION_OK) {
    return error;
  }
  push(input);
  const uint32_t *last = output + BLOCK_WORDS * (blocks - 1);
  for (; output != last; output += BLOCK_WORDS) {
    keys += key_words;
    input += BLOCK_WORDS;
    push_key(keys);
    push(input);
    pop(output);
  }
  pop(output);
  key_pending = 0;
  return shell_failed() ? PARTITION_HARDWARE : PARTITION_OK;
}

void partition_zeroise(void) {
  register_write(SHELL(COMMAND), SHELL_INSTRUCTION(ZEROISE));
  mode = 0;
  key_set = 0;
  key_pending = 0;
}

#endif
