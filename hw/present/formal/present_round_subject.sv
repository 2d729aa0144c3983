// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: present_rounds, one round, with the ports of present_round_reference.
module present_round_subject
  import present_pkg::*;
(
  input  direction_e   direction_i,
  input  key_size_e    key_size_i,
  input  logic [4:0]   round_i,
  input  logic [63:0]  state_i,
  input  logic [127:0] key_i,
  output logic [63:0]  state_o,
  output logic [127:0] key_o
);

  logic [4:0]  round;
  logic [63:0] sum;

  present_rounds #(
    .Count (1)
  ) u_round (
    .direction_i (direction_i),
    .key_size_i  (key_size_i),
    .round_i     (round_i),
    .state_i     (state_i),
    .key_i       (key_i),
    .round_o     (round),
    .state_o     (state_o),
    .key_o       (key_o),
    .sum_o       (sum)
  );

  logic unused;
  assign unused = ^{round, sum};

endmodule
