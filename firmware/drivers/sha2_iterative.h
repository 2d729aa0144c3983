// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Driver of the SHA-2 coprocessor. The processor carries words to and from the register
// window. Nothing polls: the bus waits where the hardware is not ready. HMAC is two messages
// (FIPS 198-1), each of which begins with the key's block. The file that includes this defines
// FUNCTION, a number of MESSAGE.function, DIGEST_BLOCKS, the blocks of 16 bytes in its digest,
// and HASH_BLOCK_BYTES.
#include "coprocessor.h"
#include "push_blocks.h"
#include "sha2_key.h"

#define INNER_PAD 0x36363636
#define OUTER_PAD 0x5C5C5C5C
#define MASK(name) COPROCESSOR_SHA2__##name##_bm

static int identified; // the coprocessor is the one

static int is_there(void) {
  if (!identified) {
    identified =
        register_read(SHA2(IDENTIFICATION)) == COPROCESSOR_SHA2__IDENTIFICATION__MAGIC_reset &&
        (register_read(SHA2(CAPABILITY)) >> COPROCESSOR_SHA2__CAPABILITY__FUNCTIONS_bp >>
         FUNCTION & 1) != 0;
    register_write(SHA2(MESSAGE), FUNCTION);
  }
  return identified;
}

// Begins a message.
static inline void begin(size_t bytes) {
  register_write(SHA2(MESSAGE_BYTES), bytes);
  register_write(SHA2(CONTROL), MASK(CONTROL__START));
}

static inline void pull_digest(uint32_t *output) {
  for (unsigned block = 0; block < DIGEST_BLOCKS; block++) {
    for (unsigned word = 0; word < BLOCK_WORDS; word++) {
      output[BLOCK_WORDS * block + word] = register_read(SHA2(DATA_OUT) + 4 * word);
    }
  }
}

// Sends the key's block with a pad, and a text behind it.
static void run_padded(uint32_t pad, const uint32_t *text, size_t bytes, uint32_t *digest) {
  begin(HASH_BLOCK_BYTES + bytes);
  for (unsigned word = 0; word < HASH_BLOCK_WORDS; word += BLOCK_WORDS) {
    push_padded(SHA2(DATA_IN), held_key.words + word, pad);
  }
  push_blocks(SHA2(DATA_IN), text, bytes);
  pull_digest(digest);
}

// Returns the hardware's verdict on what was sent, and clears an error.
static inline int outcome(void) {
  uint32_t error = register_read(SHA2(ERROR));
  if (error == 0) {
    return PARTITION_OK;
  }
  register_write(SHA2(ERROR), error);
  register_write(SHA2(CONTROL), MASK(CONTROL__DROP));
  return PARTITION_HARDWARE;
}

// A function of its own, so that a digest saves no registers.
static __attribute__((noinline)) int run_hmac(const struct partition_message *message) {
  // The code takes the place of the inner digest.
  run_padded(INNER_PAD, message->input, message->bytes, message->output);
  run_padded(OUTER_PAD, message->output, DIGEST_BLOCKS * BLOCK_BYTES, message->output);
  int status = outcome();
  if (status != PARTITION_OK) {
    zeroise(message->output, DIGEST_BLOCKS * BLOCK_BYTES);
  }
  return status;
}

int partition_run(enum workload_operation operation, const struct partition_message *message) {
  if (!is_possible(operation)) {
    return PARTITION_NO_KEY;
  }
  if (!is_there()) {
    return PARTITION_HARDWARE;
  }
  if (operation == OPERATION_AUTHENTICATE) {
    return run_hmac(message);
  }
  begin(message->bytes);
  push_blocks(SHA2(DATA_IN), message->input, message->bytes);
  pull_digest(message->output);
  return outcome();
}

void partition_zeroise(void) {
  register_write(SHA2(CONTROL), MASK(CONTROL__ZEROISE));
  zeroise(&held_key, sizeof held_key);
}
