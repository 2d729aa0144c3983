// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Synchronises a reset to clk_i: it is asserted at once and released Stages clock edges
// after rst_ni, two or more. It does not filter glitches.
module prim_reset_synchroniser #(
  parameter int unsigned Stages = 2
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic rst_no
);

  prim_synchroniser #(
    .Width      (1),
    .ResetValue (1'b0),
    .Stages     (Stages)
  ) u_release (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .data_i (1'b1),
    .data_o (rst_no)
  );

endmodule
