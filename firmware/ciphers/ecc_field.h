// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic modulo a prime, in Montgomery form (a value x is held as x R modulo m). Limbs
// have the width of the machine's word: R is 2 to the power of all their bits.
//
// Constant time: no branch and no index depends on a value, only on the modulus.
#ifndef CIPHERMILL_ECC_FIELD_H
#define CIPHERMILL_ECC_FIELD_H

#include <stdint.h>

#ifndef ECC_LIMB_BITS
#ifdef __SIZEOF_INT128__
#define ECC_LIMB_BITS 64
#else
#define ECC_LIMB_BITS 32
#endif
#endif

#if ECC_LIMB_BITS == 64
typedef uint64_t ecc_limb;
typedef unsigned __int128 ecc_product;
#else
typedef uint32_t ecc_limb;
typedef uint64_t ecc_product;
#endif

#define ECC_MAXIMUM_BYTES 66
#define ECC_MAXIMUM_LIMBS (576 / ECC_LIMB_BITS) // whole words of 64 bits, for the tables

// Numbers as limbs, the lowest one first.
typedef ecc_limb ecc_number[ECC_MAXIMUM_LIMBS];

struct ecc_field {
  unsigned limbs;
  ecc_limb factor;    // -1 / modulus, modulo 2^ECC_LIMB_BITS
  ecc_number modulus;
  ecc_number square;  // R^2 modulo the modulus
};

// All ones if a bit is 1, zeros if it is 0. The compiler cannot tell that it is one of the
// two, and so makes no branch of a selection with it.
static inline ecc_limb ecc_mask(ecc_limb bit) {
  ecc_limb mask = (ecc_limb)0 - bit;
  __asm__("" : "+r"(mask));
  return mask;
}

// 1 if two numbers are equal, else 0.
ecc_limb ecc_equal(const struct ecc_field *field, const ecc_number a, const ecc_number b);
// 1 if a number is below the modulus, else 0.
ecc_limb ecc_below_modulus(const struct ecc_field *field, const ecc_number a);
// Replaces a number by another one where the mask is all ones.
void ecc_replace(const struct ecc_field *field, ecc_number result, const ecc_number other,
                 ecc_limb mask);

// Results are below the modulus and may be one of the operands, which must be below it too.
void ecc_add(const struct ecc_field *field, ecc_number sum, const ecc_number a,
             const ecc_number b);
void ecc_subtract(const struct ecc_field *field, ecc_number difference, const ecc_number a,
                  const ecc_number b);
// a b / R. One of the operands may be any number below R.
void ecc_multiply(const struct ecc_field *field, ecc_number product, const ecc_number a,
                  const ecc_number b);
// 1 / a, of a number in Montgomery form; 0 of 0.
void ecc_invert(const struct ecc_field *field, ecc_number inverse, const ecc_number a);
// Into and out of Montgomery form. The number to convert may be any below R.
void ecc_to_form(const struct ecc_field *field, ecc_number result, const ecc_number a);
void ecc_from_form(const struct ecc_field *field, ecc_number result, const ecc_number a);

// Erases what the functions above left in memory.
void ecc_field_zeroise(void);

#endif
