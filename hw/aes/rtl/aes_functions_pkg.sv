// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Pure functions of AES (FIPS 197) on 32-bit words and 128-bit states.
//
// A word is a column of the state or a word of the key: byte 0 of FIPS 197 in
// bits [7:0]. The functions process the four bytes of a word together, by masks
// and shifts by constants: a few machine instructions in a simulator, and only
// wires and XORs after synthesis.
package aes_functions_pkg;

  // Each byte of the word rotated left by n bits, 0 < n < 8.
  function automatic logic [31:0] rotate_bytes(input logic [31:0] word, input int unsigned n);
    logic [7:0] mask;
    mask = 8'hff << n;
    return ((word << n) & {4{mask}}) | ((word >> (8 - n)) & {4{~mask}});
  endfunction

  // The affine half of SubBytes on each byte (FIPS 197, equation 5.1).
  function automatic logic [31:0] affine(input logic [31:0] word);
    return word ^ rotate_bytes(word, 1) ^ rotate_bytes(word, 2) ^ rotate_bytes(word, 3) ^
        rotate_bytes(word, 4) ^ 32'h63636363;
  endfunction

  // The inverse of affine() on each byte.
  function automatic logic [31:0] inverse_affine(input logic [31:0] word);
    return rotate_bytes(word, 1) ^ rotate_bytes(word, 3) ^ rotate_bytes(word, 6) ^ 32'h05050505;
  endfunction

  // Each byte times x in GF(2^8) (FIPS 197, section 4.2.1).
  function automatic logic [31:0] times_x(input logic [31:0] word);
    logic [31:0] carry;
    carry = (word >> 7) & 32'h01010101;
    return ((word << 1) & 32'hfefefefe) ^ carry ^ (carry << 1) ^ (carry << 3) ^ (carry << 4);
  endfunction

  // The word with its bytes rotated down by n: byte i of the result is byte
  // (i + n) % 4 of the word. n = 1 is RotWord (FIPS 197, section 5.2).
  function automatic logic [31:0] rotate_word(input logic [31:0] word, input int unsigned n);
    return (word >> (8 * n)) | (word << (32 - 8 * n));
  endfunction

  // MixColumns on one column (FIPS 197, section 5.1.3): with s = the column,
  // byte i becomes x*(s[i] + s[i+1]) + s[i+1] + s[i+2] + s[i+3].
  function automatic logic [31:0] mix_column(input logic [31:0] column);
    logic [31:0] next, pair;
    next = rotate_word(column, 1);
    pair = column ^ next;
    return times_x(pair) ^ next ^ rotate_word(pair, 2);
  endfunction

  // The difference of InvMixColumns and MixColumns: inverse_mix_column(s) is
  // mix_column(s) ^ inverse_mix_correction(s). It follows from the factorisation of
  // the inverse matrix as MixColumns times circ(5, 0, 4, 0) (J. Daemen and
  // V. Rijmen, "The Design of Rijndael", section 4.1.3): byte i of the difference is
  // 8*(s[0]+s[1]+s[2]+s[3]) + 4*(s[i]+s[i+2]).
  function automatic logic [31:0] inverse_mix_correction(input logic [31:0] column);
    logic [31:0] opposite, all;
    opposite = column ^ rotate_word(column, 2);
    all = times_x(opposite ^ rotate_word(opposite, 1));
    return times_x(times_x(opposite ^ all));
  endfunction

  // InvMixColumns on one column (FIPS 197, section 5.3.3).
  function automatic logic [31:0] inverse_mix_column(input logic [31:0] column);
    return mix_column(column) ^ inverse_mix_correction(column);
  endfunction

  // ShiftRows on a state (FIPS 197, section 5.1.2): byte r + 4*c comes from
  // column c + r.
  function automatic logic [127:0] shift_rows(input logic [127:0] state);
    logic [31:0] c0, c1, c2, c3;
    {c3, c2, c1, c0} = state;
    return {c2[31:24], c1[23:16], c0[15:8], c3[7:0],
            c1[31:24], c0[23:16], c3[15:8], c2[7:0],
            c0[31:24], c3[23:16], c2[15:8], c1[7:0],
            c3[31:24], c2[23:16], c1[15:8], c0[7:0]};
  endfunction

  // InvShiftRows on a state (FIPS 197, section 5.3.1): byte r + 4*c comes from
  // column c - r.
  function automatic logic [127:0] inverse_shift_rows(input logic [127:0] state);
    logic [31:0] c0, c1, c2, c3;
    {c3, c2, c1, c0} = state;
    return {c0[31:24], c1[23:16], c2[15:8], c3[7:0],
            c3[31:24], c0[23:16], c1[15:8], c2[7:0],
            c2[31:24], c3[23:16], c0[15:8], c1[7:0],
            c1[31:24], c2[23:16], c3[15:8], c0[7:0]};
  endfunction

  // The round constant after this one, x times it (FIPS 197, table 5); the first
  // is 8'h01.
  function automatic logic [7:0] next_round_constant(input logic [7:0] constant);
    return {constant[6:4], constant[3] ^ constant[7], constant[2] ^ constant[7], constant[1],
            constant[0] ^ constant[7], constant[7]};
  endfunction

  // The round constant before this one: divided by x.
  function automatic logic [7:0] previous_round_constant(input logic [7:0] constant);
    return {constant[0], constant[7:5], constant[4] ^ constant[0], constant[3] ^ constant[0],
            constant[2], constant[1] ^ constant[0]};
  endfunction

  // The key size, constant as far as the set key_sizes (aes_pkg) allows, so that
  // synthesis removes the logic of the other sizes.
  function automatic aes_pkg::key_size_e narrow_key_size(input int unsigned key_sizes,
                                                         input aes_pkg::key_size_e key_size);
    unique case (key_sizes)
      1: return aes_pkg::KeySize128;
      2: return aes_pkg::KeySize192;
      3: return aes_pkg::key_size_e'({1'b0, key_size[0]});
      4: return aes_pkg::KeySize256;
      5: return aes_pkg::key_size_e'({key_size[1], 1'b0});
      6: return aes_pkg::key_size_e'({key_size[1], !key_size[1]});
      default: return key_size;
    endcase
  endfunction

  // Words in a key of this size, Nk: 4, 6 or 8 (FIPS 197, table 3).
  function automatic logic [3:0] key_words(input aes_pkg::key_size_e key_size);
    unique case (key_size)
      aes_pkg::KeySize128: return 4'd4;
      aes_pkg::KeySize192: return 4'd6;
      default: return 4'd8;
    endcase
  endfunction

  // Rounds of the cipher for a key size: 10, 12 or 14 (FIPS 197, table 3).
  function automatic logic [3:0] rounds(input aes_pkg::key_size_e key_size);
    unique case (key_size)
      aes_pkg::KeySize128: return 4'd10;
      aes_pkg::KeySize192: return 4'd12;
      default: return 4'd14;
    endcase
  endfunction

endpackage
