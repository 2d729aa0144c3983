// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The layers of PRESENT and the steps of its key schedule.
//
// The S-boxes work on bit slices: slice j has bit j of each of the 16 nibbles, so that
// a simulator evaluates 16 S-boxes at once. The permutation of the paper moves bit
// 4 i + j to bit 16 j + i: the four slices in sequence are the permuted state.
//
// Inside a core a key is left-aligned in 128 bits, an 80-bit key in [127:48]
// with zeros below, so that the round key is [127:64] for both sizes.
package present_functions_pkg;
  import present_pkg::*;

  // The inverse S-box (inverse of the table in section 3.4), entry n in bits [4n+3:4n].
  localparam logic [63:0] SBoxInverseTable = 64'ha970_364b_d21c_8fe5;

  // The S-box by the circuit below. From a table some tools would infer a memory.
  function automatic logic [3:0] sub_nibble(logic [3:0] x);
    logic a, b, c, d, e, y0, y1, y2, y3;
    a = x[1] ^ x[2];
    b = x[3] ^ (x[2] & a);
    y0 = x[0] ^ b;
    c = a ^ y0;
    d = x[2] ^ (a & b);
    e = ~(x[0] ^ d);
    y1 = c ^ (x[0] | d);
    y2 = b ^ (c | e);
    y3 = y1 ^ e;
    return {y3, y2, y1, y0};
  endfunction

  function automatic logic [3:0] sub_nibble_inverse(logic [3:0] x);
    return SBoxInverseTable[{x, 2'b00}+:4];
  endfunction

  // pLayer and its inverse (paper, section 3.5).
  function automatic logic [63:0] permute(logic [63:0] state);
    logic [63:0] result;
    for (int i = 0; i < 16; i++) begin
      for (int j = 0; j < 4; j++) result[16*j+i] = state[4*i+j];
    end
    return result;
  endfunction

  function automatic logic [63:0] permute_inverse(logic [63:0] state);
    logic [63:0] result;
    for (int i = 0; i < 16; i++) begin
      for (int j = 0; j < 4; j++) result[4*i+j] = state[16*j+i];
    end
    return result;
  endfunction

  // sBoxLayer and pLayer (paper, sections 3.4 and 3.5). The circuit of the S-box
  // has 14 gates: N. T. Courtois, D. Hulme, T. Mourouzis, IACR ePrint 2011/475.
  function automatic logic [63:0] substitute_permute(logic [63:0] state);
    logic [15:0] x0, x1, x2, x3, y0, y1, y2, y3, a, b, c, d, e;
    for (int i = 0; i < 16; i++) begin
      x0[i] = state[4*i];
      x1[i] = state[4*i+1];
      x2[i] = state[4*i+2];
      x3[i] = state[4*i+3];
    end
    a = x1 ^ x2;
    b = x3 ^ (x2 & a);
    y0 = x0 ^ b;
    c = a ^ y0;
    d = x2 ^ (a & b);
    e = ~(x0 ^ d);
    y1 = c ^ (x0 | d);
    y2 = b ^ (c | e);
    y3 = y1 ^ e;
    return {y3, y2, y1, y0};
  endfunction

  // The inverse of both layers, from the algebraic normal form of the inverse S-box.
  function automatic logic [63:0] permute_substitute_inverse(logic [63:0] state);
    logic [15:0] x0, x1, x2, x3, y0, y1, y2, y3, a, b, c;
    logic [63:0] result;
    {x3, x2, x1, x0} = state;
    a = x1 ^ x3;
    b = x0 & x2 & a;
    c = b ^ (x0 & x1 & x3);
    y0 = ~(x0 ^ x2 ^ (x1 & x3));
    y1 = x0 ^ a ^ (x0 & x2) ^ (x3 & (x1 ^ x2)) ^ c;
    y2 = ~(x3 ^ (x0 & (x2 ^ a)) ^ (x1 & (x2 ^ x3)) ^ c);
    y3 = x0 ^ x2 ^ a ^ (x0 & x1) ^ b;
    for (int i = 0; i < 16; i++) begin
      result[4*i+:4] = {y3[i], y2[i], y1[i], y0[i]};
    end
    return result;
  endfunction

  // The key register after a round, 1 to 31 (paper, section 3.6 for 80 bits, appendix II
  // for 128).
  function automatic logic [127:0] key_next(key_size_e size, logic [127:0] key,
                                            logic [4:0] round);
    logic [79:0]  short_key;
    logic [127:0] long_key;
    short_key = {key[66:48], key[127:67]};
    short_key[79:76] = sub_nibble(short_key[79:76]);
    short_key[19:15] ^= round;
    long_key = {key[66:0], key[127:67]};
    long_key[127:124] = sub_nibble(long_key[127:124]);
    long_key[123:120] = sub_nibble(long_key[123:120]);
    long_key[66:62] ^= round;
    return (size == KeySize128) ? long_key : {short_key, 48'b0};
  endfunction

  // The key register before a round: the inverse of key_next.
  function automatic logic [127:0] key_previous(key_size_e size, logic [127:0] key,
                                                logic [4:0] round);
    logic [79:0]  short_key;
    logic [127:0] long_key;
    short_key = key[127:48];
    short_key[79:76] = sub_nibble_inverse(short_key[79:76]);
    short_key[19:15] ^= round;
    long_key = key;
    long_key[127:124] = sub_nibble_inverse(long_key[127:124]);
    long_key[123:120] = sub_nibble_inverse(long_key[123:120]);
    long_key[66:62] ^= round;
    return (size == KeySize128) ? {long_key[60:0], long_key[127:61]}
                                : {short_key[60:0], short_key[79:61], 48'b0};
  endfunction

  // A left-aligned key shifted left by a nibble, with another one shifted in.
  function automatic logic [127:0] shift_key(key_size_e size, logic [127:0] key,
                                             logic [3:0] nibble);
    logic [127:0] shifted;
    shifted = key << 4;
    if (size == KeySize128) shifted[3:0] = nibble;
    else shifted[51:48] = nibble;
    return shifted;
  endfunction

  // A left-aligned key rotated back by the 16 nibbles by which it was rotated.
  function automatic logic [127:0] turn_back(key_size_e size, logic [127:0] key);
    return (size == KeySize128) ? {key[63:0], key[127:64]} : {key[111:48], key[127:112], 48'b0};
  endfunction

endpackage
