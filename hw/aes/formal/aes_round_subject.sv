// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: a round with the ports of aes_round_reference: aes_iterative_round or,
// with Layer, S-boxes followed by aes_linear_layer.
module aes_round_subject
  import aes_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned Layer = 0
) (
  input  direction_e   direction_i,
  input  logic         last_i,
  input  logic [127:0] state_i,
  input  logic [127:0] round_key_i,
  output logic [127:0] state_o
);

  // The direction, as the core passes it to its round; a constant if it has one only.
  direction_e direction;

  if (Directions == DirectionsBoth) begin : gen_both_directions
    assign direction = direction_i;
  end else begin : gen_one_direction
    logic unused;
    assign unused    = direction_i;
    assign direction = (Directions == DirectionsDecrypt) ? DirectionDecrypt : DirectionEncrypt;
  end

  if (Layer != 0) begin : gen_layer
    logic [127:0] substituted;

    aes_sbox_reference #(
      .Directions (Directions),
      .Bytes      (16)
    ) u_tables (
      .direction_i    (direction),
      .encrypt_data_i (state_i),
      .decrypt_data_i (state_i),
      .data_o         (substituted)
    );

    aes_linear_layer #(
      .Directions (Directions)
    ) u_layer (
      .direction_i (direction),
      .last_i      (last_i),
      .state_i     (substituted),
      .round_key_i (round_key_i),
      .state_o     (state_o)
    );
  end else begin : gen_round
    logic [127:0] state, result;

    aes_iterative_round #(
      .SBox       (SBox),
      .Directions (Directions)
    ) u_round (
      .direction_i (direction),
      .last_i      (last_i),
      .state_i     (state_i),
      .round_key_i (round_key_i),
      .state_o     (state),
      .result_o    (result)
    );

    assign state_o = last_i ? result : state;
  end

endmodule
