// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: MixColumns and InvMixColumns as FIPS 197 writes them (equations
// 5.6 and 5.10): a column times a matrix, in GF(2^8). No sharing.
module aes_mix_columns_reference
  import aes_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth
) (
  input  direction_e  direction_i,
  input  logic [31:0] column_i,
  output logic [31:0] column_o
);

  // The product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (section 4.2).
  function automatic logic [7:0] times(input logic [3:0] factor, input logic [7:0] value);
    logic [7:0] power, sum;
    power = value;
    sum   = '0;
    for (int n = 0; n < 4; n++) begin
      if (factor[n]) begin
        sum = sum ^ power;
      end
      power = {power[6:0], 1'b0} ^ (power[7] ? 8'h1b : 8'h00);
    end
    return sum;
  endfunction

  logic            decrypt;
  logic [3:0][7:0] column;

  assign decrypt = (Directions == DirectionsBoth) ? direction_i == DirectionDecrypt
                                                  : Directions == DirectionsDecrypt;
  assign column  = column_i;

  for (genvar r = 0; r < 4; r++) begin : gen_row
    assign column_o[8*r +: 8] =
        decrypt ? times(4'd14, column[r]) ^ times(4'd11, column[(r + 1) % 4]) ^
                  times(4'd13, column[(r + 2) % 4]) ^ times(4'd9, column[(r + 3) % 4])
                : times(4'd2, column[r]) ^ times(4'd3, column[(r + 1) % 4]) ^
                  column[(r + 2) % 4] ^ column[(r + 3) % 4];
  end

  if (Directions != DirectionsBoth) begin : gen_one_direction
    logic unused;
    assign unused = direction_i;
  end

endmodule
