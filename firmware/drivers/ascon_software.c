// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition software: Ascon by the processor alone, in constant time.
#include "ascon.h"
#include "partition.h"
#include "zeroise.h"

static uint32_t held[ASCON_KEY_BYTES / 4];
static int key_set;

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  (void)decrypt; // one key serves both directions
  key_set = key_bits == 8 * ASCON_KEY_BYTES;
  if (!key_set) {
    return PARTITION_KEY_SIZE;
  }
  for (unsigned word = 0; word < ASCON_KEY_BYTES / 4; word++) {
    held[word] = key[word];
  }
  return PARTITION_OK;
}

int partition_run(enum workload_operation operation, const struct partition_message *message) {
  const uint8_t *key = (const uint8_t *)held;
  const uint8_t *nonce = (const uint8_t *)message->nonce;
  const uint8_t *associated = (const uint8_t *)message->associated;
  const uint8_t *input = (const uint8_t *)message->input;
  uint8_t *output = (uint8_t *)message->output;
  uint8_t *tag = (uint8_t *)message->tag;
  if (operation == OPERATION_DIGEST) {
    ascon_hash256(input, message->bytes, output);
    return PARTITION_OK;
  }
  if (!key_set) {
    return PARTITION_NO_KEY;
  }
  if (operation == OPERATION_ENCRYPT) {
    ascon_aead128_encrypt(key, nonce, associated, message->associated_bytes, input,
                          message->bytes, output, tag);
    return PARTITION_OK;
  }
  return ascon_aead128_decrypt(key, nonce, associated, message->associated_bytes, input,
                               message->bytes, output, tag) == 0
             ? PARTITION_OK
             : PARTITION_TAG;
}

void partition_zeroise(void) {
  zeroise(held, sizeof held);
  key_set = 0;
}
