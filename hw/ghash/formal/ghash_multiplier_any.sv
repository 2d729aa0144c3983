// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: replaces ghash_multiplier. Its result is a free input of the harness.
module ghash_multiplier
  import ghash_pkg::element_t;
#(
  parameter int unsigned Stages = 1
) (
  input  logic     clk_i,
  input  logic     clear_i,
  input  logic     advance_i,
  input  logic     bubble_i,
  input  element_t a_i,
  input  element_t b_i,
  output element_t product_o
);

  assign product_o = ghash_protocol.any_i;

endmodule
