// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition dma of a function of SHA-2, and HMAC with it: the accelerator fetches the key and
// the message and stores the digest itself. The processor starts the accelerator and the
// transfers, and is free until the interrupt. The file that includes this defines HASH, a number
// of CONFIGURATION.hash, WORDS, the bit of CAPABILITY for its size of words, DIGEST_BYTES, and
// HASH_BLOCK_BYTES.
#include "message_dma.h"
#include "sha2_key.h"

static inline void start(uint32_t authenticate, size_t bytes) {
  register_write(SOC_ACCELERATOR_CONFIGURATION,
                 MODE(DIGEST) | HASH << ACCEL__CONFIGURATION__HASH_bp | authenticate);
  register_write(SOC_ACCELERATOR_MESSAGE_LENGTH_LOW, bytes);
  register_write(SOC_ACCELERATOR_CONTROL, ACCEL__CONTROL__START_bm);
}

int partition_run(enum workload_operation operation, const struct partition_message *message) {
  if (!is_possible(operation)) {
    return PARTITION_NO_KEY;
  }
  if (!accelerator_has(WORDS, WORDS)) {
    return PARTITION_HARDWARE;
  }
  if (operation == OPERATION_DIGEST) {
    start(0, message->bytes);
  } else {
    register_write(SOC_ACCELERATOR_AAD_LENGTH_LOW, held_key.bytes);
    start(ACCEL__CONFIGURATION__AUTHENTICATE_bm, message->bytes);
    transfer(READ, held_key.words, NULL, held_key.bytes);
  }
  transfer(READ, message->input, NULL, message->bytes);
  transfer(WRITE, NULL, message->output, DIGEST_BYTES);
  return wait_for_message();
}

void partition_zeroise(void) {
  register_write(SOC_ACCELERATOR_CONTROL, ACCEL__CONTROL__ZEROISE_bm);
  zeroise(&held_key, sizeof held_key);
}
