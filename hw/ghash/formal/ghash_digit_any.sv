// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: stands in for ghash_digit. Its result is an input of the harness, so that
// it has any value in any cycle.
module ghash_digit
  import ghash_pkg::element_t;
#(
  parameter int unsigned Digit = 16
) (
  input  element_t         sum_i,
  input  logic [Digit-1:0] digit_i,
  input  element_t         key_i,
  output element_t         sum_o
);

  assign sum_o = ghash_protocol.any_i;

endmodule
