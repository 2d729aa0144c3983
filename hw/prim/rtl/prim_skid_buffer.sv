// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A stream buffer whose ready is a flip-flop. A word that is offered passes in the same
// cycle if the output takes it; otherwise it is accepted and stored here until it is
// taken. So no cycle is added, a word can pass each cycle, and at most one is stored.
//
// It cuts the path from ready_i to ready_o, and so every path from valid_i and data_i
// through the logic behind the output back to ready_o. It does not cut the path from
// valid_i and data_i to valid_o and data_o. Nothing is accepted in a reset. A stored
// word is overwritten with zeros when it leaves.
module prim_skid_buffer #(
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  logic             ready_q, full_q, stays;
  logic [Width-1:0] data_q;

  assign ready_o = ready_q;
  assign valid_o = full_q || (valid_i && ready_q);
  assign data_o  = full_q ? data_q : data_i;
  assign stays   = valid_o && !ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q <= 1'b0;
      full_q  <= 1'b0;
      data_q  <= '0;
    end else begin
      ready_q <= !stays;
      full_q  <= stays;
      if (!stays) begin
        data_q <= '0;
      end else if (ready_q) begin
        data_q <= data_i;
      end
    end
  end

`ifndef SYNTHESIS
  // Rules for the surrounding logic.
  prim_stream_rules #(
    .Width (Width)
  ) u_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (valid_i),
    .ready_i   (ready_o),
    .payload_i (data_i)
  );
`endif

endmodule
