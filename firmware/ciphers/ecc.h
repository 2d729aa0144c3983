// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Key generation, ECDSA (FIPS 186-5) and ECDH (SP 800-56A) on P-256, P-384 and P-521, in
// portable C. Operations, operands, results and statuses are those of the hardware
// (hw/ecc/README.md).
//
// Constant time: no branch and no index depends on a private key, a nonce or random bits, up
// to a refusal. One operation runs at a time: its numbers are in static memory, which is
// erased at its end.
#ifndef CIPHERMILL_ECC_H
#define CIPHERMILL_ECC_H

#include "ecc_field.h"

// A curve y^2 = x^3 - 3x + b. A program links those that it names.
struct ecc_curve {
  unsigned bits;     // of an integer
  unsigned bytes;    // of an operand or result
  struct ecc_field p; // of coordinates
  struct ecc_field n; // of scalars: the order
  ecc_number b;
  ecc_number gx, gy; // the base point
};

extern const struct ecc_curve ecc_p256, ecc_p384, ecc_p521; // ciphers/ecc_curves.c

enum ecc_operation {
  ECC_GENERATE = 0, // random bits c         -> private key c + 1, x, y
  ECC_PUBLIC = 1,   // private key d         -> x, y
  ECC_SIGN = 2,     // d, nonce k, digest e  -> r, s
  ECC_VERIFY = 3,   // x, y, r, s, e         -> nothing
  ECC_AGREE = 4,    // d, x, y               -> x coordinate of d (x, y)
};

enum ecc_status {
  ECC_GOOD = 0,
  ECC_RANDOM = 1,     // the random bits give no private key: offer others
  ECC_PRIVATE = 2,    // the private key is not in [1, n - 1]
  ECC_NONCE = 3,      // the nonce is not in [1, n - 1]
  ECC_COORDINATE = 4, // a coordinate is not below p
  ECC_INFINITY = 5,   // the point is (0, 0), which stands for infinity
  ECC_OFF_CURVE = 6,  // the point is not on the curve
  ECC_SIGNATURE = 7,  // r or s is not in [1, n - 1]
  ECC_INVALID = 8,    // the signature is wrong
  ECC_ZERO_R = 9,     // r would be zero: sign with another nonce
  ECC_ZERO_S = 10,    // s would be zero: sign with another nonce
};

// Runs an operation. Operands and results are one behind the other, integers of the curve's
// bytes, the most significant byte first; results may take the place of the operands. A
// refused operation writes none.
enum ecc_status ecc_run(const struct ecc_curve *curve, enum ecc_operation operation,
                        const uint8_t *operands, uint8_t *results);

#endif
