// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition software of a function of SHA-2, and HMAC with it: by the processor alone, in
// constant time. The file that includes this defines FUNCTION, a struct sha2_function, and
// HASH_BLOCK_BYTES.
#include "sha2.h"
#include "sha2_key.h"

int partition_run(enum workload_operation operation, const struct partition_message *message) {
  const uint8_t *input = (const uint8_t *)message->input;
  uint8_t *output = (uint8_t *)message->output;
  if (!is_possible(operation)) {
    return PARTITION_NO_KEY;
  }
  if (operation == OPERATION_DIGEST) {
    sha2_digest(&FUNCTION, input, message->bytes, output);
  } else {
    sha2_hmac(&FUNCTION, (const uint8_t *)held_key.words, held_key.bytes, input, message->bytes,
              output);
  }
  return PARTITION_OK;
}

void partition_zeroise(void) { zeroise(&held_key, sizeof held_key); }
