// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// SHA-224 and SHA-256: words of 32 bits.
#include <stdint.h>

#define WORD uint32_t
#define VALUE narrow
#define ROUNDS 64
// Sections 4.1.2 and 4.2.2 of the standard.
#define BIG_SIGMA0 2, 13, 22
#define BIG_SIGMA1 6, 11, 25
#define SMALL_SIGMA0 7, 18, 3
#define SMALL_SIGMA1 17, 19, 10

static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#include "sha2_rounds.h"

const struct sha2_function sha224 = {
    .initial.narrow = {0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
                       0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4},
    .word_bytes = 4,
    .block_bytes = 64,
    .digest_bytes = 28,
    .compress = compress,
};

const struct sha2_function sha256 = {
    .initial.narrow = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
    .word_bytes = 4,
    .block_bytes = 64,
    .digest_bytes = 32,
    .compress = compress,
};
