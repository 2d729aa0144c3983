// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition software: AES by the processor alone, bitsliced, in constant time.
#include "aes_bitsliced.h"
#include "partition.h"
#include "zeroise.h"

const unsigned partition_block_words = 4;

static struct aes_bitsliced_schedule schedule;

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  (void)decrypt; // one schedule serves both directions
  return aes_bitsliced_expand(&schedule, key, key_bits) == 0 ? PARTITION_OK : PARTITION_KEY_SIZE;
}

int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (schedule.rounds == 0) {
    return PARTITION_NO_KEY;
  }
  while (blocks != 0) {
    unsigned second = blocks > 1 ? 4 : 0; // a last block alone is computed twice
    if (decrypt) {
      aes_bitsliced_decrypt(&schedule, input, input + second, output, output + second);
    } else {
      aes_bitsliced_encrypt(&schedule, input, input + second, output, output + second);
    }
    blocks -= second ? 2 : 1;
    input += 8;
    output += 8;
  }
  return PARTITION_OK;
}

void partition_zeroise(void) { zeroise(&schedule, sizeof schedule); }
