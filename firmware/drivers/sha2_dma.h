// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition dma of a function of SHA-2: the accelerator fetches the message and stores the
// digest itself. The processor starts the accelerator and both transfers, and is free until
// the interrupt. The file that includes this defines HASH, a number of CONFIGURATION.hash,
// WORDS, the bit of CAPABILITY for its size of words, and DIGEST_BYTES.
#include "message_dma.h"

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  (void)key, (void)key_bits, (void)decrypt;
  return PARTITION_KEY_SIZE; // a hash has no key
}

int partition_run(enum workload_operation operation, const struct partition_message *message) {
  if (operation != OPERATION_DIGEST) {
    return PARTITION_NO_KEY;
  }
  if (!accelerator_has(WORDS, WORDS)) {
    return PARTITION_HARDWARE;
  }
  register_write(SOC_ACCELERATOR_CONFIGURATION,
                 MODE(DIGEST) | HASH << ACCEL__CONFIGURATION__HASH_bp);
  register_write(SOC_ACCELERATOR_MESSAGE_LENGTH_LOW, message->bytes);
  register_write(SOC_ACCELERATOR_CONTROL, ACCEL__CONTROL__START_bm);
  transfer(READ, message->input, NULL, message->bytes);
  transfer(WRITE, NULL, message->output, DIGEST_BYTES);
  return wait_for_message();
}

void partition_zeroise(void) {
  register_write(SOC_ACCELERATOR_CONTROL, ACCEL__CONTROL__ZEROISE_bm);
}
