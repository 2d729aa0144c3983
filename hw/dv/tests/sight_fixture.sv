// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A register below the top module, for the tests of what benches see.
module sight_register (
  input  logic       clk_i,
  input  logic [7:0] data_i,
  output logic [7:0] data_o
);
  logic [7:0] data_q;

  always_ff @(posedge clk_i) data_q <= data_i;

  assign data_o = data_q;
endmodule

// A top module with one instance of it.
module sight_fixture (
  input  logic       clk_i,
  input  logic [7:0] data_i,
  output logic [7:0] data_o
);
  sight_register u_register (.clk_i, .data_i, .data_o);
endmodule
