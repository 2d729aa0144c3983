// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The default partition_process_each, for partitions that define none.
#include "partition.h"

__attribute__((weak)) int partition_process_each(const uint32_t *keys, unsigned key_words,
                                                 unsigned key_bits, const uint32_t *input,
                                                 uint32_t *output, unsigned blocks, int decrypt) {
  for (; blocks != 0; blocks--) {
    int error = partition_set_key(keys, key_bits, decrypt);
    if (error == PARTITION_OK) {
      error = partition_process(input, output, 1, decrypt);
    }
    if (error != PARTITION_OK) {
      return error;
    }
    keys += key_words;
    input += partition_block_words;
    output += partition_block_words;
  }
  return PARTITION_OK;
}
