// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: aes_iterative_round behind the ports of aes_round_reference; of
// its two outputs, the one that means something.
module aes_round_subject
  import aes_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth
) (
  input  direction_e   direction_i,
  input  logic         last_i,
  input  logic [127:0] state_i,
  input  logic [127:0] round_key_i,
  output logic [127:0] state_o
);

  logic [127:0] next, result;
  direction_e   direction;

  assign direction = (Directions == DirectionsBoth)    ? direction_i :
                     (Directions == DirectionsDecrypt) ? DirectionDecrypt : DirectionEncrypt;

  aes_iterative_round #(
    .SBox       (SBox),
    .Directions (Directions)
  ) u_round (
    .direction_i (direction),
    .last_i      (last_i),
    .state_i     (state_i),
    .round_key_i (round_key_i),
    .state_o     (next),
    .result_o    (result)
  );

  assign state_o = last_i ? result : next;

  if (Directions != DirectionsBoth) begin : gen_one_direction
    logic unused;
    assign unused = direction_i;
  end

endmodule
