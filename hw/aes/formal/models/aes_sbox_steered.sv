// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: replaces aes_sbox_steered in the proof of a round. A proof of its own
// shows that aes_sbox_steered equals it.
module aes_sbox_steered
  import aes_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned Bytes = 16
) (
  input  direction_e         direction_i,
  input  logic [8*Bytes-1:0] encrypt_data_i,
  input  logic [8*Bytes-1:0] decrypt_data_i,
  output logic [8*Bytes-1:0] data_o
);

  aes_sbox_reference #(
    .Directions (Directions),
    .Bytes      (Bytes)
  ) u_tables (
    .direction_i    (direction_i),
    .encrypt_data_i (encrypt_data_i),
    .decrypt_data_i (decrypt_data_i),
    .data_o         (data_o)
  );

  logic unused;
  assign unused = SBox[0];

endmodule
