// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Registers and a memory below the top module, for the tests of what benches see.
module sight_register (
  input  logic       clk_i,
  input  logic [7:0] data_i,
  output logic [7:0] data_o
);
  logic [7:0] data_q, high_q, inverted;
  logic [3:0] low_q;
  logic [7:0] memory[2];
  logic [1:0] flags_q[2];

  always_ff @(posedge clk_i) begin
    data_q <= data_i;
    {high_q[7:4], low_q} <= data_i;
    memory[data_i[0]] <= data_q;
    for (int n = 0; n < 2; n++) flags_q[n][1:0] <= inverted[1:0];
  end

  assign inverted = ~data_q;
  assign data_o = inverted ^ high_q ^ {4'h0, low_q} ^ memory[0] ^ memory[1] ^ {4'h0, flags_q[0], flags_q[1]};
endmodule

// A top module with one instance of it.
module sight_fixture (
  input  logic       clk_i,
  input  logic [7:0] data_i,
  output logic [7:0] data_o
);
  sight_register u_register (.clk_i, .data_i, .data_o);
endmodule
