// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Makes a reset fit for the domain of clk_i: asserted at once, released two
// clock edges after rst_ni is. It does not filter glitches.
module prim_reset_synchroniser (
  input  logic clk_i,
  input  logic rst_ni,
  output logic rst_no
);

  prim_synchroniser #(
    .Width      (1),
    .ResetValue (1'b0)
  ) u_release (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .data_i (1'b1),
    .data_o (rst_no)
  );

endmodule
