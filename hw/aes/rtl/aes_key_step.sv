// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// One step of the key schedule (FIPS 197, section 5.2) in either direction: from
// the window of round r to that of round r + 1, or r - 1 with backward_i.
// Combinational.
//
// The window of round r is the Nk words from w[4r] on, the first in the low bits:
// its low four words are round key r. A forward step appends words
// w[i] = w[i-Nk] + f(w[i-1]) at the top; a backward step solves this equation for
// w[i-Nk] and puts the words in at the bottom. phase_i is r modulo 2 for 256 bits and
// modulo 3 for 192; it says where f contains SubWord. Words above the window are
// ignored in window_i and undefined in window_o.
module aes_key_step
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable
) (
  input  key_size_e        key_size_i,
  input  logic             backward_i,
  input  logic [1:0]       phase_i,
  // The round constant of the step, and whether it was used.
  input  logic [7:0]       constant_i,
  output logic             rotate_o,
  input  logic [7:0][31:0] window_i,
  output logic [7:0][31:0] window_o
);

  logic is_128, is_192, is_256;
  assign is_128 = (key_size_i == KeySize128);
  assign is_192 = (key_size_i == KeySize192);
  assign is_256 = !is_128 && !is_192;

  // SubWord for the first of the four words, or for the third; with a 256-bit key every
  // other SubWord is without RotWord and constant.
  logic sub_first, sub_third;
  assign sub_first = !is_192 || phase_i == (backward_i ? 2'd1 : 2'd0);
  assign sub_third = is_192 && phase_i == (backward_i ? 2'd2 : 2'd1);
  assign rotate_o = is_256 ? phase_i[0] == backward_i : sub_first || sub_third;

  // The operand of SubWord: the word before the first, or before the third, of the four.
  logic [31:0] sub_in, sub_out, transformed;

  always_comb begin
    if (is_256) begin
      sub_in = backward_i ? window_i[3] : window_i[7];
    end else if (is_128) begin
      sub_in = window_i[3] ^ (backward_i ? window_i[2] : 32'h0);
    end else if (backward_i) begin
      sub_in = sub_third ? window_i[3] : window_i[1];
    end else begin
      sub_in = window_i[5] ^ (sub_third ? window_i[0] ^ window_i[1] : 32'h0);
    end
  end

  aes_sbox #(
    .SBox      (SBox),
    .Directions(DirectionsEncrypt),
    .Bytes     (4)
  ) u_sbox (
    .direction_i(DirectionEncrypt),
    .data_i     (sub_in),
    .data_o     (sub_out)
  );

  assign transformed = (!is_256 || rotate_o) ? rotate_word(sub_out, 1) ^ {24'h0, constant_i}
                                             : sub_out;

  // Four new words, each the sum of an old word and its predecessor: the new predecessor
  // in a forward step, the old one in a backward step.
  logic [3:0][31:0] old, added;
  logic [31:0]      before_first, before_third;

  always_comb begin
    old = window_i[3:0];
    if (backward_i && is_192) old = window_i[5:2];
    if (backward_i && is_256) old = window_i[7:4];
    before_first = backward_i ? window_i[1] : window_i[5];
    added[0] = old[0] ^ (sub_first ? transformed : before_first);
    added[1] = old[1] ^ (backward_i ? old[0] : added[0]);
    before_third = backward_i ? old[1] : added[1];
    added[2] = old[2] ^ (sub_third ? transformed : before_third);
    added[3] = old[3] ^ (backward_i ? old[2] : added[2]);
  end

  always_comb begin
    if (backward_i) begin
      window_o = {window_i[3:0], added};
    end else begin
      window_o = {added, window_i[7:4]};
      if (is_192) window_o[5:0] = {added, window_i[5:4]};
      if (is_128) window_o[3:0] = added;
    end
  end

endmodule
