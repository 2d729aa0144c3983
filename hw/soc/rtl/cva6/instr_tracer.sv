// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Replaces the instruction tracer that CVA6 instantiates in simulation: it traces nothing.
`ifndef SYNTHESIS
module instr_tracer (
  instr_tracer_if     tracer_if,
  input logic  [63:0] hart_id_i
);

  logic unused;

  assign unused = ^{tracer_if.clk, hart_id_i};

endmodule
`endif
