// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition iterative: Ascon in hardware, a round a cycle. The processor carries words to
// and from the register window. Nothing polls: the bus waits where the hardware is not
// ready.
#include "coprocessor.h"
#include "partition.h"
#include "zeroise.h"

#define BLOCK_BYTES 16
#define BLOCK_WORDS 4
#define DIGEST_BLOCKS 2
#define MASK(name) COPROCESSOR_ASCON__##name##_bm

static int identified; // the coprocessor is the one
static int key_set;

static int is_there(void) {
  identified = identified || register_read(ASCON(IDENTIFICATION)) ==
                                 COPROCESSOR_ASCON__IDENTIFICATION__MAGIC_reset;
  return identified;
}

static inline void put(uint32_t address, const uint32_t *words) {
  register_write(address + 0, words[0]);
  register_write(address + 4, words[1]);
  register_write(address + 8, words[2]);
  register_write(address + 12, words[3]);
}

static inline void push(const uint32_t *block) { put(ASCON(DATA_IN), block); }

static inline void pop(uint32_t *block) {
  block[0] = register_read(ASCON(DATA_OUT) + 0);
  block[1] = register_read(ASCON(DATA_OUT) + 4);
  block[2] = register_read(ASCON(DATA_OUT) + 8);
  block[3] = register_read(ASCON(DATA_OUT) + 12);
}

// The end of a message, of less than a block: whole words, and zeros behind them.
static void push_rest(const uint32_t *words, size_t bytes) {
  uint32_t block[BLOCK_WORDS] = {0};
  for (size_t word = 0; 4 * word < bytes; word++) {
    block[word] = words[word];
  }
  push(block);
  zeroise(block, sizeof block);
}

static void pop_rest(uint32_t *words, size_t bytes) {
  uint32_t block[BLOCK_WORDS];
  pop(block);
  for (size_t word = 0; 4 * word < bytes; word++) {
    words[word] = block[word];
  }
  zeroise(block, sizeof block);
}

static void push_all(const uint32_t *words, size_t bytes) {
  for (; bytes >= BLOCK_BYTES; bytes -= BLOCK_BYTES, words += BLOCK_WORDS) {
    push(words);
  }
  if (bytes != 0) {
    push_rest(words, bytes);
  }
}

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  (void)decrypt; // one key serves both directions
  key_set = 0;
  if (key_bits != 32 * BLOCK_WORDS) {
    return PARTITION_KEY_SIZE;
  }
  if (!is_there()) {
    return PARTITION_HARDWARE;
  }
  put(ASCON(KEY), key);
  key_set = 1;
  return PARTITION_OK;
}

static void run_text(const struct partition_message *message) {
  const uint32_t *input = message->input;
  uint32_t *output = message->output;
  size_t left = message->bytes;
  for (; left >= BLOCK_BYTES; left -= BLOCK_BYTES) {
    push(input);
    pop(output);
    input += BLOCK_WORDS;
    output += BLOCK_WORDS;
  }
  if (left != 0) {
    push_rest(input, left);
    pop_rest(output, left);
  }
}

int partition_run(enum workload_operation operation, const struct partition_message *message) {
  if (!is_there()) {
    return PARTITION_HARDWARE;
  }
  int digest = operation == OPERATION_DIGEST;
  if (!digest && !key_set) {
    return PARTITION_NO_KEY;
  }
  register_write(ASCON(MESSAGE), (uint32_t)operation); // numbered alike
  register_write(ASCON(TEXT_BYTES), message->bytes);
  if (digest) {
    register_write(ASCON(CONTROL), MASK(CONTROL__START));
    push_all(message->input, message->bytes);
    for (unsigned block = 0; block < DIGEST_BLOCKS; block++) {
      pop(message->output + BLOCK_WORDS * block);
    }
  } else {
    register_write(ASCON(ASSOCIATED_BYTES), message->associated_bytes);
    put(ASCON(NONCE), message->nonce);
    register_write(ASCON(CONTROL), MASK(CONTROL__START));
    push_all(message->associated, message->associated_bytes);
    run_text(message);
    if (operation == OPERATION_ENCRYPT) {
      pop(message->tag);
    } else {
      push(message->tag);
    }
  }
  uint32_t error = register_read(ASCON(ERROR));
  if (error == 0) {
    return PARTITION_OK;
  }
  register_write(ASCON(ERROR), error);
  register_write(ASCON(CONTROL), MASK(CONTROL__DROP));
  zeroise(message->output, message->bytes);
  return error & MASK(ERROR__ORDER) ? PARTITION_HARDWARE : PARTITION_TAG;
}

void partition_zeroise(void) {
  register_write(ASCON(CONTROL), MASK(CONTROL__ZEROISE));
  key_set = 0;
}
