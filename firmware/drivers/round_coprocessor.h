// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The driver of the coprocessors that do one AES round: key expansion and the loop
// over the rounds are in C. A partition's source defines KIND, and `before_encrypt`
// and `before_decrypt`, what C does to a column before each round, and includes this.
//
// The loop over the blocks is inside the one over the rounds: a round key and the
// direction go to the hardware once for all blocks of a message. The state of a block
// waits in the output buffer. Key expansion is by table, so NOT constant time where
// memory is cached.
#ifndef CIPHERMILL_ROUND_COPROCESSOR_H
#define CIPHERMILL_ROUND_COPROCESSOR_H

#include "aes_schedule.h"
#include "coprocessor.h"
#include "partition.h"
#include "zeroise.h"

const unsigned partition_block_words = 4;

static int identified; // the coprocessor is the one
static struct aes_schedule schedule;

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  (void)decrypt; // the round keys are the same, in the other order
  if (!identified) {
    if (!coprocessor_is(KIND)) {
      return PARTITION_HARDWARE;
    }
    identified = 1;
  }
  return aes_expand(&schedule, key, key_bits, aes_substitute_by_table) == 0 ? PARTITION_OK
                                                                            : PARTITION_KEY_SIZE;
}

static void add_first_key(const uint32_t *input, uint32_t *state, unsigned blocks,
                          const uint32_t *key) {
  uint32_t k0 = key[0];
  uint32_t k1 = key[1];
  uint32_t k2 = key[2];
  uint32_t k3 = key[3];
  for (; blocks != 0; blocks--, input += 4, state += 4) {
    state[0] = input[0] ^ k0;
    state[1] = input[1] ^ k1;
    state[2] = input[2] ^ k2;
    state[3] = input[3] ^ k3;
  }
}

static void set_round(uint32_t control, const uint32_t *key) {
  register_write(SOC_COPROCESSOR_CONTROL, control);
  register_write(SOC_COPROCESSOR_KEY + 0, key[0]);
  register_write(SOC_COPROCESSOR_KEY + 4, key[1]);
  register_write(SOC_COPROCESSOR_KEY + 8, key[2]);
  register_write(SOC_COPROCESSOR_KEY + 12, key[3]);
}

#define ROUND_OF_BLOCKS(before)                                  \
  do {                                                           \
    for (uint32_t *block = state; block != end; block += 4) {    \
      register_write(SOC_COPROCESSOR_DATA_IN + 0, before(block[0])); \
      register_write(SOC_COPROCESSOR_DATA_IN + 4, before(block[1])); \
      register_write(SOC_COPROCESSOR_DATA_IN + 8, before(block[2])); \
      register_write(SOC_COPROCESSOR_DATA_IN + 12, before(block[3])); \
      block[0] = register_read(SOC_COPROCESSOR_DATA_OUT + 0);        \
      block[1] = register_read(SOC_COPROCESSOR_DATA_OUT + 4);        \
      block[2] = register_read(SOC_COPROCESSOR_DATA_OUT + 8);        \
      block[3] = register_read(SOC_COPROCESSOR_DATA_OUT + 12);       \
    }                                                            \
  } while (0)

int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (schedule.rounds == 0) {
    return PARTITION_NO_KEY;
  }
  unsigned rounds = schedule.rounds;
  const uint32_t *words = schedule.words;
  uint32_t *state = output;
  const uint32_t *end = output + 4 * blocks;
  add_first_key(input, state, blocks, decrypt ? words + 4 * rounds : words);
  for (unsigned round = 1; round <= rounds; round++) {
    uint32_t final = round == rounds ? COPROCESSOR__CONTROL__FINAL_ROUND_bm : 0;
    if (decrypt) {
      set_round(final | COPROCESSOR__CONTROL__DECRYPT_bm, words + 4 * (rounds - round));
      ROUND_OF_BLOCKS(before_decrypt);
    } else {
      set_round(final, words + 4 * round);
      ROUND_OF_BLOCKS(before_encrypt);
    }
  }
  return coprocessor_failed() ? PARTITION_HARDWARE : PARTITION_OK;
}

void partition_zeroise(void) {
  register_write(SOC_COPROCESSOR_CONTROL, COPROCESSOR__CONTROL__ZEROISE_bm);
  zeroise(&schedule, sizeof schedule);
}

#endif
