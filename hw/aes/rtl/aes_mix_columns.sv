// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// MixColumns, InvMixColumns or both on one column (FIPS 197, sections 5.1.3 and
// 5.3.3). With both, InvMixColumns is MixColumns plus a correction that is the same in
// bytes i and i + 2, so that the directions share most of the XORs. direction_i is used
// only if Directions is both. Combinational.
module aes_mix_columns
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth
) (
  input  direction_e  direction_i,
  input  logic [31:0] column_i,
  output logic [31:0] column_o
);

  if (Directions == DirectionsBoth) begin : gen_both
    logic [31:0] correction;
    assign correction = inverse_mix_correction(column_i);
    assign column_o = mix_column(column_i) ^
        ((direction_i == DirectionDecrypt) ? correction : 32'h0);
  end else begin : gen_one
    logic unused_direction;
    assign unused_direction = ^direction_i;
    if (Directions == DirectionsDecrypt) begin : gen_inverse
      assign column_o = inverse_mix_column(column_i);
    end else begin : gen_forward
      assign column_o = mix_column(column_i);
    end
  end

endmodule
