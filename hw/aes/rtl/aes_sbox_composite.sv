// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// SubBytes, InvSubBytes or both by a low-gate circuit, for Bytes bytes at once.
//
// The circuit is that of J. Boyar and R. Peralta, "A depth-16 circuit for the
// AES S-box", IACR ePrint 2011/332: inversion in a tower field between a linear
// layer at the top and one at the bottom. 128 gates forward, 127 backward; the
// two directions have the same non-linear middle of 63 gates, so a circuit with
// both directions has it once and selects between the linear layers. Signal
// names are the paper's; u[7] here is its U0, the most significant bit.
//
// Each signal is a vector with one bit for each byte (bit slices): a simulator
// evaluates all the bytes in one pass, and synthesis sees independent circuits.
// Combinational. Not masked: its power consumption depends on its data.
module aes_sbox_composite
  import aes_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned Bytes = 1
) (
  input  direction_e           direction_i,
  input  logic [8*Bytes-1:0]   data_i,
  output logic [8*Bytes-1:0]   data_o
);

  typedef logic [Bytes-1:0] plane_t;

  // A constant if Directions has one direction only, so that synthesis removes the
  // layers of the other.
  logic inverse_active;
  assign inverse_active = (Directions == DirectionsBoth) ?
      (direction_i == DirectionDecrypt) : (Directions == DirectionsDecrypt);

  // Bit planes: bit b of byte n is u[b][n].
  logic [7:0][Bytes-1:0] u, forward, inverse, w;

  for (genvar n = 0; n < Bytes; n++) begin : gen_byte
    for (genvar b = 0; b < 8; b++) begin : gen_bit
      assign u[b][n] = data_i[8*n+b];
      assign data_o[8*n+b] = w[b][n];
    end
  end

  // Top linear layer, forward.
  plane_t f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
      f20, f21, f22, f23, f24, f25, f26, f27, fd;
  always_comb begin
    f1 = u[7] ^ u[4]; f2 = u[7] ^ u[2]; f3 = u[7] ^ u[1]; f4 = u[4] ^ u[2]; f5 = u[3] ^ u[1];
    f6 = f1 ^ f5; f7 = u[6] ^ u[5]; f8 = u[0] ^ f6; f9 = u[0] ^ f7; f10 = f6 ^ f7;
    f11 = u[6] ^ u[2]; f12 = u[5] ^ u[2]; f13 = f3 ^ f4; f14 = f6 ^ f11; f15 = f5 ^ f11;
    f16 = f5 ^ f12; f17 = f9 ^ f16; f18 = u[4] ^ u[0]; f19 = f7 ^ f18; f20 = f1 ^ f19;
    f21 = u[1] ^ u[0]; f22 = f7 ^ f21; f23 = f2 ^ f22; f24 = f2 ^ f10; f25 = f20 ^ f17;
    f26 = f3 ^ f16; f27 = f1 ^ f12; fd = u[0];
  end

  // Top linear layer, inverse.
  plane_t i23, i22, i2, i1, i24, r5, i8, i19, i9, i10, i13, i3, i25, r13, i17, i20, i4, r17, r18,
      r19, id, i6, i16, i27, i15, i14, i26;
  always_comb begin
    i23 = u[7] ^ u[4]; i22 = ~(u[6] ^ u[4]); i2 = ~(u[7] ^ u[6]); i1 = u[4] ^ u[3];
    i24 = ~(u[3] ^ u[0]); r5 = u[1] ^ u[0]; i8 = ~(u[6] ^ i23); i19 = i22 ^ r5; i9 = ~(u[0] ^ i1);
    i10 = i2 ^ i24; i13 = i2 ^ r5; i3 = i1 ^ r5; i25 = ~(u[5] ^ i1); r13 = u[6] ^ u[1];
    i17 = ~(u[5] ^ i19); i20 = i24 ^ r13; i4 = u[3] ^ i8; r17 = ~(u[5] ^ u[2]);
    r18 = ~(u[2] ^ u[1]); r19 = ~(u[5] ^ u[3]); id = u[7] ^ r17; i6 = i22 ^ r17; i16 = r13 ^ r19;
    i27 = i1 ^ r18; i15 = i10 ^ i27; i14 = i10 ^ r18; i26 = i3 ^ i16;
  end

  // The layer of the direction in use.
  plane_t t1, t2, t3, t4, t6, t8, t9, t10, t13, t14, t15, t16, t17, t19, t20, t22, t23, t24, t25,
      t26, t27, d;
  always_comb begin
    t1 = inverse_active ? i1 : f1; t2 = inverse_active ? i2 : f2; t3 = inverse_active ? i3 : f3;
    t4 = inverse_active ? i4 : f4; t6 = inverse_active ? i6 : f6; t8 = inverse_active ? i8 : f8;
    t9 = inverse_active ? i9 : f9; t10 = inverse_active ? i10 : f10;
    t13 = inverse_active ? i13 : f13; t14 = inverse_active ? i14 : f14;
    t15 = inverse_active ? i15 : f15; t16 = inverse_active ? i16 : f16;
    t17 = inverse_active ? i17 : f17; t19 = inverse_active ? i19 : f19;
    t20 = inverse_active ? i20 : f20; t22 = inverse_active ? i22 : f22;
    t23 = inverse_active ? i23 : f23; t24 = inverse_active ? i24 : f24;
    t25 = inverse_active ? i25 : f25; t26 = inverse_active ? i26 : f26;
    t27 = inverse_active ? i27 : f27; d = inverse_active ? id : fd;
  end

  // Non-linear middle: inversion in GF(((2^2)^2)^2).
  plane_t m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
      m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37,
      m38, m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55,
      m56, m57, m58, m59, m60, m61, m62, m63;
  always_comb begin
    m1 = t13 & t6; m2 = t23 & t8; m3 = t14 ^ m1; m4 = t19 & d; m5 = m4 ^ m1; m6 = t3 & t16;
    m7 = t22 & t9; m8 = t26 ^ m6; m9 = t20 & t17; m10 = m9 ^ m6; m11 = t1 & t15; m12 = t4 & t27;
    m13 = m12 ^ m11; m14 = t2 & t10; m15 = m14 ^ m11; m16 = m3 ^ m2; m17 = m5 ^ t24;
    m18 = m8 ^ m7; m19 = m10 ^ m15; m20 = m16 ^ m13; m21 = m17 ^ m15; m22 = m18 ^ m13;
    m23 = m19 ^ t25; m24 = m22 ^ m23; m25 = m22 & m20; m26 = m21 ^ m25; m27 = m20 ^ m21;
    m28 = m23 ^ m25; m29 = m28 & m27; m30 = m26 & m24; m31 = m20 & m23; m32 = m27 & m31;
    m33 = m27 ^ m25; m34 = m21 & m22; m35 = m24 & m34; m36 = m24 ^ m25; m37 = m21 ^ m29;
    m38 = m32 ^ m33; m39 = m23 ^ m30; m40 = m35 ^ m36; m41 = m38 ^ m40; m42 = m37 ^ m39;
    m43 = m37 ^ m38; m44 = m39 ^ m40; m45 = m42 ^ m41; m46 = m44 & t6; m47 = m40 & t8;
    m48 = m39 & d; m49 = m43 & t16; m50 = m38 & t9; m51 = m37 & t17; m52 = m42 & t15;
    m53 = m45 & t27; m54 = m41 & t10; m55 = m44 & t13; m56 = m40 & t23; m57 = m39 & t19;
    m58 = m43 & t3; m59 = m38 & t22; m60 = m37 & t20; m61 = m42 & t1; m62 = m45 & t4;
    m63 = m41 & t2;
  end

  // Bottom linear layer, forward, with the affine constant of SubBytes.
  plane_t l0, l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12, l13, l14, l15, l16, l17, l18,
      l19, l20, l21, l22, l23, l24, l25, l26, l27, l28, l29;
  always_comb begin
    l0 = m61 ^ m62; l1 = m50 ^ m56; l2 = m46 ^ m48; l3 = m47 ^ m55; l4 = m54 ^ m58;
    l5 = m49 ^ m61; l6 = m62 ^ l5; l7 = m46 ^ l3; l8 = m51 ^ m59; l9 = m52 ^ m53; l10 = m53 ^ l4;
    l11 = m60 ^ l2; l12 = m48 ^ m51; l13 = m50 ^ l0; l14 = m52 ^ m61; l15 = m55 ^ l1;
    l16 = m56 ^ l0; l17 = m57 ^ l1; l18 = m58 ^ l8; l19 = m63 ^ l4; l20 = l0 ^ l1; l21 = l1 ^ l7;
    l22 = l3 ^ l12; l23 = l18 ^ l2; l24 = l15 ^ l9; l25 = l6 ^ l10; l26 = l7 ^ l9; l27 = l8 ^ l10;
    l28 = l11 ^ l14; l29 = l11 ^ l17; forward[7] = l6 ^ l24; forward[6] = ~(l16 ^ l26);
    forward[5] = ~(l19 ^ l28); forward[4] = l6 ^ l21; forward[3] = l20 ^ l22;
    forward[2] = l25 ^ l29; forward[1] = ~(l13 ^ l27); forward[0] = ~(l6 ^ l23);
  end

  // Bottom linear layer, inverse.
  plane_t p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18,
      p19, p20, p22, p23, p24, p25, p26, p27, p28, p29;
  always_comb begin
    p0 = m52 ^ m61; p1 = m58 ^ m59; p2 = m54 ^ m62; p3 = m47 ^ m50; p4 = m48 ^ m56;
    p5 = m46 ^ m51; p6 = m49 ^ m60; p7 = p0 ^ p1; p8 = m50 ^ m53; p9 = m55 ^ m63; p10 = m57 ^ p4;
    p11 = p0 ^ p3; p12 = m46 ^ m48; p13 = m49 ^ m51; p14 = m49 ^ m62; p15 = m54 ^ m59;
    p16 = m57 ^ m61; p17 = m58 ^ p2; p18 = m63 ^ p5; p19 = p2 ^ p3; p20 = p4 ^ p6; p22 = p2 ^ p7;
    p23 = p7 ^ p8; p24 = p5 ^ p7; p25 = p6 ^ p10; p26 = p9 ^ p11; p27 = p10 ^ p18;
    p28 = p11 ^ p25; p29 = p15 ^ p20; inverse[7] = p13 ^ p22; inverse[6] = p26 ^ p29;
    inverse[5] = p17 ^ p28; inverse[4] = p12 ^ p22; inverse[3] = p23 ^ p27;
    inverse[2] = p19 ^ p24; inverse[1] = p14 ^ p23; inverse[0] = p9 ^ p16;
  end

  assign w = inverse_active ? inverse : forward;

endmodule
