// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The key of HMAC that a partition of SHA-2 keeps. The file that includes this defines
// HASH_BLOCK_BYTES.
#ifndef CIPHERMILL_SHA2_KEY_H
#define CIPHERMILL_SHA2_KEY_H

#include "cache.h"
#include "partition.h"
#include "zeroise.h"

#define HASH_BLOCK_WORDS (HASH_BLOCK_BYTES / 4)

static struct {
  uint32_t words[HASH_BLOCK_WORDS]; // K0 of FIPS 198-1: the key, then zeros
  size_t bytes;                     // 0: no key
} held_key;

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  (void)decrypt; // there is one direction
  zeroise(&held_key, sizeof held_key);
  if (key_bits == 0 || key_bits > 8 * HASH_BLOCK_BYTES || key_bits % 8 != 0) {
    return PARTITION_KEY_SIZE;
  }
  held_key.bytes = key_bits / 8;
  for (size_t index = 0; index < held_key.bytes; index++) {
    ((uint8_t *)held_key.words)[index] = ((const uint8_t *)key)[index];
  }
  finish_stores(); // a bus master may read it
  return PARTITION_OK;
}

// Whether the operation is one of a hash, and the key that it needs is there.
static inline int is_possible(enum workload_operation operation) {
  return operation == OPERATION_DIGEST ||
         (operation == OPERATION_AUTHENTICATE && held_key.bytes != 0);
}

#endif
