// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
#include "aes_table.h"

#include "aes_sbox.h"

// Entry s of table r is the column that a byte in row r becomes when SubBytes makes
// s of it; row 0 is the low byte.
#define COLUMN(a, b, c, d) \
  ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define E0(s) COLUMN(AES_TIMES_2(s), s, s, AES_TIMES_3(s)),
#define E1(s) COLUMN(AES_TIMES_3(s), AES_TIMES_2(s), s, s),
#define E2(s) COLUMN(s, AES_TIMES_3(s), AES_TIMES_2(s), s),
#define E3(s) COLUMN(s, s, AES_TIMES_3(s), AES_TIMES_2(s)),
#define D0(s) COLUMN(AES_TIMES_14(s), AES_TIMES_9(s), AES_TIMES_13(s), AES_TIMES_11(s)),
#define D1(s) COLUMN(AES_TIMES_11(s), AES_TIMES_14(s), AES_TIMES_9(s), AES_TIMES_13(s)),
#define D2(s) COLUMN(AES_TIMES_13(s), AES_TIMES_11(s), AES_TIMES_14(s), AES_TIMES_9(s)),
#define D3(s) COLUMN(AES_TIMES_9(s), AES_TIMES_13(s), AES_TIMES_11(s), AES_TIMES_14(s)),
#define BYTE(s) s,

static const uint32_t encrypt_table[4][256] = {
    {AES_SBOX(E0)}, {AES_SBOX(E1)}, {AES_SBOX(E2)}, {AES_SBOX(E3)}};
static const uint32_t decrypt_table[4][256] = {{AES_INVERSE_SBOX(D0)},
                                               {AES_INVERSE_SBOX(D1)},
                                               {AES_INVERSE_SBOX(D2)},
                                               {AES_INVERSE_SBOX(D3)}};
static const uint8_t sbox[256] = {AES_SBOX(BYTE)};
static const uint8_t inverse_sbox[256] = {AES_INVERSE_SBOX(BYTE)};

// One column of the next state from the columns that ShiftRows takes its bytes from.
#define MIX(table, a, b, c, d)                                       \
  (table[0][(a) & 0xFF] ^ table[1][(b) >> 8 & 0xFF] ^ table[2][(c) >> 16 & 0xFF] ^ \
   table[3][(d) >> 24])
#define SUBSTITUTE(sbox, a, b, c, d) \
  COLUMN(sbox[(a) & 0xFF], sbox[(b) >> 8 & 0xFF], sbox[(c) >> 16 & 0xFF], sbox[(d) >> 24])

#define ENCRYPT_ROUND(function, table, to, from, key)                               \
  do {                                                                              \
    to##0 = function(table, from##0, from##1, from##2, from##3) ^ (key)[0];         \
    to##1 = function(table, from##1, from##2, from##3, from##0) ^ (key)[1];         \
    to##2 = function(table, from##2, from##3, from##0, from##1) ^ (key)[2];         \
    to##3 = function(table, from##3, from##0, from##1, from##2) ^ (key)[3];         \
  } while (0)
#define DECRYPT_ROUND(function, table, to, from, key)                               \
  do {                                                                              \
    to##0 = function(table, from##0, from##3, from##2, from##1) ^ (key)[0];         \
    to##1 = function(table, from##1, from##0, from##3, from##2) ^ (key)[1];         \
    to##2 = function(table, from##2, from##1, from##0, from##3) ^ (key)[2];         \
    to##3 = function(table, from##3, from##2, from##1, from##0) ^ (key)[3];         \
  } while (0)

void aes_table_invert(struct aes_schedule *schedule) {
  for (unsigned index = 4; index < 4 * schedule->rounds; index++) {
    uint32_t word = aes_substitute_by_table(schedule->words[index]); // the tables undo it
    schedule->words[index] = MIX(decrypt_table, word, word, word, word);
  }
}

// Two rounds a turn: an inner loop that fits an instruction cache of 4 KiB. The
// number of rounds is even for every key size.
void aes_table_encrypt(const struct aes_schedule *schedule, const uint32_t *input,
                       uint32_t *output, unsigned blocks) {
  for (; blocks != 0; blocks--, input += 4, output += 4) {
    const uint32_t *key = schedule->words;
    const uint32_t *last = key + 4 * schedule->rounds;
    uint32_t s0 = input[0] ^ key[0];
    uint32_t s1 = input[1] ^ key[1];
    uint32_t s2 = input[2] ^ key[2];
    uint32_t s3 = input[3] ^ key[3];
    uint32_t t0, t1, t2, t3;
    for (;;) {
      ENCRYPT_ROUND(MIX, encrypt_table, t, s, key + 4);
      key += 8;
      if (key == last) {
        break;
      }
      ENCRYPT_ROUND(MIX, encrypt_table, s, t, key);
    }
    ENCRYPT_ROUND(SUBSTITUTE, sbox, s, t, key);
    output[0] = s0;
    output[1] = s1;
    output[2] = s2;
    output[3] = s3;
  }
}

void aes_table_decrypt(const struct aes_schedule *schedule, const uint32_t *input,
                       uint32_t *output, unsigned blocks) {
  for (; blocks != 0; blocks--, input += 4, output += 4) {
    const uint32_t *first = schedule->words;
    const uint32_t *key = first + 4 * schedule->rounds;
    uint32_t s0 = input[0] ^ key[0];
    uint32_t s1 = input[1] ^ key[1];
    uint32_t s2 = input[2] ^ key[2];
    uint32_t s3 = input[3] ^ key[3];
    uint32_t t0, t1, t2, t3;
    for (;;) {
      DECRYPT_ROUND(MIX, decrypt_table, t, s, key - 4);
      key -= 8;
      if (key == first) {
        break;
      }
      DECRYPT_ROUND(MIX, decrypt_table, s, t, key);
    }
    DECRYPT_ROUND(SUBSTITUTE, inverse_sbox, s, t, key);
    output[0] = s0;
    output[1] = s1;
    output[2] = s2;
    output[3] = s3;
  }
}
