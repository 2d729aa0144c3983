// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Turns a pulse of one source cycle into a pulse of one destination cycle, by a level
// that toggles. Pulses must be at least two destination cycles and one source cycle
// apart; closer ones may be lost. The source gets no acknowledgement.
module prim_pulse_crossing #(
  parameter int unsigned SyncStages = 2
) (
  input  logic src_clk_i,
  input  logic src_rst_ni,
  input  logic src_pulse_i,
  input  logic dst_clk_i,
  input  logic dst_rst_ni,
  output logic dst_pulse_o
);

  logic toggle_q;
  logic toggle_synchronised;
  logic toggle_seen_q;

  always_ff @(posedge src_clk_i or negedge src_rst_ni) begin
    if (!src_rst_ni) begin
      toggle_q <= 1'b0;
    end else if (src_pulse_i) begin
      toggle_q <= ~toggle_q;
    end
  end

  prim_synchroniser #(
    .Stages (SyncStages)
  ) u_toggle (
    .clk_i  (dst_clk_i),
    .rst_ni (dst_rst_ni),
    .data_i (toggle_q),
    .data_o (toggle_synchronised)
  );

  always_ff @(posedge dst_clk_i or negedge dst_rst_ni) begin
    if (!dst_rst_ni) begin
      toggle_seen_q <= 1'b0;
    end else begin
      toggle_seen_q <= toggle_synchronised;
    end
  end

  assign dst_pulse_o = toggle_synchronised ^ toggle_seen_q;

endmodule
