// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A pipeline register: loads with load_i, cleared with clear_i. It has no
// asynchronous reset, since a flip-flop of most FPGA families has either that or a
// synchronous clear. The instantiating module must clear it after every reset.
module aes_pipelined_register #(
  parameter int unsigned Width = 128
) (
  input  logic             clk_i,
  input  logic             clear_i,
  input  logic             load_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      data_o <= '0;
    end else if (load_i) begin
      data_o <= data_i;
    end
  end

endmodule
