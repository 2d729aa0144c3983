// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
#include "aes_sbox_circuit.h"

// The straight-line program of Boyar and Peralta, "A depth-16 circuit for the AES
// S-box" (2011), figures 5 to 7, with their names: x0 and s0 are the highest bits.
void aes_sbox_circuit(uint32_t *bits) {
  uint32_t x0 = bits[7], x1 = bits[6], x2 = bits[5], x3 = bits[4];
  uint32_t x4 = bits[3], x5 = bits[2], x6 = bits[1], x7 = bits[0];
  // Top linear layer: into the tower field.
  uint32_t y14 = x3 ^ x5;
  uint32_t y13 = x0 ^ x6;
  uint32_t y9 = x0 ^ x3;
  uint32_t y8 = x0 ^ x5;
  uint32_t t0 = x1 ^ x2;
  uint32_t y1 = t0 ^ x7;
  uint32_t y4 = y1 ^ x3;
  uint32_t y12 = y13 ^ y14;
  uint32_t y2 = y1 ^ x0;
  uint32_t y5 = y1 ^ x6;
  uint32_t y3 = y5 ^ y8;
  uint32_t t1 = x4 ^ y12;
  uint32_t y15 = t1 ^ x5;
  uint32_t y20 = t1 ^ x1;
  uint32_t y6 = y15 ^ x7;
  uint32_t y10 = y15 ^ t0;
  uint32_t y11 = y20 ^ y9;
  uint32_t y7 = x7 ^ y11;
  uint32_t y17 = y10 ^ y11;
  uint32_t y19 = y10 ^ y8;
  uint32_t y16 = t0 ^ y11;
  uint32_t y21 = y13 ^ y16;
  uint32_t y18 = x0 ^ y16;
  // Inversion in GF(2^8).
  uint32_t t2 = y12 & y15;
  uint32_t t3 = y3 & y6;
  uint32_t t4 = t3 ^ t2;
  uint32_t t5 = y4 & x7;
  uint32_t t6 = t5 ^ t2;
  uint32_t t7 = y13 & y16;
  uint32_t t8 = y5 & y1;
  uint32_t t9 = t8 ^ t7;
  uint32_t t10 = y2 & y7;
  uint32_t t11 = t10 ^ t7;
  uint32_t t12 = y9 & y11;
  uint32_t t13 = y14 & y17;
  uint32_t t14 = t13 ^ t12;
  uint32_t t15 = y8 & y10;
  uint32_t t16 = t15 ^ t12;
  uint32_t t17 = t4 ^ t14;
  uint32_t t18 = t6 ^ t16;
  uint32_t t19 = t9 ^ t14;
  uint32_t t20 = t11 ^ t16;
  uint32_t t21 = t17 ^ y20;
  uint32_t t22 = t18 ^ y19;
  uint32_t t23 = t19 ^ y21;
  uint32_t t24 = t20 ^ y18;
  uint32_t t25 = t21 ^ t22;
  uint32_t t26 = t21 & t23;
  uint32_t t27 = t24 ^ t26;
  uint32_t t28 = t25 & t27;
  uint32_t t29 = t28 ^ t22;
  uint32_t t30 = t23 ^ t24;
  uint32_t t31 = t22 ^ t26;
  uint32_t t32 = t31 & t30;
  uint32_t t33 = t32 ^ t24;
  uint32_t t34 = t23 ^ t33;
  uint32_t t35 = t27 ^ t33;
  uint32_t t36 = t24 & t35;
  uint32_t t37 = t36 ^ t34;
  uint32_t t38 = t27 ^ t36;
  uint32_t t39 = t29 & t38;
  uint32_t t40 = t25 ^ t39;
  uint32_t t41 = t40 ^ t37;
  uint32_t t42 = t29 ^ t33;
  uint32_t t43 = t29 ^ t40;
  uint32_t t44 = t33 ^ t37;
  uint32_t t45 = t42 ^ t41;
  uint32_t z0 = t44 & y15;
  uint32_t z1 = t37 & y6;
  uint32_t z2 = t33 & x7;
  uint32_t z3 = t43 & y16;
  uint32_t z4 = t40 & y1;
  uint32_t z5 = t29 & y7;
  uint32_t z6 = t42 & y11;
  uint32_t z7 = t45 & y17;
  uint32_t z8 = t41 & y10;
  uint32_t z9 = t44 & y12;
  uint32_t z10 = t37 & y3;
  uint32_t z11 = t33 & y4;
  uint32_t z12 = t43 & y13;
  uint32_t z13 = t40 & y5;
  uint32_t z14 = t29 & y2;
  uint32_t z15 = t42 & y9;
  uint32_t z16 = t45 & y14;
  uint32_t z17 = t41 & y8;
  // Bottom linear layer: back, and the affine map.
  uint32_t t46 = z15 ^ z16;
  uint32_t t47 = z10 ^ z11;
  uint32_t t48 = z5 ^ z13;
  uint32_t t49 = z9 ^ z10;
  uint32_t t50 = z2 ^ z12;
  uint32_t t51 = z2 ^ z5;
  uint32_t t52 = z7 ^ z8;
  uint32_t t53 = z0 ^ z3;
  uint32_t t54 = z6 ^ z7;
  uint32_t t55 = z16 ^ z17;
  uint32_t t56 = z12 ^ t48;
  uint32_t t57 = t50 ^ t53;
  uint32_t t58 = z4 ^ t46;
  uint32_t t59 = z3 ^ t54;
  uint32_t t60 = t46 ^ t57;
  uint32_t t61 = z14 ^ t57;
  uint32_t t62 = t52 ^ t58;
  uint32_t t63 = t49 ^ t58;
  uint32_t t64 = z4 ^ t59;
  uint32_t t65 = t61 ^ t62;
  uint32_t t66 = z1 ^ t63;
  bits[7] = t59 ^ t63;
  bits[1] = t56 ^ ~t62;
  bits[0] = t48 ^ ~t60;
  uint32_t t67 = t64 ^ t65;
  bits[4] = t53 ^ t66;
  bits[3] = t51 ^ t66;
  bits[2] = t47 ^ t65;
  bits[6] = t64 ^ ~bits[4];
  bits[5] = t55 ^ ~t67;
}

// The inverse of SubBytes' affine map (FIPS 197, 5.3.2): bit j becomes the sum of bits
// j+2, j+5 and j+7, and 0x05 is added.
static void inverse_affine(uint32_t *bits) {
  uint32_t before[8];
  for (unsigned bit = 0; bit < 8; bit++) {
    before[bit] = bits[bit];
  }
  for (unsigned bit = 0; bit < 8; bit++) {
    bits[bit] = before[(bit + 2) & 7] ^ before[(bit + 5) & 7] ^ before[(bit + 7) & 7];
  }
  bits[0] = ~bits[0];
  bits[2] = ~bits[2];
}

// With S = A after I, where I inverts in the field and A is affine, the inverse S-box
// I after A^-1 is A^-1 after S after A^-1: the forward circuit serves.
void aes_inverse_sbox_circuit(uint32_t *bits) {
  inverse_affine(bits);
  aes_sbox_circuit(bits);
  inverse_affine(bits);
}
