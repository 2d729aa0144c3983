// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Product of two short polynomials over GF(2), not reduced, term by term.
module ghash_leaf #(
  parameter int unsigned Width = 16
) (
  input  logic [Width-1:0]   a_i,
  input  logic [Width-1:0]   b_i,
  output logic [2*Width-2:0] product_o
);

  logic [Width-1:0] reversed;

  assign reversed = {<<{b_i}};

  // Coefficient n is the sum of a[i] b[n-i]: a AND the reversed and shifted b.
  always_comb begin
    for (int unsigned n = 0; n < 2 * Width - 1; n++) begin
      product_o[n] = (n < Width) ? ^(a_i & (reversed >> (Width - 1 - n)))
                                 : ^(a_i & (reversed << (n + 1 - Width)));
    end
  end

endmodule
