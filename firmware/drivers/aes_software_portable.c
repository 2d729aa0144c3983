// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition software: AES by the processor alone, byte by byte.
#include "aes_portable.h"
#include "partition.h"
#include "zeroise.h"

const unsigned partition_block_words = 4;

static struct aes_schedule schedule;

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  (void)decrypt; // one schedule serves both directions
  return aes_expand(&schedule, key, key_bits, aes_substitute_by_table) == 0 ? PARTITION_OK
                                                                            : PARTITION_KEY_SIZE;
}

int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (schedule.rounds == 0) {
    return PARTITION_NO_KEY;
  }
  for (; blocks != 0; blocks--, input += 4, output += 4) {
    if (decrypt) {
      aes_portable_decrypt(&schedule, (const uint8_t *)input, (uint8_t *)output);
    } else {
      aes_portable_encrypt(&schedule, (const uint8_t *)input, (uint8_t *)output);
    }
  }
  return PARTITION_OK;
}

void partition_zeroise(void) { zeroise(&schedule, sizeof schedule); }
