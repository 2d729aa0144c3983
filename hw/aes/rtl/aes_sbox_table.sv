// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// SubBytes, InvSubBytes or both by table look-up, for Bytes bytes at once.
//
// One direction is one table of 256 bytes: 32 LUTs a byte on Xilinx 7-series.
// Both directions share the table of the inverse in GF(2^8), with the affine
// map before it (decrypting) or after it (encrypting): 48 LUTs a byte.
// Combinational. Not masked: its power consumption depends on its data.
module aes_sbox_table
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned Bytes = 1
) (
  input  direction_e           direction_i,
  input  logic [8*Bytes-1:0]   data_i,
  output logic [8*Bytes-1:0]   data_o
);

  if (Directions == DirectionsBoth) begin : gen_both
    // The affine functions process words of four bytes: full words if Bytes is a multiple
    // of four, otherwise words with one byte each.
    localparam int unsigned Chunk = (Bytes % 4 == 0) ? 32 : 8;

    logic               decrypt;
    logic [8*Bytes-1:0] operand, inverted;

    assign decrypt = (direction_i == DirectionDecrypt);

    for (genvar n = 0; n < 8 * Bytes; n += Chunk) begin : gen_affine
      assign operand[n+:Chunk] = decrypt ? Chunk'(inverse_affine(32'(data_i[n+:Chunk])))
                                         : data_i[n+:Chunk];
      assign data_o[n+:Chunk] = decrypt ? inverted[n+:Chunk]
                                        : Chunk'(affine(32'(inverted[n+:Chunk])));
    end
    for (genvar n = 0; n < Bytes; n++) begin : gen_byte
      aes_field_inverse_table u_table (
        .data_i(operand[8*n+:8]),
        .data_o(inverted[8*n+:8])
      );
    end
  end else begin : gen_one
    logic unused_direction;
    assign unused_direction = ^direction_i;

    for (genvar n = 0; n < Bytes; n++) begin : gen_byte
      if (Directions == DirectionsDecrypt) begin : gen_inverse
        assign data_o[8*n+:8] = aes_sbox_tables_pkg::InvSubBytesTable[data_i[8*n+:8]];
      end else begin : gen_forward
        assign data_o[8*n+:8] = aes_sbox_tables_pkg::SubBytesTable[data_i[8*n+:8]];
      end
    end
  end

endmodule
