// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: the reference of aes_sbox and aes_sbox_steered: tables 4 and 6 of FIPS
// 197. Each direction has an operand of its own.
module aes_sbox_reference
  import aes_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned Bytes = 1
) (
  input  direction_e         direction_i,
  input  logic [8*Bytes-1:0] encrypt_data_i,
  input  logic [8*Bytes-1:0] decrypt_data_i,
  output logic [8*Bytes-1:0] data_o
);

  logic decrypt;

  assign decrypt = (Directions == DirectionsBoth) ? direction_i == DirectionDecrypt
                                                  : Directions == DirectionsDecrypt;

  for (genvar n = 0; n < Bytes; n++) begin : gen_byte
    assign data_o[8*n +: 8] =
        decrypt ? aes_sbox_tables_pkg::InvSubBytesTable[decrypt_data_i[8*n +: 8]]
                : aes_sbox_tables_pkg::SubBytesTable[encrypt_data_i[8*n +: 8]];
  end

  if (Directions != DirectionsBoth) begin : gen_one_direction
    logic unused;
    assign unused = ^{direction_i, encrypt_data_i, decrypt_data_i};
  end

endmodule
