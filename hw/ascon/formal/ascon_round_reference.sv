// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: one round as the standard defines it (SP 800-232, sections 3.2 to 3.4):
// constants and S-box by table, a column at a time, rotations bit by bit.
module ascon_round_reference
  import ascon_pkg::*;
(
  input  logic [3:0] round_i,
  input  state_t     state_i,
  output state_t     state_o
);

  // The constants of round 11 down to round 0.
  localparam logic [11:0][7:0] Constants = 96'h4b_5a_69_78_87_96_a5_b4_c3_d2_e1_f0;

  // The S-box, from input 31 down to input 0. S0 is the most significant bit of an input.
  localparam logic [31:0][4:0] Table = {
    5'h17, 5'h0f, 5'h0a, 5'h16, 5'h19, 5'h01, 5'h0c, 5'h10,
    5'h18, 5'h11, 5'h0d, 5'h00, 5'h0e, 5'h07, 5'h13, 5'h1e,
    5'h1c, 5'h06, 5'h03, 5'h1d, 5'h12, 5'h08, 5'h05, 5'h1b,
    5'h02, 5'h09, 5'h15, 5'h1a, 5'h14, 5'h1f, 5'h0b, 5'h04
  };

  // The two rotations to the right of each word.
  localparam int unsigned First[5]  = '{19, 61, 1, 10, 7};
  localparam int unsigned Second[5] = '{28, 39, 6, 17, 41};

  state_t added, substituted;

  always_comb begin
    added         = state_i;
    added[2][7:0] = state_i[2][7:0] ^ Constants[(round_i < 4'd12) ? round_i : 4'd0];
  end

  always_comb begin
    substituted = '0;
    for (int unsigned n = 0; n < 64; n++) begin
      {substituted[0][n], substituted[1][n], substituted[2][n], substituted[3][n],
       substituted[4][n]} =
          Table[{added[0][n], added[1][n], added[2][n], added[3][n], added[4][n]}];
    end
  end

  always_comb begin
    state_o = '0;
    for (int unsigned word = 0; word < 5; word++) begin
      for (int unsigned n = 0; n < 64; n++) begin
        state_o[word][n] = substituted[word][n] ^ substituted[word][(n + First[word]) % 64] ^
            substituted[word][(n + Second[word]) % 64];
      end
    end
  end

endmodule
