// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// SubBytes after ShiftRows on a whole state, or their inverses (the two commute:
// one moves bytes, the other changes each where it is). Combinational.
//
// With both directions and the table, the choice between ShiftRows and
// InvShiftRows falls into the LUTs of the inverse affine map that stand before
// the shared table anyway, and so costs nothing on a 6-input architecture.
module aes_shift_sub
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth
) (
  input  direction_e   direction_i,
  input  logic [127:0] state_i,
  output logic [127:0] state_o
);

  logic [127:0] shifted, inverse_shifted;

  assign shifted = shift_rows(state_i);
  assign inverse_shifted = inverse_shift_rows(state_i);

  if (SBox == SBoxTable && Directions == DirectionsBoth) begin : gen_merged
    logic [127:0] operand, inverted;

    for (genvar n = 0; n < 4; n++) begin : gen_column
      assign operand[32*n+:32] = (direction_i == DirectionDecrypt) ?
          inverse_affine(inverse_shifted[32*n+:32]) : shifted[32*n+:32];
      assign state_o[32*n+:32] = (direction_i == DirectionDecrypt) ?
          inverted[32*n+:32] : affine(inverted[32*n+:32]);
    end
    for (genvar n = 0; n < 16; n++) begin : gen_byte
      assign inverted[8*n+:8] = aes_sbox_tables_pkg::FieldInverseTable[operand[8*n+:8]];
    end
  end else begin : gen_plain
    aes_sbox #(
      .SBox      (SBox),
      .Directions(Directions),
      .Bytes     (16)
    ) u_sbox (
      .direction_i(direction_i),
      .data_i     ((direction_i == DirectionDecrypt) ? inverse_shifted : shifted),
      .data_o     (state_o)
    );
  end

endmodule
