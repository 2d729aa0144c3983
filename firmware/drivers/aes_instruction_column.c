// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition instruction, column form: two custom instructions make a column of the
// next state, key expansion and loop are in C. Constant time.
#include "aes_schedule.h"
#include "instructions.h"
#include "partition.h"
#include "zeroise.h"

const unsigned partition_block_words = 4;

static struct aes_schedule schedule;
static int for_decryption;

// A word from both halves.
#define MIX(function, a, b, c, d) (COLUMN(function, a, b) ^ COLUMN((function) | COLUMN_HALF, c, d))

// A round: first both halves of every column of the next state, then the round key: no
// load comes between the instructions.
#define ENCRYPT_ROUND(function, to, from, key)                      \
  do {                                                              \
    uint32_t upper0 = COLUMN(function, from##0, from##1);           \
    uint32_t upper1 = COLUMN(function, from##1, from##2);           \
    uint32_t upper2 = COLUMN(function, from##2, from##3);           \
    uint32_t upper3 = COLUMN(function, from##3, from##0);           \
    to##0 = COLUMN((function) | COLUMN_HALF, from##2, from##3);     \
    to##1 = COLUMN((function) | COLUMN_HALF, from##3, from##0);     \
    to##2 = COLUMN((function) | COLUMN_HALF, from##0, from##1);     \
    to##3 = COLUMN((function) | COLUMN_HALF, from##1, from##2);     \
    to##0 ^= upper0 ^ (key)[0];                                     \
    to##1 ^= upper1 ^ (key)[1];                                     \
    to##2 ^= upper2 ^ (key)[2];                                     \
    to##3 ^= upper3 ^ (key)[3];                                     \
  } while (0)
#define DECRYPT_ROUND(function, to, from, key)                      \
  do {                                                              \
    uint32_t upper0 = COLUMN(function, from##0, from##3);           \
    uint32_t upper1 = COLUMN(function, from##1, from##0);           \
    uint32_t upper2 = COLUMN(function, from##2, from##1);           \
    uint32_t upper3 = COLUMN(function, from##3, from##2);           \
    to##0 = COLUMN((function) | COLUMN_HALF, from##2, from##1);     \
    to##1 = COLUMN((function) | COLUMN_HALF, from##3, from##2);     \
    to##2 = COLUMN((function) | COLUMN_HALF, from##0, from##3);     \
    to##3 = COLUMN((function) | COLUMN_HALF, from##1, from##0);     \
    to##0 ^= upper0 ^ (key)[0];                                     \
    to##1 ^= upper1 ^ (key)[1];                                     \
    to##2 ^= upper2 ^ (key)[2];                                     \
    to##3 ^= upper3 ^ (key)[3];                                     \
  } while (0)

static uint32_t substitute(uint32_t word) { return MIX(COLUMN_FINAL, word, word, word, word); }

// The equivalent inverse cipher (FIPS 197, 5.3.5): InvMixColumns on all round keys but
// the first and the last; the instruction undoes a substitution before it mixes.
static void invert(void) {
  for (unsigned index = 4; index < 4 * schedule.rounds; index++) {
    uint32_t word = substitute(schedule.words[index]);
    schedule.words[index] = MIX(COLUMN_DECRYPT, word, word, word, word);
  }
}

// Two rounds a turn; the number of rounds is even for every key size.
static void encrypt_blocks(const uint32_t *input, uint32_t *output, unsigned blocks) {
  const uint32_t *first = schedule.words;
  const uint32_t *last = first + 4 * schedule.rounds;
  for (; blocks != 0; blocks--, input += 4, output += 4) {
    const uint32_t *key = first;
    uint32_t s0 = input[0] ^ key[0];
    uint32_t s1 = input[1] ^ key[1];
    uint32_t s2 = input[2] ^ key[2];
    uint32_t s3 = input[3] ^ key[3];
    uint32_t t0, t1, t2, t3;
    for (;;) {
      ENCRYPT_ROUND(0, t, s, key + 4);
      key += 8;
      if (key == last) {
        break;
      }
      ENCRYPT_ROUND(0, s, t, key);
    }
    ENCRYPT_ROUND(COLUMN_FINAL, s, t, key);
    output[0] = s0;
    output[1] = s1;
    output[2] = s2;
    output[3] = s3;
  }
}

static void decrypt_blocks(const uint32_t *input, uint32_t *output, unsigned blocks) {
  const uint32_t *first = schedule.words;
  const uint32_t *last = first + 4 * schedule.rounds;
  for (; blocks != 0; blocks--, input += 4, output += 4) {
    const uint32_t *key = last;
    uint32_t s0 = input[0] ^ key[0];
    uint32_t s1 = input[1] ^ key[1];
    uint32_t s2 = input[2] ^ key[2];
    uint32_t s3 = input[3] ^ key[3];
    uint32_t t0, t1, t2, t3;
    for (;;) {
      DECRYPT_ROUND(COLUMN_DECRYPT, t, s, key - 4);
      key -= 8;
      if (key == first) {
        break;
      }
      DECRYPT_ROUND(COLUMN_DECRYPT, s, t, key);
    }
    DECRYPT_ROUND(COLUMN_DECRYPT | COLUMN_FINAL, s, t, key);
    output[0] = s0;
    output[1] = s1;
    output[2] = s2;
    output[3] = s3;
  }
}

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  if (aes_expand(&schedule, key, key_bits, substitute) != 0) {
    return PARTITION_KEY_SIZE;
  }
  if (decrypt) {
    invert();
  }
  for_decryption = decrypt;
  return PARTITION_OK;
}

int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  if (schedule.rounds == 0 || decrypt != for_decryption) {
    return PARTITION_NO_KEY;
  }
  if (decrypt) {
    decrypt_blocks(input, output, blocks);
  } else {
    encrypt_blocks(input, output, blocks);
  }
  return PARTITION_OK;
}

void partition_zeroise(void) { zeroise(&schedule, sizeof schedule); }
