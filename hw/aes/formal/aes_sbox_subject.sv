// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: an S-box with the ports of aes_sbox_reference: with Steered,
// aes_sbox_steered; otherwise aes_sbox after a multiplexer of the operands.
module aes_sbox_subject
  import aes_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned Bytes = 1,
  parameter int unsigned Steered = 0
) (
  input  direction_e         direction_i,
  input  logic [8*Bytes-1:0] encrypt_data_i,
  input  logic [8*Bytes-1:0] decrypt_data_i,
  output logic [8*Bytes-1:0] data_o
);

  if (Steered != 0) begin : gen_steered
    aes_sbox_steered #(
      .SBox       (SBox),
      .Directions (Directions),
      .Bytes      (Bytes)
    ) u_sbox (
      .direction_i    (direction_i),
      .encrypt_data_i (encrypt_data_i),
      .decrypt_data_i (decrypt_data_i),
      .data_o         (data_o)
    );
  end else begin : gen_plain
    logic decrypt;

    assign decrypt = (Directions == DirectionsBoth) ? direction_i == DirectionDecrypt
                                                    : Directions == DirectionsDecrypt;

    aes_sbox #(
      .SBox       (SBox),
      .Directions (Directions),
      .Bytes      (Bytes)
    ) u_sbox (
      .direction_i (direction_i),
      .data_i      (decrypt ? decrypt_data_i : encrypt_data_i),
      .data_o      (data_o)
    );
  end

endmodule
