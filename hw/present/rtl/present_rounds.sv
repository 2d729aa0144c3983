// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A number of rounds of PRESENT with the steps of their key schedule; combinational.
//
// Encryption adds the round key, then substitutes and permutes, and the key schedule
// runs forward. Decryption adds the round key, then inverts permutation and
// substitution, and the key schedule runs backward. So both end with the addition of
// the last round key: sum_o is the result after 31 rounds. The round number counts up
// to 31 for encryption and down from 31 for decryption. It is 0 after the last round;
// the other outputs are undefined then.
module present_rounds
  import present_pkg::*;
  import present_functions_pkg::*;
#(
  parameter int unsigned Count = 1
) (
  input  direction_e   direction_i,
  input  key_size_e    key_size_i,
  input  logic [4:0]   round_i,
  input  logic [63:0]  state_i,
  input  logic [127:0] key_i,
  output logic [4:0]   round_o,
  output logic [63:0]  state_o,
  output logic [127:0] key_o,
  output logic [63:0]  sum_o
);

  logic [63:0] sum;

  always_comb begin
    round_o = round_i;
    state_o = state_i;
    key_o = key_i;
    for (int unsigned n = 0; n < Count; n++) begin
      sum = state_o ^ key_o[127:64];
      if (direction_i == DirectionDecrypt) begin
        state_o = permute_substitute_inverse(sum);
        key_o = key_previous(key_size_i, key_o, round_o);
        round_o = round_o - 5'd1;
      end else begin
        state_o = substitute_permute(sum);
        key_o = key_next(key_size_i, key_o, round_o);
        round_o = round_o + 5'd1;
      end
    end
  end

  assign sum_o = state_i ^ key_i[127:64];

endmodule
