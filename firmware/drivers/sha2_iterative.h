// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Driver of the SHA-2 coprocessor. The processor carries words to and from the register
// window. Nothing polls: the bus waits where the hardware is not ready. The file that
// includes this defines FUNCTION, a number of MESSAGE.function, and DIGEST_BLOCKS, the
// blocks of 16 bytes in its digest.
#include "coprocessor.h"
#include "partition.h"
#include "push_blocks.h"

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

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  (void)key, (void)key_bits, (void)decrypt;
  return PARTITION_KEY_SIZE; // a hash has no key
}

int partition_run(enum workload_operation operation, const struct partition_message *message) {
  if (operation != OPERATION_DIGEST) {
    return PARTITION_NO_KEY;
  }
  if (!is_there()) {
    return PARTITION_HARDWARE;
  }
  register_write(SHA2(MESSAGE_BYTES), message->bytes);
  register_write(SHA2(CONTROL), MASK(CONTROL__START));
  push_blocks(SHA2(DATA_IN), message->input, message->bytes);
  for (unsigned block = 0; block < DIGEST_BLOCKS; block++) {
    for (unsigned word = 0; word < BLOCK_WORDS; word++) {
      message->output[BLOCK_WORDS * block + word] = register_read(SHA2(DATA_OUT) + 4 * word);
    }
  }
  uint32_t error = register_read(SHA2(ERROR));
  if (error == 0) {
    return PARTITION_OK;
  }
  register_write(SHA2(ERROR), error);
  register_write(SHA2(CONTROL), MASK(CONTROL__DROP));
  return PARTITION_HARDWARE;
}

void partition_zeroise(void) { register_write(SHA2(CONTROL), MASK(CONTROL__ZEROISE)); }
