// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// One step of the key schedule (FIPS 197, section 5.2) in either direction: from
// the window of round r to that of round r + 1, or r - 1 with backward_i.
// Combinational.
//
// The window of round r is the Nk words from w[4r] on, the first in the low bits:
// its low four words are round key r. Words w[i] = w[i-Nk] + f(w[i-1]) join at the
// top going forward, and the recurrence read the other way gives those that join
// at the bottom. phase_i is r modulo 2 for 256 bits, modulo 3 for 192: it tells
// where f contains SubWord. Of the words above the window nothing is used, and
// nothing is promised.
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

  // SubWord in the first of the four words, or in the third; a 256-bit key has
  // RotWord and the constant only in every other one.
  logic sub_first, sub_third;
  assign sub_first = !is_192 || phase_i == (backward_i ? 2'd1 : 2'd0);
  assign sub_third = is_192 && phase_i == (backward_i ? 2'd2 : 2'd1);
  assign rotate_o = is_256 ? phase_i[0] == backward_i : sub_first || sub_third;

  // The word before the one that SubWord is for.
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

  logic [3:0][31:0] above, below;

  // Forward: the four words on top.
  always_comb begin
    above[0] = window_i[0] ^ (sub_first ? transformed : window_i[5]);
    above[1] = window_i[1] ^ above[0];
    above[2] = window_i[2] ^ (sub_third ? transformed : above[1]);
    above[3] = window_i[3] ^ above[2];
  end

  // Backward: the four words below.
  always_comb begin
    if (is_256) begin
      below[0] = window_i[4] ^ transformed;
      below[1] = window_i[5] ^ window_i[4];
      below[2] = window_i[6] ^ window_i[5];
      below[3] = window_i[7] ^ window_i[6];
    end else if (is_128) begin
      below[0] = window_i[0] ^ transformed;
      below[1] = window_i[1] ^ window_i[0];
      below[2] = window_i[2] ^ window_i[1];
      below[3] = window_i[3] ^ window_i[2];
    end else begin
      below[0] = window_i[2] ^ (sub_first ? transformed : window_i[1]);
      below[1] = window_i[3] ^ window_i[2];
      below[2] = window_i[4] ^ (sub_third ? transformed : window_i[3]);
      below[3] = window_i[5] ^ window_i[4];
    end
  end

  always_comb begin
    if (backward_i) begin
      window_o = {window_i[3:0], below};
    end else begin
      window_o = {above, window_i[7:4]};
      if (is_192) window_o[5:0] = {above, window_i[5:4]};
      if (is_128) window_o[3:0] = above;
    end
  end

endmodule
