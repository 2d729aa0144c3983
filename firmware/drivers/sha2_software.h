// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition software of a function of SHA-2: by the processor alone, in constant time. The
// file that includes this defines FUNCTION, a struct sha2_function.
#include "partition.h"
#include "sha2.h"

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  (void)key, (void)key_bits, (void)decrypt;
  return PARTITION_KEY_SIZE; // a hash has no key
}

int partition_run(enum workload_operation operation, const struct partition_message *message) {
  if (operation != OPERATION_DIGEST) {
    return PARTITION_NO_KEY;
  }
  sha2_digest(&FUNCTION, (const uint8_t *)message->input, message->bytes,
              (uint8_t *)message->output);
  return PARTITION_OK;
}

void partition_zeroise(void) {} // nothing stays
