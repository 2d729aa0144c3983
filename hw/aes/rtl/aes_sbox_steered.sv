// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The S-box of AES with a separate operand for each direction: SubBytes of
// encrypt_data_i or InvSubBytes of decrypt_data_i, as direction_i says.
//
// A core selects between two operands where ShiftRows and InvShiftRows join. With both
// directions and the table, that selection fits into the LUTs of the inverse affine map
// before the shared table, so that it needs no LUT of its own on an FPGA with 6-input
// LUTs. A multiplexer in front of the S-box would.
module aes_sbox_steered
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  // A multiple of four.
  parameter int unsigned Bytes = 16
) (
  input  direction_e         direction_i,
  input  logic [8*Bytes-1:0] encrypt_data_i,
  input  logic [8*Bytes-1:0] decrypt_data_i,
  output logic [8*Bytes-1:0] data_o
);

  logic decrypt;
  assign decrypt = (direction_i == DirectionDecrypt);

  if (SBox == SBoxTable && Directions == DirectionsBoth) begin : gen_merged
    logic [8*Bytes-1:0] operand, inverted;

    for (genvar n = 0; n < 8 * Bytes; n += 32) begin : gen_word
      assign operand[n+:32] = decrypt ? inverse_affine(decrypt_data_i[n+:32])
                                      : encrypt_data_i[n+:32];
      assign data_o[n+:32] = decrypt ? inverted[n+:32] : affine(inverted[n+:32]);
    end
    for (genvar n = 0; n < Bytes; n++) begin : gen_byte
      aes_field_inverse_table u_table (
        .data_i(operand[8*n+:8]),
        .data_o(inverted[8*n+:8])
      );
    end
  end else begin : gen_plain
    aes_sbox #(
      .SBox      (SBox),
      .Directions(Directions),
      .Bytes     (Bytes)
    ) u_sbox (
      .direction_i(direction_i),
      .data_i     (decrypt ? decrypt_data_i : encrypt_data_i),
      .data_o     (data_o)
    );
  end

endmodule
