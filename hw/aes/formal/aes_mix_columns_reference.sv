// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: MixColumns or InvMixColumns on one column as FIPS 197 defines it
// (sections 5.1.3 and 5.3.3): the product with a matrix over GF(2^8).
module aes_mix_columns_reference
  import aes_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth
) (
  input  direction_e       direction_i,
  input  logic [3:0][7:0]  column_i,
  output logic [3:0][7:0]  column_o
);

  // The first row of each matrix, column n in byte n; each further row is the row above,
  // rotated right by one.
  localparam logic [3:0][7:0] Row = {8'h01, 8'h01, 8'h03, 8'h02};
  localparam logic [3:0][7:0] InverseRow = {8'h09, 8'h0d, 8'h0b, 8'h0e};

  // The product in GF(2^8) (section 4.2): the sum of the factor's multiples by x^n.
  function automatic logic [7:0] times(input logic [7:0] constant, input logic [7:0] factor);
    logic [7:0] sum, multiple;
    sum      = '0;
    multiple = factor;
    for (int n = 0; n < 8; n++) begin
      if (constant[n]) begin
        sum ^= multiple;
      end
      multiple = {multiple[6:0], 1'b0} ^ (multiple[7] ? 8'h1b : 8'h00);
    end
    return sum;
  endfunction

  function automatic logic [3:0][7:0] product(input logic [3:0][7:0] first_row,
                                              input logic [3:0][7:0] column);
    logic [3:0][7:0] sums;
    sums = '0;
    for (int row = 0; row < 4; row++) begin
      for (int n = 0; n < 4; n++) begin
        sums[row] ^= times(first_row[(n + 4 - row) % 4], column[n]);
      end
    end
    return sums;
  endfunction

  logic decrypt;

  assign decrypt = (Directions == DirectionsBoth) ? direction_i == DirectionDecrypt
                                                  : Directions == DirectionsDecrypt;
  assign column_o = decrypt ? product(InverseRow, column_i) : product(Row, column_i);

  if (Directions != DirectionsBoth) begin : gen_one_direction
    logic unused;
    assign unused = direction_i;
  end

endmodule
