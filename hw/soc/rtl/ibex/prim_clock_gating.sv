// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The clock gate of Ibex, left open: a core that sleeps keeps its clock, which
// changes no cycle count, and a simulation has one clock tree.
module prim_clock_gating (
  input  logic clk_i,
  input  logic en_i,
  input  logic test_en_i,
  output logic clk_o
);

  logic unused_enables;

  assign unused_enables = en_i ^ test_en_i;
  assign clk_o          = clk_i;

endmodule
