// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Points are projective, added and doubled by the complete formulas of Renes, Costello and
// Batina (EUROCRYPT 2016, algorithms 4 and 6): none is a special case, infinity included.
#include "ecc.h"

#include "zeroise.h"

#define WINDOW_BITS 4
#define ENTRIES (1 << WINDOW_BITS)
#define WINDOWS_OF_LIMB (ECC_LIMB_BITS / WINDOW_BITS)
#define LIMB_BYTES (ECC_LIMB_BITS / 8)
#define MOST_OPERANDS 5
#define MOST_RESULTS 3

struct point {
  ecc_number x, y, z; // in Montgomery form
};

// The operation that runs.
static struct {
  const struct ecc_curve *curve;
  ecc_number b; // of the curve, in Montgomery form
  ecc_number operand[MOST_OPERANDS];
  ecc_number result[MOST_RESULTS];
  ecc_number scalar[2];
  struct point table[2][ENTRIES]; // multiples of a point
  struct point sum, chosen, next;
  ecc_number t0, t1, t2, t3, t4;
} work;

static const ecc_number zero;
static const ecc_number one = {1};

// ------------------------------------------------------------ points

static void add(ecc_number sum, const ecc_number a, const ecc_number b) {
  ecc_add(&work.curve->p, sum, a, b);
}

static void subtract(ecc_number difference, const ecc_number a, const ecc_number b) {
  ecc_subtract(&work.curve->p, difference, a, b);
}

static void multiply(ecc_number product, const ecc_number a, const ecc_number b) {
  ecc_multiply(&work.curve->p, product, a, b);
}

static void triple(ecc_number result, const ecc_number a, ecc_number spare) {
  add(spare, a, a);
  add(result, spare, a);
}

// p += q
static void add_point(struct point *p, const struct point *q) {
  ecc_limb *t0 = work.t0, *t1 = work.t1, *t2 = work.t2, *t3 = work.t3, *t4 = work.t4;
  ecc_limb *x = work.next.x, *y = work.next.y, *z = work.next.z;
  multiply(t0, p->x, q->x);
  multiply(t1, p->y, q->y);
  multiply(t2, p->z, q->z);
  add(t3, p->x, p->y);
  add(t4, q->x, q->y);
  multiply(t3, t3, t4);
  add(t4, t0, t1);
  subtract(t3, t3, t4);
  add(t4, p->y, p->z);
  add(x, q->y, q->z);
  multiply(t4, t4, x);
  add(x, t1, t2);
  subtract(t4, t4, x);
  add(x, p->x, p->z);
  add(y, q->x, q->z);
  multiply(x, x, y);
  add(y, t0, t2);
  subtract(y, x, y);
  multiply(z, work.b, t2);
  subtract(x, y, z);
  triple(x, x, z);
  subtract(z, t1, x);
  add(x, t1, x);
  multiply(y, work.b, y);
  triple(t2, t2, t1);
  subtract(y, y, t2);
  subtract(y, y, t0);
  triple(y, y, t1);
  triple(t0, t0, t1);
  subtract(t0, t0, t2);
  multiply(t1, t4, y);
  multiply(t2, t0, y);
  multiply(y, x, z);
  add(y, y, t2);
  multiply(x, t3, x);
  subtract(x, x, t1);
  multiply(z, t4, z);
  multiply(t1, t3, t0);
  add(z, z, t1);
  *p = work.next;
}

// p += p
static void double_point(struct point *p) {
  ecc_limb *t0 = work.t0, *t1 = work.t1, *t2 = work.t2, *t3 = work.t3;
  ecc_limb *x = work.next.x, *y = work.next.y, *z = work.next.z;
  multiply(t0, p->x, p->x);
  multiply(t1, p->y, p->y);
  multiply(t2, p->z, p->z);
  multiply(t3, p->x, p->y);
  add(t3, t3, t3);
  multiply(z, p->x, p->z);
  add(z, z, z);
  multiply(y, work.b, t2);
  subtract(y, y, z);
  triple(y, y, x);
  subtract(x, t1, y);
  add(y, t1, y);
  multiply(y, x, y);
  multiply(x, x, t3);
  triple(t2, t2, t3);
  multiply(z, work.b, z);
  subtract(z, z, t2);
  subtract(z, z, t0);
  triple(z, z, t3);
  triple(t0, t0, t3);
  subtract(t0, t0, t2);
  multiply(t0, t0, z);
  add(y, y, t0);
  multiply(t0, p->y, p->z);
  add(t0, t0, t0);
  multiply(z, t0, z);
  subtract(x, x, z);
  multiply(z, t0, t1);
  add(z, z, z);
  add(z, z, z);
  *p = work.next;
}

// Fills a table with the multiples 0 to 15 of affine coordinates.
static void make_table(struct point *table, const ecc_number x, const ecc_number y) {
  const struct ecc_field *p = &work.curve->p;
  table[0] = (struct point){.x = {0}};
  ecc_to_form(p, table[0].y, one);
  ecc_to_form(p, table[1].x, x);
  ecc_to_form(p, table[1].y, y);
  ecc_to_form(p, table[1].z, one);
  for (unsigned index = 2; index < ENTRIES; index++) {
    table[index] = table[index - 1];
    add_point(&table[index], &table[1]);
  }
}

// work.chosen = the entry of a table; all of them are read.
static void choose(const struct point *table, ecc_limb digit) {
  const struct ecc_field *p = &work.curve->p;
  for (ecc_limb index = 0; index < ENTRIES; index++) {
    ecc_limb difference = index ^ digit;
    ecc_limb mask = ecc_mask((difference - 1) >> (ECC_LIMB_BITS - 1));
    ecc_replace(p, work.chosen.x, table[index].x, mask);
    ecc_replace(p, work.chosen.y, table[index].y, mask);
    ecc_replace(p, work.chosen.z, table[index].z, mask);
  }
}

// work.sum = the sum of the first `count` scalars times the points of their tables.
static void multiply_points(unsigned count) {
  work.sum = work.table[0][0];
  for (unsigned window = (work.curve->bits + WINDOW_BITS - 1) / WINDOW_BITS; window-- != 0;) {
    for (unsigned bit = 0; bit < WINDOW_BITS; bit++) {
      double_point(&work.sum);
    }
    for (unsigned index = 0; index < count; index++) {
      ecc_limb limb = work.scalar[index][window / WINDOWS_OF_LIMB];
      choose(work.table[index], limb >> WINDOW_BITS * (window % WINDOWS_OF_LIMB) & 15);
      add_point(&work.sum, &work.chosen);
    }
  }
}

static void multiply_base(const ecc_number scalar) {
  make_table(work.table[0], work.curve->gx, work.curve->gy);
  ecc_replace(&work.curve->n, work.scalar[0], scalar, ecc_mask(1));
  multiply_points(1);
}

static int is_zero(const ecc_number a) { return (int)ecc_equal(&work.curve->p, a, zero); }

// Takes the affine coordinates of work.sum, which is not infinity, out of Montgomery form.
static void to_affine(ecc_number x, ecc_number y) {
  const struct ecc_field *p = &work.curve->p;
  ecc_invert(p, work.t0, work.sum.z);
  multiply(work.t1, work.sum.x, work.t0);
  multiply(work.t2, work.sum.y, work.t0);
  ecc_from_form(p, x, work.t1);
  ecc_from_form(p, y, work.t2);
}

static enum ecc_status check_point(const ecc_number x, const ecc_number y) {
  const struct ecc_field *p = &work.curve->p;
  if (!(ecc_below_modulus(p, x) & ecc_below_modulus(p, y))) {
    return ECC_COORDINATE;
  }
  if (is_zero(x) & is_zero(y)) {
    return ECC_INFINITY;
  }
  ecc_to_form(p, work.t0, x);
  ecc_to_form(p, work.t1, y);
  multiply(work.t1, work.t1, work.t1);
  multiply(work.t2, work.t0, work.t0);
  multiply(work.t2, work.t2, work.t0);
  triple(work.t0, work.t0, work.t3);
  subtract(work.t2, work.t2, work.t0);
  add(work.t2, work.t2, work.b);
  return ecc_equal(p, work.t1, work.t2) ? ECC_GOOD : ECC_OFF_CURVE;
}

static int is_scalar(const ecc_number a) {
  return (int)(ecc_below_modulus(&work.curve->n, a) & (ecc_equal(&work.curve->n, a, zero) ^ 1));
}

// ------------------------------------------------------------ operations

static enum ecc_status public_key(const ecc_number private_key, ecc_number x, ecc_number y) {
  multiply_base(private_key);
  to_affine(x, y);
  return ECC_GOOD;
}

static enum ecc_status generate(void) {
  const struct ecc_field *n = &work.curve->n;
  ecc_limb carry = 1;
  for (unsigned index = 0; index < n->limbs; index++) {
    ecc_product wide = (ecc_product)work.operand[0][index] + carry;
    work.result[0][index] = (ecc_limb)wide;
    carry = (ecc_limb)(wide >> ECC_LIMB_BITS);
  }
  if (!is_scalar(work.result[0])) {
    return ECC_RANDOM;
  }
  return public_key(work.result[0], work.result[1], work.result[2]);
}

static enum ecc_status sign(void) {
  const struct ecc_field *n = &work.curve->n;
  ecc_limb *d = work.operand[0], *k = work.operand[1], *e = work.operand[2];
  ecc_limb *r = work.result[0], *s = work.result[1];
  if (!is_scalar(d)) {
    return ECC_PRIVATE;
  }
  if (!is_scalar(k)) {
    return ECC_NONCE;
  }
  multiply_base(k);
  to_affine(work.t3, work.t4);
  ecc_to_form(n, work.t3, work.t3);
  ecc_from_form(n, r, work.t3); // the coordinate modulo n
  ecc_to_form(n, d, d);
  ecc_to_form(n, e, e);
  ecc_to_form(n, k, k);
  ecc_multiply(n, d, d, work.t3);
  ecc_add(n, e, e, d);
  ecc_invert(n, k, k);
  ecc_multiply(n, s, e, k);
  ecc_from_form(n, s, s);
  if (is_zero(r)) {
    return ECC_ZERO_R;
  }
  return is_zero(s) ? ECC_ZERO_S : ECC_GOOD;
}

static enum ecc_status verify(void) {
  const struct ecc_field *n = &work.curve->n;
  const ecc_limb *x = work.operand[0], *y = work.operand[1], *r = work.operand[2];
  ecc_limb *s = work.operand[3], *e = work.operand[4];
  if (!is_scalar(r) || !is_scalar(s)) {
    return ECC_SIGNATURE;
  }
  enum ecc_status status = check_point(x, y);
  if (status != ECC_GOOD) {
    return status;
  }
  ecc_to_form(n, s, s);
  ecc_invert(n, s, s);
  ecc_multiply(n, work.scalar[0], e, s); // e / s, out of Montgomery form
  ecc_multiply(n, work.scalar[1], r, s);
  make_table(work.table[0], work.curve->gx, work.curve->gy);
  make_table(work.table[1], x, y);
  multiply_points(2);
  if (is_zero(work.sum.z)) {
    return ECC_INVALID;
  }
  to_affine(work.t3, work.t4);
  ecc_to_form(n, work.t3, work.t3);
  ecc_from_form(n, work.t3, work.t3);
  return ecc_equal(n, work.t3, r) ? ECC_GOOD : ECC_INVALID;
}

static enum ecc_status agree(void) {
  const ecc_limb *d = work.operand[0], *x = work.operand[1], *y = work.operand[2];
  if (!is_scalar(d)) {
    return ECC_PRIVATE;
  }
  enum ecc_status status = check_point(x, y);
  if (status != ECC_GOOD) {
    return status;
  }
  make_table(work.table[0], x, y);
  ecc_replace(&work.curve->n, work.scalar[0], d, ecc_mask(1));
  multiply_points(1);
  to_affine(work.result[0], work.t3); // not infinity: the order is prime and above d
  return ECC_GOOD;
}

static enum ecc_status run(enum ecc_operation operation) {
  switch (operation) {
    case ECC_GENERATE:
      return generate();
    case ECC_PUBLIC:
      return is_scalar(work.operand[0])
                 ? public_key(work.operand[0], work.result[0], work.result[1])
                 : ECC_PRIVATE;
    case ECC_SIGN:
      return sign();
    case ECC_VERIFY:
      return verify();
    default:
      return agree();
  }
}

static const struct {
  uint8_t operands, results;
} counts[] = {
    [ECC_GENERATE] = {1, 3}, [ECC_PUBLIC] = {1, 2}, [ECC_SIGN] = {3, 2},
    [ECC_VERIFY] = {5, 0},   [ECC_AGREE] = {3, 1},
};

enum ecc_status ecc_run(const struct ecc_curve *curve, enum ecc_operation operation,
                        const uint8_t *operands, uint8_t *results) {
  work.curve = curve;
  for (unsigned number = 0; number < counts[operation].operands; number++) {
    for (unsigned index = 0; index < curve->bytes; index++) {
      work.operand[number][index / LIMB_BYTES] |=
          (ecc_limb)operands[(number + 1) * curve->bytes - 1 - index] << 8 * (index % LIMB_BYTES);
    }
  }
  ecc_to_form(&curve->p, work.b, curve->b);
  enum ecc_status status = run(operation);
  if (status == ECC_GOOD) {
    for (unsigned number = 0; number < counts[operation].results; number++) {
      for (unsigned index = 0; index < curve->bytes; index++) {
        results[(number + 1) * curve->bytes - 1 - index] =
            (uint8_t)(work.result[number][index / LIMB_BYTES] >> 8 * (index % LIMB_BYTES));
      }
    }
  }
  zeroise(&work, sizeof work); // the next operation finds zeros
  ecc_field_zeroise();
  return status;
}
