// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
#include "aes_zkn.h"

#include "instructions.h"

// Byte `select` of the second operand, substituted (and mixed), is added to the first.
#define STEP(function, sum, word, select) ZKN((select) << 5 | (function), sum, word)

// A whole word: the bytes of a, b, c and d, in this order, on top of `sum`.
#define WORD_OF(function, sum, a, b, c, d)                                                    \
  STEP(function, STEP(function, STEP(function, STEP(function, sum, a, 0), b, 1), c, 2), d, 3)

// One byte of each column. Four independent instructions in a row: the result of one is
// not needed by the next.
#define STEPS(function, to, a, b, c, d, select) \
  do {                                          \
    to##0 = STEP(function, to##0, a, select);   \
    to##1 = STEP(function, to##1, b, select);   \
    to##2 = STEP(function, to##2, c, select);   \
    to##3 = STEP(function, to##3, d, select);   \
  } while (0)

// The round key, and the bytes that ShiftRows, or its inverse, brings to each column.
#define LOAD(to, key)  \
  do {                 \
    to##0 = (key)[0];  \
    to##1 = (key)[1];  \
    to##2 = (key)[2];  \
    to##3 = (key)[3];  \
  } while (0)
#define ENCRYPT_ROUND(function, to, from, key)                       \
  do {                                                               \
    LOAD(to, key);                                                   \
    STEPS(function, to, from##0, from##1, from##2, from##3, 0);      \
    STEPS(function, to, from##1, from##2, from##3, from##0, 1);      \
    STEPS(function, to, from##2, from##3, from##0, from##1, 2);      \
    STEPS(function, to, from##3, from##0, from##1, from##2, 3);      \
  } while (0)
#define DECRYPT_ROUND(function, to, from, key)                       \
  do {                                                               \
    LOAD(to, key);                                                   \
    STEPS(function, to, from##0, from##1, from##2, from##3, 0);      \
    STEPS(function, to, from##3, from##0, from##1, from##2, 1);      \
    STEPS(function, to, from##2, from##3, from##0, from##1, 2);      \
    STEPS(function, to, from##1, from##2, from##3, from##0, 3);      \
  } while (0)

uint32_t aes_zkn_substitute(uint32_t word) {
  return WORD_OF(ZKN_AES32ESI, 0, word, word, word, word);
}

// aes32dsmi undoes the substitution before it mixes.
void aes_zkn_invert(struct aes_schedule *schedule) {
  for (unsigned index = 4; index < 4 * schedule->rounds; index++) {
    uint32_t word = aes_zkn_substitute(schedule->words[index]);
    schedule->words[index] = WORD_OF(ZKN_AES32DSMI, 0, word, word, word, word);
  }
}

// Two rounds a turn; the number of rounds is even for every key size.
void aes_zkn_encrypt(const struct aes_schedule *schedule, const uint32_t *input, uint32_t *output,
                     unsigned blocks) {
  for (; blocks != 0; blocks--, input += 4, output += 4) {
    const uint32_t *key = schedule->words;
    const uint32_t *last = key + 4 * schedule->rounds;
    uint32_t s0 = input[0] ^ key[0];
    uint32_t s1 = input[1] ^ key[1];
    uint32_t s2 = input[2] ^ key[2];
    uint32_t s3 = input[3] ^ key[3];
    uint32_t t0, t1, t2, t3;
    for (;;) {
      ENCRYPT_ROUND(ZKN_AES32ESMI, t, s, key + 4);
      key += 8;
      if (key == last) {
        break;
      }
      ENCRYPT_ROUND(ZKN_AES32ESMI, s, t, key);
    }
    ENCRYPT_ROUND(ZKN_AES32ESI, s, t, key);
    output[0] = s0;
    output[1] = s1;
    output[2] = s2;
    output[3] = s3;
  }
}

void aes_zkn_decrypt(const struct aes_schedule *schedule, const uint32_t *input, uint32_t *output,
                     unsigned blocks) {
  for (; blocks != 0; blocks--, input += 4, output += 4) {
    const uint32_t *first = schedule->words;
    const uint32_t *key = first + 4 * schedule->rounds;
    uint32_t s0 = input[0] ^ key[0];
    uint32_t s1 = input[1] ^ key[1];
    uint32_t s2 = input[2] ^ key[2];
    uint32_t s3 = input[3] ^ key[3];
    uint32_t t0, t1, t2, t3;
    for (;;) {
      DECRYPT_ROUND(ZKN_AES32DSMI, t, s, key - 4);
      key -= 8;
      if (key == first) {
        break;
      }
      DECRYPT_ROUND(ZKN_AES32DSMI, s, t, key);
    }
    DECRYPT_ROUND(ZKN_AES32DSI, s, t, key);
    output[0] = s0;
    output[1] = s1;
    output[2] = s2;
    output[3] = s3;
  }
}
