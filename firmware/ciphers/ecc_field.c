// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
#include "ecc_field.h"

#include "zeroise.h"

#define WINDOW_BITS 4
#define WINDOWS_OF_LIMB (ECC_LIMB_BITS / WINDOW_BITS)

// Not on the stack, so that they can be erased: one operation runs at a time.
static struct {
  ecc_number sum, power;
  ecc_number powers[1 << WINDOW_BITS];
} scratch;

static const ecc_number one = {1};

static void copy(unsigned limbs, ecc_number result, const ecc_number a) {
  for (unsigned index = 0; index < limbs; index++) {
    result[index] = a[index];
  }
}

// result = a - b - borrow * R; returns the borrow.
static ecc_limb subtract(unsigned limbs, ecc_number result, const ecc_number a,
                         const ecc_number b) {
  ecc_limb borrow = 0;
  for (unsigned index = 0; index < limbs; index++) {
    ecc_product wide = (ecc_product)a[index] - b[index] - borrow;
    result[index] = (ecc_limb)wide;
    borrow = (ecc_limb)(wide >> ECC_LIMB_BITS) & 1;
  }
  return borrow;
}

// result = scratch.sum + carry * R, which is below twice the modulus, modulo the modulus.
static void reduce_sum(const struct ecc_field *field, ecc_number result, ecc_limb carry) {
  ecc_limb borrow = subtract(field->limbs, result, scratch.sum, field->modulus);
  ecc_replace(field, result, scratch.sum, ecc_mask(borrow & (carry ^ 1)));
}

ecc_limb ecc_equal(const struct ecc_field *field, const ecc_number a, const ecc_number b) {
  ecc_limb difference = 0;
  for (unsigned index = 0; index < field->limbs; index++) {
    difference |= a[index] ^ b[index];
  }
  return ((difference | ((ecc_limb)0 - difference)) >> (ECC_LIMB_BITS - 1)) ^ 1;
}

ecc_limb ecc_below_modulus(const struct ecc_field *field, const ecc_number a) {
  return subtract(field->limbs, scratch.sum, a, field->modulus);
}

void ecc_replace(const struct ecc_field *field, ecc_number result, const ecc_number other,
                 ecc_limb mask) {
  for (unsigned index = 0; index < field->limbs; index++) {
    result[index] ^= (result[index] ^ other[index]) & mask;
  }
}

void ecc_add(const struct ecc_field *field, ecc_number sum, const ecc_number a,
             const ecc_number b) {
  ecc_limb carry = 0;
  for (unsigned index = 0; index < field->limbs; index++) {
    ecc_product wide = (ecc_product)a[index] + b[index] + carry;
    scratch.sum[index] = (ecc_limb)wide;
    carry = (ecc_limb)(wide >> ECC_LIMB_BITS);
  }
  reduce_sum(field, sum, carry);
}

void ecc_subtract(const struct ecc_field *field, ecc_number difference, const ecc_number a,
                  const ecc_number b) {
  ecc_limb mask = ecc_mask(subtract(field->limbs, difference, a, b));
  ecc_limb carry = 0;
  for (unsigned index = 0; index < field->limbs; index++) {
    ecc_product wide = (ecc_product)difference[index] + (field->modulus[index] & mask) + carry;
    difference[index] = (ecc_limb)wide;
    carry = (ecc_limb)(wide >> ECC_LIMB_BITS);
  }
}

// Montgomery's product, a limb of b at a time. The sum stays below twice the modulus: it is
// (a b + q m) / R, where a b is below R m and q below R.
void ecc_multiply(const struct ecc_field *field, ecc_number product, const ecc_number a,
                  const ecc_number b) {
  const ecc_limb *modulus = field->modulus;
  ecc_limb *sum = scratch.sum;
  unsigned limbs = field->limbs;
  ecc_limb top = 0;
  for (unsigned index = 0; index < limbs; index++) {
    sum[index] = 0;
  }
  for (unsigned row = 0; row < limbs; row++) {
    ecc_limb digit = b[row];
    ecc_product wide = (ecc_product)a[0] * digit + sum[0];
    ecc_limb carry = (ecc_limb)(wide >> ECC_LIMB_BITS);
    ecc_limb quotient = (ecc_limb)wide * field->factor;
    ecc_product other = (ecc_product)quotient * modulus[0] + (ecc_limb)wide;
    ecc_limb other_carry = (ecc_limb)(other >> ECC_LIMB_BITS);
    for (unsigned index = 1; index < limbs; index++) {
      wide = (ecc_product)a[index] * digit + sum[index] + carry;
      carry = (ecc_limb)(wide >> ECC_LIMB_BITS);
      other = (ecc_product)quotient * modulus[index] + (ecc_limb)wide + other_carry;
      other_carry = (ecc_limb)(other >> ECC_LIMB_BITS);
      sum[index - 1] = (ecc_limb)other;
    }
    wide = (ecc_product)top + carry + other_carry;
    sum[limbs - 1] = (ecc_limb)wide;
    top = (ecc_limb)(wide >> ECC_LIMB_BITS);
  }
  reduce_sum(field, product, top);
}

void ecc_to_form(const struct ecc_field *field, ecc_number result, const ecc_number a) {
  ecc_multiply(field, result, a, field->square);
}

void ecc_from_form(const struct ecc_field *field, ecc_number result, const ecc_number a) {
  ecc_multiply(field, result, a, one);
}

// The power modulus - 2 (Fermat), by windows of the exponent, which is public.
void ecc_invert(const struct ecc_field *field, ecc_number inverse, const ecc_number a) {
  ecc_number *powers = scratch.powers;
  copy(field->limbs, powers[1], a);
  for (unsigned index = 2; index < 1 << WINDOW_BITS; index++) {
    ecc_multiply(field, powers[index], powers[index - 1], a);
  }
  ecc_to_form(field, scratch.power, one);
  for (unsigned window = WINDOWS_OF_LIMB * field->limbs; window-- != 0;) {
    ecc_limb limb = field->modulus[window / WINDOWS_OF_LIMB];
    if (window < WINDOWS_OF_LIMB) {
      limb -= 2; // the lowest limb is above 1
    }
    unsigned digit = limb >> WINDOW_BITS * (window % WINDOWS_OF_LIMB) & 15;
    for (unsigned bit = 0; bit < WINDOW_BITS; bit++) {
      ecc_multiply(field, scratch.power, scratch.power, scratch.power);
    }
    if (digit != 0) {
      ecc_multiply(field, scratch.power, scratch.power, powers[digit]);
    }
  }
  copy(field->limbs, inverse, scratch.power);
}

void ecc_field_zeroise(void) { zeroise(&scratch, sizeof scratch); }
