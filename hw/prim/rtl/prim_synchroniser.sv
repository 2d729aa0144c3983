// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Two flip-flops in series that synchronise slowly changing signals to clk_i. Bits
// are independent: those of one word may arrive a cycle apart, so use it for single
// signals and Gray codes only. Place and route must keep the two registers close
// together and must not retime them.
module prim_synchroniser #(
  parameter int unsigned Width = 1,
  parameter logic [Width-1:0] ResetValue = '0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);

  (* ASYNC_REG = "TRUE" *) logic [Width-1:0] meta_q;
  (* ASYNC_REG = "TRUE" *) logic [Width-1:0] data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      meta_q <= ResetValue;
      data_q <= ResetValue;
    end else begin
      meta_q <= data_i;
      data_q <= meta_q;
    end
  end

  assign data_o = data_q;

endmodule
