// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition software: PRESENT by the processor alone, bitsliced, in constant time.
#include "partition.h"
#include "present_bitsliced.h"
#include "zeroise.h"

const unsigned partition_block_words = 2;

static struct present_schedule schedule;

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  (void)decrypt; // one schedule serves both directions
  return present_expand(&schedule, key, key_bits) == 0 ? PARTITION_OK : PARTITION_KEY_SIZE;
}

int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (!schedule.ready) {
    return PARTITION_NO_KEY;
  }
  while (blocks != 0) {
    unsigned now = blocks < PRESENT_BITSLICED_BLOCKS ? blocks : PRESENT_BITSLICED_BLOCKS;
    if (decrypt) {
      present_bitsliced_decrypt(&schedule, input, output, now);
    } else {
      present_bitsliced_encrypt(&schedule, input, output, now);
    }
    blocks -= now;
    input += 2 * now;
    output += 2 * now;
  }
  return PARTITION_OK;
}

void partition_zeroise(void) { zeroise(&schedule, sizeof schedule); }
