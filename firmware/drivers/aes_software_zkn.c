// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition software: AES by the processor alone, with the instructions of Zkne
// and Zknd, in constant time.
#include "aes_zkn.h"
#include "partition.h"
#include "zeroise.h"

const unsigned partition_block_words = 4;

static struct aes_schedule schedule;
static int for_decryption;

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  if (aes_expand(&schedule, key, key_bits, aes_zkn_substitute) != 0) {
    return PARTITION_KEY_SIZE;
  }
  if (decrypt) {
    aes_zkn_invert(&schedule);
  }
  for_decryption = decrypt;
  return PARTITION_OK;
}

int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (schedule.rounds == 0 || decrypt != for_decryption) {
    return PARTITION_NO_KEY;
  }
  if (decrypt) {
    aes_zkn_decrypt(&schedule, input, output, blocks);
  } else {
    aes_zkn_encrypt(&schedule, input, output, blocks);
  }
  return PARTITION_OK;
}

void partition_zeroise(void) { zeroise(&schedule, sizeof schedule); }
